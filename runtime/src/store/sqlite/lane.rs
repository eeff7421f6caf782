//! Lanes: read connections with their cached table revisions. Each worker thread has its own lane.
//! All other threads share a small pool of lanes.
//!
//! A closure that uses a connection is synchronous, so no connection is borrowed across an `await`.

mod lookups;
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
    budget::{self, Budget, ReadDeadline},
    commits::Commits,
    fault,
    file::DatabaseFile,
    handle::Handle,
    long_reads::LongRead,
    opening::set_memory,
};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    plan::{
        Plan,
        validator::{DeclaredTime, Identity},
    },
    store::{end_demand::EndDemand, slow::Credit},
};

/// The maximum number of threads other than workers that read from the database at the same time.
const FOREIGN_LANES_MAX: usize = 16;
/// The maximum number of requests that wait for a pooled lane (a read connection for threads other
/// than workers). Further requests are refused with 503.
const FOREIGN_WAITING_MAX: usize = 1024;
/// The milliseconds that a read waits while another program has locked the database. The wait
/// blocks the whole thread.
const BUSY_MS: u64 = 100;
/// The size of the page cache of a read connection that does not belong to a worker, in bytes. It
/// is small, since dozens of these connections may be open.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// A read connection, with the table revisions that were last read on the connection.
pub(super) struct Lane {
    pub(super) handle: Handle,
    pub(super) identity: Identity,
    commits: Arc<Commits>,
    revisions: TableRevisions,
    /// The time budget of each read. `None` for the lane of a thread for slow reads or for an
    /// export, since such a thread serves no other requests.
    budget: Option<Budget>,
    /// The time that the worker may still spend on trying reads whose shape (statement without
    /// values) is known to be slow.
    pub(super) credit: Credit,
    /// Whether this thread calls `end_turn` whenever it becomes idle. Only then may the lane hold a
    /// snapshot from one read to the next.
    has_turns: bool,
    /// The number of analyses of tables before the connection was opened. It identifies the query
    /// planner's statistics that the connection has loaded.
    statistics: u64,
    /// The size of the page cache of the lane's connection, in bytes.
    cache_bytes: usize,
    /// The maximum size of a page of results that a request may read on this lane, in bytes. Larger
    /// pages are read on another thread.
    read_bytes_max: usize,
    /// The number of look-ups that were skipped because their shapes are known to be slow.
    skipped_lookups: u32,
    /// The snapshot (an open read transaction) that the lane holds between reads, if any.
    held_snapshot: Option<HeldSnapshot>,
    /// The place of an export among the long reads.
    long_read: Option<LongRead>,
}

