//! The rows of a result, whose size is bounded while they are received.

use std::{collections::VecDeque, pin::pin, sync::atomic::Ordering};

use tokio_postgres::{Row as ServerRow, Statement, types::ToSql};

use super::{LaneFailure, PostgresLane};
use crate::store::{
    failure::Failure,
    postgres::{
        cells::BinaryRow,
        rows::{self, next},
    },
};

/// The number of rows that a result keeps, however large they are: the state of the tables, and two
/// members, of which the second one shows that more follow.
const ROWS_MIN: usize = 3;

/// The size of a row, in bytes, from which cells that nobody reads are left out. Those of a smaller
/// one take less memory than the work is worth.
const LARGE_ROW_BYTES_MIN: usize = 4 * 1024;

/// The maximum size of the rows of a result.
pub(in crate::store::postgres) struct RowsLimit {
    pub(in crate::store::postgres) bytes_max: usize,
    pub(in crate::store::postgres) excess: Excess,
    /// For each cell, whether nobody reads it, except in the first row.
    pub(in crate::store::postgres) unread: Vec<bool>,
}

/// The treatment of a result that is too large.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::store::postgres) enum Excess {
    /// The read fails.
    Fails,
    /// The first rows are kept, and no others are waited for.
    KeepsFirst,
    /// The first row and the last ones are kept.
    KeepsLast,
}

/// The rows of a result.
pub(in crate::store::postgres) struct CollectedRows {
    pub(in crate::store::postgres) rows: Vec<BinaryRow>,
    /// Whether rows were left out.
    pub(in crate::store::postgres) is_cut: bool,
}

/// The rows of a result that have arrived.
struct ArrivedRows {
    limit: RowsLimit,
    rows: VecDeque<BinaryRow>,
    bytes: usize,
    /// Whether a row was so large that cells are left out. The rows that arrive near it lie in the
    /// same memory, so they are copied, too.
    has_large: bool,
    /// Whether no further row is kept.
    is_full: bool,
    is_cut: bool,
}

impl ArrivedRows {
    const fn new(limit: RowsLimit) -> Self {
        let (has_large, is_full, is_cut) = (false, false, false);
        Self { limit, rows: VecDeque::new(), bytes: 0, has_large, is_full, is_cut }
    }

    fn decoded(&mut self, row: ServerRow) -> Result<BinaryRow, Failure> {
        let unread = &self.limit.unread;
        self.has_large |= row.raw_size_bytes() >= LARGE_ROW_BYTES_MIN && unread.contains(&true);
        match self.has_large && !self.rows.is_empty() {
            true => rows::read_without(row, unread),
            false => rows::read(row),
        }
    }

    /// Adds a row. Returns false if no further rows are needed.
    fn add(&mut self, row: ServerRow) -> Result<bool, Failure> {
        if self.is_full {
            self.is_cut = true;
            return Ok(false);
        }
        let row = self.decoded(row)?;
        self.bytes += row.size();
        self.rows.push_back(row);
        if self.bytes <= self.limit.bytes_max {
            return Ok(true);
        }
        match self.limit.excess {
            Excess::Fails => self.is_cut = true,
            Excess::KeepsFirst => self.is_full = self.rows.len() >= ROWS_MIN,
            Excess::KeepsLast => {
                self.leave_out_earlier();
                return Ok(true);
            }
        }
        Ok(!self.is_cut)
    }

    /// Leaves out rows behind the first one until the others fit.
    fn leave_out_earlier(&mut self) {
        let Some(first) = self.rows.pop_front() else { return };
        while self.bytes > self.limit.bytes_max && self.rows.len() >= ROWS_MIN {
            self.bytes -= self.rows.pop_front().map_or(0, |row| row.size());
            self.is_cut = true;
        }
        self.rows.push_front(first);
    }
}

impl PostgresLane {
    /// Runs a prepared statement. Returns its rows, if they have at most this many bytes together.
    pub(in crate::store::postgres) async fn rows(
        &self,
        statement: &Statement,
        values: Vec<impl ToSql>,
        bytes_max: usize,
    ) -> Result<Vec<BinaryRow>, LaneFailure> {
        let limit = RowsLimit { bytes_max, excess: Excess::Fails, unread: vec![] };
        Ok(self.collect(statement, values, limit).await?.rows)
    }

    /// Runs a prepared statement. Returns its rows, as far as they have at most so many bytes.
    pub(in crate::store::postgres) async fn collect(
        &self,
        statement: &Statement,
        values: Vec<impl ToSql>,
        limit: RowsLimit,
    ) -> Result<CollectedRows, LaneFailure> {
        let excess = limit.excess;
        let run = async {
            let mut stream = pin!(self.client.query_raw(statement, values).await?);
            let mut arrived = ArrivedRows::new(limit);
            while let Some(row) = next(stream.as_mut()).await {
                match arrived.add(row?) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(failure) => return Ok(Err(failure)),
                }
            }
            Ok(Ok(arrived))
        };
        let arrived = self.answer(run).await?.inspect_err(|_| {
            // Its other rows are still to come.
            self.unanswered.fetch_add(1, Ordering::Relaxed);
        });
        let ArrivedRows { rows, is_cut, .. } = arrived?;
        match excess {
            // The rest of the rows is still to come, and all that follows has to wait for it.
            Excess::Fails if is_cut => {
                self.spend();
                return Err(LaneFailure::TooLarge);
            }
            Excess::KeepsFirst if is_cut => {
                self.unanswered.fetch_add(1, Ordering::Relaxed);
            }
            Excess::Fails | Excess::KeepsFirst | Excess::KeepsLast => {}
        }
        Ok(CollectedRows { rows: rows.into(), is_cut })
    }
}
