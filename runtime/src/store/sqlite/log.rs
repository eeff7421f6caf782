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

use super::{
    commits::Commits,
    handle::Handle,
    opening::{PAGE_BYTES, WRITING_BUSY},
};
use crate::limits;

/// From how many pages on the log is brought into the database.
const LOG_PAGES: u32 = (limits::WAL_BYTES / PAGE_BYTES as usize) as u32;
/// By how many pages the log has grown when it is tried again, where somebody held on to a part of it.
const LOG_PAGES_MORE: u32 = LOG_PAGES / 8;
/// How long a checkpoint waits for readers that are in the middle of a read: many turns of a worker, and no time for a client.
const PATIENCE: Duration = Duration::from_millis(10);
/// The same where the log has become longer than it should: all processors may be busy with something else.
const PATIENCE_AT_LAST: Duration = Duration::from_millis(100);

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
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.next {
            return;
        }
        let patience = if pages < LOG_PAGES / 2 * 3 { PATIENCE } else { PATIENCE_AT_LAST };
        let restarts = self.commits.without_snapshots(patience, || checkpoint(handle, patience));
        self.next = match restarts {
            Ok(true) => LOG_PAGES,
            Ok(false) => pages.saturating_add(LOG_PAGES_MORE),
            Err(cause) => {
                tracing::warn!(%cause, "the write-ahead log was not brought into the database");
                pages.saturating_add(LOG_PAGES_MORE)
            }
        };
    }

    /// Leaves the database without a log.
    pub(super) fn end(&self, handle: &Handle) -> rusqlite::Result<()> {
        let truncate = || handle.connection().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        self.commits.without_snapshots(PATIENCE, truncate)
    }
}

/// Brings the log into the database, and says whether it begins anew with the next write.
fn checkpoint(handle: &Handle, patience: Duration) -> rusqlite::Result<bool> {
    let connection = handle.connection();
    connection.busy_timeout(patience)?;
    let mut statement = connection.prepare_cached("PRAGMA wal_checkpoint(RESTART)")?;
    let restarts = statement.query_row([], |row| Ok(row.get::<_, i64>(0)? == 0));
    connection.busy_timeout(WRITING_BUSY)?;
    restarts
}
