//! Measures how many members fit into a page of limited size.

use super::RowSink;
use crate::plan::EarlyEnd;

/// The sizes of the rows of a page, and the maximum size of the page. All sizes are in bytes.
#[derive(Debug)]
pub(crate) struct Sizes {
    size_max: usize,
    /// The size of the sink before its first row, in bytes.
    opening: usize,
    end: End,
    /// The size of the sink before the next row, in bytes.
    before: usize,
    /// The size that the page would have with all rows, in bytes.
    size: usize,
    largest: usize,
    /// The number of rows that fit into the page, among those added so far.
    members: u32,
    is_over: bool,
    /// The sizes of all rows in bytes. They are recorded only if the page keeps its last rows.
    rows: Vec<usize>,
}

/// The rows that a page keeps if not all rows fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The page keeps its first rows.
    First,
    /// The page keeps its last rows.
    Last,
}

impl Sizes {
    /// Starts to measure a page of at most `size_max` bytes. The sink must not have a row yet.
    pub(crate) fn new(sink: &impl RowSink, size_max: usize, end: End) -> Self {
        let opening = sink.size();
        let (before, size) = (opening, opening);
        Self {
            size_max,
            opening,
            end,
            before,
            size,
            largest: 0,
            members: 0,
            is_over: false,
            rows: vec![],
        }
    }

    /// Records the size of the row that was just rendered. Returns false if no more rows are
    /// needed.
    pub(crate) fn add(&mut self, sink: &mut impl RowSink) -> bool {
        let size = sink.size() - self.before;
        self.before += size;
        self.size += size;
        self.largest = self.largest.max(size);
        if self.end == End::Last {
            self.rows.push(size);
        }
        if self.size <= self.size_max || self.members == 0 {
            self.members += 1;
            return true;
        }
        self.is_over = true;
        // The rows that fit are rendered again in a second pass, so the content can be discarded.
        sink.reset();
        self.before = sink.size();
        self.end == End::Last
    }

    /// Returns the number of members that fit, which is at least 1. Returns `None` if all members
    /// fit.
    pub(crate) fn early(&self) -> Option<EarlyEnd> {
        let fits = u32::try_from(self.room() / self.largest.max(1)).unwrap_or(u32::MAX).max(1);
        let members = match self.end {
            End::First => self.members,
            End::Last => self.last(),
        };
        self.is_over.then_some(EarlyEnd { members, fits: fits.min(members) })
    }

    /// Returns the number of bytes that are available for rows.
    const fn room(&self) -> usize {
        self.size_max.saturating_sub(self.opening)
    }

    /// Returns how many of the last rows fit into the page, which is at least 1.
    fn last(&self) -> u32 {
        let mut room = self.room();
        let fitting = self.rows.iter().rev().take_while(|size| match room.checked_sub(**size) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        });
        u32::try_from(fitting.count()).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Model, store::sink::Row};

    /// A sink that only counts bytes: those before the first row, and those of the rows.
    struct Sink(usize);

    const OPENING: usize = 10;

    impl RowSink for Sink {
        fn row(&mut self, _: &Model, _: &impl Row) {}

        fn size(&self) -> usize {
            self.0
        }

        fn reset(&mut self) {
            self.0 = OPENING;
        }
    }

    /// Adds rows of these sizes to a page of at most 100 bytes. Returns `members` and `fits` of the
    /// [`EarlyEnd`], or `None` if all rows fit. Also returns the number of rows that were added.
    fn early(rows: &[usize], end: End) -> (Option<(u32, u32)>, usize) {
        let mut sink = Sink(OPENING);
        let mut sizes = Sizes::new(&sink, 100, end);
        let mut count = 0;
        for row in rows {
            count += 1;
            sink.0 += row;
            if !sizes.add(&mut sink) {
                break;
            }
            assert!(
                sink.0 <= 100 || count == 1,
                "the sink holds at most 100 bytes, or a single row"
            );
        }
        (sizes.early().map(|early| (early.members, early.fits)), count)
    }

    #[test]
    fn a_page_ends_before_the_member_that_does_not_fit() {
        assert_eq!(early(&[30, 30, 30], End::First), (None, 3));
        assert_eq!(early(&[30, 30, 31, 1], End::First), (Some((2, 2)), 3));
        assert_eq!(early(&[10, 80, 20, 1], End::First), (Some((2, 1)), 3));
        assert_eq!(
            early(&[500, 1], End::First),
            (Some((1, 1)), 2),
            "a page with one member may exceed the limit"
        );
        assert_eq!(early(&[500], End::First), (None, 1));
        assert_eq!(early(&[], End::First), (None, 0));
    }

    #[test]
    fn a_page_that_goes_back_keeps_its_last_members() {
        assert_eq!(early(&[30, 30, 30], End::Last), (None, 3));
        assert_eq!(early(&[30, 30, 31, 1], End::Last), (Some((3, 2)), 4));
        assert_eq!(early(&[500, 1, 2], End::Last), (Some((2, 1)), 3));
        assert_eq!(early(&[1, 500], End::Last), (Some((1, 1)), 2));
        assert_eq!(early(&[500], End::Last), (None, 1));
    }
}
