//! Byte ranges of a representation (RFC 9110 §14): the parser of requested ranges, and the parts to
//! send.

mod cut;
mod multipart;
mod portion;

use std::ops::Range;

pub(crate) use self::{
    cut::{Cut, RangeWindow},
    multipart::Multipart,
    portion::Portion,
};
use crate::base::limits;

/// The ranges of a request, before they are compared with the length of the representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<RangeSpec>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeSpec {
    /// The bytes from the first position to the last position, or to the end of the representation
    /// if the last position is `None`.
    From(u64, Option<u64>),
    /// This number of bytes at the end of the representation.
    Last(u64),
}

/// The parts of a representation that a request selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RangeSelection {
    /// The whole representation, because there are too many ranges, or because the parts would not
    /// be smaller in total.
    Whole,
    /// No part, because all ranges begin after the end of the representation.
    Unsatisfiable,
    /// One part.
    One(Range<u64>),
    /// Several parts.
    Many(Vec<Range<u64>>),
}

impl Ranges {
    /// Parses the value of `Range`. `None` for a unit other than bytes, or a syntax error; such a
    /// field is ignored.
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let (unit, set) = value.trim().split_once('=')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let parts = set.split(',').map(str::trim).filter(|part| !part.is_empty());
        let specs = parts.map(RangeSpec::parse).collect::<Option<Vec<_>>>()?;
        (!specs.is_empty()).then_some(Self(specs))
    }

    /// Whether there are more ranges than [`limits::RANGES_MAX`]. Then the whole representation is
    /// sent.
    pub(crate) fn are_too_many(&self) -> bool {
        self.0.len() > limits::RANGES_MAX
    }

    /// Selects the parts of a representation with this length in bytes.
    pub(crate) fn select(&self, length: u64) -> RangeSelection {
        if self.are_too_many() {
            return RangeSelection::Whole;
        }
        let mut found: Vec<Range<u64>> = vec![];
        for range in self.0.iter().filter_map(|spec| spec.of(length)) {
            add(&mut found, range);
        }
        let bytes: u64 = found.iter().map(|range| range.end - range.start).sum();
        match found.as_mut_slice() {
            [] => RangeSelection::Unsatisfiable,
            [one] => RangeSelection::One(std::mem::take(one)),
            // Each part also needs header fields of its own.
            many if bytes + PART_BYTES * many.len() as u64 >= length => RangeSelection::Whole,
            _ => RangeSelection::Many(found),
        }
    }
}

/// The approximate size of the header fields of a part, in bytes.
const PART_BYTES: u64 = 80;

impl RangeSpec {
    fn parse(part: &str) -> Option<Self> {
        let (first, last) = part.split_once('-')?;
        if first.is_empty() {
            return number(last).map(Self::Last);
        }
        let first = number(first)?;
        let last = if last.is_empty() { None } else { Some(number(last)?) };
        last.is_none_or(|last| first <= last).then_some(Self::From(first, last))
    }

    fn of(self, length: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::From(first, last) => {
                first..last.map_or(length, |last| last.saturating_add(1).min(length))
            }
            Self::Last(bytes) => length.saturating_sub(bytes)..length,
        };
        (!range.is_empty()).then_some(range)
    }
}

/// Parses a number. A number over `u64::MAX` becomes `u64::MAX`.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Adds a range. It is merged with all ranges that it overlaps or touches, at the position of the
/// first such range.
fn add(ranges: &mut Vec<Range<u64>>, mut range: Range<u64>) {
    let mut at = None;
    let mut place = 0;
    ranges.retain(|known| {
        let meets = known.start <= range.end && range.start <= known.end;
        if meets {
            range = known.start.min(range.start)..known.end.max(range.end);
            at.get_or_insert(place);
        } else {
            place += 1;
        }
        !meets
    });
    ranges.insert(at.unwrap_or(ranges.len()), range);
}

/// The value of `Content-Range` for a part of a representation with this length in bytes.
pub(crate) fn content_range(range: &Range<u64>, length: u64) -> String {
    format!("bytes {}-{}/{length}", range.start, range.end - 1)
}

