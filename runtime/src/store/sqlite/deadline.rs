//! The bounds of a write: a deadline for the statements of its job, and a number of rows for its
//! deletions.
//!
//! SQLite asks every so many steps of its machine whether to go on. Only statements of a job are
//! interrupted; what begins, keeps and ends a transaction never is.

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
    base::{
        error::{Error, text},
        limits,
    },
    store::job::{Waiter, too_many_rows},
};

/// After how many steps SQLite asks: some 30 microseconds.
const STEPS: i32 = 1000;
/// After how many seconds a client tries again whose write took too long.
const RETRY_SECONDS: u16 = 10;
/// Stands for a time that never comes.
const NEVER: u64 = u64::MAX;

/// The bounds of the writes on a connection.
#[derive(Clone)]
pub(super) struct Deadline(Arc<Bounds>);

struct Bounds {
    /// What all times here are counted from, in nanoseconds.
    since: Instant,
    /// How long a job may take.
    time_max: AtomicU64,
    /// When the job under way must have ended; never where none is.
    end: AtomicU64,
    /// When the last job must have ended, once the store is closed.
    closed: AtomicU64,
    rows: AtomicU64,
    rows_max: AtomicU64,
    /// Which bound the job under way has exceeded: the number of a [`WriteBound`], from 1.
    exceeded: AtomicU8,
    waiter: Mutex<Waiter>,
}

/// Which bound a write has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteBound {
    Time = 1,
    Rows = 2,
}

/// The refusal of a write that would take more time than it may.
fn too_slow() -> Error {
    let most = limits::WRITE_TIME_MAX.as_secs();
    let detail = text!("The write was not done: it takes longer than {most} seconds.", most);
    Error::unavailable(detail, RETRY_SECONDS)
}

impl Deadline {
    /// Watches a connection, whose progress handler it is.
    pub(super) fn watch(handle: &mut Handle) -> rusqlite::Result<Self> {
        let bounds = Arc::new(Bounds {
            since: Instant::now(),
            time_max: AtomicU64::new(nanoseconds(limits::WRITE_TIME_MAX)),
            end: AtomicU64::new(NEVER),
            closed: AtomicU64::new(NEVER),
            rows: AtomicU64::new(0),
            rows_max: AtomicU64::new(limits::DELETION_ROWS_MAX),
            exceeded: AtomicU8::new(0),
            waiter: Mutex::default(),
        });
        let asked = Arc::clone(&bounds);
        handle.watch(STEPS, move || asked.is_exceeded())?;
        Ok(Self(bounds))
    }

    /// How many rows a deletion may change.
    pub(super) fn rows_max(&self) -> u64 {
        self.0.rows_max.load(Ordering::Relaxed)
    }

    /// Sets how many rows a deletion may change.
    pub(super) fn set_rows_max(&self, rows: u64) {
        self.0.rows_max.store(rows, Ordering::Relaxed);
    }

    /// Sets how long a job may take.
    #[cfg(test)]
    pub(super) fn set_time_max(&self, time: Duration) {
        self.0.time_max.store(nanoseconds(time), Ordering::Relaxed);
    }

    /// Begins the statements of a job.
    pub(super) fn begin(&self, waiter: &Waiter) {
        let bounds = &*self.0;
        *bounds.waiter.lock().unwrap_or_else(PoisonError::into_inner) = waiter.clone();
        bounds.rows.store(0, Ordering::Relaxed);
        bounds.exceeded.store(0, Ordering::Relaxed);
        let end = bounds.now().saturating_add(bounds.time_max.load(Ordering::Relaxed));
        bounds.end.store(end, Ordering::Relaxed);
    }

    /// Ends the statements of a job, and says why they were interrupted, if they were.
    pub(super) fn end(&self) -> Option<Error> {
        self.0.end.store(NEVER, Ordering::Relaxed);
        self.refusal()
    }

    /// Whether the job may run another statement: short ones end before SQLite asks, and a job may
    /// have many.
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

    /// Ends every job in some time, and one that nobody waits for at once.
    pub(super) fn close(&self, time: Duration) {
        let closed = self.0.now().saturating_add(nanoseconds(time));
        self.0.closed.fetch_min(closed, Ordering::Relaxed);
    }

    /// Works while the rows that change are counted, those that foreign keys change included.
    pub(super) fn counting<T>(
        &self,
        handle: &mut Handle,
        work: impl FnOnce(&mut Handle) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let bounds = Arc::clone(&self.0);
        let mut last = (String::new(), 0i64);
        handle.note_rows(Some(move |action: Action, _: &str, table: &str, row: i64| {
            // Tables of the store count nothing, and a row that a trigger stamps after its change
            // counts once.
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
        let done = work(handle);
        handle.note_rows(None::<fn(Action, &str, &str, i64)>)?;
        // SQLite does not ask about a short statement.
        match self.check() {
            Err(_) => {
                Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None))
            }
            Ok(()) => done,
        }
    }
}

impl Bounds {
    fn now(&self) -> u64 {
        nanoseconds(self.since.elapsed())
    }

    /// Whether the job under way is to be ended.
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
        let closed = self.closed.load(Ordering::Relaxed);
        let is_late = self.now() >= end.min(closed);
        (is_late || closed != NEVER && self.is_left()).then_some(WriteBound::Time)
    }

    fn is_left(&self) -> bool {
        self.waiter.lock().unwrap_or_else(PoisonError::into_inner).has_left()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER - 1)
}
