//! The WAL, kept short by the writer between two transactions.
//!
//! A checkpoint copies the WAL into the database. The next write restarts the WAL, but only if all
//! of it was copied and nobody holds a snapshot of it. During steady writes a checkpoint never
//! catches up, so the writer does the last pass. A [`Checkpointer`] does the passes before it,
//! until few frames are left.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    checkpointer::{CheckpointProgress, Checkpointer, Pass, is_sync_failure},
    commits::Commits,
    file::DatabaseFile,
    handle::Handle,
    opening::{PAGE_BYTES, WRITING_BUSY},
};
use crate::base::limits;

/// The number of frames from which on the WAL is copied into the database.
const LOG_PAGES: u32 = (limits::WAL_BYTES / PAGE_BYTES as usize) as u32;
/// The number of frames by which the WAL may grow meanwhile. Then the writer copies all that is
/// left, however much that is.
const LOG_PAGES_MEANWHILE: u32 = LOG_PAGES / 4 * 3;
/// The most frames that are left to the writer. To sync them takes about as long as a commit. Twice
/// as many took 2 to 5 ms.
const LAST_PAGES: u32 = 128;
/// The part by which the WAL must grow before a retry, after a snapshot or a disk error prevented a
/// restart.
const GROWTH: u32 = 8;
/// The time that a checkpoint waits for readers in the middle of a read: many turns of a worker,
/// but unnoticeable for a client.
const PATIENCE: Duration = Duration::from_millis(10);
/// The same for a WAL that is longer than it should be. All processors may be busy with something
/// else.
const PATIENCE_AT_LAST: Duration = Duration::from_millis(100);

/// The WAL of the writing connection.
pub(super) struct Wal {
    pages: Arc<AtomicU32>,
    commits: Arc<Commits>,
    checkpointer: Checkpointer,
    /// The number of frames at which something is to be done.
    next: u32,
    /// The number of frames at which the writer no longer waits for the checkpointer. `None` until
    /// a pass was requested.
    most: Option<u32>,
    /// The number of frames that its last pass has left.
    uncopied: u32,
    remainder: WalRemainder,
}

/// The next step for a long WAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalStep {
    /// The checkpointer copies.
    Pass,
    /// The checkpointer is copying already.
    Wait,
    /// The writer copies what is left, so that the WAL restarts.
    Restart(Duration),
    /// Nothing until the WAL has grown: another program runs a checkpoint.
    Postpone,
    /// Nothing as long as this process lives.
    Keep,
}

/// How much of the WAL the database has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalRemainder {
    /// Some of the WAL is not in the database.
    Ahead,
    /// The whole WAL has been checkpointed.
    Brought,
    /// There is no WAL.
    Nothing,
}

impl Wal {
    /// Watches the WAL of a connection, and replaces SQLite's own checkpoints.
    pub(super) fn watch(
        connection: &mut Connection,
        commits: Arc<Commits>,
        file: Arc<DatabaseFile>,
    ) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut _, pages: i32| {
            seen.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        let checkpointer = Checkpointer::new(file);
        Ok(Self {
            pages,
            commits,
            checkpointer,
            next: LOG_PAGES,
            most: None,
            uncopied: u32::MAX,
            remainder: WalRemainder::Ahead,
        })
    }

    /// Notes a commit.
    pub(super) fn committed(&mut self) {
        self.remainder = WalRemainder::Ahead;
    }

