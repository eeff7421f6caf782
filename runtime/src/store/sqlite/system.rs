//! The tables of the store itself: `_nouns_state`, `_nouns_tables` and `_nouns_answers`.
//!
//! They have their own version. A released migration step is never edited; later steps follow it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::{
    http::http_date::Second,
    model::value::{now, seconds_now},
    plan::validator::Identity,
    store::{
        sql::{
            self,
            record::{Record, Table},
        },
        stamp,
    },
};

/// The version that this program creates.
const FORMAT: u16 = 5;

/// The migration steps from each version to the next. The version of a database is the number of
/// its steps.
const STEPS: [&str; FORMAT as usize] =
    [STATE_AND_TABLES, DECLARED, ANSWERS, STAMPED, OTHER_TRIGGERS];

/// The first version with the current triggers. Those of an older version are replaced.
const TRIGGERS: u16 = 5;

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

/// This step changes only triggers.
const OTHER_TRIGGERS: &str = "";

/// The kind of a file.
pub(super) enum DatabaseKind {
    /// There are no tables.
    Nothing,
    /// Another program made the tables.
    Foreign,
    /// A later version of the program made the database.
    Newer,
    /// A database of this program.
    Ours(Record),
    /// A database of this program with a record that cannot be read.
    Damaged(serde_json::Error),
}

/// Finds out the kind of a file.
pub(super) fn inspect(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    if !connection.table_exists(None, "_nouns_state")? {
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

/// Finds out the kind of a file, and migrates the tables of an older version.
pub(super) fn find(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    let found = inspect(connection)?;
    if let DatabaseKind::Ours(record) = &found {
        let format: u16 =
            connection
                .query_row("SELECT \"format\" FROM \"_nouns_state\"", [], |row| row.get(0))?;
        let missing = &STEPS[usize::from(format)..];
        missing.iter().try_for_each(|step| connection.execute_batch(step))?;
        if !missing.is_empty() {
            connection.execute("UPDATE \"_nouns_state\" SET \"format\" = ?1", [FORMAT])?;
        }
        if format < TRIGGERS {
            record.tables.iter().try_for_each(|table| replace_triggers(connection, table))?;
        }
    }
    Ok(found)
}

fn replace_triggers(connection: &Connection, table: &Table) -> rusqlite::Result<()> {
    for (name, text) in sql::trigger_names(table).iter().zip(sql::triggers(table)) {
        connection
            .execute_batch(&format!("DROP TRIGGER IF EXISTS {}; {text}", sql::quoted(name)))?;
    }
    Ok(())
}

/// Creates the tables in an empty database, and gives it its identity: 16 random bytes.
///
/// Its counter of revisions starts at 40 random bits. So a database that is created again does not
/// give revisions that clients know from its predecessor. That leaves room for more changes than
/// any disk can store.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    STEPS.iter().try_for_each(|step| connection.execute_batch(step))?;
    let insert = "INSERT INTO \"_nouns_state\" (\"id\", \"format\", \"database\", \"revision\", \"record\") \
                  VALUES (1, ?1, lower(hex(randomblob(16))), random() & 0xffffffffff, '')";
    connection.execute(insert, [FORMAT]).map(drop)
}

/// Stores the record that the tables were made for.
pub(super) fn write_record(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let text = serde_json::to_string(record).expect("a record is plain data");
    connection.execute("UPDATE \"_nouns_state\" SET \"record\" = ?1", [text]).map(drop)
}

/// Adds the revision of a new table.
pub(super) fn add_table(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO \"_nouns_tables\" VALUES (?1, 0, ?2)", [name, &now()]).map(drop)
}

/// The least jump of the counter of revisions after a restore. It is more than the changes that any
/// disk has room for. So revisions that were given after the backup, and are lost, are not given
/// again.
const AHEAD: i64 = 1 << 40;
/// The largest random addition to the jump. It keeps two databases from the same backup from giving
/// the same revisions.
const AHEAD_BY_CHANCE: i64 = (1 << 50) - 1;

/// Gives a copied database its own identity. Returns whether its counter had room for the jump.
///
/// Clients have seen states that the copy lacks, and will see others in their place. So:
///
/// - Its revisions were never given before.
/// - Its identity changes, and so do the validators of its collections.
/// - The time of its declaration is in the next second, so no time that was returned before is
///   later.
///
/// The first answers to requests stay, since the database has what they report.
pub(super) fn renew(connection: &Connection) -> rusqlite::Result<bool> {
    let text = "UPDATE \"_nouns_state\" SET \"database\" = lower(hex(randomblob(16))), \
                \"revision\" = \"revision\" + ?1 + (random() & ?2), \"declared_at\" = ?3, \"stamped_at\" = ?3 \
                WHERE \"revision\" < ?4";
    let next = Timestamp::from_second(seconds_now() + 1).unwrap_or(Timestamp::MAX);
    let at = stamp::after(&read_counter(connection)?.1, format!("{next:.6}"));
    let last = i64::MAX - 2 * (AHEAD + AHEAD_BY_CHANCE);
    Ok(connection.execute(text, (AHEAD, AHEAD_BY_CHANCE, at, last))? == 1)
}

/// Stores the time since which a database is served under a declaration, if the declaration is new.
pub(super) fn declare(connection: &Connection, fingerprint: u64) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"declaration\" = ?1, \"declared_at\" = ?2, \"stamped_at\" = ?2 \
                WHERE \"declaration\" <> ?1";
    let at = stamp::after(&read_counter(connection)?.1, now());
    connection.execute(text, (format!("{fingerprint:016x}"), at)).map(drop)
}

/// The identity of a database, which no other has, and the time since which it is served like this.
pub(super) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let text = "SELECT \"database\", \"declared_at\" FROM \"_nouns_state\"";
    connection.query_row(text, [], |row| {
        let declared = Second::of_stored(row.get_ref(1)?.as_str()?).unwrap_or_default();
        Ok(Identity { database: row.get(0)?, declared })
    })
}

/// The revision of a table and the time of its last change. An unknown table has 0 and the earliest
/// time.
pub(super) fn read_revision(
    connection: &Connection,
    table: &str,
) -> rusqlite::Result<(u64, Second)> {
    let text = "SELECT \"revision\", \"changed_at\" FROM \"_nouns_tables\" WHERE \"name\" = ?1";
    let found = connection.prepare_cached(text)?.query_row([table], |row| {
        let changed = Second::of_stored(row.get_ref(1)?.as_str()?).unwrap_or_default();
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), changed))
    });
    Ok(found.optional()?.unwrap_or_default())
}

/// The last revision and the last time that a change got.
pub(super) fn read_counter(connection: &Connection) -> rusqlite::Result<(u64, String)> {
    let text = "SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\"";
    let last = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?));
    Ok(connection.prepare_cached(text)?.query_row([], last).optional()?.unwrap_or_default())
}

/// Stores the last revision and the last time that a change got.
pub(super) fn write_counter(
    connection: &Connection,
    revision: u64,
    at: &str,
) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"revision\" = ?1, \"stamped_at\" = ?2";
    connection.prepare_cached(text)?.execute((revision.cast_signed(), at)).map(drop)
}

/// Stores the new revision of a table that has changed.
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
