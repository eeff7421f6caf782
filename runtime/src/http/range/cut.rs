//! [`Cut`]: the parts of content that a range request selects. The content is in memory or in a
//! stream.

use std::{collections::VecDeque, ops::Range, slice};

use bytes::Bytes;

use super::{Multipart, RangeSelection, Ranges};

/// The selected parts of content whose length is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The positions of the selected bytes.
    pub(crate) selected: RangeSelection,
    /// The length of the whole content in bytes.
    pub(crate) length: u64,
    /// The boundary and header fields of the parts, if there are several parts.
    pub(crate) multipart: Option<Multipart>,
}

impl Cut {
    /// Selects parts of content in memory.
    pub(crate) fn of(ranges: &Ranges, whole: &[u8], content_type: &str) -> Self {
        let length = whole.len() as u64;
        let selected = ranges.select(length);
        let several = matches!(selected, RangeSelection::Many(_));
        let multipart = several.then(|| Multipart::of(whole, content_type));
        Self { selected, length, multipart }
    }

    /// Selects parts of a stream. The parts are sorted by position, since the stream is read only
    /// once.
    pub(crate) fn of_stream(ranges: &Ranges, length: u64, content_type: &str) -> Self {
        let mut selected = ranges.select(length);
        let multipart = match &mut selected {
            RangeSelection::Many(ranges) => {
                ranges.sort_unstable_by_key(|range| range.start);
                Some(Multipart::of_stream(length, content_type))
            }
            _ => None,
        };
        Self { selected, length, multipart }
    }

    /// Returns the body of the response, for content in memory.
    pub(crate) fn content(&self, whole: &Bytes) -> Bytes {
        match (&self.selected, &self.multipart) {
            // The part is copied. A slice would keep the whole content in memory until the client
            // has read the part.
            (RangeSelection::One(range), _) => {
                Bytes::copy_from_slice(&whole[range.start as usize..range.end as usize])
            }
            (RangeSelection::Many(ranges), Some(multipart)) => {
                multipart.content(whole, ranges).into()
            }
            _ => whole.clone(),
        }
    }

    /// Returns the filter that produces the body of the response from a stream.
    pub(crate) fn window(&self) -> RangeWindow {
        let whole = 0..self.length;
        let ranges = match &self.selected {
            RangeSelection::Unsatisfiable => &[],
            RangeSelection::Whole => slice::from_ref(&whole),
            RangeSelection::One(range) => slice::from_ref(range),
            RangeSelection::Many(ranges) => ranges.as_slice(),
        };
        let head = |range: &Range<u64>| {
            self.multipart.as_ref().map_or_else(String::new, |parts| parts.head(range))
        };
        let part =
            |range: &Range<u64>| RangePart { head: head(range).into(), range: range.clone() };
        let parts = ranges.iter().filter(|range| !range.is_empty()).map(part).collect();
        let end = self.multipart.as_ref().map_or_else(String::new, Multipart::end);
        RangeWindow { at: 0, parts, end: end.into() }
    }
}

/// A filter for the chunks of a stream. Its output has the selected bytes, and the multipart lines
/// between them if there are several parts.
#[derive(Debug)]
pub(crate) struct RangeWindow {
    at: u64,
    parts: VecDeque<RangePart>,
    end: Bytes,
}

/// A part whose bytes have not all been output yet.
#[derive(Debug)]
struct RangePart {
    head: Bytes,
    range: Range<u64>,
}

