//! The states in which a database is not served: it is sealed, since another database has its
//! place, or it is an unfinished copy.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior};

use super::{
    opening::WRITING_BUSY,
    system::{self, DatabaseKind},
};
use crate::{
    model::value::now,
    store::sql::{literal, quoted},
};

/// The tables of an unfinished copy: which one it is, and how far each table is.
pub(super) const COPY_TABLES: &str = r#"
CREATE TABLE "_nouns_copy" (
  "id" INTEGER PRIMARY KEY CHECK ("id" = 1),
  "copy" TEXT NOT NULL,
  "source" TEXT NOT NULL,
  "record" TEXT NOT NULL
) STRICT;
CREATE TABLE "_nouns_copy_tables" (
  "name" TEXT NOT NULL PRIMARY KEY,
  "revision" INTEGER NOT NULL,
  "position" TEXT,
  "rows" INTEGER NOT NULL,
  "digest" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"#;

const SEAL_TABLE: &str = r#"
CREATE TABLE "_nouns_seal" (
  "id" INTEGER PRIMARY KEY CHECK ("id" = 1),
  "copy" TEXT NOT NULL,
  "moved_to" TEXT NOT NULL,
  "sealed_at" TEXT NOT NULL
) STRICT;
"#;

/// The message with which the triggers of a sealed database refuse a change.
pub(super) const SEALED: &str = "this database was moved to another one, and accepts no changes";

/// The tables of the store whose rows are moved.
const STORE_TABLES: [&str; 2] = ["_nouns_answers", "_nouns_grants"];

/// The result of [`unseal`].
pub(super) enum UnsealResult {
    Done,
    NotSealed,
    /// The counter of revisions cannot be increased far enough.
    Exhausted,
}

/// Returns why a database cannot be served now. The text continues a sentence after its name.
pub(super) fn reason(connection: &Connection) -> rusqlite::Result<Option<String>> {
    if system::has_table(connection, "_nouns_copy")? {
        return Ok(Some(crate::store::hold::UNFINISHED.into()));
    }
    if !system::has_table(connection, "_nouns_seal")? {
        return Ok(None);
    }
    let text = "SELECT \"moved_to\" FROM \"_nouns_seal\"";
    let to: Option<String> = connection.query_row(text, [], |row| row.get(0)).optional()?;
    Ok(to.map(|to| crate::store::hold::moved(&to)))
}

/// Returns the id of the copy for which a database is sealed.
pub(super) fn seal_copy(connection: &Connection) -> rusqlite::Result<Option<String>> {
    if !system::has_table(connection, "_nouns_seal")? {
        return Ok(None);
    }
    connection.query_row("SELECT \"copy\" FROM \"_nouns_seal\"", [], |row| row.get(0)).optional()
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(WRITING_BUSY)?;
    Ok(connection)
}

/// The names of the tables whose changes are refused.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names: Vec<_> = STORE_TABLES.map(Into::into).into();
    if let DatabaseKind::Ours(record) = system::inspect(connection)? {
        names.extend(record.tables.into_iter().map(|table| table.name));
    }
    Ok(names)
}

fn triggers(table: &str) -> [(String, &'static str); 3] {
    ["INSERT", "UPDATE", "DELETE"]
        .map(|event| (format!("_nouns_sealed_{table}_{}", event.to_lowercase()), event))
}

/// Makes a database refuse all changes, also by other programs and by servers that have it open.
pub(super) fn seal(path: &Path, copy: &str, to: &str) -> rusqlite::Result<()> {
    let mut connection = connect(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SEAL_TABLE)?;
    transaction.execute("INSERT INTO \"_nouns_seal\" VALUES (1, ?1, ?2, ?3)", (copy, to, now()))?;
    for table in tables(&transaction)? {
        for (name, event) in triggers(&table) {
            transaction.execute_batch(&format!(
                "CREATE TRIGGER {} BEFORE {event} ON {} BEGIN SELECT RAISE(ABORT, {}); END",
                quoted(&name),
                quoted(&table),
                literal(SEALED)
            ))?;
        }
    }
    transaction.commit()
}

/// Lets a sealed database be changed again, under a new identity.
pub(super) fn unseal(path: &Path) -> rusqlite::Result<UnsealResult> {
    let mut connection = connect(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !system::has_table(&transaction, "_nouns_seal")? {
        return Ok(UnsealResult::NotSealed);
    }
    remove(&transaction)?;
    if !system::renew(&transaction)? {
        return Ok(UnsealResult::Exhausted);
    }
    transaction.commit()?;
    Ok(UnsealResult::Done)
}

/// Removes the seal from a database, if it has one.
pub(super) fn remove(connection: &Connection) -> rusqlite::Result<()> {
    for table in tables(connection)? {
        for (name, _) in triggers(&table) {
            connection.execute_batch(&format!("DROP TRIGGER IF EXISTS {}", quoted(&name)))?;
        }
    }
    connection.execute_batch("DROP TABLE IF EXISTS \"_nouns_seal\"")
}
