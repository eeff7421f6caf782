//! The tables in which the store keeps itself: `_nouns_state`, `_nouns_tables` and
//! `_nouns_answers`.
//!
//! They have a version of their own. A step that was released is never edited; later ones follow
//! it.

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

/// The version that this program makes.
const FORMAT: u16 = 5;

/// The steps that lead from each version to the next; a database is of the version of the last one
/// it has.
const STEPS: [&str; FORMAT as usize] =
    [STATE_AND_TABLES, DECLARED, ANSWERS, STAMPED, OTHER_TRIGGERS];

/// The first version with these triggers: those of an older one are replaced.
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

/// The tables stay as they are.
const OTHER_TRIGGERS: &str = "";

/// What a file is.
pub(super) enum DatabaseKind {
    /// No tables at all.
    Nothing,
    /// Tables that somebody else made.
    Foreign,
    /// A database of a later version of the program.
    Newer,
    /// A database of ours.
    Ours(Record),
    /// A database of ours whose record cannot be read.
    Damaged(serde_json::Error),
}

/// Says what a file is.
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

/// The same, and brings the tables of an older version up to date.
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

/// Makes the tables in an empty database, and gives it its identity: 16 random bytes.
///
/// Its counter of revisions begins anywhere, so that a database that is made anew gives none that
/// clients know from the one before: 40 random bits, which leave room for more changes than any
/// disk.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    STEPS.iter().try_for_each(|step| connection.execute_batch(step))?;
    let insert = "INSERT INTO \"_nouns_state\" (\"id\", \"format\", \"database\", \"revision\", \"record\") \
                  VALUES (1, ?1, lower(hex(randomblob(16))), random() & 0xffffffffff, '')";
    connection.execute(insert, [FORMAT]).map(drop)
}

/// Keeps what the tables were made for.
pub(super) fn write_record(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let text = serde_json::to_string(record).expect("a record is plain data");
    connection.execute("UPDATE \"_nouns_state\" SET \"record\" = ?1", [text]).map(drop)
}

/// Gives a table that was made now its revision.
pub(super) fn add_table(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO \"_nouns_tables\" VALUES (?1, 0, ?2)", [name, &now()]).map(drop)
}

/// How far the counter of revisions jumps at least when a database comes from a backup: more
/// changes than any disk has room for, so that what was given after the backup was made, and is
/// lost, is not given again.
const AHEAD: i64 = 1 << 40;
/// What may be added to it by chance: so that two databases that come from the same backup give
/// none that the other has given.
const AHEAD_BY_CHANCE: i64 = (1 << 50) - 1;

/// Makes a database that was copied one of its own, and says whether its counter had the room.
///
/// Clients have seen states that it does not have, and will be shown others in their place. No
/// revision that it gives was given before; its identity is another, and so are the validators of
/// its collections; and since it is served as it is only from now on, no time that was shown before
/// is later: not even in this second, so it is the next one. The first answers that it keeps stay,
/// for what they report is in it.
pub(super) fn renew(connection: &Connection) -> rusqlite::Result<bool> {
    let text = "UPDATE \"_nouns_state\" SET \"database\" = lower(hex(randomblob(16))), \
                \"revision\" = \"revision\" + ?1 + (random() & ?2), \"declared_at\" = ?3, \"stamped_at\" = ?3 \
                WHERE \"revision\" < ?4";
    let next = Timestamp::from_second(seconds_now() + 1).unwrap_or(Timestamp::MAX);
    let at = stamp::after(&read_counter(connection)?.1, format!("{next:.6}"));
    let last = i64::MAX - 2 * (AHEAD + AHEAD_BY_CHANCE);
    Ok(connection.execute(text, (AHEAD, AHEAD_BY_CHANCE, at, last))? == 1)
}

/// Notes since when a database is served under a declaration, unless it was served under it before.
pub(super) fn declare(connection: &Connection, fingerprint: u64) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"declaration\" = ?1, \"declared_at\" = ?2, \"stamped_at\" = ?2 \
                WHERE \"declaration\" <> ?1";
    let at = stamp::after(&read_counter(connection)?.1, now());
    connection.execute(text, (format!("{fingerprint:016x}"), at)).map(drop)
}

/// The identity of a database, which no other has, and since when it is served as it is.
pub(super) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let text = "SELECT \"database\", \"declared_at\" FROM \"_nouns_state\"";
    connection.query_row(text, [], |row| {
        let declared = Second::of_stored(row.get_ref(1)?.as_str()?).unwrap_or_default();
        Ok(Identity { database: row.get(0)?, declared })
    })
}

/// The revision of a table and the time of its last change; of a table that is not known, 0 and
/// long ago.
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

/// The last revision and the last time that were given to a change.
pub(super) fn read_counter(connection: &Connection) -> rusqlite::Result<(u64, String)> {
    let text = "SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\"";
    let last = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?));
    Ok(connection.prepare_cached(text)?.query_row([], last).optional()?.unwrap_or_default())
}

/// Keeps the last revision and the last time that were given to a change.
pub(super) fn write_counter(
    connection: &Connection,
    revision: u64,
    at: &str,
) -> rusqlite::Result<()> {
    let text = "UPDATE \"_nouns_state\" SET \"revision\" = ?1, \"stamped_at\" = ?2";
    connection.prepare_cached(text)?.execute((revision.cast_signed(), at)).map(drop)
}

/// Gives a table that has changed a new revision.
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
