//! A database that was not closed: its process was killed, or the power failed.
//!
//! Its WAL restores a consistent state. But a WAL cannot repair a disk that has lost or changed
//! confirmed writes. So such a database is checked before it is served.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::fault;

/// The time limit of the check, since it delays the start. It is enough for about four million
/// rows.
pub(super) const TIME_MAX: Duration = Duration::from_secs(2);
/// The number of SQLite's steps between two looks at the clock: far less than a millisecond.
const STEPS: i32 = 1_000;

/// The result of the check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckResult {
    Sound,
    /// The database is damaged; the text is SQLite's.
    Damaged(String),
    /// The time was over before the end, without a finding.
    Unfinished,
}

/// Whether a database was not closed: a WAL or a journal is left. This must be called before the
/// database is opened, since opening recovers it.
pub(super) fn is(path: &Path) -> bool {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    ["-wal", "-journal"].into_iter().any(|end| {
        let mut left = path.clone().into_os_string();
        left.push(end);
        fs::metadata(left).is_ok_and(|found| found.len() > 0)
    })
}

/// Checks every page and row, but not the order of indexes, which would take many times as long.
pub(super) fn check_database(
    connection: &mut Connection,
    time: Duration,
) -> rusqlite::Result<CheckResult> {
    let until = Instant::now() + time;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    connection.progress_handler(STEPS, None::<fn() -> bool>)?;
    match found {
        Ok(said) if said == "ok" => Ok(CheckResult::Sound),
        Ok(said) => Ok(CheckResult::Damaged(said)),
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
            "a time that is over is forgotten"
        );
    }
}