    /// Has a long WAL copied into the database, and restarts it when little is left to copy.
    pub(super) fn tidy(&mut self, handle: &Handle) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.next {
            // After a complete pass, a write has restarted the WAL.
            if self.most.is_some() {
                self.begin_again(LOG_PAGES);
            }
            return;
        }
        let Some(most) = self.most else {
            self.most = Some(late(pages));
            return self.checkpointer.request();
        };
        match self.step(pages, pages >= most) {
            WalStep::Pass => self.checkpointer.request(),
            WalStep::Wait => {}
            WalStep::Restart(patience) => {
                let begun = Instant::now();
                let restarts = self.restart(handle, patience);
                let micros = begun.elapsed().as_micros() as u64;
                tracing::debug!(pages, micros, restarts, "the writer copied the rest of the WAL");
                self.begin_again(if restarts { LOG_PAGES } else { more(pages) });
            }
            WalStep::Postpone => self.begin_again(more(pages)),
            WalStep::Keep => self.next = u32::MAX,
        }
    }

    fn step(&mut self, pages: u32, is_late: bool) -> WalStep {
        match self.checkpointer.progress() {
            CheckpointProgress::Idle(Some(Pass::Unsynced)) => WalStep::Keep,
            _ if is_late => WalStep::Restart(patience(pages)),
            CheckpointProgress::Passing => WalStep::Wait,
            CheckpointProgress::Idle(None) => WalStep::Pass,
            CheckpointProgress::Idle(Some(Pass::Failed)) => WalStep::Restart(patience(pages)),
            CheckpointProgress::Idle(Some(Pass::Copied(copied))) => {
                let uncopied = pages.saturating_sub(copied);
                let before = mem::replace(&mut self.uncopied, uncopied);
                // If writes come as fast as passes, or a snapshot is held, another pass would leave
                // as much.
                if uncopied <= LAST_PAGES || uncopied > before / 2 {
                    WalStep::Restart(patience(pages))
                } else {
                    WalStep::Pass
                }
            }
            CheckpointProgress::Idle(Some(Pass::Busy)) => WalStep::Postpone,
        }
    }

    /// Copies what is left, so that the next write restarts the WAL. Returns whether it does.
    ///
    /// A pass may be in its sync, which takes as long as the disk needs. Waiting for it is what
    /// bounds the WAL when writes come faster than the disk can store them.
    fn restart(&self, handle: &Handle, patience: Duration) -> bool {
        let restarts = || checkpoint(handle, RESTART, patience);
        self.checkpointer.stop(WRITING_BUSY)
            && self.commits.without_snapshots(patience, restarts).unwrap_or_else(|cause| {
                self.failed(&cause);
                false
            })
    }

    /// Leaves the WAL alone until it has `next` frames.
    fn begin_again(&mut self, next: u32) {
        self.checkpointer.forget();
        (self.next, self.most, self.uncopied) = (next, None, u32::MAX);
    }

    /// Copies the rest of the WAL into the database while others read; the next write restarts the
    /// WAL. If something could not be copied, it is tried again after the next write.
    pub(super) fn rest(&mut self, handle: &Handle) {
        if self.remainder != WalRemainder::Ahead
            || self.checkpointer.keeps_log()
            || !self.checkpointer.stop(PATIENCE)
        {
            return;
        }
        let is_brought = passive(handle).unwrap_or_else(|cause| {
            self.failed(&cause);
            true
        });
        if is_brought {
            self.remainder = WalRemainder::Brought;
            self.begin_again(LOG_PAGES);
        }
    }

    /// Leaves the database without a WAL, if all readers release it in time.
    pub(super) fn end(&mut self, handle: &Handle, patience: Duration) {
        if self.remainder == WalRemainder::Nothing
            || self.checkpointer.keeps_log()
            || !self.checkpointer.stop(patience)
        {
            return;
        }
        let text = "PRAGMA wal_checkpoint(TRUNCATE)";
        match self.commits.without_snapshots(PATIENCE, || checkpoint(handle, text, patience)) {
            Ok(true) => {
                self.remainder = WalRemainder::Nothing;
                self.begin_again(LOG_PAGES);
            }
            Ok(false) => {}
            Err(cause) => self.failed(&cause),
        }
    }

    /// Logs why the WAL was not copied. If the sync of the database failed, the WAL must stay
    /// whole.
    fn failed(&self, cause: &rusqlite::Error) {
        if is_sync_failure(cause) {
            self.checkpointer.keep_log(cause);
        } else {
            tracing::warn!(%cause, "the write-ahead log was not brought into the database");
        }
    }

    /// Ends the checkpointer, and leaves the database without a WAL before the connection is
    /// closed.
    pub(super) fn close(&mut self, handle: &Handle, patience: Duration) {
        self.checkpointer.end();
        self.end(handle, patience);
    }
}

/// The number of frames at which the writer stops waiting for passes that began at `pages` frames.
fn late(pages: u32) -> u32 {
    (LOG_PAGES + LOG_PAGES_MEANWHILE).max(pages.saturating_add(LOG_PAGES / 4))
}

/// The time that a checkpoint waits for readers.
const fn patience(pages: u32) -> Duration {
    if pages < LOG_PAGES / 2 * 3 { PATIENCE } else { PATIENCE_AT_LAST }
}

/// The number of frames at which a restart is tried again.
const fn more(pages: u32) -> u32 {
    pages.saturating_add(pages / GROWTH)
}

/// Copies the WAL into the database as far as possible without waiting. Returns whether all of it
/// was copied.
fn passive(handle: &Handle) -> rusqlite::Result<bool> {
    let mut statement = handle.connection().prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    statement.query_row([], |row| {
        let (busy, pages, brought): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && pages == brought)
    })
}

/// Copies the WAL into the database, so that the next write restarts it.
const RESTART: &str = "PRAGMA wal_checkpoint(RESTART)";

/// Runs a checkpoint, and returns whether it was completed.
fn checkpoint(handle: &Handle, text: &str, patience: Duration) -> rusqlite::Result<bool> {
    let connection = handle.connection();
    connection.busy_timeout(patience)?;
    let is_done = connection
        .prepare_cached(text)
        .and_then(|mut statement| statement.query_row([], |row| Ok(row.get::<_, i64>(0)? == 0)));
    connection.busy_timeout(WRITING_BUSY)?;
    is_done
}

#[cfg(test)]
mod tests;
