//! Creates the tables of a record, and migrates existing tables to a new record. A record is the
//! stored description of all tables, columns and indexes.

use rusqlite::Connection;

use super::{fault, stored_rows::shared_values, system};
use crate::store::{
    OpenError,
    difference::{Comparison, Difference, SchemaChange},
    migration::{Migrated, Migration, admit},
    sql::{
        self, Dialect, ddl,
        record::{Column, ColumnDefault, Index, Record, Table},
    },
};

/// The reason why a database was not migrated to a record.
pub(super) enum BuildError {
    Database(rusqlite::Error),
    Open(OpenError),
}

impl From<rusqlite::Error> for BuildError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// Creates the tables, indexes and triggers of a record, and the tables of the store itself, in an
/// empty database.
pub(super) fn create(connection: &Connection, wanted: &Record) -> Result<(), BuildError> {
    system::create(connection)?;
    for table in &wanted.tables {
        connection.execute_batch(&ddl::table(table, &table.name, Dialect::Sqlite))?;
        for index in &table.indexes {
            connection.execute_batch(&ddl::index(table, index, Dialect::Sqlite))?;
        }
        system::add_table(connection, &table.name)?;
    }
    write_triggers(connection, &wanted.tables)?;
    Ok(system::write_record(connection, wanted)?)
}

/// Creates the triggers of many tables at once.
///
/// SQLite scans its whole schema for each CREATE statement, so the triggers of a thousand tables
/// took a second. A trigger has no pages in the database, only its row in `sqlite_schema`. So these
/// rows can be inserted directly: <https://sqlite.org/pragma.html#pragma_writable_schema>.
pub(super) fn write_triggers(connection: &Connection, tables: &[Table]) -> rusqlite::Result<()> {
    connection.pragma_update(None, "writable_schema", true)?;
    let mut row = connection.prepare(
        "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('trigger', ?1, ?2, 0, ?3)",
    )?;
    for table in tables {
        for (name, text) in sql::trigger_names(table).iter().zip(sql::triggers(table)) {
            row.execute((name, &table.name, text))?;
        }
    }
    // RESET makes SQLite read the schema again, and makes `sqlite_schema` read-only again.
    connection.pragma_update(None, "writable_schema", "RESET")
}

/// Migrates the tables from the record `had` to the record `wanted`, and returns the applied
/// differences.
///
/// # Errors
/// A change is not additive, or none is applied and there are differences. In both cases nothing is
/// changed.
pub(super) fn change(
    connection: &Connection,
    had: &Record,
    wanted: &Record,
    migration: Migration,
) -> Result<Vec<Difference>, BuildError> {
    let comparison = Comparison::new(had, wanted, &mut &*connection)?;
    let differences = match admit(&comparison, migration).map_err(BuildError::Open)? {
        Migrated::Again => return remake(connection, had, wanted).map(|()| vec![]),
        Migrated::Changed(differences) => differences,
    };
    for table in &wanted.tables {
        let changes =
            comparison.changes.iter().copied().filter(|change| change.table().name == table.name);
        let changes: Vec<_> = changes.collect();
        change_table(connection, had, table, &changes)?;
    }
    if had != wanted {
        system::write_record(connection, wanted)?;
    }
    Ok(differences)
}

/// Makes all tables again, without rows. The foreign keys of the connection are off. The accounts
/// are lost, so their sessions, tokens and stored responses are, too.
fn remake(connection: &Connection, had: &Record, wanted: &Record) -> Result<(), BuildError> {
    for table in &had.tables {
        connection.execute_batch(&format!("DROP TABLE {}", sql::quoted(&table.name)))?;
    }
    for table in ["_nouns_tables", "_nouns_answers", "_nouns_grants"] {
        connection.execute_batch(&format!("DELETE FROM {}", sql::quoted(table)))?;
    }
    wanted.tables.iter().try_for_each(|table| add_table(connection, table))?;
    Ok(system::write_record(connection, wanted)?)
}

