//! The statistics by which SQLite chooses among indexes. The idle writer keeps them up to date.
//!
//! SQLite reports tables that have grown or shrunk tenfold since they were last analyzed. Each is
//! analyzed separately, and only some rows of each index are read. So a write waits for
//! milliseconds at most, and a read never waits:
//! <https://sqlite.org/lang_analyze.html#autoanalyze>.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::commits::Commits;

/// The number of rows of an index that are read. SQLite recommends 100 to 1,000.
pub(super) const ROWS_MAX: u32 = 1_000;
/// The interval at which SQLite is asked for such tables. If there are none, that costs next to
/// nothing.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// The number of row changes after which it is first asked, even before the interval is over.
const CHANGES: u64 = 1_000;
/// The factor by which that number grows. Only then can a table have grown as much.
const GROWTH: u64 = 10;

/// The mask for all tables (0x10000) that need it (0x2), as statements that are not executed (0x1).
const WANTED: &str = "PRAGMA optimize = 0x10003";

/// The analyses to run, and the time of the next look for them.
pub(super) struct Statistics {
    commits: Arc<Commits>,
    at: Instant,
    changes: u64,
    statements: Vec<String>,
}

impl Statistics {
    /// Creates the statistics of a database whose tables were analyzed when it was opened.
    pub(super) fn new(commits: Arc<Commits>) -> Self {
        Self { commits, at: Instant::now() + INTERVAL, changes: CHANGES, statements: vec![] }
    }

    /// Does one step of the work. Returns whether there was any.
    pub(super) fn tend(&mut self, connection: &Connection) -> bool {
        let tended = if self.statements.is_empty() {
            if !self.is_due(connection) {
                return false;
            }
            self.find(connection)
        } else {
            self.analyze(connection)
        };
        if let Err(cause) = tended {
            tracing::warn!(%cause, "the statistics of the database were not brought up to date");
            self.statements.clear();
        }
        true
    }

    fn is_due(&self, connection: &Connection) -> bool {
        Instant::now() >= self.at || connection.total_changes() >= self.changes
    }

    /// Finds the tables to analyze.
    fn find(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.at = Instant::now() + INTERVAL;
        while connection.total_changes() >= self.changes {
            self.changes = self.changes.saturating_mul(GROWTH);
        }
        let mut wanted = connection.prepare(WANTED)?;
        self.statements =
            wanted.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(())
    }

    /// Analyzes one table.
    fn analyze(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(statement) = self.statements.pop() else { return Ok(()) };
        let begun = Instant::now();
        connection.execute_batch(&statement)?;
        tracing::debug!(
            statement,
            micros = begun.elapsed().as_micros() as u64,
            "a table was analyzed"
        );
        if self.statements.is_empty() {
            self.commits.note_analysis();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
