//! The store's own tables: `_nouns_state`, `_nouns_tables`, `_nouns_answers` and `_nouns_grants`.
//!
//! These tables have their own format version. A migration step that was released is never edited.
//! A new step is added at the end.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};

use super::upgrade;
use crate::{
    http::http_date::Second,
    model::value::{now, seconds_now},
    plan::{
        TagCipher,
        validator::{DeclaredTime, Identity},
    },
    store::{sql::record::Record, stamp},
};

/// The format version of the store's own tables that this program creates.
const FORMAT: u16 = 8;

/// The migration steps of the store's own tables, each from one format version to the next. The
/// format version of a database is the number of its executed steps.
const STEPS: [&str; FORMAT as usize] =
    [STATE_AND_TABLES, DECLARED, ANSWERS, STAMPED, OTHER_TRIGGERS, GRANTS, UPGRADED, TOUCHED];

/// The first format version with the current triggers and foreign keys. When an older database is
/// migrated, those of its tables are replaced.
const UPGRADED_TABLES: u16 = 8;

const STATE_AND_TABLES: &str = r#"
CREATE TABLE "_nouns_state" (
  "id" INTEGER PRIMARY KEY CHECK ("id" = 1),
  "format" INTEGER NOT NULL,
  "database" TEXT NOT NULL,
  "revision" INTEGER NOT NULL,
  "record" TEXT NOT NULL
) STRICT;
CREATE TABLE "_nouns_tables" (
  "name" TEXT NOT NULL PRIMARY KEY,
  "revision" INTEGER NOT NULL,
  "changed_at" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"#;

const DECLARED: &str = r#"
ALTER TABLE "_nouns_state" ADD COLUMN "declaration" TEXT NOT NULL DEFAULT '';
ALTER TABLE "_nouns_state" ADD COLUMN "declared_at" TEXT NOT NULL DEFAULT '';
"#;

const ANSWERS: &str = r#"
CREATE TABLE "_nouns_answers" (
  "scope" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "at" INTEGER NOT NULL,
  "request" BLOB NOT NULL,
  "written" TEXT NOT NULL,
  "modified" INTEGER,
  "format" TEXT,
  "content" BLOB NOT NULL,
  "declaration" TEXT NOT NULL,
  PRIMARY KEY ("scope", "key")
) STRICT;
CREATE INDEX "_nouns_answers_at" ON "_nouns_answers" ("at");
"#;

const STAMPED: &str = r#"
ALTER TABLE "_nouns_state" ADD COLUMN "stamped_at" TEXT NOT NULL DEFAULT '';
UPDATE "_nouns_state" SET "stamped_at" =
  max("declared_at", coalesce((SELECT max("changed_at") FROM "_nouns_tables"), ''));
"#;

/// A step without SQL: this format version only has new triggers, and `find` replaces the old ones.
const OTHER_TRIGGERS: &str = "";

/// Another step without SQL, in which `find` upgrades the tables of the record.
const UPGRADED: &str = "";

/// A trigger for those of all tables: a statement that sets a table's name gives the table the next
/// revision, and the current time. If the clock was set back, it is the second after the last
/// recorded time (`store/stamp.rs`). The trigger reads the clock at most twice, since each reading
/// costs about half as much as the whole statement.
const TOUCHED: &str = r#"
CREATE TRIGGER IF NOT EXISTS "_nouns_tables_touched" AFTER UPDATE OF "name" ON "_nouns_tables" BEGIN
  UPDATE "_nouns_tables" SET ("revision", "changed_at") = (SELECT "revision" + 1, CASE
    WHEN strftime('%Y-%m-%dT%H:%M:%f000Z', 'now') > "stamped_at" THEN strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
    WHEN strftime('%Y-%m-%dT%H:%M:%f000Z', 'now') > substr("stamped_at", 1, 19) OR "stamped_at" LIKE '%.999999Z'
      THEN "stamped_at"
    ELSE coalesce(strftime('%Y-%m-%dT%H:%M:%S.999999Z', "stamped_at", '+1 second'), "stamped_at") END
    FROM "_nouns_state") WHERE "name" = new."name";
END;
"#;

/// Sessions and tokens, and the secret with which requests are hashed. The revision of the table
/// counts the grants that have ended, whichever program has ended them.
const GRANTS: &str = r#"
CREATE TABLE "_nouns_grants" (
  "digest" BLOB NOT NULL PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "id" TEXT NOT NULL UNIQUE,
  "account" TEXT NOT NULL,
  "password" BLOB NOT NULL,
  "name" TEXT,
  "scopes" INTEGER NOT NULL,
  "persistent" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  "expires_at" INTEGER,
  "used_at" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX "_nouns_grants_account" ON "_nouns_grants" ("account", "kind", "created_at");
CREATE INDEX "_nouns_grants_expires_at" ON "_nouns_grants" ("expires_at");
CREATE TRIGGER "_nouns_grants_ended" AFTER DELETE ON "_nouns_grants" BEGIN
  UPDATE "_nouns_tables" SET "revision" = "revision" + 1 WHERE "name" = '_nouns_grants';
END;
INSERT INTO "_nouns_tables" VALUES ('_nouns_grants', 0, '');
ALTER TABLE "_nouns_state" ADD COLUMN "secret" BLOB NOT NULL DEFAULT x'';
UPDATE "_nouns_state" SET "secret" = randomblob(32);
"#;

/// The kind of a database file: which program made its tables, and in which version.
pub(super) enum DatabaseKind {
    /// The database has no tables.
    Nothing,
    /// The database has tables, but they were made by another program.
    Foreign,
    /// The database was made by a later version of this program.
    Newer,
    /// The database was made by this program. The record describes its tables.
    Ours(Record),
    /// The database was made by this program, but its record cannot be parsed.
    Damaged(serde_json::Error),
}

/// Returns the kind of an open database.
pub(super) fn inspect(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    if !has_table(connection, "_nouns_state")? {
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return Ok(if tables == 0 { DatabaseKind::Nothing } else { DatabaseKind::Foreign });
    }
    let state = "SELECT \"format\", \"record\" FROM \"_nouns_state\"";
    let (format, record): (u16, String) =
        connection.query_row(state, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if format > FORMAT {
        return Ok(DatabaseKind::Newer);
    }
    Ok(serde_json::from_str(&record).map_or_else(DatabaseKind::Damaged, DatabaseKind::Ours))
}

/// Whether the store's own tables have the current format version.
pub(super) fn is_current(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT \"format\" = ?1 FROM \"_nouns_state\"", [FORMAT], |row| row.get(0))
}

/// Whether the database has a table. SQLite's own function for this (`table_exists`) looks at the
/// schema that the connection has read before, which another process may have changed.
pub(super) fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let text = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE)";
    connection.query_row(text, [name], |row| row.get(0))
}

