//! How many members of a page fit into its bound in bytes.

use super::RowSink;
use crate::plan::EarlyEnd;

/// The sizes of the rows that a sink takes for a page, compared with the bound of the page.
#[derive(Debug)]
pub(crate) struct Sizes {
    size_max: usize,
    /// What the sink had before the first row.
    opening: usize,
    end: End,
    /// The size of the sink before the row that is taken next.
    before: usize,
    /// The size of the page, if it had all rows.
    size: usize,
    largest: usize,
    /// How many rows fit, or have come.
    members: u32,
    is_over: bool,
    /// The sizes of all rows, where the last of them stay.
    rows: Vec<usize>,
}

/// Which rows stay where not all fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The first.
    First,
    /// The last.
    Last,
}

impl Sizes {
    /// Those of a page of at most so many bytes, into a sink that has no row yet.
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

    /// Notes the row that the sink has just taken; false where no other is of use.
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
        // What the sink holds is of no use any more: it is filled again with the rows that fit.
        sink.reset();
        self.before = sink.size();
        self.end == End::Last
    }

    /// How many members the page has, where not all fit. There is always one.
    pub(crate) fn early(&self) -> Option<EarlyEnd> {
        let fits = u32::try_from(self.room() / self.largest.max(1)).unwrap_or(u32::MAX).max(1);
        let members = match self.end {
            End::First => self.members,
            End::Last => self.last(),
        };
        self.is_over.then_some(EarlyEnd { members, fits: fits.min(members) })
    }

    /// The bytes that there are for rows.
    const fn room(&self) -> usize {
        self.size_max.saturating_sub(self.opening)
    }

    /// How many of the last rows fit.
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

    /// A sink of sizes, with some bytes before its rows.
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

    /// What fits of rows of these sizes into 100 bytes, and how many rows were looked at.
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
            assert!(sink.0 <= 100 || count == 1, "no more is held than may be");
        }
        (sizes.early().map(|early| (early.members, early.fits)), count)
    }

    #[test]
    fn a_page_ends_before_the_member_that_does_not_fit() {
        assert_eq!(early(&[30, 30, 30], End::First), (None, 3));
        assert_eq!(early(&[30, 30, 31, 1], End::First), (Some((2, 2)), 3));
        assert_eq!(early(&[10, 80, 20, 1], End::First), (Some((2, 1)), 3));
        assert_eq!(early(&[500, 1], End::First), (Some((1, 1)), 2), "one member may be larger");
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
