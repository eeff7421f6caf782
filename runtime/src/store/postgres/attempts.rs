//! The table `_nouns_attempts`: wrong passwords, which all nodes count together.
//!
//! The keys are hashes with the secret of the database, so no login that somebody has typed is
//! stored. The table is not logged: a crash or a failover forgets the failures of the last hour.

use std::time::Duration;

use super::handle::PostgresHandle;
use crate::{
    base::limits,
    store::{attempts::SharedFailures, failure::Failure},
};

pub(super) const TABLE: &str = r#"
CREATE UNLOGGED TABLE "_nouns_attempts" (
  "key" bytea PRIMARY KEY,
  "count" integer NOT NULL,
  "last" timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX "_nouns_attempts_last" ON "_nouns_attempts" ("last");
"#;

const FIND: &str = "SELECT k.n::integer, a.\"count\", extract(epoch FROM clock_timestamp() - a.\"last\")::double precision \
    FROM unnest($1::text[]) WITH ORDINALITY AS k (name, n), \"_nouns_attempts\" AS a \
    WHERE a.\"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to(k.name, 'UTF8'))";
/// The order of the keys is the same for all, so that nobody waits in a circle.
const COUNT: &str = "INSERT INTO \"_nouns_attempts\" AS a (\"key\", \"count\", \"last\") \
    SELECT DISTINCT sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to(name, 'UTF8')) AS k, 1, clock_timestamp() \
    FROM unnest($1::text[]) AS name ORDER BY k \
    ON CONFLICT (\"key\") DO UPDATE SET \"last\" = excluded.\"last\", \
    \"count\" = CASE WHEN a.\"last\" < clock_timestamp() - $2 * interval '1 second' THEN 1 ELSE least(a.\"count\", 1000000) + 1 END";
const FORGET: &str = "DELETE FROM \"_nouns_attempts\" \
    WHERE \"key\" = sha256((SELECT \"secret\" FROM \"_nouns_state\") || convert_to($1, 'UTF8'))";
const SWEEP: &str = "DELETE FROM \"_nouns_attempts\" WHERE \"key\" IN (SELECT \"key\" FROM \"_nouns_attempts\" \
    WHERE \"last\" < clock_timestamp() - $1 * interval '1 second' ORDER BY \"last\" LIMIT 16 FOR UPDATE SKIP LOCKED)";

/// Returns the failures of each name.
pub(super) fn find(
    handle: &mut PostgresHandle,
    names: &[String],
) -> Result<Vec<SharedFailures>, Failure> {
    let mut found = vec![SharedFailures::default(); names.len()];
    for row in handle.ask(FIND, &[&names])? {
        let (at, count, past): (i32, i32, f64) = (row.get(0), row.get(1), row.get(2));
        if let Some(failures) = usize::try_from(at - 1).ok().and_then(|at| found.get_mut(at)) {
            failures.count = count.unsigned_abs();
            failures.past = Duration::try_from_secs_f64(past).unwrap_or_default();
        }
    }
    Ok(found)
}

/// Counts a failure for each name, and forgets some that are old.
pub(super) fn count(handle: &mut PostgresHandle, names: &[String]) -> Result<(), Failure> {
    let seconds = limits::FAILURES_TIME_MAX.as_secs_f64();
    handle.change(COUNT, &[&names, &seconds])?;
    // Old ones may be forgotten later. The failures are not counted again for that.
    handle.change(SWEEP, &[&seconds]).ok();
    Ok(())
}

/// Forgets the failures of a name.
pub(super) fn forget(handle: &mut PostgresHandle, name: &str) -> Result<(), Failure> {
    handle.change(FORGET, &[&name]).map(drop)
}
