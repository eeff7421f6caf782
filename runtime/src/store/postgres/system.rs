//! The store's own tables: `_nouns_state`, `_nouns_counters`, `_nouns_slots`, `_nouns_ids`,
//! `_nouns_answers`, `_nouns_grants` and `_nouns_attempts`.
//!
//! These tables have their own format version. A migration step that was released is never edited.
//! A new step is added at the end.

use std::sync::Arc;

use super::{
    attempts, fault, grants, handle::PostgresHandle, parameter::BinaryParameter, triggers,
};
use crate::{
    base::error::Error,
    http::http_date::Second,
    model::value::{Value, now},
    plan::{TagCipher, validator::DeclaredTime},
    store::{failure::Failure, row::MemberRow as _, sql::record::Record, stamp},
};

/// The format version of the store's own tables that this program creates.
pub(super) const FORMAT: i32 = 1;

/// The tables of format 1. The sequence of revisions starts at a random number of 40 bits. So a
/// database that is made again does not repeat revisions that clients may have cached.
const TABLES: &str = r#"
CREATE TABLE "_nouns_state" (
  "id" integer PRIMARY KEY CHECK ("id" = 1),
  "format" integer NOT NULL,
  "database" text NOT NULL,
  "history" text,
  "record" text NOT NULL,
  "declaration" text NOT NULL,
  "declared_at" timestamptz NOT NULL,
  "secret" bytea NOT NULL
);
CREATE TABLE "_nouns_counters" (
  "name" text COLLATE "C" NOT NULL,
  "slot" integer NOT NULL,
  "count" bigint NOT NULL DEFAULT 0,
  "changed_at" timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY ("name", "slot")
) WITH (fillfactor = 10);
CREATE TABLE "_nouns_slots" (
  "slot" integer PRIMARY KEY,
  "holder" text COLLATE "C" NOT NULL,
  "until" timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE "_nouns_ids" ("name" text COLLATE "C" PRIMARY KEY);
CREATE TABLE "_nouns_answers" (
  "scope" text COLLATE "C" NOT NULL,
  "key" text COLLATE "C" NOT NULL,
  "at" bigint NOT NULL,
  "request" bytea NOT NULL,
  "written" text NOT NULL,
  "modified" bigint,
  "format" text,
  "content" bytea NOT NULL,
  "declaration" text NOT NULL,
  PRIMARY KEY ("scope", "key")
);
CREATE INDEX "_nouns_answers_at" ON "_nouns_answers" ("at");
CREATE TABLE "_nouns_grants" (
  "digest" bytea PRIMARY KEY,
  "kind" text COLLATE "C" NOT NULL,
  "id" text COLLATE "C" NOT NULL UNIQUE,
  "account" text COLLATE "C" NOT NULL,
  "password" bytea NOT NULL,
  "name" text,
  "scopes" integer NOT NULL,
  "persistent" boolean NOT NULL,
  "created_at" bigint NOT NULL,
  "expires_at" bigint,
  "used_at" bigint NOT NULL
);
CREATE INDEX "_nouns_grants_account" ON "_nouns_grants" ("account", "kind", "created_at");
CREATE INDEX "_nouns_grants_expires_at" ON "_nouns_grants" ("expires_at");
DO $$ BEGIN
  EXECUTE format('CREATE SEQUENCE "_nouns_revisions" INCREMENT 64 START %s', (1 + floor(random() * (1::bigint << 40)))::bigint);
END $$;
INSERT INTO "_nouns_slots" VALUES (0, '', 'infinity');
INSERT INTO "_nouns_state" VALUES (1, 0, replace(gen_random_uuid()::text, '-', ''), NULL, '', '', now(),
  uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
"#;

/// A slot below 0 is one of the triggers, for the changes of other programs.
const ADD_TABLE: &str = "INSERT INTO \"_nouns_counters\" (\"name\", \"slot\") \
    SELECT $1::text, \"slot\" FROM \"_nouns_slots\" UNION ALL SELECT $1::text, s FROM generate_series(-$2::integer, -1) AS s ON CONFLICT DO NOTHING";
const ADD_ID: &str = "INSERT INTO \"_nouns_ids\" VALUES ($1) ON CONFLICT DO NOTHING";

/// The history of the server, as far as this database knows it. Of two servers, or of two starts of
/// one, with the same history, the later one has every commit of the earlier one:
///
/// - After a promotion or a point-in-time recovery, the server writes another timeline.
/// - Another cluster has another identifier. So has one into which a dump of the tables was loaded;
///   in the same cluster, the loaded table has another number.
/// - A server writes each commit to its disk before it tells anyone, so a crash loses none. With
///   `fsync = off` or `full_page_writes = off` a crash may, and so each start is a history of its
///   own. Transactions that do not wait for the disk (`synchronous_commit = off`) do not change our
///   tables: our connections and our triggers turn it on.
const HISTORY: &str = "SELECT pg_is_in_recovery(), CASE WHEN NOT pg_is_in_recovery() THEN concat_ws('/', \
    (SELECT \"system_identifier\" FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), \
    '\"_nouns_state\"'::regclass::oid, CASE WHEN 'off' IN (current_setting('fsync'), current_setting('full_page_writes')) \
    THEN extract(epoch FROM pg_postmaster_start_time()) END) END";
const DATABASE: &str = "SELECT \"database\", \"history\" FROM \"_nouns_state\"";
/// Another history of the server may lack changes that clients have seen, so it is another
/// database. Its next revisions are far beyond those that it may lack.
const RENEW: &str = "UPDATE \"_nouns_state\" SET \"history\" = $1, \
    \"database\" = CASE WHEN \"history\" IS NULL THEN \"database\" ELSE replace(gen_random_uuid()::text, '-', '') END \
    WHERE \"history\" IS DISTINCT FROM $1 \
    RETURNING setval('\"_nouns_revisions\"', nextval('\"_nouns_revisions\"') + (1 + floor(random() * (1::bigint << 40)))::bigint)";

const STATE: &str = "SELECT \"format\", \"record\" FROM \"_nouns_state\"";
const LOCKED_STATE: &str = "SELECT \"format\", \"record\" FROM \"_nouns_state\" FOR UPDATE";
const WRITE_RECORD: &str = "UPDATE \"_nouns_state\" SET \"record\" = $1, \"format\" = $2";
const DECLARE: &str = "UPDATE \"_nouns_state\" SET \"declaration\" = $1, \"declared_at\" = $2 WHERE \"declaration\" <> $1";
const DECLARED: &str = "SELECT \"declared_at\" FROM \"_nouns_state\"";
const SECRET: &str = "SELECT \"secret\" FROM \"_nouns_state\"";

/// The program that has made the tables of a database, and its version.
pub(super) enum TablesState {
    Newer,
    Ours(Record),
    Damaged(serde_json::Error),
}

/// Says whether the store's own tables exist.
pub(super) const EXIST: &str = "SELECT to_regclass('\"_nouns_state\"') IS NOT NULL";

/// Whether the store's own tables exist.
pub(super) fn exist(handle: &mut PostgresHandle) -> Result<bool, Failure> {
    let rows = handle.ask(EXIST, &[])?;
    Ok(rows.first().is_some_and(|row| row.get(0)))
}

/// Locks the state of the database until the transaction ends, and returns it.
pub(super) fn lock(handle: &mut PostgresHandle) -> Result<TablesState, Failure> {
    read_state(handle, LOCKED_STATE)
}

/// Returns the state of the database.
pub(super) fn state(handle: &mut PostgresHandle) -> Result<TablesState, Failure> {
    read_state(handle, STATE)
}

fn read_state(handle: &mut PostgresHandle, text: &'static str) -> Result<TablesState, Failure> {
    let rows = handle.ask(text, &[])?;
    let row = rows.first().ok_or_else(|| Failure::internal("the database has no state"))?;
    if row.get::<_, i32>(0) > FORMAT {
        return Ok(TablesState::Newer);
    }
    Ok(serde_json::from_str(row.get(1)).map_or_else(TablesState::Damaged, TablesState::Ours))
}

/// Creates the store's own tables, functions and sequences. The database gets an identity of its
/// own.
pub(super) fn create(handle: &mut PostgresHandle) -> Result<(), Failure> {
    handle.script(TABLES)?;
    handle.script(attempts::TABLE)?;
    let schema = schema(handle)?;
    handle.script(&triggers::functions(&schema))?;
    handle.script(&triggers::of_grants(grants::TABLE))?;
    add_table(handle, grants::TABLE)
}

/// The schema in which tables are created, as an SQL name.
pub(super) fn schema(handle: &mut PostgresHandle) -> Result<String, Failure> {
    let rows = handle.ask("SELECT quote_ident(current_schema())", &[])?;
    let name: Option<String> = rows.first().and_then(|row| row.get(0));
    name.ok_or_else(|| {
        Error::internal("the search path has no schema in which to create tables").into()
    })
}

/// Adds the counters of a new table.
pub(super) fn add_table(handle: &mut PostgresHandle, name: &str) -> Result<(), Failure> {
    handle.ask(ADD_TABLE, &[&name, &triggers::SLOTS])?;
    handle.ask(ADD_ID, &[&name]).map(drop)
}

/// Stores the record, which describes the tables of the database.
pub(super) fn write_record(handle: &mut PostgresHandle, record: &Record) -> Result<(), Failure> {
    let text =
        serde_json::to_string(record).expect("every value of a record can be serialized as JSON");
    handle.ask(WRITE_RECORD, &[&text, &FORMAT]).map(drop)
}

/// Stores the current time as the declaration time, if the database was last served under another
/// declaration. Returns the declaration time, and what hides the revisions in tags.
pub(super) fn declare(
    handle: &mut PostgresHandle,
    fingerprint: u64,
) -> Result<(DeclaredTime, TagCipher), Failure> {
    let at = Value::Text(stamp::after("", now()));
    handle.ask(DECLARE, &[&format!("{fingerprint:016x}"), &BinaryParameter(&at)])?;
    let mut declared = Second::default();
    for row in handle.ask(DECLARED, &[])? {
        declared = super::rows::read(row)?.changed(0).unwrap_or_default();
    }
    let rows = handle.ask(SECRET, &[])?;
    let row = rows.first().ok_or_else(|| Failure::internal("the database has no secret"))?;
    Ok((DeclaredTime::new(declared), TagCipher::of(row.get(0))))
}

/// Returns the history of the server in which it now writes. `None` if it has none to tell, as
/// servers of other makers. A server that only repeats what another one writes is refused: it may
/// lack what a client has just written.
fn history(handle: &mut PostgresHandle) -> Result<Option<String>, Failure> {
    let Ok(rows) = handle.ask(HISTORY, &[]) else { return Ok(None) };
    let Some(row) = rows.first() else { return Ok(None) };
    match row.get(0) {
        true => Err(fault::away("the server is a standby, which only repeats another one").into()),
        false => Ok(row.get(1)),
    }
}

/// Returns the identity of the database, outside of a transaction. In another history of the
/// server, the database gets another identity.
pub(super) fn database(handle: &mut PostgresHandle) -> Result<(Arc<str>, Option<String>), Failure> {
    let history = history(handle)?;
    for _ in 0..2 {
        let rows = handle.ask(DATABASE, &[])?;
        let row = rows.first().ok_or_else(|| Failure::internal("the database has no state"))?;
        let (database, recorded): (String, Option<String>) = (row.get(0), row.get(1));
        if recorded == history || history.is_none() {
            return Ok((database.into(), history));
        }
        handle.ask(RENEW, &[&history])?;
    }
    Err(Failure::internal("the server changes its history all the time"))
}
