//! Indexes of large tables, which are built while all connections go on writing: by `CREATE INDEX
//! CONCURRENTLY`, which runs outside of transactions.
//!
//! - **The catalog is the only state.** An index has a [temporary name](Index::temporary_name)
//!   until the transaction that enters it in the record of the database renames it. So an index
//!   with a temporary name is one that a build has left. A start uses it if it is valid and wanted,
//!   and drops it otherwise: also an invalid unique index refuses writes.
//! - **One session builds at a time**: that of the [turn]. Two builds on a table would wait for
//!   each other, since each also waits for all older snapshots.
//! - **Refusals come first.** Indexes of columns that exist are built before the transaction with
//!   the other changes, and unique ones before others. So rows that share a value are found before
//!   anything else is changed.

mod turn;

pub(super) use self::turn::{MigrationTurn, is_turn_free};
use super::{build::BuildFailure, handle::PostgresHandle, stored_rows::shared_values};
use crate::store::{
    OpenError,
    difference::SchemaChange,
    failure::{Failure, FailureKind},
    sql::{
        TEMPORARY_PREFIX, ddl, quoted,
        record::{Index, Record, Table},
    },
};

/// The size of a table from which on its indexes are built while others write, in bytes. An index
/// of a smaller table is built in about a second. Writes can wait for that without failing, as they
/// do for the other changes of a table.
const LARGE_TABLE_BYTES: i64 = 8 << 20;

const IS_LARGE: &str = "SELECT pg_relation_size(to_regclass(quote_ident($1))) >= $2";
const UNRECORDED: &str = "SELECT c.relname::text, i.indisvalid FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid \
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND starts_with(c.relname::text, $1)";

/// An index that a build has left, and that the record of the database does not have.
pub(super) struct UnrecordedIndex {
    name: String,
    is_valid: bool,
}

/// The indexes of large tables in a migration.
pub(super) struct IndexWork<'r> {
    /// The names of the indexes to drop.
    drops: Vec<String>,
    /// The indexes to build before the other changes.
    builds: Vec<SchemaChange<'r>>,
    /// The temporary names of the indexes that are built and not recorded yet.
    built: Vec<String>,
    /// The indexes to build after the other changes, as they have new columns.
    later: Vec<(&'r Table, &'r Index)>,
}

/// Returns the indexes that builds have left.
pub(super) fn unrecorded(handle: &mut PostgresHandle) -> Result<Vec<UnrecordedIndex>, Failure> {
    let rows = handle.ask(UNRECORDED, &[&TEMPORARY_PREFIX])?;
    Ok(rows.iter().map(|row| UnrecordedIndex { name: row.get(0), is_valid: row.get(1) }).collect())
}

