//! The counter of changes during a batch, and the tables that the batch has changed.

use rusqlite::Connection;

use super::system;
use crate::{
    model::{Model, ResourceIx},
    value::now,
};

/// The counter in memory, and what the database holds of it.
///
/// A job that may fire triggers needs the counter stored before and read again after, since triggers count on their own.
#[derive(Default)]
pub(super) struct Revisions {
    current: u64,
    stored: u64,
    touched: Vec<&'static str>,
}

impl Revisions {
    /// Begins a transaction.
    pub(super) fn begin(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let stored = system::read_counter(connection)?;
        *self = Self { current: stored, stored, touched: vec![] };
        Ok(())
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

    /// How many tables have changed so far, for [`forget`](Self::forget).
    pub(super) const fn touched(&self) -> usize {
        self.touched.len()
    }

    /// Forgets the tables that have changed since, for they have not.
    pub(super) fn forget(&mut self, touched: usize) {
        self.touched.truncate(touched);
    }

    /// Stores the counter.
    pub(super) fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.current != self.stored {
            system::write_counter(connection, self.current)?;
            self.stored = self.current;
        }
        Ok(())
    }

    /// Reads the counter again; what was given is not given twice, even where it was rolled back.
    pub(super) fn reload(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.stored = system::read_counter(connection)?;
        self.current = self.current.max(self.stored);
        Ok(())
    }

    /// Stores the counter and the revisions of the tables that have changed: each that of the last change.
    pub(super) fn store(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.touched.is_empty() {
            return Ok(());
        }
        self.flush(connection)?;
        let at = now();
        for table in self.touched.drain(..) {
            system::write_revision(connection, table, self.current, &at)?;
        }
        Ok(())
    }
}