impl RangeWindow {
    /// The number of bytes that the filter outputs.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |part: &RangePart| part.head.len() as u64 + part.range.end - part.range.start;
        self.parts.iter().map(bytes).sum::<u64>() + self.end.len() as u64
    }

    /// Whether the filter has output all parts.
    pub(crate) fn is_done(&self) -> bool {
        self.parts.is_empty()
    }

    /// Passes the selected bytes of the next chunk to `put`, until `put` returns false. The pieces
    /// are never empty.
    pub(crate) fn pass(&mut self, chunk: &Bytes, mut put: impl FnMut(Bytes) -> bool) {
        let from = self.at;
        self.at += chunk.len() as u64;
        while let Some(part) = self.parts.front_mut().filter(|part| part.range.start < self.at) {
            let head = std::mem::take(&mut part.head);
            if !head.is_empty() && !put(head) {
                return;
            }
            let begin = part.range.start.max(from) - from;
            let end = part.range.end.min(self.at) - from;
            if !put(chunk.slice(begin as usize..end as usize)) || part.range.end > self.at {
                return;
            }
            self.parts.pop_front();
            if self.parts.is_empty() && !self.end.is_empty() {
                put(std::mem::take(&mut self.end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(value: &str, length: u64) -> Cut {
        Cut::of_stream(&Ranges::parse(value).unwrap(), length, "text/csv")
    }

    /// The output of the filter for content that arrives in chunks of this many bytes.
    fn through(cut: &Cut, whole: &[u8], bytes: usize) -> Vec<u8> {
        let (mut window, mut sent) = (cut.window(), vec![]);
        for chunk in whole.chunks(bytes) {
            window.pass(&Bytes::copy_from_slice(chunk), |part| {
                assert!(!part.is_empty());
                sent.extend_from_slice(&part);
                true
            });
        }
        assert!(window.is_done());
        assert_eq!(sent.len() as u64, cut.window().bytes());
        sent
    }

    /// Conformance 86: the parts of a stream are sent in the order of the stream.
    #[test]
    fn several_parts_are_cut_out_of_what_goes_by() {
        let whole: Vec<_> = (0..200u8).collect();
        let cut = cut("bytes=150-159, -1, 0-1", 1000);
        assert_eq!(cut.selected, RangeSelection::Many(vec![0..2, 150..160, 999..1000]));
        let whole = whole.repeat(5);
        let expected =
            cut.multipart.as_ref().unwrap().content(&whole, &[0..2, 150..160, 999..1000]);
        for bytes in [1, 7, 155, 1000, 5000] {
            assert_eq!(through(&cut, &whole, bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn a_part_does_not_keep_the_whole_in_memory() {
        let whole = Bytes::from(vec![7; 1000]);
        let part = cut("bytes=5-9", 1000).content(&whole);
        assert_eq!(part.as_ref(), [7; 5]);
        assert!(whole.is_unique(), "the part shares the memory of the whole content");
    }

    #[test]
    fn who_takes_no_more_is_put_no_more() {
        let cut = cut("bytes=0-1,4-5", 1000);
        for most in 0..4 {
            let (mut window, mut count) = (cut.window(), 0);
            window.pass(&Bytes::from_static(&[0; 1000]), |_| {
                count += 1;
                count <= most
            });
            assert_eq!((count, window.is_done()), (most + 1, false));
        }
    }

    #[test]
    fn nothing_comes_through_where_nothing_is_sent() {
        let cut = cut("bytes=5-", 5);
        assert_eq!(cut.selected, RangeSelection::Unsatisfiable);
        assert_eq!(through(&cut, b"01234", 2), b"");
    }

    proptest! {
        /// Conformance 82, 83: a part has the bytes of the whole content at its position. This
        /// holds for content in memory and for streams.
        #[test]
        fn one_part_is_a_piece_of_the_whole(
            whole in prop::collection::vec(any::<u8>(), 1..300),
            first in 0u64..300,
            more in 0u64..300,
            bytes in 1usize..310,
        ) {
            let first = first.min(whole.len() as u64 - 1);
            let cut = cut(&format!("bytes={first}-{}", first + more), whole.len() as u64);
            let end = whole.len().min((first + more + 1) as usize);
            prop_assert_eq!(through(&cut, &whole, bytes), &whole[first as usize..end]);
        }
    }
}
