//! Creates the tables of a record, and migrates existing tables to a new record. A record is the
//! stored description of all tables, columns and indexes.
//!
//! Nearly all of it is one transaction, under the lock of the row of `_nouns_state`. So any number
//! of processes may start at the same time: one changes the tables, and the others find them
//! changed. Indexes of large tables are built before or after that transaction, see [`indexes`].

use std::{thread, time::Duration};

use super::{
    address::PostgresAddress,
    fault::Remedy,
    handle::PostgresHandle,
    hold,
    indexes::{self, IndexWork, MigrationTurn},
    references, slots,
    stored_rows::{RowsToChange, shared_values},
    system, triggers,
};
use crate::{
    model::Model,
    plan::{TagCipher, validator::DeclaredTime},
    store::{
        Difference, Location, OpenError,
        difference::{Comparison, SchemaChange},
        failure::{Failure, FailureKind},
        migration::{Migrated, Migration, admit},
        sql::{
            self, Dialect, ddl,
            record::{Index, Record, Table},
        },
    },
};

/// The number of attempts to create the tables, if other processes do so at the same time.
const TRIES_MAX: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// The tables of a model, as they are after they were created or migrated.
pub(super) struct Built {
    pub(super) applied: Vec<Difference>,
    pub(super) declared: DeclaredTime,
    pub(super) cipher: TagCipher,
}

/// The reason why the tables of a database were not made or changed.
pub(super) enum BuildFailure {
    Database(Failure),
    Open(OpenError),
}

impl From<Failure> for BuildFailure {
    fn from(failure: Failure) -> Self {
        Self::Database(failure)
    }
}

/// Where the tables of a database come from and what they become.
struct Migrator<'a> {
    handle: &'a mut PostgresHandle,
    location: &'a Location,
    wanted: &'a Record,
    fingerprint: u64,
    migration: Migration,
    turn: MigrationTurn<'a>,
    applied: Vec<Difference>,
}

/// The state after a transaction that changes tables.
enum Round {
    /// The tables are as they should be.
    Finished(DeclaredTime, TagCipher),
    /// Nothing was changed, since it is the turn of another session.
    Wait,
    /// There is more to do.
    Again,
}

/// The change of the tables in a transaction.
enum TableChange {
    Wait,
    /// The indexes were changed, outside of the transaction.
    Indexes,
    /// These differences were applied.
    Applied(Vec<Difference>),
    /// These differences were applied, and there are more.
    Partial(Vec<Difference>),
}

/// Creates or migrates the tables of a model.
pub(super) fn build(
    handle: &mut PostgresHandle,
    address: &PostgresAddress,
    model: &Model,
    location: &Location,
    migration: Migration,
) -> Result<Built, OpenError> {
    let (wanted, turn, applied) = (&Record::of(model), MigrationTurn::new(address), vec![]);
    let fingerprint = model.fingerprint;
    Migrator { handle, location, wanted, fingerprint, migration, turn, applied }.run()
}

/// The error of a database that cannot be used.
pub(super) fn unusable(location: &Location, reason: &str, failure: Failure) -> OpenError {
    let error = crate::base::error::Error::from(failure);
    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::unusable_at(location, format!("{reason}: {cause}"))
}

