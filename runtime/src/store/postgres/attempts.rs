//! The table `_nouns_attempts`: wrong passwords, which all nodes count together.
//!
//! The keys are hashes with the secret of the database, so no login that somebody has typed is
//! stored. The table is not logged: a crash or a failover forgets the failures of the last hour.

use std::time::Duration;

use super::handle::PostgresHandle;
use crate::{
    base::{error::Error, limits},
    store::{
        attempts::{AttemptEnd, CountedAttempt, SharedFailures},
        failure::Failure,
    },
};

pub(super) const TABLE: &str = r#"
CREATE UNLOGGED TABLE "_nouns_attempts" (
  "key" bytea PRIMARY KEY,
  "count" integer NOT NULL,
  "last" timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX "_nouns_attempts_last" ON "_nouns_attempts" ("last");
"#;

/// Locks the failures of each name until the transaction ends, so that attempts at the same time
/// count each. The order of the keys is the same for all, so that nobody waits in a circle.
const LOCK: &str = "INSERT INTO \"_nouns_attempts\" AS a (\"key\", \"count\", \"last\") \
    SELECT DISTINCT sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to(name, 'UTF8')) AS k, 0, clock_timestamp() \
    FROM unnest($1::text[]) AS name ORDER BY k \
    ON CONFLICT (\"key\") DO UPDATE SET \"count\" = a.\"count\"";
const FIND: &str = "SELECT k.n::integer, a.\"count\", extract(epoch FROM clock_timestamp() - a.\"last\")::double precision, \
    (extract(epoch FROM a.\"last\") * 1000000)::bigint \
    FROM unnest($1::text[]) WITH ORDINALITY AS k (name, n), \"_nouns_attempts\" AS a \
    WHERE a.\"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to(k.name, 'UTF8'))";
const COUNT: &str = "UPDATE \"_nouns_attempts\" AS a SET \"last\" = statement_timestamp(), \
    \"count\" = CASE WHEN a.\"last\" < clock_timestamp() - $2 * interval '1 second' THEN 1 ELSE least(a.\"count\", 1000000) + 1 END \
    WHERE a.\"key\" IN (SELECT sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to(name, 'UTF8')) FROM unnest($1::text[]) AS name) \
    RETURNING (extract(epoch FROM a.\"last\") * 1000000)::bigint";
/// The time of the last failure is restored if no other attempt has begun since.
const TAKE_BACK: &str = "UPDATE \"_nouns_attempts\" AS a SET \"count\" = greatest(a.\"count\" - 1, 0), \
    \"last\" = CASE WHEN (extract(epoch FROM a.\"last\") * 1000000)::bigint = $2::bigint \
        THEN to_timestamp($3::bigint::double precision / 1000000) ELSE a.\"last\" END \
    WHERE a.\"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to($1, 'UTF8'))";
const FORGET: &str = "DELETE FROM \"_nouns_attempts\" \
    WHERE \"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to($1, 'UTF8'))";
const FORGET_NONE: &str = "DELETE FROM \"_nouns_attempts\" WHERE \"count\" = 0 \
    AND \"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to($1, 'UTF8'))";
const SWEEP: &str = "DELETE FROM \"_nouns_attempts\" WHERE \"key\" IN (SELECT \"key\" FROM \"_nouns_attempts\" \
    WHERE \"last\" < clock_timestamp() - $1 * interval '1 second' ORDER BY \"last\" LIMIT 16 FOR UPDATE SKIP LOCKED)";

/// Begins an attempt, which counts as a failure of each name. If there were too many failures, it
/// does not count, and the error says how long to wait.
pub(super) fn begin(
    handle: &mut PostgresHandle,
    names: &[String],
) -> Result<Result<CountedAttempt, Error>, Failure> {
    handle.begin("BEGIN");
    let counted = count(handle, names);
    if !matches!(counted, Ok(Ok(_))) {
        handle.roll_back();
        return counted;
    }
    handle.end("COMMIT")?;
    // Old ones may be forgotten later. The attempt is not counted again for that.
    handle.change(SWEEP, &[&limits::FAILURES_TIME_MAX.as_secs_f64()]).ok();
    counted
}

fn count(
    handle: &mut PostgresHandle,
    names: &[String],
) -> Result<Result<CountedAttempt, Error>, Failure> {
    handle.change(LOCK, &[&names])?;
    let found = find(handle, names)?;
    if let Err(refused) = SharedFailures::admit(&found) {
        return Ok(Err(refused));
    }
    let rows = handle.ask(COUNT, &[&names, &limits::FAILURES_TIME_MAX.as_secs_f64()])?;
    let at = rows.first().map_or(0, |row| row.get(0));
    Ok(Ok(CountedAttempt { at, before: found.iter().map(|failures| failures.last).collect() }))
}

/// Returns the failures of each name.
fn find(handle: &mut PostgresHandle, names: &[String]) -> Result<Vec<SharedFailures>, Failure> {
    let mut found = vec![SharedFailures::default(); names.len()];
    for row in handle.ask(FIND, &[&names])? {
        let (at, count, past): (i32, i32, f64) = (row.get(0), row.get(1), row.get(2));
        if let Some(failures) = usize::try_from(at - 1).ok().and_then(|at| found.get_mut(at)) {
            failures.count = count.unsigned_abs();
            failures.past = Duration::try_from_secs_f64(past).unwrap_or_default();
            failures.last = row.get(3);
        }
    }
    Ok(found)
}

/// Takes back an attempt that was right or not compared. A right one forgives its first name, the
/// login.
pub(super) fn end(
    handle: &mut PostgresHandle,
    names: &[String],
    counted: &CountedAttempt,
    end: AttemptEnd,
) -> Result<(), Failure> {
    for (at, (name, before)) in names.iter().zip(&counted.before).enumerate() {
        match end {
            AttemptEnd::Right if at == 0 => handle.change(FORGET, &[name])?,
            _ => {
                handle.change(TAKE_BACK, &[name, &counted.at, before])?;
                handle.change(FORGET_NONE, &[name])?
            }
        };
    }
    Ok(())
}
