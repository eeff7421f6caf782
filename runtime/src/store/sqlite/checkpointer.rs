//! The checkpointer: a thread beside the writer that copies the WAL into the database and syncs it.
//! The writer does only the last pass.
//!
//! A pass copies what no reader needs from the WAL, while others read and write
//! (<https://sqlite.org/wal.html#ckpt>). It holds the checkpoint lock, so it runs at the priority
//! of the writer, which may interrupt it.
//!
//! SQLite syncs the database only if a pass reaches the end of the WAL, which a writer keeps
//! moving. So each pass here syncs, in parts short enough for the commits beside it. When the
//! writer then copies the few frames that are left, nearly all pages are on the disk already. So
//! its own sync is short.

use std::{
    io, mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rusqlite::{Connection, InterruptHandle, OpenFlags, ffi};

use super::{
    fault,
    file::DatabaseFile,
    raw::{self, SplitWriteConnection},
};

/// The name of the thread.
const NAME: &str = "nouns-checkpoint";
/// The interval at which a pass that is to end is interrupted. An interrupt that comes before its
/// statement has begun is lost.
const PAUSE: Duration = Duration::from_millis(1);
/// The number of bytes after which a pass syncs the database. The sync of a commit on the same disk
/// waits for at most one such part.
const PART_BYTES: usize = 512 * 1024;

/// The checkpointer. Its thread starts when the first pass is requested.
pub(super) struct Checkpointer {
    file: Arc<DatabaseFile>,
    shared: Arc<CheckpointerMonitor>,
    thread: Option<JoinHandle<()>>,
}

/// The result of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// This many frames, counted from the first of the WAL, are in the database and on the disk.
    Copied(u32),
    /// Another program runs a checkpoint.
    Busy,
    /// No more frames were copied than before.
    Failed,
    /// Frames were copied, but the sync failed, so their pages may be lost. The WAL must stay
    /// whole.
    Unsynced,
}

/// The progress of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckpointProgress {
    /// No pass is under way. The result is that of the last one, unless it was forgotten.
    Idle(Option<Pass>),
    /// A pass is requested or under way.
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
    /// Creates a checkpointer of an open database, without a thread.
    pub(super) fn new(file: Arc<DatabaseFile>) -> Self {
        Self { file, shared: Arc::default(), thread: None }
    }

    /// Requests a pass, unless one is under way or the WAL must stay as it is.
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
            tracing::warn!(%cause, "there is no thread to copy the write-ahead log");
            self.shared.state().stage = Stage::Idle(Some(Pass::Failed));
        }
    }

    fn start(&mut self) -> io::Result<()> {
        let (shared, file) = (Arc::clone(&self.shared), Arc::clone(&self.file));
        self.thread =
            Some(thread::Builder::new().name(NAME.into()).spawn(move || shared.work(&file))?);
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// The current progress.
    pub(super) fn progress(&self) -> CheckpointProgress {
        match self.shared.state().stage {
            Stage::Idle(pass) => CheckpointProgress::Idle(pass),
            _ if self.is_running() => CheckpointProgress::Passing,
            // The thread has ended, for whatever reason. The writer can do the work.
            _ => CheckpointProgress::Idle(Some(Pass::Failed)),
        }
    }

    /// Whether the WAL must stay as it is until the process ends.
    pub(super) fn keeps_log(&self) -> bool {
        self.progress() == CheckpointProgress::Idle(Some(Pass::Unsynced))
    }

    /// Keeps the WAL as it is until the process ends. The writer calls it when the sync of its own
    /// checkpoint failed. No pass is under way.
    pub(super) fn keep_log(&self, cause: &rusqlite::Error) {
        if self.keeps_log() {
            return;
        }
        self.shared.state().stage = Stage::Idle(Some(Pass::Unsynced));
        match open(&self.file) {
            Ok(connection) => keep_log(connection, cause),
            Err(failed) => {
                tracing::error!(%cause, %failed, "the write-ahead log cannot be kept whole");
            }
        }
    }

    /// Forgets the result of the last pass.
    pub(super) fn forget(&self) {
        let mut state = self.shared.state();
        if matches!(state.stage, Stage::Idle(Some(Pass::Copied(_) | Pass::Busy | Pass::Failed))) {
            state.stage = Stage::Idle(None);
        }
    }

    /// Interrupts a pass and waits for its end, which a sync may delay. Returns whether no pass is
    /// under way any more.
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

    /// Interrupts the pass, if any, and ends the thread.
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
            tracing::error!("the thread that copies the write-ahead log panicked");
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

    /// Runs the requested passes. A failure is logged once, until a pass succeeds again.
    fn work(&self, file: &DatabaseFile) {
        let (mut connection, mut is_logged) = (None, false);
        while self.begin() {
            let pass = match self.pass(&mut connection, file) {
                Ok(pass) => {
                    is_logged = false;
                    Some(pass)
                }
                Err(cause) if fault::is_interrupt(fault::code(&cause)) => None,
                Err(cause) => {
                    if !mem::replace(&mut is_logged, true) {
                        tracing::warn!(%cause, "the write-ahead log was not copied beside the writer");
                    }
                    Some(Pass::Failed)
                }
            };
            self.state().stage = Stage::Idle(pass);
            self.changed.notify_all();
        }
        self.state().interrupt = None;
    }

    /// Waits for a request. Returns false when the thread is to end.
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

    /// Copies what can be copied now, and syncs it. Nothing is copied into a file that was moved or
    /// replaced.
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

/// Copies what can be copied now, and syncs it. SQLite itself syncs only at the end of the WAL.
fn copy(connection: &Connection) -> rusqlite::Result<Pass> {
    let begun = Instant::now();
    let mut statement = connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    let copied: i64 = statement.query_row([], |row| row.get(2))?;
    drop(statement);
    // The number is -1 if another connection holds the checkpoint lock.
    let Ok(copied) = u32::try_from(copied) else { return Ok(Pass::Busy) };
    let lost = |_| rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC), None);
    raw::sync(connection).map_err(lost)?;
    let micros = begun.elapsed().as_micros() as u64;
    tracing::debug!(copied, micros, "the checkpointer copied the WAL");
    Ok(Pass::Copied(copied))
}

/// Whether a sync failed, in our own call or in SQLite's.
pub(super) fn is_sync_failure(cause: &rusqlite::Error) -> bool {
    fault::code(cause) == ffi::SQLITE_IOERR_FSYNC
}

/// Opens a connection that has the WAL of the database open.
fn open(file: &DatabaseFile) -> rusqlite::Result<SplitWriteConnection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file.path(), flags)?;
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    // The file may have been replaced while the connection was opened.
    file.check()?;
    SplitWriteConnection::of(connection, PART_BYTES)
}

/// Keeps the WAL from being restarted or deleted as long as the process lives.
///
/// Linux discards pages that it could not write, and reports that only once. SQLite counts their
/// frames as copied, and would restart the WAL after the next successful sync. An open snapshot
/// prevents that; the next start copies the whole WAL again.
fn keep_log(connection: SplitWriteConnection, cause: &rusqlite::Error) {
    tracing::error!(
        %cause,
        "the database was not synced: its write-ahead log is kept whole; see to its disk, then restart the server"
    );
    if let Err(cause) = connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema") {
        tracing::error!(%cause, "the write-ahead log cannot be kept whole");
    }
    mem::forget(connection);
}

#[cfg(test)]
mod tests;