/// All lanes (read connections) of a store.
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
    /// The lanes (read connections) of this thread: one for each store that the thread has entered.
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

    /// Opens a lane (a read connection) for the calling thread. The lane is closed when the
    /// returned seat is dropped. A page that a request reads on this lane has at most
    /// `read_bytes_max` bytes.
    pub(super) fn enter(&self, read_bytes_max: usize) -> Result<Seat, Error> {
        let mut lane = self.0.open(limits::PAGE_CACHE_BYTES)?;
        lane.read_bytes_max = read_bytes_max;
        OWN.with_borrow_mut(|own| own.push((Arc::downgrade(&self.0), lane)));
        Ok(Seat { store: Arc::downgrade(&self.0), thread: PhantomData })
    }

    /// Closes the lanes of the pool that nobody uses. The connection that is closed last removes
    /// the WAL, and only that of the writer can.
    pub(super) fn close_free(&self) {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Checks that the file at the database's path is still the one that was opened.
    pub(super) fn look(&self) -> Result<(), Error> {
        self.0.file.check().map_err(|cause| fault::error(&cause))
    }

    /// The database file, as it was opened.
    pub(super) fn file(&self) -> &DatabaseFile {
        &self.0.file
    }

    /// Takes over when another declaration was made.
    pub(super) fn redeclare(&self, declared: &DeclaredTime) {
        self.0.identity.declared.set(declared);
    }

    /// Releases the snapshot that the calling thread holds. After the first call, the thread's lane
    /// may hold a snapshot from one read to the next.
    pub(super) fn end_turn(&self) {
        OWN.with_borrow_mut(|own| {
            let lanes = own.iter_mut().filter(|(store, _)| self.is(store));
            lanes.for_each(|(_, lane)| {
                lane.end_turn();
                if lane.is_stuck() {
                    // If no new connection can be opened, the next read tries again and returns the
                    // error.
                    self.0.renew(lane).ok();
                }
            });
        });
    }

    /// Opens a lane for a thread that runs an export. SQLite writes the temporary data of a sort to
    /// files, so the sort of a large table does not fill the memory.
    pub(super) fn long(&self) -> Result<Lane, Error> {
        let lane = self.slow()?;
        let set = lane.handle.connection().pragma_update(None, "temp_store", "FILE");
        set.map_err(|cause| fault::error(&cause))?;
        Ok(lane)
    }

    /// Opens a lane without a time budget, for a thread of the slow lane.
    pub(super) fn slow(&self) -> Result<Lane, Error> {
        let mut lane = self.0.open(CACHE_BYTES)?;
        lane.budget = None;
        Ok(lane)
    }

    /// Runs `work` on the lane of the calling thread. A thread without a lane uses one from the
    /// pool.
    pub(super) async fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        self.0.file.check_read().map_err(|cause| fault::error(&cause))?;
        let mut work = Some(work);
        if let Some(result) = self.with_own(&mut work) {
            return result;
        }
        let work = work.take().expect("`with_own` leaves `work` in place if it returns `None`");
        let busy =
            || Error::unavailable(text!("Too many requests are waiting for the database."), 1);
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
    /// Runs `work` on a lane from the pool, or on a new lane if none is free. If `work` panics, the
    /// lane is dropped.
    fn with_free<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lane = free.map_or_else(|| self.open(CACHE_BYTES), Ok)?;
        self.renew(&mut lane)?;
        lane.begin();
        let result = work(&mut lane);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        Ok(result)
    }

    /// Replaces the connection of a lane that is not usable. If no new connection can be opened, a
    /// lane that only has old statistics stays in use.
    ///
    /// # Errors
    /// A lane with a transaction that did not end could not be replaced.
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
            credit: Credit::new(Instant::now(), budget::TIME, limits::SLOW_TRIES_CREDIT_MAX),
            identity: self.identity.clone(),
            commits: Arc::clone(&self.commits),
            revisions: TableRevisions::default(),
            has_turns: false,
            statistics,
            cache_bytes,
            read_bytes_max: usize::MAX,
            skipped_lookups: 0,
            held_snapshot: None,
            long_read: None,
        })
    }

    /// Opens a read connection whose reads have a time budget.
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
    /// Starts the time budget of a read again.
    fn begin(&self) {
        if let Some(budget) = &self.budget {
            budget.begin();
        }
    }

    /// Gives a read the time for each level of its lists.
    pub(super) fn give_time(&self, plan: &Plan) {
        let related = plan.steps.first().and_then(|step| step.shape.related());
        if let (Some(budget), Some(related)) = (&self.budget, related) {
            budget.give_time(related.levels());
        }
    }

    /// Whether the lane may be used for another read. Otherwise a new lane replaces it.
    pub(super) fn is_usable(&self) -> bool {
        !self.has_old_statistics() && !self.is_stuck()
    }

    /// Whether tables were analyzed since the connection of this lane was opened.
    fn has_old_statistics(&self) -> bool {
        self.statistics != self.commits.statistics()
    }

    /// Whether the connection has an open transaction that should have ended. With that
    /// transaction, the next BEGIN would fail.
    fn is_stuck(&self) -> bool {
        self.held_snapshot.is_none() && !self.handle.connection().is_autocommit()
    }

    /// Whether a step (statement) of the plan exceeded the time budget when it last ran on this
    /// lane. False for a lane without a time budget.
    pub(super) fn is_slow_at(&self, plan: &Plan) -> bool {
        self.budget.is_some() && plan.steps.iter().any(|step| self.handle.is_slow(&step.shape))
    }

    /// Begins a long read on this lane. It ends when the returned value is dropped.
    pub(super) fn begin_long_read(&self, demand: &Arc<EndDemand>) -> LongRead {
        self.commits.long_reads().begin(demand)
    }

    /// Sets the deadline of all later statements on this lane. Another call replaces the deadline.
    pub(super) fn watch(&mut self, until: &ReadDeadline) -> Result<(), Error> {
        until.watch(&mut self.handle, &self.commits).map_err(|cause| fault::error(&cause))
    }
}

/// The right of a thread to its own lane (read connection) of a store. The lane is closed when this
/// is dropped.
#[derive(Debug)]
pub(in crate::store) struct Seat {
    store: Weak<LanePool>,
    /// Makes the seat `!Send`, since it belongs to the thread that created it.
    thread: PhantomData<*const ()>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        // If the thread is ending, its thread-local lanes may already have been dropped.
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
