//! The states in which a database is not served: it is sealed, since another database has its
//! place, or it is an unfinished copy.

use std::{thread, time::Duration};

use super::{
    handle::PostgresHandle,
    indexes,
    system::{self, TablesState},
};
use crate::store::{
    failure::Failure,
    hold::{UNFINISHED, moved},
    sql::quoted,
};

/// The tables of an unfinished copy: which one it is, and how far each table is.
pub(super) const COPY_TABLES: &str = r#"
CREATE TABLE "_nouns_copy" (
  "id" integer PRIMARY KEY CHECK ("id" = 1),
  "copy" text NOT NULL,
  "source" text NOT NULL,
  "record" text NOT NULL
);
CREATE TABLE "_nouns_copy_tables" (
  "name" text COLLATE "C" PRIMARY KEY,
  "revision" bigint NOT NULL,
  "position" text,
  "rows" bigint NOT NULL,
  "digest" text NOT NULL
)
"#;

/// The code (SQLSTATE) of the error with which the triggers of a sealed database refuse a change.
pub(super) const SEALED: &str = "NX001";

const SEAL: &str = r#"
CREATE TABLE "_nouns_seal" (
  "id" integer PRIMARY KEY CHECK ("id" = 1),
  "copy" text NOT NULL,
  "moved_to" text NOT NULL,
  "sealed_at" timestamptz NOT NULL DEFAULT now()
);
CREATE FUNCTION _nouns_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this database was moved to another one, and accepts no changes' USING ERRCODE = 'NX001';
END $$
"#;

/// The tables of the store whose rows are moved.
const STORE_TABLES: [&str; 2] = ["_nouns_answers", "_nouns_grants"];

/// The number of attempts to seal a database, if they meet writes.
const TRIES_MAX: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

const MARK: &str =
    "INSERT INTO \"_nouns_seal\" (\"id\", \"copy\", \"moved_to\") VALUES (1, $1, $2)";
const HAS: &str = "SELECT to_regclass(quote_ident($1)) IS NOT NULL";
const SEALED_FOR: &str = "SELECT \"copy\", \"moved_to\" FROM \"_nouns_seal\"";
const END_SESSIONS: &str = "DELETE FROM \"_nouns_grants\" WHERE \"kind\" = 'session'";
/// A database that goes its own way has another identity and other revisions. Its declaration has a
/// later time than any that a client can have seen.
const RENEW: &str = "UPDATE \"_nouns_state\" SET \"database\" = replace(gen_random_uuid()::text, '-', ''), \
    \"declared_at\" = greatest(date_trunc('second', clock_timestamp()) + interval '1 second', (SELECT max(\"changed_at\") FROM \"_nouns_counters\"))";
const RENEW_REVISIONS: &str = "SELECT setval('\"_nouns_revisions\"', \
    (SELECT last_value FROM \"_nouns_revisions\") + (1::bigint << 40) + floor(random() * (1::bigint << 50))::bigint)";

/// Whether a table of the store exists.
pub(super) fn exists(handle: &mut PostgresHandle, table: &str) -> Result<bool, Failure> {
    Ok(handle.ask(HAS, &[&table])?.first().is_some_and(|row| row.get(0)))
}

/// Returns why a database cannot be served now. The text continues a sentence after its name.
pub(super) fn reason(handle: &mut PostgresHandle) -> Result<Option<String>, Failure> {
    if exists(handle, "_nouns_copy")? {
        return Ok(Some(UNFINISHED.into()));
    }
    Ok(sealed(handle)?.map(|[_, to]| moved(&to)))
}

/// Returns the id of the copy for which a database is sealed, and where it was moved.
pub(super) fn sealed(handle: &mut PostgresHandle) -> Result<Option<[String; 2]>, Failure> {
    if !exists(handle, "_nouns_seal")? {
        return Ok(None);
    }
    Ok(handle.ask(SEALED_FOR, &[])?.first().map(|row| [row.get(0), row.get(1)]))
}

/// Makes a database refuse all changes, also by other programs and by servers that have it open. It
/// waits for writes that have begun.
pub(super) fn seal(handle: &mut PostgresHandle, copy: &str, to: &str) -> Result<(), Failure> {
    let mut tries = 0;
    loop {
        tries += 1;
        handle.begin("BEGIN");
        match try_to_seal(handle, copy, to) {
            Ok(()) => return Ok(()),
            // A write that has one table and waits for another one is in a circle with this.
            Err(failure) if tries < TRIES_MAX && handle.wire().is_usable() => {
                tracing::debug!(?failure, "the database could not be sealed yet");
                handle.roll_back();
                thread::sleep(PAUSE);
            }
            Err(failure) => {
                handle.roll_back();
                return Err(failure);
            }
        }
    }
}

fn try_to_seal(handle: &mut PostgresHandle, copy: &str, to: &str) -> Result<(), Failure> {
    let tables = tables(handle)?;
    if !indexes::is_turn_free(handle)? {
        let cause = "a node changes its tables or builds an index; try again when that is done";
        return Err(Failure::internal(cause));
    }
    handle.script(SEAL)?;
    handle.ask(MARK, &[&copy, &to])?;
    for table in tables {
        let on = quoted(&table);
        handle.script(&format!(
            "CREATE TRIGGER _nouns_sealed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {on} \
             FOR EACH STATEMENT EXECUTE FUNCTION _nouns_refuse(); \
             ALTER TABLE {on} ENABLE ALWAYS TRIGGER _nouns_sealed"
        ))?;
    }
    handle.end("COMMIT")
}

/// Locks the state of the database, and returns the names of the tables whose changes are refused.
fn tables(handle: &mut PostgresHandle) -> Result<Vec<String>, Failure> {
    let mut names: Vec<_> = STORE_TABLES.map(Into::into).into();
    match system::lock(handle)? {
        TablesState::Ours(record) => {
            names.extend(record.tables.into_iter().map(|table| table.name));
            Ok(names)
        }
        TablesState::Newer | TablesState::Damaged(_) => {
            Err(Failure::internal("the database has no record that can be read"))
        }
    }
}

/// Lets a sealed database be changed again, under a new identity. Returns false if it was not
/// sealed.
pub(super) fn unseal(handle: &mut PostgresHandle) -> Result<bool, Failure> {
    handle.begin("BEGIN");
    let result = try_to_unseal(handle);
    if !matches!(result, Ok(true)) {
        handle.roll_back();
    }
    result
}

fn try_to_unseal(handle: &mut PostgresHandle) -> Result<bool, Failure> {
    let tables = tables(handle)?;
    if !exists(handle, "_nouns_seal")? {
        return Ok(false);
    }
    for table in tables {
        handle.script(&format!("DROP TRIGGER IF EXISTS _nouns_sealed ON {}", quoted(&table)))?;
    }
    handle.script("DROP TABLE \"_nouns_seal\"; DROP FUNCTION _nouns_refuse()")?;
    handle.ask(END_SESSIONS, &[])?;
    handle.ask(RENEW, &[])?;
    handle.ask(RENEW_REVISIONS, &[])?;
    handle.end("COMMIT")?;
    Ok(true)
}
