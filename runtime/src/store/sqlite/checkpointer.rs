//! The checkpointer: a thread that copies the WAL into the database and syncs it, while the writer
//! continues to write. The writer only does the last pass (run of a checkpoint).
//!
//! A pass copies the WAL frames that no reader needs any more, while other connections read and
//! write (<https://sqlite.org/wal.html#ckpt>). A pass holds the checkpoint lock, and the writer may
//! have to wait for its end. So the thread has the same priority as the writer.
//!
//! SQLite syncs the database only if a pass reaches the end of the WAL, and a busy writer keeps
//! moving that end. So each pass of this thread syncs the database itself, in small parts. A commit
//! on the same disk then waits for one part at most. When the writer does the last pass, nearly all
//! pages are already on the disk, so the writer's own sync is short.

use std::{
    io, mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rusqlite::{Connection, InterruptHandle, OpenFlags, ffi};

use super::{
    commits::Commits,
    fault,
    file::DatabaseFile,
    raw::{self, SplitWriteConnection},
};

/// The name of the checkpointer's thread.
const NAME: &str = "nouns-checkpoint";
/// The interval at which a running checkpoint is interrupted again, until it has stopped. An
/// interrupt is lost if it comes before the checkpoint's statement has begun.
const PAUSE: Duration = Duration::from_millis(1);
/// The number of written bytes after which a checkpoint syncs the database file. The sync of a
/// commit on the same disk waits for at most one part of this size.
const PART_BYTES: usize = 512 * 1024;

/// A handle of the checkpointer's thread. The thread starts when the first checkpoint is requested.
pub(super) struct Checkpointer {
    file: Arc<DatabaseFile>,
    commits: Arc<Commits>,
    shared: Arc<CheckpointerMonitor>,
    thread: Option<JoinHandle<()>>,
}

/// The result of a pass (a run of a checkpoint by the thread).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// This number of frames, counted from the first frame of the WAL, was copied into the database
    /// and synced to the disk.
    Copied(u32),
    /// This checkpoint copied nothing, since another program runs a checkpoint.
    Busy,
    /// The checkpoint failed before it copied or synced new frames.
    Failed,
    /// Frames were copied, but the sync failed, so the copied pages may be lost. The WAL must not
    /// be restarted or deleted.
    Unsynced,
}

/// The current state of the checkpointer's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckpointProgress {
    /// No checkpoint is requested or running. The value is the result of the last checkpoint.
    /// `None` if there was no checkpoint, or if [`forget`](Checkpointer::forget) has removed the
    /// result.
    Idle(Option<Pass>),
    /// A checkpoint is requested or running.
    Passing,
}

#[derive(Default)]
struct CheckpointerMonitor {
    state: Mutex<CheckpointerState>,
    changed: Condvar,
}

#[derive(Default)]
struct CheckpointerState {
    stage: Stage,
    is_ending: bool,
    interrupt: Option<InterruptHandle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle(Option<Pass>),
    Requested,
    Passing,
}

impl Default for Stage {
    fn default() -> Self {
        Self::Idle(None)
    }
}

impl Checkpointer {
    /// Creates a checkpointer for an open database. The thread is not started yet.
    pub(super) fn new(file: Arc<DatabaseFile>, commits: Arc<Commits>) -> Self {
        Self { file, commits, shared: Arc::default(), thread: None }
    }

    /// Requests a checkpoint. Does nothing if a checkpoint is running, or if the WAL must be kept
    /// because a sync has failed.
    pub(super) fn request(&mut self) {
        if matches!(
            self.progress(),
            CheckpointProgress::Passing | CheckpointProgress::Idle(Some(Pass::Unsynced))
        ) {
            return;
        }
        self.shared.state().stage = Stage::Requested;
        if self.is_running() {
            self.shared.changed.notify_all();
        } else if let Err(cause) = self.start() {
            tracing::warn!(%cause, "the checkpointer thread could not be started; the writer runs the checkpoint");
            self.shared.state().stage = Stage::Idle(Some(Pass::Failed));
        }
    }

