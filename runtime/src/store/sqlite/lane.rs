//! Read connections: one for each worker, reached through its thread, and a few for all other
//! threads.
//!
//! All work on a connection happens in a synchronous closure, never across an await.

mod snapshot;

use std::{
    cell::RefCell,
    marker::PhantomData,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::Semaphore;

use self::snapshot::{HeldSnapshot, TableRevisions};
use super::{
    budget::{Budget, ReadDeadline},
    commits::Commits,
    fault,
    file::DatabaseFile,
    handle::Handle,
    opening::set_memory,
    slow::Credit,
};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    plan::{Plan, validator::Identity},
};

/// The number of threads other than workers that read at the same time.
const FOREIGN_LANES_MAX: usize = 16;
/// The number of requests that may wait for one of those lanes. Further ones are refused with 503.
const FOREIGN_WAITING_MAX: usize = 1024;
/// The milliseconds that a read waits for another program. They hold up its whole thread.
const BUSY_MS: u64 = 100;
/// The page cache of a connection that does not belong to a worker, in bytes. There may be dozens
/// of them.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// A read connection, and the revisions of the tables as it last saw them.
pub(super) struct Lane {
    pub(super) handle: Handle,
    pub(super) identity: Identity,
    commits: Arc<Commits>,
    revisions: TableRevisions,
    /// The time budget of a read. `None` for a lane with a thread to itself.
    budget: Option<Budget>,
    /// The time for tries of reads that are known to be slow.
    pub(super) credit: Credit,
    /// Whether the end of each turn of this thread is signaled. Only then may a snapshot be held
    /// over a turn.
    has_turns: bool,
    /// The version of the statistics that the connection has read.
    statistics: u64,
    /// The page cache of its connection, in bytes.
    cache_bytes: usize,
    /// The bytes of the largest page that a request may read here. Another thread has more time for
    /// larger ones.
    read_bytes_max: usize,
    /// The snapshot that the lane holds.
    held_snapshot: Option<HeldSnapshot>,
}

/// All lanes of a store.
#[derive(Clone)]
pub(super) struct Lanes(Arc<LanePool>);

struct LanePool {
    path: PathBuf,
    mmap_bytes: u64,
    file: Arc<DatabaseFile>,
    identity: Identity,
    commits: Arc<Commits>,
    free: Mutex<Vec<Lane>>,
    permits: Semaphore,
    seats: Semaphore,
}

thread_local! {
    /// The lanes of this thread, one for each store that it has entered.
    static OWN: RefCell<Vec<(Weak<LanePool>, Lane)>> = const { RefCell::new(Vec::new()) };
}

impl Lanes {
    pub(super) fn new(
        path: &Path,
        mmap_bytes: u64,
        file: Arc<DatabaseFile>,
        identity: Identity,
        commits: Arc<Commits>,
    ) -> Self {
        Self(Arc::new(LanePool {
            path: path.to_owned(),
            mmap_bytes,
            file,
            identity,
            commits,
            free: Mutex::default(),
            permits: Semaphore::new(FOREIGN_LANES_MAX),
            seats: Semaphore::new(FOREIGN_LANES_MAX + FOREIGN_WAITING_MAX),
        }))
    }

    /// Opens a lane for this thread, which lives as long as the seat. The pages that requests read
    /// on it have at most `read_bytes_max` bytes.
    pub(super) fn enter(&self, read_bytes_max: usize) -> Result<Seat, Error> {
        let mut lane = self.0.open(limits::PAGE_CACHE_BYTES)?;
        lane.read_bytes_max = read_bytes_max;
        OWN.with_borrow_mut(|own| own.push((Arc::downgrade(&self.0), lane)));
        Ok(Seat { store: Arc::downgrade(&self.0), thread: PhantomData })
    }

    /// Checks that the database file is still at its path.
    pub(super) fn look(&self) -> Result<(), Error> {
        self.0.file.check().map_err(|cause| fault::error(&cause))
    }

    /// Releases the snapshot of this thread. From now on a snapshot may be held over a turn.
    pub(super) fn end_turn(&self) {
        OWN.with_borrow_mut(|own| {
            let lanes = own.iter_mut().filter(|(store, _)| self.is(store));
            lanes.for_each(|(_, lane)| {
                lane.end_turn();
                if lane.is_stuck() {
                    // If that fails, the next read tries again, and can return the error.
                    self.0.renew(lane).ok();
                }
            });
        });
    }

    /// A lane for a thread with long reads. SQLite sorts in files, so memory is not the limit.
    pub(super) fn long(&self) -> Result<Lane, Error> {
        let lane = self.slow()?;
        let set = lane.handle.connection().pragma_update(None, "temp_store", "FILE");
        set.map_err(|cause| fault::error(&cause))?;
        Ok(lane)
    }

    /// A lane for a thread with slow reads.
    pub(super) fn slow(&self) -> Result<Lane, Error> {
        let mut lane = self.0.open(CACHE_BYTES)?;
        lane.budget = None;
        Ok(lane)
    }