/// The value of `Content-Range` in a 416 response, for a representation with this length in bytes.
pub(crate) fn unsatisfied(length: u64) -> String {
    format!("bytes */{length}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn selected(value: &str, length: u64) -> Option<RangeSelection> {
        Ranges::parse(value).map(|ranges| ranges.select(length))
    }

    /// Conformance 82, 83: a range that ends after the content ends with the content.
    #[test]
    fn one_range_is_cut_to_what_there_is() {
        let one = |first, end| Some(RangeSelection::One(first..end));
        assert_eq!(selected("bytes=0-9", 100), one(0, 10));
        assert_eq!(
            selected("BYTES = 10-10", 100),
            None,
            "the value of Range has no spaces around the equals sign"
        );
        assert_eq!(selected("Bytes=10-10", 100), one(10, 11));
        assert_eq!(selected("bytes=-5", 100), one(95, 100));
        assert_eq!(selected("bytes=-500", 100), one(0, 100));
        assert_eq!(selected("bytes=90-", 100), one(90, 100));
        assert_eq!(selected("bytes=90-99999999999999999999999", 100), one(90, 100));
        for beyond in ["bytes=100-", "bytes=-0", "bytes=100-200", "bytes=99999999999999999999999-"]
        {
            assert_eq!(selected(beyond, 100), Some(RangeSelection::Unsatisfiable), "{beyond}");
        }
        assert_eq!(selected("bytes=0-", 0), Some(RangeSelection::Unsatisfiable));
    }

    /// Conformance 84: a field with another unit or a syntax error is ignored.
    #[test]
    fn what_is_no_range_of_bytes_is_passed_over() {
        for odd in [
            "",
            "bytes",
            "bytes=",
            "bytes=abc",
            "bytes=9-3",
            "bytes=-",
            "lines=0-9",
            "bytes=0-9,x",
            "bytes=+1-2",
            "bytes=1 - 2",
        ] {
            assert_eq!(Ranges::parse(odd), None, "{odd}");
        }
    }

    /// Conformance 86, 87: ranges that overlap or touch are merged.
    #[test]
    fn several_ranges_are_as_few_as_they_can_be() {
        assert_eq!(
            selected("bytes=0-9,20-29", 1000),
            Some(RangeSelection::Many(vec![0..10, 20..30]))
        );
        assert_eq!(
            selected("bytes=20-29, 0-9,, ", 1000),
            Some(RangeSelection::Many(vec![20..30, 0..10]))
        );
        assert_eq!(selected("bytes=0-9,10-19,5-14", 1000), Some(RangeSelection::One(0..20)));
        assert_eq!(selected("bytes=0-9,2000-", 1000), Some(RangeSelection::One(0..10)));
        assert_eq!(selected("bytes=0-899,905-999", 1000), Some(RangeSelection::Whole));
        let tiny: Vec<_> = (0..500).map(|at| format!("{}-{}", at * 2, at * 2)).collect();
        assert_eq!(
            selected(&format!("bytes={}", tiny.join(",")), 100_000),
            Some(RangeSelection::Whole)
        );
    }

    #[test]
    fn what_is_not_there_has_a_length() {
        assert_eq!(unsatisfied(10), "bytes */10");
    }

    proptest! {
        /// Conformance 87: the selected parts are inside the representation and do not overlap.
        #[test]
        fn what_is_selected_lies_inside_and_apart(
            parts in prop::collection::vec((0u64..300, prop::option::of(0u64..300)), 1..8),
            length in 0u64..300,
        ) {
            let specs = parts.iter().map(|(first, more)| match more {
                Some(more) => format!("{first}-{}", first + more),
                None => format!("-{first}"),
            });
            let value = format!("bytes={}", specs.collect::<Vec<_>>().join(","));
            let mut ranges = match selected(&value, length).unwrap() {
                RangeSelection::Whole | RangeSelection::Unsatisfiable => vec![],
                RangeSelection::One(range) => vec![range],
                RangeSelection::Many(ranges) => ranges,
            };
            ranges.sort_by_key(|range| range.start);
            prop_assert!(ranges.iter().all(|range| range.start < range.end && range.end <= length));
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