/// Returns the kind of an open database. Migrates the store's own tables if they have an older
/// format version.
pub(super) fn find(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    let kind = inspect(connection)?;
    if let DatabaseKind::Ours(record) = &kind {
        let format: u16 =
            connection
                .query_row("SELECT \"format\" FROM \"_nouns_state\"", [], |row| row.get(0))?;
        let missing = &STEPS[usize::from(format)..];
        missing.iter().try_for_each(|step| connection.execute_batch(step))?;
        if !missing.is_empty() {
            connection.execute("UPDATE \"_nouns_state\" SET \"format\" = ?1", [FORMAT])?;
        }
        if format < UPGRADED_TABLES {
            upgrade::tables(connection, record)?;
        }
    }
    Ok(kind)
}

/// Creates the store's own tables in an empty database. The database gets an identity of 16 random
/// bytes.
///
/// The counter of revisions starts at a random number of 40 bits. So a database that is deleted and
/// created again does not repeat revisions that clients may have cached. The counter still has room
/// for more changes than any disk can store.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    STEPS.iter().try_for_each(|step| connection.execute_batch(step))?;
    let insert = "INSERT INTO \"_nouns_state\" (\"id\", \"format\", \"database\", \"revision\", \"record\", \"secret\") \
                  VALUES (1, ?1, lower(hex(randomblob(16))), random() & 0xffffffffff, '', randomblob(32))";
    connection.execute(insert, [FORMAT]).map(drop)
}

/// Stores the record, which describes the tables of the database.
pub(super) fn write_record(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let text =
        serde_json::to_string(record).expect("every value of a record can be serialized as JSON");
    connection.execute("UPDATE \"_nouns_state\" SET \"record\" = ?1", [text]).map(drop)
}

/// Adds a row for a new table to `_nouns_tables`, with revision 0 and the current time.
pub(super) fn add_table(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO \"_nouns_tables\" VALUES (?1, 0, ?2)", [name, &now()]).map(drop)
}

/// The minimum increase of the revision counter after a restore. Changes after the backup have used
/// revisions that the restored database does not know. The increase is larger than the number of
/// changes that fit on any disk, so these revisions are not used again.
const AHEAD: i64 = 1 << 40;
/// The maximum random number that is added to the increase of the revision counter. So two
/// databases that are restored from the same backup use different revisions.
const AHEAD_BY_CHANCE: i64 = (1 << 50) - 1;