fn change_table(
    connection: &Connection,
    had: &Record,
    table: &Table,
    changes: &[SchemaChange<'_>],
) -> Result<(), BuildError> {
    match had.table(&table.name) {
        None => add_table(connection, table),
        Some(before) if changes.iter().any(|change| needs_rebuild(*change)) => {
            rebuild(connection, before, table)?;
            finish(connection, table, changes)
        }
        Some(_) => {
            changes.iter().try_for_each(|change| change_in_place(connection, table, *change))
        }
    }
}

/// Whether a change needs a new table. SQLite can change neither a default nor NOT NULL of an
/// existing column. It also cannot add a column with a computed default, a required one without
/// default, or a reference with one.
fn needs_rebuild(change: SchemaChange<'_>) -> bool {
    match change {
        SchemaChange::Loosened(..) | SchemaChange::Filled(..) | SchemaChange::OtherDefault(..) => {
            true
        }
        SchemaChange::NewColumn(_, Column { default: None, required, .. }) => *required,
        SchemaChange::NewColumn(_, Column { default, references, .. }) => {
            *default == Some(ColumnDefault::Now) || references.is_some()
        }
        _ => false,
    }
}

fn change_in_place(
    connection: &Connection,
    table: &Table,
    change: SchemaChange<'_>,
) -> Result<(), BuildError> {
    match change {
        SchemaChange::NewColumn(_, column) => {
            connection.execute_batch(&ddl::add_column(table, column, Dialect::Sqlite))?;
        }
        SchemaChange::LostIndex(before, index) => {
            connection.execute_batch(&ddl::drop_index(before, index))?;
        }
        SchemaChange::NewIndex(_, index) => add_index(connection, table, index, &[change])?,
        _ => {}
    }
    Ok(())
}

fn add_table(connection: &Connection, table: &Table) -> Result<(), BuildError> {
    connection.execute_batch(&ddl::table(table, &table.name, Dialect::Sqlite))?;
    system::add_table(connection, &table.name)?;
    finish(connection, table, &[])
}

/// Creates the indexes and triggers of a new or rebuilt table, which has none yet.
fn finish(
    connection: &Connection,
    table: &Table,
    changes: &[SchemaChange<'_>],
) -> Result<(), BuildError> {
    for index in &table.indexes {
        add_index(connection, table, index, changes)?;
    }
    for trigger in sql::triggers(table) {
        connection.execute_batch(&trigger)?;
    }
    Ok(())
}

/// Creates an index. If the index is a new unique index and rows share a value, the error is a
/// refusal that names the duplicates.
fn add_index(
    connection: &Connection,
    table: &Table,
    index: &Index,
    changes: &[SchemaChange<'_>],
) -> Result<(), BuildError> {
    let Err(cause) = connection.execute_batch(&ddl::index(table, index, Dialect::Sqlite)) else {
        return Ok(());
    };
    let requested = changes
        .iter()
        .find(|change| matches!(change, SchemaChange::NewIndex(_, new) if *new == index));
    match requested {
        Some(change) if fault::is_unique(fault::code(&cause)) => {
            let shared = shared_values(connection, table, index)?;
            Err(BuildError::Open(OpenError::Refused(vec![change.duplicates(&shared)])))
        }
        _ => Err(cause.into()),
    }
}

/// The temporary name of the new table while a table is rebuilt.
const REBUILT: &str = "_nouns_rebuilt";

/// Replaces a table by a new one with the same rows, as SQLite recommends:
/// <https://sqlite.org/lang_altertable.html#otheralter>. The indexes and the triggers of Nouns are
/// lost; triggers of others are created again.
fn rebuild(connection: &Connection, had: &Table, wanted: &Table) -> rusqlite::Result<()> {
    let common: Vec<_> =
        wanted.columns.iter().filter(|column| had.column(&column.name).is_some()).collect();
    let columns =
        common.iter().map(|column| sql::quoted(&column.name)).collect::<Vec<_>>().join(", ");
    let name = sql::quoted(&wanted.name);
    let sequence = last_id(connection, &wanted.name)?;
    let others = others_triggers(connection, &wanted.name)?;
    connection.execute_batch(&ddl::table(wanted, REBUILT, Dialect::Sqlite))?;
    // Triggers and views of others may name the table, which is not there for a moment. So the new
    // name is not tested against them.
    connection.pragma_update(None, "legacy_alter_table", true)?;
    let replaced = connection.execute_batch(&format!(
        "INSERT INTO \"{REBUILT}\" ({columns}) SELECT {columns} FROM {name};
         DROP TABLE {name};
         ALTER TABLE \"{REBUILT}\" RENAME TO {name};"
    ));
    connection.pragma_update(None, "legacy_alter_table", false)?;
    replaced?;
    others.iter().try_for_each(|text| connection.execute_batch(text))?;
    sequence.map_or(Ok(()), |last| keep_last_id(connection, &wanted.name, last))
}

/// Returns the statements that create the triggers which somebody else has written for a table.
fn others_triggers(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let text = "SELECT \"name\", \"sql\" FROM sqlite_schema WHERE \"type\" = 'trigger' AND \"tbl_name\" = ?1";
    let mut triggers = connection.prepare(text)?;
    let all = triggers.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let all = all.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
    let others = all.into_iter().filter(|(name, _)| !sql::is_own_trigger(table, name));
    Ok(others.map(|(_, text)| text).collect())
}

/// The largest id that a row of a table ever had (AUTOINCREMENT), also of deleted rows. A rebuilt
/// table needs this id, so that no id is used twice. `None` if SQLite has stored no such id.
pub(super) fn last_id(connection: &Connection, table: &str) -> rusqlite::Result<Option<i64>> {
    if !system::has_table(connection, "sqlite_sequence")? {
        return Ok(None);
    }
    let text = "SELECT max(\"seq\") FROM \"sqlite_sequence\" WHERE \"name\" = ?1";
    connection.query_row(text, [table], |row| row.get(0))
}

/// Records the largest id that a row of a table ever had.
pub(super) fn keep_last_id(
    connection: &Connection,
    table: &str,
    last: i64,
) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM \"sqlite_sequence\" WHERE \"name\" = ?1", [table])?;
    connection
        .execute(
            "INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") VALUES (?1, ?2)",
            (table, last),
        )
        .map(drop)
}
