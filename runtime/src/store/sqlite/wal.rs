//! Keeps the WAL short. This code runs on the writer's thread, between two transactions.
//!
//! A checkpoint copies the WAL into the database. The next write then restarts the WAL from its
//! beginning, under two conditions: the whole WAL was copied, and no connection reads from it.
//! While writes keep coming, a checkpoint on another thread never copies the whole WAL. So a
//! [`Checkpointer`] thread copies most frames beside the writer, and the writer itself copies the
//! last few.

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

/// The minimum number of frames in the WAL for a checkpoint.
const LOG_PAGES: u32 = (limits::WAL_BYTES / PAGE_BYTES as usize) as u32;
/// The number of frames by which the WAL may grow while the checkpointer copies. If the WAL grows
/// more, the writer copies all remaining frames, however many there are.
const LOG_PAGES_MEANWHILE: u32 = LOG_PAGES / 4 * 3;
/// The maximum number of frames that the checkpointer leaves to the writer. Syncing these takes
/// about as long as a commit. Syncing twice as many took 2 to 5 ms.
const LAST_PAGES: u32 = 128;
/// The divisor for the growth of the WAL before a failed restart is retried: with 8, the WAL must
/// grow by an eighth. A snapshot or a disk error may make a restart fail.
const GROWTH: u32 = 8;
/// The number of frames in the WAL from which on long reads give way, the oldest first: exports and
/// slow reads, whose snapshots keep the WAL from being restarted.
const SNAPSHOT_PAGES: u32 = (limits::WAL_SNAPSHOT_BYTES / PAGE_BYTES as usize) as u32;
/// The number of frames in the WAL from which on all long reads give way.
const SNAPSHOT_PAGES_AT_LAST: u32 = LOG_PAGES / 2 * 3;
/// The time that a checkpoint waits for active readers. It is long enough for many reads of a
/// worker, and too short for a client to notice.
const PATIENCE: Duration = Duration::from_millis(10);
/// The time that a checkpoint waits for active readers if the WAL is already too long. Readers may
/// be slow since all processors are busy.
const PATIENCE_AT_LAST: Duration = Duration::from_millis(100);

/// The state of the WAL, and of the checkpoints that keep it short.
pub(super) struct Wal {
    pages: Arc<AtomicU32>,
    commits: Arc<Commits>,
    checkpointer: Checkpointer,
    /// The number of frames in the WAL at which `tidy` next does something.
    next: u32,
    /// The number of frames in the WAL at which the writer stops waiting for the checkpointer.
    /// `None` until a checkpoint on the checkpointer's thread is requested.
    /// The number of WAL frames that the last checkpoint on the checkpointer's thread did not copy.
    pages_max: Option<u32>,
    uncopied: u32,
    remainder: WalRemainder,
}

/// The next step of `tidy` about a long WAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalStep {
    /// `tidy` requests a checkpoint on the checkpointer's thread.
    Pass,
    /// `tidy` does nothing now, since the checkpointer's thread runs a checkpoint.
    Wait,
    /// The writer copies the remaining frames, so that the WAL restarts. The duration is the
    /// maximum wait for readers.
    Restart(Duration),
    /// `tidy` does nothing until the WAL has grown further, since another program runs a
    /// checkpoint.
    Postpone,
    /// `tidy` does nothing until the process ends, since a sync of the database has failed.
    Keep,
}

/// Whether the WAL has frames that are not in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalRemainder {
    /// Some frames of the WAL may not be in the database.
    Ahead,
    /// All frames of the WAL are in the database.
    Brought,
    /// The WAL is empty.
    Nothing,
}

