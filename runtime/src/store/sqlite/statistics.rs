//! The statistics by which SQLite chooses among indexes, kept by the writer while nothing waits to
//! be written.
//!
//! SQLite says which tables have grown or shrunk tenfold since they were last analyzed. Each is
//! analyzed on its own, and of each index some rows alone are looked at, so that a write waits for
//! milliseconds at most, and a read for nothing:
//! <https://sqlite.org/lang_analyze.html#autoanalyze>.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::commits::Commits;

/// How many rows of an index are looked at: SQLite recommends 100 to 1,000.
pub(super) const ROWS_MAX: u32 = 1_000;
/// How often SQLite is asked for such tables: that costs next to nothing where there are none.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// After how many changes of rows it is asked for the first time, however soon that is.
const CHANGES: u64 = 1_000;
/// After how many times as many it is asked again: only then a table can have grown as much.
const GROWTH: u64 = 10;

/// All tables (0x10000) that need it (0x2), as statements and not as deeds (0x1).
const WANTED: &str = "PRAGMA optimize = 0x10003";

/// When there is something to do, and what.
pub(super) struct Statistics {
    commits: Arc<Commits>,
    at: Instant,
    changes: u64,
    statements: Vec<String>,
}

impl Statistics {
    /// Those of a database whose tables were analyzed when it was opened.
    pub(super) fn new(commits: Arc<Commits>) -> Self {
        Self { commits, at: Instant::now() + INTERVAL, changes: CHANGES, statements: vec![] }
    }

    /// Does a little of what there is to do, and says whether that was anything.
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

    /// Finds out which tables are to be analyzed.
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

    /// Analyzes one of them.
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
