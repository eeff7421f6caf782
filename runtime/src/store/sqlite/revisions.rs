//! The counter of changes during a batch, and the tables that the batch has changed.

use rusqlite::Connection;

use super::system;
use crate::{
    model::{Model, ResourceIx, value::now},
    store::stamp,
};

/// The counter in memory, its stored value, and the last time that was given to a change.
///
/// Triggers advance the counter in the database. So a job that may fire triggers stores counter
/// and time before, and reads them again after.
#[derive(Default)]
pub(super) struct RevisionCounter {
    current: u64,
    stored: u64,
    at: String,
    touched: Vec<&'static str>,
}

impl RevisionCounter {
    /// Begins a transaction.
    pub(super) fn begin(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let (stored, at) = system::read_counter(connection)?;
        *self = Self { current: stored, stored, at, touched: vec![] };
        Ok(())
    }

    /// The time of the next change, which is not before that of any other change.
    pub(super) fn time(&mut self) -> &str {
        self.at = stamp::after(&self.at, now());
        &self.at
    }

    /// The revision of the next change.
    pub(super) const fn next(&mut self) -> u64 {
        self.current += 1;
        self.current
    }

    /// Notes that tables have changed.
    pub(super) fn touch(&mut self, model: &Model, tables: &[ResourceIx]) {
        for table in tables.iter().map(|ix| model[*ix].def.table) {
            if !self.touched.contains(&table) {
                self.touched.push(table);
            }
        }
    }

    /// The number of tables that have changed so far, for [`forget`](Self::forget).
    pub(super) const fn touched_count(&self) -> usize {
        self.touched.len()
    }

    /// Forgets the tables that have changed since then, because their changes were undone.
    pub(super) fn forget(&mut self, touched: usize) {
        self.touched.truncate(touched);
    }

    /// Stores the counter.
    pub(super) fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.current != self.stored {
            system::write_counter(connection, self.current, &self.at)?;
            self.stored = self.current;
        }
        Ok(())
    }

    /// Reads the counter again. It never returns a revision twice, even after a rollback.
    pub(super) fn reload(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let (stored, at) = system::read_counter(connection)?;
        self.stored = stored;
        self.current = self.current.max(stored);
        if at > self.at {
            self.at = at;
        }
        Ok(())
    }

    /// Stores the counter and the revisions of the changed tables, each with the revision of the
    /// last change.
    pub(super) fn store(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.touched.is_empty() {
            return Ok(());
        }
        self.time();
        system::write_counter(connection, self.current, &self.at)?;
        self.stored = self.current;
        for table in self.touched.drain(..) {
            system::write_revision(connection, table, self.current, &self.at)?;
        }
        Ok(())
    }
}
