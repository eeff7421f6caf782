//! The table `_nouns_answers`: the stored first answers to requests with an `Idempotency-Key`.
//!
//! A write claims the row of its key first, so of two requests with the same key, also on two
//! nodes, one waits for the other.

use tokio_postgres::Row as ServerRow;

use super::handle::PostgresHandle;
use crate::{
    base::limits,
    model::{Model, value::seconds_now},
    plan::idempotency::IdempotentRequest,
    store::{
        answer_sizes::AnswerSizes,
        failure::Failure,
        idempotency::{SWEPT_MAX, StoredAnswer, admitted, mac, oldest},
    },
};

/// Finds the answer of a scope and a key that is newer than a time, with the secret of the
/// database.
pub(super) const FIND: &str = "SELECT \"request\", \"written\", \"modified\", \"format\", \"content\", \"declaration\", \
    (SELECT \"secret\" FROM \"_nouns_state\") FROM \"_nouns_answers\" \
    WHERE \"scope\" = $1 AND \"key\" = $2 AND \"at\" > $3";

/// A row with the same scope and key that is too old is taken over.
const CLAIM: &str = "INSERT INTO \"_nouns_answers\" AS a (\"scope\", \"key\", \"at\", \"request\", \"written\", \"content\", \"declaration\") \
    VALUES ($1, $2, $3, '', '', '', '') ON CONFLICT (\"scope\", \"key\") DO UPDATE SET \"at\" = $3 WHERE a.\"at\" <= $4 RETURNING 1";

const GIVE_UP: &str = "DELETE FROM \"_nouns_answers\" WHERE \"scope\" = $1 AND \"key\" = $2";

const STORE: &str = "UPDATE \"_nouns_answers\" SET \"at\" = $3, \"request\" = $4, \"written\" = $5, \"modified\" = $6, \"format\" = $7, \
    \"content\" = $8, \"declaration\" = $9 WHERE \"scope\" = $1 AND \"key\" = $2";

const SWEEP: &str = "DELETE FROM \"_nouns_answers\" WHERE (\"scope\", \"key\") IN (SELECT \"scope\", \"key\" FROM \"_nouns_answers\" \
    WHERE \"at\" <= $1 ORDER BY \"at\" LIMIT $2 FOR UPDATE SKIP LOCKED)";

const COUNT: &str = "SELECT coalesce(sum(n), 0)::bigint, count(*) FROM (SELECT octet_length(\"content\") + octet_length(\"written\") AS n \
    FROM \"_nouns_answers\" WHERE \"scope\" >= $1 AND \"scope\" < $2 LIMIT $3) AS a";

const SECRET: &str = "SELECT \"secret\" FROM \"_nouns_state\"";

/// A claimed row, which has no answer yet.
pub(super) struct AnswerClaim {
    scope: String,
    key: String,
}

impl AnswerClaim {
    /// Deletes the row, because the write has no answer to store.
    pub(super) fn give_up(&self, handle: &mut PostgresHandle) -> Result<(), Failure> {
        handle.change(GIVE_UP, &[&self.scope, &self.key]).map(drop)
    }
}

/// Claims the row of a request, or returns the first answer that is stored in it.
pub(super) fn claim(
    handle: &mut PostgresHandle,
    model: &Model,
    once: &IdempotentRequest,
) -> Result<(Option<AnswerClaim>, Option<StoredAnswer<'static>>), Failure> {
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
        [&once.scope, &once.key, &seconds_now(), &oldest(model)];
    if !handle.ask(CLAIM, &values)?.is_empty() {
        let claim = AnswerClaim { scope: once.scope.clone(), key: once.key.clone() };
        return Ok((Some(claim), None));
    }
    Ok((None, find(handle, model, once)?))
}

/// Finds the stored first answer to a request with the same scope and `Idempotency-Key`. `None` if
/// there is no such answer, or if it is too old.
pub(super) fn find(
    handle: &mut PostgresHandle,
    model: &Model,
    once: &IdempotentRequest,
) -> Result<Option<StoredAnswer<'static>>, Failure> {
    let rows = handle.ask(FIND, &[&once.scope, &once.key, &oldest(model)])?;
    rows.first().map(|row| read(row, once)).transpose()
}

/// Returns the answer in a row, as an answer to this request.
pub(super) fn read(
    row: &ServerRow,
    once: &IdempotentRequest,
) -> Result<StoredAnswer<'static>, Failure> {
    let answer = StoredAnswer {
        request: row.get::<_, Vec<u8>>(0).into(),
        written: row.get(1),
        modified: row.get(2),
        format: row.get::<_, Option<String>>(3).map(Into::into),
        content: row.get::<_, Vec<u8>>(4).into(),
        declaration: row.get(5),
    };
    let secret: Vec<u8> = row.get::<_, Option<_>>(6).ok_or_else(no_secret)?;
    let is_same = *answer.request == mac(&secret, once);
    Ok(if is_same { answer.of(once) } else { answer })
}

/// Stores the first answer to a request in the claimed row, and deletes at most `SWEPT_MAX` answers
/// that are too old.
pub(super) fn store(
    handle: &mut PostgresHandle,
    sizes: &AnswerSizes,
    model: &Model,
    once: &IdempotentRequest,
    answer: &StoredAnswer<'_>,
) -> Result<(), Failure> {
    handle.change(SWEEP, &[&oldest(model), &i64::from(SWEPT_MAX)])?;
    let mac = mac(&secret(handle)?, once);
    let answer = admitted(sizes, model, once, answer, || count(handle, once))?;
    let StoredAnswer { request: _, written, modified, format, content, declaration } = &*answer;
    handle
        .change(
            STORE,
            &[
                &once.scope,
                &once.key,
                &seconds_now(),
                &&mac[..],
                written,
                modified,
                &format.as_deref(),
                &&**content,
                declaration,
            ],
        )
        .map(drop)
}

/// Counts the bytes of the stored answers of a caller. One with too many to count has no bound.
fn count(handle: &mut PostgresHandle, once: &IdempotentRequest) -> Result<u64, Failure> {
    let (from, to) = once.scopes();
    let most = i64::from(limits::ANSWERS_COUNTED_MAX);
    let rows = handle.ask(COUNT, &[&from, &to, &most])?;
    let counted = rows.first().map(|row| (row.get::<_, i64>(0), row.get::<_, i64>(1)));
    let (bytes, answers) = counted.unwrap_or_default();
    Ok(if answers < most { bytes.unsigned_abs() } else { u64::MAX })
}

fn secret(handle: &mut PostgresHandle) -> Result<Vec<u8>, Failure> {
    let rows = handle.ask(SECRET, &[])?;
    rows.first().map(|row| row.get(0)).ok_or_else(no_secret)
}

fn no_secret() -> Failure {
    Failure::internal("the database has no secret")
}