    /// Runs `work` on the lane of this thread, or on a free one.
    pub(super) async fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        self.0.file.check_read().map_err(|cause| fault::error(&cause))?;
        let mut work = Some(work);
        if let Some(done) = self.with_own(&mut work) {
            return done;
        }
        let work = work.take().expect("work is taken by a lane of this thread alone");
        let busy = || Error::unavailable(text!("Too many requests wait for the database."), 1);
        let _seat = self.0.seats.try_acquire().map_err(|_| busy())?;
        let _permit = self.0.permits.acquire().await.map_err(|_| busy())?;
        self.0.with_free(work)
    }

    fn with_own<T, W: FnOnce(&mut Lane) -> T>(
        &self,
        work: &mut Option<W>,
    ) -> Option<Result<T, Error>> {
        OWN.with_borrow_mut(|own| {
            let (_, lane) = own.iter_mut().find(|(store, _)| self.is(store))?;
            let work = work.take()?;
            Some(self.0.renew(lane).map(|()| {
                lane.begin();
                work(lane)
            }))
        })
    }

    fn is(&self, store: &Weak<LanePool>) -> bool {
        std::ptr::eq(store.as_ptr(), Arc::as_ptr(&self.0))
    }
}

impl LanePool {
    /// Runs `work` on a free lane. If it panics, the lane is dropped.
    fn with_free<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lane = free.map_or_else(|| self.open(CACHE_BYTES), Ok)?;
        self.renew(&mut lane)?;
        lane.begin();
        let done = work(&mut lane);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        Ok(done)
    }

    /// Replaces a lane that is not usable. If that fails, a lane with old statistics stays in use,
    /// and a stuck one is an error.
    fn renew(&self, lane: &mut Lane) -> Result<(), Error> {
        if lane.is_usable() {
            return Ok(());
        }
        match self.open(lane.cache_bytes) {
            Ok(mut new) => {
                (new.has_turns, new.credit) = (lane.has_turns, lane.credit);
                new.read_bytes_max = lane.read_bytes_max;
                *lane = new;
                Ok(())
            }
            Err(error) if lane.is_stuck() => Err(error),
            Err(_) => Ok(()),
        }
    }

    fn open(&self, cache_bytes: usize) -> Result<Lane, Error> {
        let statistics = self.commits.statistics();
        let (handle, budget) = self.connect(cache_bytes).map_err(|cause| fault::error(&cause))?;
        Ok(Lane {
            handle,
            budget: Some(budget),
            credit: Credit::new(Instant::now()),
            identity: self.identity.clone(),
            commits: Arc::clone(&self.commits),
            revisions: TableRevisions::default(),
            has_turns: false,
            statistics,
            cache_bytes,
            read_bytes_max: usize::MAX,
            held_snapshot: None,
        })
    }

    /// Opens a connection, with the budget of its reads.
    fn connect(&self, cache_bytes: usize) -> rusqlite::Result<(Handle, Budget)> {
        self.file.check()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(Duration::from_millis(BUSY_MS))?;
        connection.pragma_update(None, "query_only", true)?;
        set_memory(&connection, self.mmap_bytes, cache_bytes)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        let journal: String =
            connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        let mut handle = Handle::new(connection)?;
        if journal == "wal" {
            handle.find_wal_index();
        }
        let budget = Budget::watch(&mut handle)?;
        // The file may have been replaced while the connection was opened.
        self.file.check()?;
        Ok((handle, budget))
    }
}

impl Lane {
    /// Begins a piece of work, with its full budget.
    fn begin(&self) {
        if let Some(budget) = &self.budget {
            budget.begin();
        }
    }

    /// Whether it may be used again. Otherwise a new one is opened in its place.
    pub(super) fn is_usable(&self) -> bool {
        !self.has_old_statistics() && !self.is_stuck()
    }

    /// Whether tables were analyzed since it was opened.
    fn has_old_statistics(&self) -> bool {
        self.statistics != self.commits.statistics()
    }

    /// Whether a transaction is open that should have ended. Another one could not begin.
    fn is_stuck(&self) -> bool {
        self.held_snapshot.is_none() && !self.handle.connection().is_autocommit()
    }

    /// Whether a plan is known to exceed the budget.
    pub(super) fn is_slow_at(&self, plan: &Plan) -> bool {
        self.budget.is_some() && plan.steps.iter().any(|step| self.handle.is_slow(&step.shape))
    }

    /// Sets the deadline of the statements that follow, until the next call.
    pub(super) fn watch(&mut self, until: &ReadDeadline) -> Result<(), Error> {
        until.watch(&mut self.handle, &self.commits).map_err(|cause| fault::error(&cause))
    }
}

/// The lane of a thread into a store. It is closed when this is dropped.
#[derive(Debug)]
pub(in crate::store) struct Seat {
    store: Weak<LanePool>,
    /// A seat belongs to the thread that has taken it.
    thread: PhantomData<*const ()>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        // If the thread is ending, its lanes have been dropped already.
        OWN.try_with(|own| {
            let mut own = own.borrow_mut();
            let at = own.iter().position(|(store, _)| store.ptr_eq(&self.store));
            at.map(|at| own.swap_remove(at))
        })
        .ok();
    }
}

#[cfg(test)]
mod tests;