/// Gives a restored database its own identity. Returns false, without a change, if its counter of
/// revisions is too large for the increase.
///
/// Clients may have seen states of the original that the copy does not have. So:
///
/// - The copy uses only revisions that the original has never used.
/// - The copy has a new identity, which changes the validators of all collections.
/// - The copy's declaration time is in the next second, so no time that a client has seen is
///   later.
///
/// The stored answers to requests with an `Idempotency-Key` are kept: the copy contains the writes
/// that they report. Sessions end, because some of them may have ended since the backup. Tokens are
/// kept, like accounts.
pub(super) fn renew(connection: &Connection) -> rusqlite::Result<bool> {
    let text = "UPDATE \"_nouns_state\" SET \"database\" = lower(hex(randomblob(16))), \
                \"revision\" = \"revision\" + ?1 + (random() & ?2), \"declared_at\" = ?3, \"stamped_at\" = ?3 \
                WHERE \"revision\" < ?4";
    connection.execute("DELETE FROM \"_nouns_grants\" WHERE \"kind\" = 'session'", [])?;
    let next = Timestamp::from_second(seconds_now() + 1).unwrap_or(Timestamp::MAX);
    let at = stamp::after(&read_counter(connection)?.1, format!("{next:.6}"));
    let last = i64::MAX - 2 * (AHEAD + AHEAD_BY_CHANCE);
    Ok(connection.execute(text, (AHEAD, AHEAD_BY_CHANCE, at, last))? == 1)
}

/// Stores the current time as the declaration time, if the database was last served under another
/// declaration (schema). `fingerprint` identifies the declaration.
pub(super) fn declare(connection: &Connection, fingerprint: u64) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"declaration\" = ?1, \"declared_at\" = ?2, \"stamped_at\" = ?2 \
                WHERE \"declaration\" <> ?1";
    let at = stamp::after(&read_counter(connection)?.1, now());
    connection.execute(text, (format!("{fingerprint:016x}"), at)).map(drop)
}

/// Reads the secret of the database at a path, which is open elsewhere.
pub(in crate::store) fn secret(path: &Path) -> rusqlite::Result<Vec<u8>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.query_row("SELECT \"secret\" FROM \"_nouns_state\"", [], |row| row.get(0))
}

/// Reads the identity of a database, and the time since which the current declaration is served.
pub(super) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let text = "SELECT \"database\", \"declared_at\", \"secret\" FROM \"_nouns_state\"";
    connection.query_row(text, [], |row| {
        let declared = Second::of_stored(row.get_ref(1)?.as_str()?).unwrap_or_default();
        let cipher = TagCipher::of(row.get_ref(2)?.as_blob()?);
        Ok(Identity { database: row.get(0)?, declared: DeclaredTime::new(declared), cipher })
    })
}

/// Reads the revision of a table and the time of its last change. An unknown table has revision 0
/// and the earliest time.
pub(super) fn read_revision(
    connection: &Connection,
    table: &str,
) -> rusqlite::Result<(u64, Second)> {
    let text = "SELECT \"revision\", \"changed_at\" FROM \"_nouns_tables\" WHERE \"name\" = ?1";
    let revision = connection.prepare_cached(text)?.query_row([table], |row| {
        let changed = Second::of_stored(row.get_ref(1)?.as_str()?).unwrap_or_default();
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), changed))
    });
    Ok(revision.optional()?.unwrap_or_default())
}

/// Reads the revision and the time of the last change.
pub(super) fn read_counter(connection: &Connection) -> rusqlite::Result<(u64, String)> {
    let text = "SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\"";
    let last = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?));
    Ok(connection.prepare_cached(text)?.query_row([], last).optional()?.unwrap_or_default())
}

/// Stores the revision and the time of the last change.
pub(super) fn write_counter(
    connection: &Connection,
    revision: u64,
    at: &str,
) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"revision\" = ?1, \"stamped_at\" = ?2";
    connection.prepare_cached(text)?.execute((revision.cast_signed(), at)).map(drop)
}

/// Stores the revision and the time of the last change of one table.
pub(super) fn write_revision(
    connection: &Connection,
    table: &str,
    revision: u64,
    at: &str,
) -> rusqlite::Result<()> {
    let text =
        "UPDATE \"_nouns_tables\" SET \"revision\" = ?2, \"changed_at\" = ?3 WHERE \"name\" = ?1";
    connection.prepare_cached(text)?.execute((table, revision.cast_signed(), at)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two programs may start with one new file. The second has read the schema of the empty file
    /// when the first creates its tables.
    #[test]
    fn tables_that_another_connection_has_created_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Connection::open(folder.path().join("new.db")).unwrap();
        let (late, first) = (open(), open());
        assert!(matches!(inspect(&late), Ok(DatabaseKind::Nothing)));
        create(&first).unwrap();
        // The record is written later.
        assert!(matches!(inspect(&late), Ok(DatabaseKind::Damaged(_))));
    }
}
