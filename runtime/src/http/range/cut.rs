//! The part of a content that is sent: cut out of memory, or out of a stream.

use std::{collections::VecDeque, ops::Range, slice};

use bytes::Bytes;

use super::{Multipart, RangeSelection, Ranges};

/// The selected parts of a content of known length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The selected bytes.
    pub(crate) selected: RangeSelection,
    /// The length of the whole.
    pub(crate) length: u64,
    /// The frame of the parts, if there are several.
    pub(crate) multipart: Option<Multipart>,
}

impl Cut {
    /// Selects parts of a content in memory.
    pub(crate) fn of(ranges: &Ranges, whole: &[u8], content_type: &str) -> Self {
        let length = whole.len() as u64;
        let selected = ranges.select(length);
        let several = matches!(selected, RangeSelection::Many(_));
        let multipart = several.then(|| Multipart::of(whole, content_type));
        Self { selected, length, multipart }
    }

    /// Selects parts of a stream. They are in the order of the content, since it is read once.
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

    /// Returns the selected parts of a content in memory.
    pub(crate) fn content(&self, whole: &Bytes) -> Bytes {
        match (&self.selected, &self.multipart) {
            // A copy: a slice would keep the whole content in memory while a client does not read
            // its part.
            (RangeSelection::One(range), _) => {
                Bytes::copy_from_slice(&whole[range.start as usize..range.end as usize])
            }
            (RangeSelection::Many(ranges), Some(multipart)) => {
                multipart.content(whole, ranges).into()
            }
            _ => whole.clone(),
        }
    }

    /// Returns the window for a stream.
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

/// A filter of a stream: it passes the selected bytes, and adds the heads of the parts and the end.
#[derive(Debug)]
pub(crate) struct RangeWindow {
    at: u64,
    parts: VecDeque<RangePart>,
    end: Bytes,
}

/// A part that has not been passed yet.
#[derive(Debug)]
struct RangePart {
    head: Bytes,
    range: Range<u64>,
}

impl RangeWindow {
    /// The number of bytes that pass.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |part: &RangePart| part.head.len() as u64 + part.range.end - part.range.start;
        self.parts.iter().map(bytes).sum::<u64>() + self.end.len() as u64
    }

    /// Whether all parts have been passed.
    pub(crate) fn is_done(&self) -> bool {
        self.parts.is_empty()
    }

    /// Puts the selected bytes of the next chunk, until `put` returns false. It never puts an empty
    /// chunk.
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

    /// The output for a whole in chunks of this size.
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

    /// HTTP 86: the parts of a stream are in its order.
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
        assert!(whole.is_unique(), "the part is a slice of it");
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
        /// HTTP 82, 83: one part is the piece of the whole at its position, for content in memory
        /// and for streams.
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