impl Migrator<'_> {
    fn run(mut self) -> Result<Built, OpenError> {
        let mut tries = 0;
        loop {
            match self.round() {
                Ok(Round::Finished(declared, cipher)) => {
                    self.turn.release(self.handle);
                    references::validate(self.handle);
                    return Ok(Built { applied: self.applied, declared, cipher });
                }
                Ok(Round::Wait) => self.turn.wait(self.handle),
                Ok(Round::Again) => {}
                Err(failure) => {
                    self.handle.roll_back();
                    tries += 1;
                    if tries >= TRIES_MAX || !self.has_met(&failure) {
                        return Err(self.fail(failure));
                    }
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Whether a failure is that of two processes that have met. Another process may have created a
    /// table of the same name at the same time, or it was there before. Or each has waited for the
    /// other.
    fn has_met(&mut self, failure: &BuildFailure) -> bool {
        let BuildFailure::Database(failure) = failure else { return false };
        let is_deadlock = self.handle.take_remedy() == Remedy::Again;
        self.handle.wire().is_usable()
            && match failure.kind {
                FailureKind::Unique | FailureKind::Exists => true,
                FailureKind::Other => is_deadlock,
                _ => false,
            }
    }

    /// Returns the error of a failure. What the migration has left is dropped.
    fn fail(mut self, failure: BuildFailure) -> OpenError {
        let is_refused = matches!(failure, BuildFailure::Open(OpenError::Refused(_)));
        if self.turn.is_taken() && self.handle.wire().is_usable() {
            indexes::clear(self.handle, &self.turn, is_refused);
            self.turn.release(self.handle);
        }
        match failure {
            BuildFailure::Open(error) => error,
            BuildFailure::Database(failure) => unusable(self.location, "cannot be used", failure),
        }
    }

    /// Runs a transaction that creates or changes the tables.
    fn round(&mut self) -> Result<Round, BuildFailure> {
        self.handle.begin("BEGIN");
        if let Some(reason) = hold::reason(self.handle)? {
            return Err(BuildFailure::Open(OpenError::unusable_at(self.location, reason)));
        }
        let change = if system::exist(self.handle)? {
            let had = self.recorded()?;
            self.change(&had)?
        } else {
            create(self.handle, self.wanted)?;
            TableChange::Applied(vec![])
        };
        let (applied, is_complete) = match change {
            TableChange::Applied(applied) => (applied, true),
            TableChange::Partial(applied) => (applied, false),
            TableChange::Indexes => return Ok(Round::Again),
            TableChange::Wait => {
                self.handle.roll_back();
                return Ok(Round::Wait);
            }
        };
        if is_complete {
            references::upgrade(self.handle, self.wanted)?;
            self.handle.change(slots::FOLD, &[])?;
        }
        let declared = match is_complete {
            true => Some(system::declare(self.handle, self.fingerprint)?),
            false => None,
        };
        self.handle.end("COMMIT")?;
        self.applied.extend(applied);
        Ok(declared.map_or(Round::Again, |(declared, cipher)| Round::Finished(declared, cipher)))
    }

    /// Locks the state of the database, and returns the record.
    fn recorded(&mut self) -> Result<Record, BuildFailure> {
        let unusable = |reason| OpenError::unusable_at(self.location, reason);
        Err(BuildFailure::Open(match system::lock(self.handle)? {
            system::TablesState::Ours(had) => return Ok(had),
            system::TablesState::Newer => unusable(
                "was created by a newer version of Nouns; start that version, or use another database",
            ),
            system::TablesState::Damaged(cause) => unusable(
                "has a stored schema record that cannot be read; restore the database from a backup",
            )
            .with_source(cause),
        }))
    }

    /// Migrates the tables from the record `had` to that of the model. If the changes are refused,
    /// nothing is changed.
    fn change(&mut self, had: &Record) -> Result<TableChange, BuildFailure> {
        let (handle, wanted) = (&mut *self.handle, self.wanted);
        let mut rows = RowsToChange { handle: &mut *handle, migration: self.migration };
        let comparison = Comparison::new(had, wanted, &mut rows)?;
        let migrated = admit(&comparison, self.migration).map_err(BuildFailure::Open)?;
        let changes = comparison.changes;
        let unrecorded = indexes::unrecorded(handle)?;
        let is_idle = changes.is_empty() && unrecorded.is_empty();
        if !is_idle && !self.turn.take(handle)? {
            // What a build has left may be what another node builds.
            return Ok(match changes.is_empty() {
                true => TableChange::Applied(vec![]),
                false => TableChange::Wait,
            });
        }
        if let Migrated::Again = migrated {
            remake(handle, had, wanted)?;
            system::write_record(handle, wanted)?;
            return Ok(TableChange::Applied(vec![]));
        }
        let work = IndexWork::plan(handle, had, &changes, &unrecorded)?;
        if work.is_pending() {
            handle.roll_back();
            work.perform(handle, &self.turn)?;
            return Ok(TableChange::Indexes);
        }
        let is_now = |change: &SchemaChange<'_>| !work.is_later(*change);
        let changes: Vec<_> = changes.into_iter().filter(is_now).collect();
        apply_all(handle, &changes, &work)?;
        if had != wanted {
            system::write_record(handle, &wanted.without(work.later()))?;
        }
        let applied = changes.iter().map(|change| change.difference()).collect();
        Ok(match work.later().is_empty() {
            true => TableChange::Applied(applied),
            false => TableChange::Partial(applied),
        })
    }
}

/// Creates the tables, indexes and triggers of a record, and the tables of the store itself.
fn create(handle: &mut PostgresHandle, wanted: &Record) -> Result<(), Failure> {
    system::create(handle)?;
    create_tables(handle, wanted)?;
    system::write_record(handle, wanted)
}

fn create_tables(handle: &mut PostgresHandle, wanted: &Record) -> Result<(), Failure> {
    let script: Vec<_> = ddl::create(wanted, Dialect::Postgres);
    handle.script(&script.join(";\n"))?;
    wanted.tables.iter().try_for_each(|table| finish(handle, table))
}

/// Creates what belongs to tables that have only their columns and rows.
pub(super) fn complete_tables(handle: &mut PostgresHandle, record: &Record) -> Result<(), Failure> {
    for table in &record.tables {
        for index in &table.indexes {
            handle.script(&ddl::index(table, index, Dialect::Postgres))?;
        }
    }
    for table in &record.tables {
        for text in ddl::constraints(table) {
            handle.script(&text)?;
        }
        finish(handle, table)?;
    }
    Ok(())
}

/// Creates the triggers and the counters of a new table.
fn finish(handle: &mut PostgresHandle, table: &Table) -> Result<(), Failure> {
    handle.script(&triggers::create(table))?;
    system::add_table(handle, &table.name)
}

/// Makes all tables again, without rows. The accounts are lost, so their sessions, tokens and
/// stored responses are, too.
fn remake(handle: &mut PostgresHandle, had: &Record, wanted: &Record) -> Result<(), Failure> {
    let names: Vec<_> = had.tables.iter().map(|table| sql::quoted(&table.name)).collect();
    handle.script(&format!("DROP TABLE {} CASCADE", names.join(", ")))?;
    handle.script(
        "DELETE FROM \"_nouns_answers\"; DELETE FROM \"_nouns_grants\"; \
         UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = now()",
    )?;
    create_tables(handle, wanted)
}

fn apply_all(
    handle: &mut PostgresHandle,
    changes: &[SchemaChange<'_>],
    work: &IndexWork<'_>,
) -> Result<(), BuildFailure> {
    // A reference can only be added when its table exists.
    for change in changes {
        if let SchemaChange::NewTable(table) = change {
            handle.script(&ddl::table(table, &table.name, Dialect::Postgres))?;
        }
    }
    changes.iter().try_for_each(|change| apply(handle, *change, work))
}

fn apply(
    handle: &mut PostgresHandle,
    change: SchemaChange<'_>,
    work: &IndexWork<'_>,
) -> Result<(), BuildFailure> {
    match change {
        SchemaChange::NewTable(table) => {
            for text in ddl::constraints(table) {
                handle.script(&text)?;
            }
            for index in &table.indexes {
                handle.script(&ddl::index(table, index, Dialect::Postgres))?;
            }
            finish(handle, table)?;
        }
        SchemaChange::NewColumn(table, column) => {
            handle.script(&ddl::add_column(table, column, Dialect::Postgres))?;
            if let Some(text) = ddl::constraint(table, column) {
                handle.script(&text)?;
            }
        }
        SchemaChange::Loosened(table, column) | SchemaChange::OtherDefault(table, column) => {
            handle.script(&ddl::alter_column(table, column))?;
        }
        SchemaChange::Filled(table, column) => {
            handle.script(&ddl::require_column(table, column))?;
        }
        SchemaChange::LostIndex(table, index) => handle.script(&ddl::drop_index(table, index))?,
        SchemaChange::NewIndex(table, index) if work.has_built(table, index) => {
            handle.script(&ddl::rename_index(table, index))?;
        }
        SchemaChange::NewIndex(table, index) => add_index(handle, table, index, change)?,
        _ => {}
    }
    Ok(())
}

/// Creates an index. If rows share a value of a unique index, the error is a refusal that names the
/// index.
fn add_index(
    handle: &mut PostgresHandle,
    table: &Table,
    index: &Index,
    change: SchemaChange<'_>,
) -> Result<(), BuildFailure> {
    if !index.unique {
        return Ok(handle.script(&ddl::index(table, index, Dialect::Postgres))?);
    }
    handle.script("SAVEPOINT nouns_index")?;
    match handle.script(&ddl::index(table, index, Dialect::Postgres)) {
        Err(failure) if failure.kind == FailureKind::Unique => {
            handle.script("ROLLBACK TO SAVEPOINT nouns_index")?;
            let shared = shared_values(handle, table, index)?;
            Err(BuildFailure::Open(OpenError::Refused(vec![change.duplicates(&shared)])))
        }
        result => Ok(result?),
    }
}
