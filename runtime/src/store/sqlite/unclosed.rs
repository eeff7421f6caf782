//! A database that nobody has closed: its process was killed, or the power went.
//!
//! Its log brings it in order by itself, whatever was under way. What a log cannot mend is a disk
//! that has lost or changed what it had confirmed; so such a database is looked through before it
//! is served.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::fault;

/// How long that takes at most: a start must not be put off for long, and this is about four
/// million rows.
pub(super) const TIME_MAX: Duration = Duration::from_secs(2);
/// How many steps of SQLite lie between two looks at the clock: far less than a millisecond.
const STEPS: i32 = 1_000;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CheckResult {
    Sound,
    /// In SQLite's words.
    Damaged(String),
    /// Nothing until the time was over.
    Unfinished,
}

/// Whether a database was not closed: a log or a journal is left. This is asked before it is
/// opened, which brings it in order.
pub(super) fn is(path: &Path) -> bool {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    ["-wal", "-journal"].into_iter().any(|end| {
        let mut left = path.clone().into_os_string();
        left.push(end);
        fs::metadata(left).is_ok_and(|found| found.len() > 0)
    })
}

/// Looks through every page and row; not through the order of indexes, which would take many times
/// as long.
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
