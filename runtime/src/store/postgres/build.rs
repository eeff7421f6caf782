//! Creates the tables of a record, and migrates existing tables to a new record. A record is the
//! stored description of all tables, columns and indexes.
//!
//! All of it is one transaction, under the lock of the row of `_nouns_state`. So any number of
//! processes may start at the same time: one changes the tables, and the others find them changed.

use std::{thread, time::Duration};

use super::{handle::PostgresHandle, hold, system, triggers};
use crate::{
    model::Model,
    plan::validator::DeclaredTime,
    store::{
        Difference, Location, Migration, OpenError,
        difference::{Migrated, SchemaChange, admit, compare},
        failure::{Failure, FailureKind},
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
}

/// The reason why the tables of a database were not made or changed.
enum BuildFailure {
    Database(Failure),
    Open(OpenError),
}

impl From<Failure> for BuildFailure {
    fn from(failure: Failure) -> Self {
        Self::Database(failure)
    }
}

/// Creates or migrates the tables of a model.
pub(super) fn build(
    handle: &mut PostgresHandle,
    model: &Model,
    location: &Location,
    migration: Migration,
) -> Result<Built, OpenError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match attempt(handle, model, location, migration) {
            Ok(built) => return Ok(built),
            Err(BuildFailure::Open(error)) => {
                handle.roll_back();
                return Err(error);
            }
            // Another process has created a table of the same name at the same time, or it was
            // there before.
            Err(BuildFailure::Database(failure)) => {
                handle.roll_back();
                if tries >= TRIES_MAX || !handle.wire().is_usable() || !is_met(&failure) {
                    return Err(unusable(location, "cannot be used", failure));
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

/// The error of a database that cannot be used.
pub(super) fn unusable(location: &Location, reason: &str, failure: Failure) -> OpenError {
    let error = crate::base::error::Error::from(failure);
    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::unusable_at(location, format!("{reason}: {cause}"))
}

/// Whether two processes have met.
fn is_met(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Unique | FailureKind::Exists)
}

fn attempt(
    handle: &mut PostgresHandle,
    model: &Model,
    location: &Location,
    migration: Migration,
) -> Result<Built, BuildFailure> {
    let unusable = |reason: &str| BuildFailure::Open(OpenError::unusable_at(location, reason));
    let wanted = &Record::of(model);
    handle.begin("BEGIN");
    if let Some(reason) = hold::reason(handle)? {
        return Err(unusable(&reason));
    }
    let applied = if system::exist(handle)? {
        match system::lock(handle)? {
            system::TablesState::Ours(had) => change(handle, &had, wanted, migration)?,
            system::TablesState::Newer => {
                return Err(unusable(
                    "was created by a newer version of Nouns; start that version, or use another database",
                ));
            }
            system::TablesState::Damaged(cause) => {
                let error = OpenError::unusable_at(
                    location,
                    "has a stored schema record that cannot be read; restore the database from a backup",
                );
                return Err(BuildFailure::Open(error.with_source(cause)));
            }
        }
    } else {
        create(handle, wanted)?;
        vec![]
    };
    let declared = system::declare(handle, model.fingerprint)?;
    handle.end("COMMIT")?;
    Ok(Built { applied, declared })
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

/// Migrates the tables from the record `had` to the record `wanted`, and returns the applied
/// differences. If they are refused, nothing is changed.
fn change(
    handle: &mut PostgresHandle,
    had: &Record,
    wanted: &Record,
    migration: Migration,
) -> Result<Vec<Difference>, BuildFailure> {
    let changes = compare(had, wanted);
    let applied = match admit(&changes, migration).map_err(BuildFailure::Open)? {
        Migrated::Again => {
            remake(handle, had, wanted)?;
            vec![]
        }
        Migrated::Changed(applied) => {
            // A reference can only be added when its table exists.
            for change in &changes {
                if let SchemaChange::NewTable(table) = change {
                    handle.script(&ddl::table(table, &table.name, Dialect::Postgres))?;
                }
            }
            for change in &changes {
                apply(handle, *change)?;
            }
            applied
        }
    };
    if had != wanted {
        system::write_record(handle, wanted)?;
    }
    Ok(applied)
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

fn apply(handle: &mut PostgresHandle, change: SchemaChange<'_>) -> Result<(), BuildFailure> {
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
        SchemaChange::LostIndex(table, index) => handle.script(&ddl::drop_index(table, index))?,
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
    match handle.script(&ddl::index(table, index, Dialect::Postgres)) {
        Err(failure) if failure.kind == FailureKind::Unique => {
            Err(BuildFailure::Open(OpenError::Refused(vec![change.duplicates()])))
        }
        result => Ok(result?),
    }
}