impl Wal {
    /// Watches the length of the WAL of the writing connection. Replaces SQLite's automatic
    /// checkpoints.
    pub(super) fn watch(
        connection: &mut Connection,
        commits: Arc<Commits>,
        file: Arc<DatabaseFile>,
    ) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicU32::new(0));
        let hook_pages = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut _, pages: i32| {
            hook_pages.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        let checkpointer = Checkpointer::new(file, Arc::clone(&commits));
        Ok(Self {
            pages,
            commits,
            checkpointer,
            next: LOG_PAGES,
            pages_max: None,
            uncopied: u32::MAX,
            remainder: WalRemainder::Ahead,
        })
    }

    /// The number of frames in the WAL, which other threads may read.
    pub(super) const fn pages(&self) -> &Arc<AtomicU32> {
        &self.pages
    }

    /// Records that the WAL has new frames.
    pub(super) fn committed(&mut self) {
        self.remainder = WalRemainder::Ahead;
    }

    /// Keeps a long WAL from growing: requests checkpoints on the checkpointer's thread, and
    /// restarts the WAL when few frames remain. Called after each batch.
    pub(super) fn tidy(&mut self, handle: &Handle) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.next {
            // The number of frames has fallen, so a write has restarted the WAL after a complete
            // pass.
            if self.pages_max.is_some() {
                self.begin_again(LOG_PAGES);
            }
            return;
        }
        let Some(pages_max) = self.pages_max else {
            self.pages_max = Some(late(pages));
            return self.checkpointer.request();
        };
        match self.step(pages, pages >= pages_max) {
            WalStep::Pass => self.checkpointer.request(),
            WalStep::Wait => {}
            WalStep::Restart(patience) => {
                let begun = Instant::now();
                let restarts =
                    self.restart(handle, patience) || self.restart_without(handle, pages);
                self.commits.times().own_checkpoints.record_time(begun.elapsed());
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
                // Another pass would leave as many frames if writes come as fast as passes copy, or
                // if a reader holds a snapshot.
                if uncopied <= LAST_PAGES || uncopied > before / 2 {
                    WalStep::Restart(patience(pages))
                } else {
                    WalStep::Pass
                }
            }
            CheckpointProgress::Idle(Some(Pass::Busy)) => WalStep::Postpone,
        }
    }

    /// Copies the remaining frames, so that the next write restarts the WAL. Returns whether that
    /// succeeded.
    ///
    /// First waits for a running checkpoint of the checkpointer's thread, whose sync may take long
    /// on a slow disk. If writes come faster than the disk can sync, this wait limits the length of
    /// the WAL.
    fn restart(&self, handle: &Handle, patience: Duration) -> bool {
        let restarts = || checkpoint(handle, RESTART, patience);
        self.checkpointer.stop(WRITING_BUSY)
            && self.commits.without_snapshots(patience, restarts).unwrap_or_else(|cause| {
                self.failed(&cause);
                false
            })
    }

    /// Restarts a WAL that has become too long, without the oldest long read: it has to end. If the
    /// WAL is very long, all others have to end, too.
    fn restart_without(&self, handle: &Handle, pages: u32) -> bool {
        let bytes = u64::from(pages) * u64::from(PAGE_BYTES);
        while pages >= SNAPSHOT_PAGES && self.commits.long_reads().end_oldest(bytes) {
            if self.restart(handle, PATIENCE_AT_LAST) {
                return true;
            }
            if pages < SNAPSHOT_PAGES_AT_LAST {
                break;
            }
        }
        false
    }

    /// Makes `tidy` do nothing until the WAL has `next` frames.
    fn begin_again(&mut self, next: u32) {
        if next == LOG_PAGES {
            self.commits.long_reads().resume();
        }
        self.checkpointer.forget();
        (self.next, self.pages_max, self.uncopied) = (next, None, u32::MAX);
    }

    /// Copies the remaining frames into the database while the writer is idle and others may read.
    /// The next write then restarts the WAL. If a reader keeps some frames from being copied, the
    /// next call tries again. After an error, nothing is tried until the next commit.
    pub(super) fn rest(&mut self, handle: &Handle) {
        if self.remainder != WalRemainder::Ahead
            || self.checkpointer.keeps_log()
            || !self.checkpointer.stop(PATIENCE)
        {
            return;
        }
        let begun = Instant::now();
        let is_copied = passive(handle).unwrap_or_else(|cause| {
            self.failed(&cause);
            true
        });
        self.commits.times().own_checkpoints.record_time(begun.elapsed());
        if is_copied {
            self.remainder = WalRemainder::Brought;
            self.begin_again(LOG_PAGES);
        }
    }

    /// Copies the whole WAL into the database, and truncates the WAL to zero bytes. If a reader
    /// does not release the WAL within `patience`, the WAL is not truncated.
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

    /// Copies the whole WAL into the database, because the WAL is no longer at its path. Returns
    /// whether all of it was copied.
    pub(super) fn save(&mut self, handle: &Handle, patience: Duration) -> bool {
        self.end(handle, patience);
        self.remainder == WalRemainder::Nothing || passive(handle).unwrap_or(false)
    }

    /// Handles a failed checkpoint. After a failed sync, the WAL is kept whole until the process
    /// ends. Any other error is only logged.
    fn failed(&self, cause: &rusqlite::Error) {
        if is_sync_failure(cause) {
            self.checkpointer.keep_log(cause);
        } else {
            tracing::warn!(%cause, "the checkpoint of the write-ahead log failed");
        }
    }

    /// Ends the checkpointer's thread, and empties the WAL, before the writing connection is
    /// closed.
    pub(super) fn close(&mut self, handle: &Handle, patience: Duration) {
        self.checkpointer.end();
        self.end(handle, patience);
    }
}

/// The number of frames in the WAL at which the writer stops waiting for the checkpointer, if the
/// first checkpoint was requested at `pages` frames.
fn late(pages: u32) -> u32 {
    (LOG_PAGES + LOG_PAGES_MEANWHILE).max(pages.saturating_add(LOG_PAGES / 4))
}

/// The time that a checkpoint waits for readers, if the WAL has `pages` frames.
const fn patience(pages: u32) -> Duration {
    if pages < LOG_PAGES / 2 * 3 { PATIENCE } else { PATIENCE_AT_LAST }
}

/// The number of frames in the WAL at which a restart is retried, if it failed at `pages` frames.
const fn more(pages: u32) -> u32 {
    pages.saturating_add(pages / GROWTH)
}

/// Copies frames into the database, as far as that is possible without waiting. Returns whether all
/// frames of the WAL are copied.
fn passive(handle: &Handle) -> rusqlite::Result<bool> {
    let mut statement = handle.connection().prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    statement.query_row([], |row| {
        let (busy, pages, copied): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && pages == copied)
    })
}

/// The statement for a checkpoint that waits for readers, so that the next write restarts the WAL.
const RESTART: &str = "PRAGMA wal_checkpoint(RESTART)";

/// Runs a checkpoint statement, which waits at most `patience` for readers. Returns whether the
/// checkpoint was completed.
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
