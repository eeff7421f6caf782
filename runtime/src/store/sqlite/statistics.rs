//! The statistics by which SQLite's query planner chooses indexes. The writer updates them while it
//! is idle.
//!
//! SQLite reports the tables that have grown or shrunk tenfold since their last analysis. Each of
//! these tables is analyzed in a step of its own, and only some rows of each index are read. So a
//! write waits for a few milliseconds at most, and reads do not wait:
//! <https://sqlite.org/lang_analyze.html#autoanalyze>.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::commits::Commits;

/// The maximum number of rows of each index that an analysis reads. SQLite recommends 100 to 1,000.
pub(super) const ROWS_MAX: u32 = 1_000;
/// The interval at which SQLite is asked which tables need an analysis. If no table needs one, the
/// question costs next to nothing.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// The number of changed rows after which SQLite is first asked which tables need an analysis, even
/// before `INTERVAL` is over.
const CHANGES: u64 = 1_000;
/// The factor by which the number of changed rows must grow before SQLite is asked again which
/// tables need an analysis. With fewer changes, no table can have grown tenfold.
const GROWTH: u64 = 10;

/// The statement that returns the necessary ANALYZE statements. The flags mean: all tables
/// (0x10000) that need an analysis (0x2), and do not execute (0x1).
const WANTED: &str = "PRAGMA optimize = 0x10003";

/// The ANALYZE statements that are still to be run, and the time of the next check for tables that
/// need an analysis.
pub(super) struct Statistics {
    commits: Arc<Commits>,
    at: Instant,
    changes: u64,
    statements: Vec<String>,
}

impl Statistics {
    /// Creates the state for a database whose tables were analyzed when it was opened.
    pub(super) fn new(commits: Arc<Commits>) -> Self {
        Self { commits, at: Instant::now() + INTERVAL, changes: CHANGES, statements: vec![] }
    }

    /// Does one step: finds the tables to analyze, or analyzes one table. Returns whether there was
    /// a step to do.
    pub(super) fn tend(&mut self, connection: &Connection) -> bool {
        let result = if self.statements.is_empty() {
            if !self.is_due(connection) {
                return false;
            }
            self.find(connection)
        } else {
            self.analyze(connection)
        };
        if let Err(cause) = result {
            tracing::warn!(%cause, "the query planner statistics were not updated");
            self.statements.clear();
        }
        true
    }

    fn is_due(&self, connection: &Connection) -> bool {
        Instant::now() >= self.at || connection.total_changes() >= self.changes
    }

    /// Finds the tables that need an analysis, and sets the time of the next check.
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

    /// Analyzes one table. After the last table, tells the readers to load the new statistics.
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