    fn start(&mut self) -> io::Result<()> {
        let (shared, file) = (Arc::clone(&self.shared), Arc::clone(&self.file));
        let commits = Arc::clone(&self.commits);
        let work = move || shared.work(&file, &commits);
        self.thread = Some(thread::Builder::new().name(NAME.into()).spawn(work)?);
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Returns whether a checkpoint is requested or running, and otherwise the result of the last
    /// checkpoint.
    pub(super) fn progress(&self) -> CheckpointProgress {
        match self.shared.state().stage {
            Stage::Idle(pass) => CheckpointProgress::Idle(pass),
            _ if self.is_running() => CheckpointProgress::Passing,
            // The thread has ended unexpectedly, so the writer must do the checkpoint itself.
            _ => CheckpointProgress::Idle(Some(Pass::Failed)),
        }
    }

    /// Whether a sync failed, so the WAL must be kept whole until the process ends.
    pub(super) fn keeps_log(&self) -> bool {
        self.progress() == CheckpointProgress::Idle(Some(Pass::Unsynced))
    }

    /// Keeps the WAL whole until the process ends. The writer calls this when the sync of its own
    /// checkpoint has failed. The checkpointer's thread must be idle.
    pub(super) fn keep_log(&self, cause: &rusqlite::Error) {
        if self.keeps_log() {
            return;
        }
        self.shared.state().stage = Stage::Idle(Some(Pass::Unsynced));
        match open(&self.file) {
            Ok(connection) => keep_log(connection, cause),
            Err(failed) => {
                tracing::error!(%cause, %failed, "the write-ahead log could not be kept: SQLite may overwrite frames that are not on the disk");
            }
        }
    }

    /// Forgets the result of the last checkpoint, except a failed sync.
    pub(super) fn forget(&self) {
        let mut state = self.shared.state();
        if matches!(state.stage, Stage::Idle(Some(Pass::Copied(_) | Pass::Busy | Pass::Failed))) {
            state.stage = Stage::Idle(None);
        }
    }

    /// Interrupts a running checkpoint, and waits at most `patience` until it has stopped. A sync
    /// may delay that. Returns whether no checkpoint is running any more. A checkpoint that was
    /// only requested is canceled.
    pub(super) fn stop(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut state = self.shared.state();
        while state.stage == Stage::Passing && self.is_running() {
            if Instant::now() >= until {
                return false;
            }
            if let Some(interrupt) = &state.interrupt {
                interrupt.interrupt();
            }
            state = self.shared.wait(state, PAUSE);
        }
        if state.stage == Stage::Requested {
            state.stage = Stage::Idle(None);
        }
        true
    }

    /// Interrupts a running checkpoint, and ends the thread.
    pub(super) fn end(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.shared.state().is_ending = true;
        self.shared.changed.notify_all();
        while !thread.is_finished() {
            let state = self.shared.state();
            if let Some(interrupt) = &state.interrupt {
                interrupt.interrupt();
            }
            drop(self.shared.wait(state, PAUSE));
        }
        if thread.join().is_err() {
            tracing::error!("the checkpointer thread panicked");
        }
        self.shared.state().is_ending = false;
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.end();
    }
}

impl CheckpointerMonitor {
    fn state(&self) -> MutexGuard<'_, CheckpointerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(
        &self,
        state: MutexGuard<'s, CheckpointerState>,
        time: Duration,
    ) -> MutexGuard<'s, CheckpointerState> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Runs the requested checkpoints, until the thread must end. If several checkpoints fail one
    /// after the other, only the first failure is logged.
    fn work(&self, file: &DatabaseFile, commits: &Commits) {
        let (mut connection, mut is_logged) = (None, false);
        while self.begin() {
            let begun = Instant::now();
            let pass = self.pass(&mut connection, file);
            commits.times().checkpoints.record_time(begun.elapsed());
            let pass = match pass {
                Ok(pass) => {
                    is_logged = false;
                    Some(pass)
                }
                Err(cause) if fault::is_interrupt(fault::code(&cause)) => None,
                Err(cause) => {
                    if !mem::replace(&mut is_logged, true) {
                        tracing::warn!(%cause, "the checkpointer thread could not copy the write-ahead log");
                    }
                    Some(Pass::Failed)
                }
            };
            self.state().stage = Stage::Idle(pass);
            self.changed.notify_all();
        }
        self.state().interrupt = None;
    }

