//! The counter of revisions in the writer's memory, and the tables that the current batch has
//! changed. Each change of a row gets the next revision.

use rusqlite::Connection;

use super::system;
use crate::{
    model::{Model, ResourceIx, value::now},
    store::stamp,
};

/// The counter of revisions: its current value, the value in the database, and the time of the last
/// change.
///
/// Triggers advance the counter in the database. So before a job runs a statement that may fire
/// triggers, it stores the counter and the time in the database. After the statement, it reads them
/// again.
#[derive(Default)]
pub(super) struct RevisionCounter {
    current: u64,
    stored: u64,
    at: String,
    touched: Vec<TouchedTable>,
}

/// A table that has changed in the current transaction.
struct TouchedTable {
    name: &'static str,
    /// Whether its revision is stored. A rollback to a savepoint may undo that.
    is_stored: bool,
}

impl RevisionCounter {
    /// Reads the counter from the database at the beginning of a transaction.
    pub(super) fn begin(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let (stored, at) = system::read_counter(connection)?;
        *self = Self { current: stored, stored, at, touched: vec![] };
        Ok(())
    }

    /// Returns the time of the next change. It is never earlier than the time of a previous change,
    /// even if the clock was set back.
    pub(super) fn time(&mut self) -> &str {
        self.at = stamp::after(&self.at, now());
        &self.at
    }

    /// Advances the counter, and returns the revision of the next change.
    pub(super) const fn next(&mut self) -> u64 {
        self.current += 1;
        self.current
    }

    /// Records that tables have changed in this transaction.
    pub(super) fn touch(&mut self, model: &Model, tables: &[ResourceIx]) {
        for name in tables.iter().map(|ix| model[*ix].def.table) {
            if !self.touched.iter().any(|table| table.name == name && !table.is_stored) {
                self.touched.push(TouchedTable { name, is_stored: false });
            }
        }
    }

    /// The number of tables that have changed so far in this transaction. It is the argument for
    /// [`forget`](Self::forget).
    pub(super) const fn touched_count(&self) -> usize {
        self.touched.len()
    }

    /// Forgets all changed tables except the first `touched` ones. Called when the changes after a
    /// savepoint were undone. The revisions of the remaining tables may have been stored after the
    /// savepoint, so they are stored again.
    pub(super) fn forget(&mut self, touched: usize) {
        self.touched.truncate(touched);
        self.touched.iter_mut().for_each(|table| table.is_stored = false);
    }

    /// Stores the counter and the time of the last change, if the stored counter is older.
    pub(super) fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.current != self.stored {
            system::write_counter(connection, self.current, &self.at)?;
            self.stored = self.current;
        }
        Ok(())
    }

    /// Reads the counter and the time from the database again. The counter in memory never
    /// decreases, so no revision is used twice, even after a rollback to a savepoint.
    pub(super) fn reload(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let (stored, at) = system::read_counter(connection)?;
        self.stored = stored;
        self.current = self.current.max(stored);
        if at > self.at {
            self.at = at;
        }
        Ok(())
    }

    /// Stores the counter and the revisions of the changed tables. Each changed table gets the
    /// current value of the counter as its revision.
    pub(super) fn store(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.touched.iter().all(|table| table.is_stored) {
            return Ok(());
        }
        self.time();
        system::write_counter(connection, self.current, &self.at)?;
        self.stored = self.current;
        for table in self.touched.iter_mut().filter(|table| !table.is_stored) {
            system::write_revision(connection, table.name, self.current, &self.at)?;
            table.is_stored = true;
        }
        Ok(())
    }
}