impl<'r> IndexWork<'r> {
    /// Decides about the new indexes among the changes of the tables `had`.
    pub(super) fn plan(
        handle: &mut PostgresHandle,
        had: &Record,
        changes: &[SchemaChange<'r>],
        unrecorded: &[UnrecordedIndex],
    ) -> Result<Self, Failure> {
        let mut work = Self { drops: vec![], builds: vec![], built: vec![], later: vec![] };
        for change in changes {
            let SchemaChange::NewIndex(table, index) = *change else { continue };
            let name = index.temporary_name(table);
            if unrecorded.iter().any(|left| left.is_valid && left.name == name) {
                work.built.push(name);
            } else if is_large(handle, table)? {
                match BuildTime::of(had.table(&table.name), table, index) {
                    BuildTime::Before => work.builds.push(*change),
                    BuildTime::Within => {}
                    BuildTime::After => work.later.push((table, index)),
                }
            }
        }
        work.builds.sort_by_key(
            |change| !matches!(change, SchemaChange::NewIndex(_, index) if index.unique),
        );
        let names = unrecorded.iter().map(|left| &left.name);
        work.drops = names.filter(|name| !work.built.contains(name)).cloned().collect();
        Ok(work)
    }

    /// Whether there is something to do before the transaction with the other changes.
    pub(super) const fn is_pending(&self) -> bool {
        !self.drops.is_empty() || !self.builds.is_empty()
    }

    /// Whether an index is built, and only needs its name.
    pub(super) fn has_built(&self, table: &Table, index: &Index) -> bool {
        self.built.contains(&index.temporary_name(table))
    }

    /// Whether a change is an index that is built after the other changes.
    pub(super) fn is_later(&self, change: SchemaChange<'_>) -> bool {
        let SchemaChange::NewIndex(table, index) = change else { return false };
        self.later.iter().any(|(on, later)| on.name == table.name && *later == index)
    }

    /// The indexes that are built after the other changes.
    pub(super) fn later(&self) -> &[(&'r Table, &'r Index)] {
        &self.later
    }

    /// Drops and builds indexes, outside of a transaction.
    pub(super) fn perform(
        &self,
        handle: &mut PostgresHandle,
        turn: &MigrationTurn<'_>,
    ) -> Result<(), BuildFailure> {
        turn.watched(handle, |handle| {
            for name in &self.drops {
                drop_unrecorded(handle, name)?;
            }
            self.builds.iter().try_for_each(|change| build(handle, *change))
        })
    }
}

/// When an index of a large table is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BuildTime {
    /// Before the transaction with the other changes.
    Before,
    /// In this transaction.
    Within,
    /// After it.
    After,
}

impl BuildTime {
    /// An index with a new column is built when its column exists. A unique one whose new columns
    /// all have a default may find rows that share a value, which has to undo these columns.
    fn of(had: Option<&Table>, table: &Table, index: &Index) -> Self {
        let added = index.keys.iter().filter_map(|key| table.column(&key.column));
        let mut added =
            added.filter(|column| had.is_none_or(|had| had.column(&column.name).is_none()));
        match added.next() {
            None => Self::Before,
            Some(first) if index.unique => {
                let is_filled = first.default.is_some() && added.all(|each| each.default.is_some());
                if is_filled { Self::Within } else { Self::After }
            }
            Some(_) => Self::After,
        }
    }
}

fn is_large(handle: &mut PostgresHandle, table: &Table) -> Result<bool, Failure> {
    let rows = handle.ask(IS_LARGE, &[&table.name, &LARGE_TABLE_BYTES])?;
    Ok(rows.first().and_then(|row| row.get(0)).unwrap_or(false))
}

/// Builds an index under its temporary name. If rows share a value of a unique index, the error is
/// a refusal that names the index.
fn build(handle: &mut PostgresHandle, change: SchemaChange<'_>) -> Result<(), BuildFailure> {
    let SchemaChange::NewIndex(table, index) = change else { return Ok(()) };
    tracing::info!("{} It is built while others write.", change.difference().description);
    match handle.script(&ddl::index_concurrently(table, index)) {
        Err(failure) if failure.kind == FailureKind::Unique => {
            let shared = shared_values(handle, table, index)?;
            Err(BuildFailure::Open(OpenError::Refused(vec![change.duplicates(&shared)])))
        }
        result => Ok(result?),
    }
}

fn drop_unrecorded(handle: &mut PostgresHandle, name: &str) -> Result<(), Failure> {
    tracing::info!(index = name, "an index is dropped that an earlier build has left");
    handle.script(&format!("DROP INDEX CONCURRENTLY IF EXISTS {}", quoted(name)))
}

/// Drops the indexes that a failed migration has left. Valid ones stay for the next attempt, unless
/// the migration was refused.
pub(super) fn clear(handle: &mut PostgresHandle, turn: &MigrationTurn<'_>, is_refused: bool) {
    let cleared = turn.watched(handle, |handle| {
        for left in unrecorded(handle)? {
            if is_refused || !left.is_valid {
                drop_unrecorded(handle, &left.name)?;
            }
        }
        Ok::<_, BuildFailure>(())
    });
    if cleared.is_err() {
        tracing::warn!("a failed migration has left indexes, which the next start drops");
    }
}