    /// Waits until a checkpoint is requested, and returns true. Returns false if the thread must
    /// end.
    fn begin(&self) -> bool {
        let mut state = self.state();
        loop {
            if state.is_ending {
                return false;
            }
            if state.stage == Stage::Requested {
                state.stage = Stage::Passing;
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs one checkpoint: copies all frames that no reader needs, and syncs the database. Fails
    /// without copying if the database file was moved or replaced.
    fn pass(
        &self,
        connection: &mut Option<SplitWriteConnection>,
        file: &DatabaseFile,
    ) -> rusqlite::Result<Pass> {
        file.check()?;
        if connection.is_none() {
            let opened = open(file)?;
            self.state().interrupt = Some(opened.get_interrupt_handle());
            *connection = Some(opened);
        }
        let Some(opened) = connection else { return Ok(Pass::Failed) };
        match copy(opened) {
            Err(cause) if is_sync_failure(&cause) => {
                self.state().interrupt = None;
                if let Some(connection) = connection.take() {
                    keep_log(connection, &cause);
                }
                Ok(Pass::Unsynced)
            }
            copied => copied,
        }
    }
}

/// Copies all WAL frames that no reader needs into the database, and syncs it. SQLite itself syncs
/// only if it has copied the whole WAL.
fn copy(connection: &Connection) -> rusqlite::Result<Pass> {
    let begun = Instant::now();
    let mut statement = connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    let copied: i64 = statement.query_row([], |row| row.get(2))?;
    drop(statement);
    // The number of copied frames is -1 if another connection holds the checkpoint lock.
    let Ok(copied) = u32::try_from(copied) else { return Ok(Pass::Busy) };
    let lost = |_| rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC), None);
    raw::sync(connection).map_err(lost)?;
    let micros = begun.elapsed().as_micros() as u64;
    tracing::debug!(copied, micros, "the checkpointer copied the WAL");
    Ok(Pass::Copied(copied))
}

/// Whether an error is a failed sync, either of this module or of SQLite itself.
pub(super) fn is_sync_failure(cause: &rusqlite::Error) -> bool {
    fault::code(cause) == ffi::SQLITE_IOERR_FSYNC
}

/// Opens a connection for checkpoints, and makes it open the WAL with a first read.
fn open(file: &DatabaseFile) -> rusqlite::Result<SplitWriteConnection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file.path(), flags)?;
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    // The file may have been replaced while the connection was opened.
    file.check()?;
    SplitWriteConnection::of(connection, PART_BYTES)
}

/// Keeps the WAL from being restarted or deleted until the process ends.
///
/// Linux discards pages that it could not write, and reports the error only once. SQLite counts the
/// frames of these pages as copied, and would restart the WAL after the next successful sync. An
/// open read transaction prevents that. At the next start, SQLite copies the whole WAL again.
fn keep_log(connection: SplitWriteConnection, cause: &rusqlite::Error) {
    tracing::error!(
        %cause,
        "the database could not be synced to its disk: the write-ahead log is kept; check the disk, then restart the server"
    );
    if let Err(cause) = connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema") {
        tracing::error!(%cause, "the write-ahead log could not be kept: SQLite may overwrite frames that are not on the disk");
    }
    mem::forget(connection);
}

#[cfg(test)]
mod tests;
