//! The work of an engine for a copy: [`TransferSource`] and [`TransferTarget`].

use std::fmt;

use jiff::Timestamp;

use super::{CopiedTable, TableDigest};
use crate::{
    model::value::{Value, seconds_now},
    store::{CopyError, Location, sql::record::Record, stamp},
};

/// A function that gets the rows of a table, one after the other.
pub(in crate::store) type RowVisitor<'v> = dyn FnMut(&[Value]) -> Result<(), CopyError> + 'v;

/// A database that is copied.
pub(in crate::store) trait TransferSource {
    /// Returns what the database is.
    fn origin(&mut self) -> Result<TransferOrigin, CopyError>;

    /// Makes the database refuse all writes, for the copy with this id.
    fn seal(&mut self, copy: &str, to: &Location) -> Result<(), CopyError>;

    /// Makes a sealed database accept writes again, with a new identity. Returns false if it was
    /// not sealed.
    fn unseal(&mut self) -> Result<bool, CopyError>;

    /// Begins the snapshot in which everything else is read.
    fn begin(&mut self) -> Result<DatabaseState, CopyError>;

    /// Returns the state of a table.
    fn table(&mut self, table: &CopiedTable) -> Result<TableState, CopyError>;

    /// Reads the rows of a table in the order of their keys, after a key if one is given.
    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError>;

    /// Ends the snapshot.
    fn end(&mut self) -> Result<(), CopyError>;
}

/// A database that a copy fills.
pub(in crate::store) trait TransferTarget {
    /// Creates the tables in an empty database, without indexes and triggers, or finds those of an
    /// interrupted copy. Returns the id of the copy.
    fn begin(&mut self, origin: &TransferOrigin) -> Result<String, CopyError>;

    /// Returns how far the copy of a table is. `None` if it has not begun.
    fn progress(&mut self, table: &CopiedTable) -> Result<Option<TableProgress>, CopyError>;

    /// Deletes the rows of a table, and begins its copy.
    fn clear(&mut self, table: &CopiedTable, begun: &TableProgress) -> Result<(), CopyError>;

    /// Stores a batch and what is reached with it, in one transaction.
    ///
    /// # Errors
    /// Another copy has gone on from `before`, or the database refuses a row.
    fn write(
        &mut self,
        table: &CopiedTable,
        rows: &[Vec<Value>],
        before: &TableProgress,
        after: &TableProgress,
    ) -> Result<(), CopyError>;

    /// Creates the indexes, references, triggers and counters, in a transaction that stays open.
    fn build(&mut self, publication: &Publication<'_>) -> Result<(), CopyError>;

    /// Reads the rows of a table, as [`TransferSource::read`] does.
    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError>;

    /// Ends the transaction that [`build`](Self::build) has begun. Then the database can be served.
    fn commit(&mut self) -> Result<(), CopyError>;
}

/// The description of a database: its tables, and its name among databases.
pub(in crate::store) struct TransferOrigin {
    pub(in crate::store) identity: String,
    pub(in crate::store) record: Record,
    /// The id of the copy for which the database is sealed.
    pub(in crate::store) seal: Option<String>,
}

impl TransferOrigin {
    /// The record as text.
    pub(in crate::store) fn record_text(&self) -> String {
        serde_json::to_string(&self.record)
            .expect("every value of a record can be serialized as JSON")
    }
}

/// The state of a database as a whole.
pub(in crate::store) struct DatabaseState {
    pub(in crate::store) declaration: String,
    pub(in crate::store) declared_at: String,
    /// The secret with which requests are hashed.
    pub(in crate::store) secret: Vec<u8>,
    /// A revision that is at least that of every row.
    pub(in crate::store) revision: i64,
}

/// The state of a table.
pub(in crate::store) struct TableState {
    /// A number that changes with every change of a row.
    pub(in crate::store) revision: i64,
    /// The time of the last change, or an empty text.
    pub(in crate::store) changed_at: String,
    pub(in crate::store) rows: u64,
    /// The last id that was assigned to a row, also to one that is deleted.
    pub(in crate::store) last_id: Option<i64>,
}

/// The progress of the copy of a table.
#[derive(Clone)]
pub(in crate::store) struct TableProgress {
    /// The revision of the table in the snapshot of the rows.
    pub(in crate::store) revision: i64,
    /// The key of the last row that was copied.
    pub(in crate::store) position: Option<String>,
    pub(in crate::store) rows: u64,
    pub(in crate::store) digest: TableDigest,
}

impl TableProgress {
    /// The progress of a table of which nothing is copied.
    pub(in crate::store) fn at(revision: i64) -> Self {
        Self { revision, position: None, rows: 0, digest: TableDigest::default() }
    }
}

/// The minimum increase of the revision counter of a copy that goes its own way, and the largest
/// random number that is added. So databases that come from the same one use different revisions.
const AHEAD: i64 = 1 << 40;
const AHEAD_BY_CHANCE: i64 = (1 << 50) - 1;

/// The data that make the rows of a copy a database that can be served.
pub(in crate::store) struct Publication<'p> {
    pub(in crate::store) origin: &'p TransferOrigin,
    pub(in crate::store) state: DatabaseState,
    /// The states of the tables, those of the resources first, in the order of the record.
    pub(in crate::store) tables: Vec<TableState>,
    pub(in crate::store) is_sealed: bool,
}

impl Publication<'_> {
    /// The revision from which the copy counts on.
    pub(in crate::store) fn revision(&self) -> i64 {
        let tables = self.tables.iter().map(|table| table.revision);
        let used = tables.fold(self.state.revision, i64::max);
        if self.is_sealed {
            return used;
        }
        let chance = getrandom::u64().unwrap_or_default().cast_signed() & AHEAD_BY_CHANCE;
        used.saturating_add(AHEAD + chance)
    }

    /// The time since which the declaration is served. A copy that goes its own way has a later
    /// time than any that a client can have seen.
    pub(in crate::store) fn declared_at(&self) -> String {
        if self.is_sealed {
            return self.state.declared_at.clone();
        }
        let last = self.tables.iter().map(|table| &*table.changed_at).max().unwrap_or_default();
        let next = Timestamp::from_second(seconds_now() + 1).unwrap_or(Timestamp::MAX);
        stamp::after(last, format!("{next:.6}"))
    }
}

/// The error of a database. The reason continues the sentence after its name.
pub(in crate::store) fn fails(database: &Location, reason: impl fmt::Display) -> CopyError {
    CopyError::new(format_args!("the database `{database}` {reason}."))
}
