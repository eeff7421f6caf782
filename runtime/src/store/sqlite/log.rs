//! The write-ahead log, kept short by the writer between two transactions.
//!
//! A checkpoint brings the log into the database; the log begins anew with the next write, but only where all of it was
//! brought and nobody holds a snapshot of it. So the writer asks the workers to let go before, and does it itself: one that
//! others do beside steady writes never catches up, and the log never ends.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;

use super::{commits::Commits, handle::Handle};

/// From how many pages on the log is brought into the database: 16 MiB. Fewer make more of the fsyncs that writes wait for;
/// more make the file larger, and a start after a crash longer.
pub(super) const LOG_PAGES: u32 = 4096;
/// By how many pages the log has grown when it is tried again, where somebody held on to a part of it.
const LOG_PAGES_MORE: u32 = LOG_PAGES / 8;
/// How long a checkpoint waits for snapshots to be let go: many turns of a worker, and no time for a client.
const PATIENCE: Duration = Duration::from_millis(2);

/// The log of the writing connection.
pub(super) struct Log {
    pages: Arc<AtomicU32>,
    commits: Arc<Commits>,
    next: u32,
}

impl Log {
    /// Watches the log of a connection, in place of SQLite's own checkpoints.
    pub(super) fn watch(connection: &mut Connection, commits: Arc<Commits>) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut _, pages: i32| {
            seen.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages, commits, next: LOG_PAGES })
    }

    /// Notes a commit, before anybody is told of it.
    pub(super) fn committed(&self) {
        self.commits.add();
    }

    /// Brings the log into the database where it has become long.
    pub(super) fn tidy(&mut self, handle: &Handle) {
        if self.pages.load(Ordering::Relaxed) < self.next {
            return;
        }
        let brought = self.commits.without_snapshots(PATIENCE, || checkpoint(handle));
        self.next = match brought {
            Ok((pages, brought)) if pages == brought => LOG_PAGES,
            Ok((pages, _)) => pages.saturating_add(LOG_PAGES_MORE),
            Err(cause) => {
                tracing::warn!(%cause, "the write-ahead log was not brought into the database");
                self.pages.load(Ordering::Relaxed).saturating_add(LOG_PAGES_MORE)
            }
        };
    }

    /// Leaves the database without a log.
    pub(super) fn end(&self, handle: &Handle) -> rusqlite::Result<()> {
        let truncate = || handle.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        self.commits.without_snapshots(PATIENCE, truncate)
    }
}

/// How many pages the log has, and how many of them are in the database now.
fn checkpoint(handle: &Handle) -> rusqlite::Result<(u32, u32)> {
    let mut statement = handle.connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    statement.query_row([], |row| Ok((row.get(1)?, row.get(2)?)))
}
