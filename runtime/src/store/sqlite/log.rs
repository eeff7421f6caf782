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
    left: Left,
}

/// What is left of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// Some of it is not in the database.
    Ahead,
    /// All of it is in the database too.
    Brought,
    /// There is none.
    Nothing,
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
        Ok(Self { pages, commits, next: LOG_PAGES, left: Left::Ahead })
    }

    /// Notes a commit, before anybody is told of it.
    pub(super) fn committed(&mut self) {
        self.commits.add();
        self.left = Left::Ahead;
    }

    /// Brings the log into the database where it has become long.
    pub(super) fn tidy(&mut self, handle: &Handle) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.next {
            return;
        }
        let patience = if pages < LOG_PAGES / 2 * 3 { PATIENCE } else { PATIENCE_AT_LAST };
        let restarts = self.commits.without_snapshots(patience, || checkpoint(handle, RESTART, patience));
        self.next = match restarts {
            Ok(true) => LOG_PAGES,
            Ok(false) => pages.saturating_add(LOG_PAGES_MORE),
            Err(cause) => {
                tracing::warn!(%cause, "the write-ahead log was not brought into the database");
                pages.saturating_add(LOG_PAGES_MORE)
            }
        };
    }

    /// Brings into the database what it does not have yet, beside whoever reads; the next write begins the log anew. What cannot be
    /// brought is tried again after the next write.
    pub(super) fn rest(&mut self, handle: &Handle) {
        if self.left != Left::Ahead {
            return;
        }
        let is_brought = passive(handle).unwrap_or_else(|cause| {
            tracing::warn!(%cause, "the write-ahead log was not brought into the database");
            true
        });
        if is_brought {
            self.left = Left::Brought;
            self.next = LOG_PAGES;
        }
    }

    /// Leaves the database without a log, where whoever reads lets go of it in time.
    pub(super) fn end(&mut self, handle: &Handle, patience: Duration) {
        if self.left == Left::Nothing {
            return;
        }
        let text = "PRAGMA wal_checkpoint(TRUNCATE)";
        match self.commits.without_snapshots(PATIENCE, || checkpoint(handle, text, patience)) {
            Ok(true) => self.left = Left::Nothing,
            Ok(false) => {}
            Err(cause) => tracing::warn!(%cause, "the write-ahead log was not brought into the database"),
        }
    }
}

/// Brings the log into the database as far as that goes without waiting, and says whether that is all of it.
fn passive(handle: &Handle) -> rusqlite::Result<bool> {
    let mut statement = handle.connection().prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    statement.query_row([], |row| {
        let (busy, pages, brought): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && pages == brought)
    })
}

/// Brings the log into the database, so that the next write begins it anew.
const RESTART: &str = "PRAGMA wal_checkpoint(RESTART)";

/// Brings the log into the database, and says whether that was done to its end.
fn checkpoint(handle: &Handle, text: &str, patience: Duration) -> rusqlite::Result<bool> {
    let connection = handle.connection();
    connection.busy_timeout(patience)?;
    let mut statement = connection.prepare_cached(text)?;
    let is_done = statement.query_row([], |row| Ok(row.get::<_, i64>(0)? == 0));
    connection.busy_timeout(WRITING_BUSY)?;
    is_done
}
