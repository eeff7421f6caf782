//! The check of a database that was not closed, since its process was killed or the power failed.
//!
//! SQLite recovers a consistent state from the WAL. But a WAL cannot repair a disk that has lost or
//! changed confirmed writes. So the database is checked before the server uses it.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::fault;

/// The time limit of the check, which delays the start of the server. The time is enough for about
/// four million rows.
pub(super) const TIME_MAX: Duration = Duration::from_secs(2);
/// The number of virtual machine steps between two checks of the time. This number of steps takes
/// far less than a millisecond.
const STEPS: i32 = 1_000;

/// The result of the check of a database that was not closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckResult {
    Sound,
    /// The database is damaged. The text is SQLite's description of the damage.
    Damaged(String),
    /// The time limit was reached before the check was complete. Until then the check has found no
    /// damage.
    Unfinished,
}

/// Whether a database was not closed: its WAL or its journal is not empty. Must be called before
/// the database is opened, since SQLite then begins to recover the database.
pub(super) fn is(path: &Path) -> bool {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    ["-wal", "-journal"].into_iter().any(|end| {
        let mut beside = path.clone().into_os_string();
        beside.push(end);
        fs::metadata(beside).is_ok_and(|metadata| metadata.len() > 0)
    })
}

/// Checks every page and row of a database, within a time limit. The order of index entries is not
/// checked, since that would take many times as long.
pub(super) fn check_database(
    connection: &mut Connection,
    time: Duration,
) -> rusqlite::Result<CheckResult> {
    let until = Instant::now() + time;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
    let result = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    connection.progress_handler(STEPS, None::<fn() -> bool>)?;
    match result {
        Ok(finding) if finding == "ok" => Ok(CheckResult::Sound),
        Ok(finding) => Ok(CheckResult::Damaged(finding)),
        Err(cause) if fault::is_interrupt(fault::code(&cause)) => Ok(CheckResult::Unfinished),
        Err(cause) => Err(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_it_is_bounded() {
        let mut connection = Connection::open_in_memory().unwrap();
        let rows = "CREATE TABLE a (b TEXT NOT NULL) STRICT;
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                    INSERT INTO a SELECT 'row ' || i FROM n";
        connection.execute_batch(rows).unwrap();
        assert_eq!(
            check_database(&mut connection, Duration::ZERO).unwrap(),
            CheckResult::Unfinished
        );
        assert_eq!(
            check_database(&mut connection, TIME_MAX).unwrap(),
            CheckResult::Sound,
            "the time limit of the first check does not affect the second"
        );
    }
}
