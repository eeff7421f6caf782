//! The limits of a write: a deadline for the statements of its job, and a maximum number of rows
//! for its deletions.
//!
//! SQLite calls a progress handler after a fixed number of steps of its virtual machine. The
//! handler interrupts only statements of a job. It never interrupts statements that begin or end a
//! transaction.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{ffi, hooks::Action};

use super::handle::Handle;
use crate::{
    base::{error::Error, limits},
    store::job::{Waiter, too_many_rows, too_slow},
};

/// The number of virtual machine steps between two calls of the progress handler. This number of
/// steps takes about 30 microseconds.
const STEPS: i32 = 1000;
/// The value of a deadline that is not set.
const NEVER: u64 = u64::MAX;

/// The deadline and the row limit of the writes on a connection. Clones share the same limits.
#[derive(Clone)]
pub(super) struct Deadline(Arc<Bounds>);

struct Bounds {
    /// The time from which `end` and `close_end` are counted.
    epoch: Instant,
    /// The maximum time of a job, in nanoseconds.
    time_max: AtomicU64,
    /// The deadline of the current job, in nanoseconds since `epoch`. `NEVER` if no job is running.
    end: AtomicU64,
    /// The deadline of all jobs after the store was closed, in nanoseconds since `epoch`. `NEVER`
    /// before that.
    close_end: AtomicU64,
    rows: AtomicU64,
    rows_max: AtomicU64,
    /// The limit that the current job has exceeded, as the number of a [`WriteBound`]. 0 if it has
    /// exceeded none.
    exceeded: AtomicU8,
    waiter: Mutex<Waiter>,
}

/// A limit that a write can exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteBound {
    Time = 1,
    Rows = 2,
}

impl Deadline {
    /// Sets a progress handler on the writing connection. The handler interrupts a job that exceeds
    /// a limit.
    pub(super) fn watch(handle: &mut Handle) -> rusqlite::Result<Self> {
        let bounds = Arc::new(Bounds {
            epoch: Instant::now(),
            time_max: AtomicU64::new(nanoseconds(limits::WRITE_TIME_MAX)),
            end: AtomicU64::new(NEVER),
            close_end: AtomicU64::new(NEVER),
            rows: AtomicU64::new(0),
            rows_max: AtomicU64::new(limits::DELETION_ROWS_MAX),
            exceeded: AtomicU8::new(0),
            waiter: Mutex::default(),
        });
        let watched = Arc::clone(&bounds);
        handle.watch(STEPS, move || watched.is_exceeded())?;
        Ok(Self(bounds))
    }

    /// The maximum number of rows that a deletion may change.
    pub(super) fn rows_max(&self) -> u64 {
        self.0.rows_max.load(Ordering::Relaxed)
    }

    /// Sets the maximum number of rows that a deletion may change.
    pub(super) fn set_rows_max(&self, rows: u64) {
        self.0.rows_max.store(rows, Ordering::Relaxed);
    }

    /// Sets the maximum time of a job.
    #[cfg(test)]
    pub(super) fn set_time_max(&self, time: Duration) {
        self.0.time_max.store(nanoseconds(time), Ordering::Relaxed);
    }

    /// Starts the deadline of a job. `waiter` knows whether a client still waits for the job.
    pub(super) fn begin(&self, waiter: &Waiter) {
        let bounds = &*self.0;
        *bounds.waiter.lock().unwrap_or_else(PoisonError::into_inner) = waiter.clone();
        bounds.rows.store(0, Ordering::Relaxed);
        bounds.exceeded.store(0, Ordering::Relaxed);
        let end = bounds.now().saturating_add(bounds.time_max.load(Ordering::Relaxed));
        bounds.end.store(end, Ordering::Relaxed);
    }

    /// Ends the deadline of a job. Returns the error for the limit that the job has exceeded, if
    /// any.
    pub(super) fn end(&self) -> Option<Error> {
        self.0.end.store(NEVER, Ordering::Relaxed);
        self.refusal()
    }

    /// Fails if the current job has exceeded a limit. A job with many short statements needs this
    /// check, since a short statement is complete before the progress handler is called.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.0.is_exceeded();
        self.refusal().map_or(Ok(()), Err)
    }

    fn refusal(&self) -> Option<Error> {
        match self.0.exceeded.load(Ordering::Relaxed) {
            0 => None,
            rows if rows == WriteBound::Rows as u8 => Some(too_many_rows(self.rows_max())),
            _ => Some(too_slow()),
        }
    }

    /// Sets a deadline for all jobs, since the store is being closed. A job that nobody waits for
    /// is interrupted at once.
    pub(super) fn close(&self, time: Duration) {
        let end = self.0.now().saturating_add(nanoseconds(time));
        self.0.close_end.fetch_min(end, Ordering::Relaxed);
    }

    /// Whether the store is being closed.
    pub(super) fn is_closing(&self) -> bool {
        self.0.close_end.load(Ordering::Relaxed) != NEVER
    }

    /// Runs `work` and counts the rows that its statements change, including rows that foreign key
    /// actions change. Fails with `SQLITE_INTERRUPT` if the job has exceeded a limit.
    pub(super) fn counting<T>(
        &self,
        handle: &mut Handle,
        work: impl FnOnce(&mut Handle) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let bounds = Arc::clone(&self.0);
        bounds.rows.store(0, Ordering::Relaxed);
        let mut last = (String::new(), 0i64);
        handle.note_rows(Some(move |action: Action, _: &str, table: &str, row: i64| {
            // Changes of the store's own tables do not count. A trigger that stamps a changed row
            // updates the row again, and this update does not count.
            let is_last = last.1 == row && last.0 == table;
            if table.starts_with("_nouns_") || is_last && action == Action::SQLITE_UPDATE {
                return;
            }
            if last.0 != table {
                last.0 = table.into();
            }
            last.1 = row;
            bounds.rows.fetch_add(1, Ordering::Relaxed);
        }))?;
        let result = work(handle);
        handle.note_rows(None::<fn(Action, &str, &str, i64)>)?;
        // SQLite does not call the progress handler during a short statement.
        match self.check() {
            Err(_) => {
                Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None))
            }
            Ok(()) => result,
        }
    }
}

impl Bounds {
    fn now(&self) -> u64 {
        nanoseconds(self.epoch.elapsed())
    }

    /// Whether the current job has exceeded a limit, so it must be interrupted.
    fn is_exceeded(&self) -> bool {
        let end = self.end.load(Ordering::Relaxed);
        if end == NEVER {
            return false;
        }
        let bound = self.exceeds(end);
        if let Some(bound) = bound {
            self.exceeded.store(bound as u8, Ordering::Relaxed);
        }
        bound.is_some()
    }

    fn exceeds(&self, end: u64) -> Option<WriteBound> {
        if self.rows.load(Ordering::Relaxed) > self.rows_max.load(Ordering::Relaxed) {
            return Some(WriteBound::Rows);
        }
        let close_end = self.close_end.load(Ordering::Relaxed);
        let is_late = self.now() >= end.min(close_end);
        (is_late || close_end != NEVER && self.is_left()).then_some(WriteBound::Time)
    }

    fn is_left(&self) -> bool {
        self.waiter.lock().unwrap_or_else(PoisonError::into_inner).has_left()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER - 1)
}
