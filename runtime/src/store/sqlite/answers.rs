//! The table `_nouns_answers`: the stored first answers to requests with an `Idempotency-Key`.

use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::{
    base::limits,
    model::{Model, value::seconds_now},
    plan::idempotency::IdempotentRequest,
    store::{
        answer_sizes::AnswerSizes,
        idempotency::{self, SWEPT_MAX, StoredAnswer, oldest},
    },
};

const FIND: &str = "SELECT \"request\", \"written\", \"modified\", \"format\", \"content\", \"declaration\" FROM \"_nouns_answers\" \
                    WHERE \"scope\" = ?1 AND \"key\" = ?2 AND \"at\" > ?3";

const SWEEP: &str = "DELETE FROM \"_nouns_answers\" WHERE rowid IN \
                     (SELECT rowid FROM \"_nouns_answers\" WHERE \"at\" <= ?1 ORDER BY \"at\" LIMIT ?2)";

const COUNT: &str = "SELECT coalesce(sum(n), 0), count(*) FROM (SELECT octet_length(\"content\") + octet_length(\"written\") AS n \
                     FROM \"_nouns_answers\" WHERE \"scope\" >= ?1 AND \"scope\" < ?2 LIMIT ?3)";

// An existing row with the same scope and key is too old. Otherwise `find` would have returned it.
const STORE: &str = "INSERT OR REPLACE INTO \"_nouns_answers\" \
                     (\"scope\", \"key\", \"at\", \"request\", \"written\", \"modified\", \"format\", \"content\", \"declaration\") \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

/// Finds the stored first answer to a request with the same scope and `Idempotency-Key`. `None` if
/// there is no such answer, or if it is too old.
pub(super) fn find(
    connection: &Connection,
    model: &Model,
    once: &IdempotentRequest,
) -> rusqlite::Result<Option<StoredAnswer<'static>>> {
    let read = |row: &Row<'_>| {
        Ok(StoredAnswer {
            request: row.get::<_, Vec<u8>>(0)?.into(),
            written: row.get(1)?,
            modified: row.get(2)?,
            format: row.get::<_, Option<String>>(3)?.map(Into::into),
            content: row.get::<_, Vec<u8>>(4)?.into(),
            declaration: row.get(5)?,
        })
    };
    let mut statement = connection.prepare_cached(FIND)?;
    let found = statement.query_row((&once.scope, &once.key, oldest(model)), read).optional()?;
    let Some(answer) = found else { return Ok(None) };
    let is_same = *answer.request == mac(connection, once)?;
    Ok(Some(if is_same { answer.of(once) } else { answer }))
}

/// Returns what is stored of the body of a request.
fn mac(connection: &Connection, once: &IdempotentRequest) -> rusqlite::Result<[u8; 32]> {
    let mut statement = connection.prepare_cached("SELECT \"secret\" FROM \"_nouns_state\"")?;
    let secret: Vec<u8> = statement.query_row([], |row| row.get(0))?;
    Ok(idempotency::mac(&secret, once))
}

/// Counts the bytes of the stored answers of a caller. One with too many to count has no bound.
fn count(connection: &Connection, once: &IdempotentRequest) -> rusqlite::Result<u64> {
    let (from, to) = once.scopes();
    let most = limits::ANSWERS_COUNTED_MAX;
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?));
    let (bytes, answers) = connection.prepare_cached(COUNT)?.query_row((from, to, most), read)?;
    Ok(if answers < most { bytes.unsigned_abs() } else { u64::MAX })
}

/// Stores the first answer to a request, and deletes at most `SWEPT_MAX` answers that are too old.
pub(super) fn store(
    connection: &Connection,
    sizes: &AnswerSizes,
    model: &Model,
    once: &IdempotentRequest,
    answer: &StoredAnswer<'_>,
) -> rusqlite::Result<()> {
    connection.prepare_cached(SWEEP)?.execute((oldest(model), SWEPT_MAX))?;
    let answer = idempotency::admitted(sizes, model, once, answer, || count(connection, once))?;
    let StoredAnswer { request: _, written, modified, format, content, declaration } = &*answer;
    let values = (
        &once.scope,
        &once.key,
        seconds_now(),
        mac(connection, once)?,
        written,
        modified,
        format,
        content,
        declaration,
    );
    connection.prepare_cached(STORE)?.execute(values).map(drop)
}
