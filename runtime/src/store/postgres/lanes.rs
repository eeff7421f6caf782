//! The lanes of worker threads. They are opened when they are first needed, and again when they are
//! lost. A request never waits for that: it runs on another connection.

use std::{
    cell::RefCell,
    marker::PhantomData,
    num::NonZero,
    ops::Deref,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::runtime::Handle;

use super::{
    batches::WriteQueues,
    home::Home,
    lane::{ANSWER_BYTES_MAX, LaneUse, PostgresLane},
    slots::UsedSlot,
};

/// The number of lanes of a worker that read.
const READ_LANES: usize = 2;
/// The number of lanes that write, of all workers together. A write waits for the disk of the
/// server, and those on other lanes wait for it together.
const WRITE_LANES: usize = 16;
/// The limits for the number of lanes of a worker that write.
const WORKER_WRITE_LANES_MIN: usize = 2;
const WORKER_WRITE_LANES_MAX: usize = 8;
/// The maximum number of requests that use a lane at the same time.
const LANE_USERS_MAX: usize = 256;

/// The time between two attempts to open a lane, while they fail. The server may have no room for
/// so many connections.
const PAUSE: Duration = Duration::from_secs(1);

/// The lanes of a worker thread.
pub(super) struct WorkerLanes {
    pub(super) home: Arc<Home>,
    reads: LaneSet,
    writes: LaneSet,
    pub(super) queues: WriteQueues,
    /// The maximum size of a page that the worker renders, in bytes.
    read_bytes_max: usize,
}

/// The lanes for one purpose.
struct LaneSet {
    used_for: LaneUse,
    most: usize,
    lanes: Mutex<Vec<Arc<PostgresLane>>>,
    is_opening: AtomicBool,
    /// When the next attempt may be made, after one that has failed.
    next: Mutex<Option<Instant>>,
}

/// A lane while a request uses it.
pub(super) struct UsedLane(Arc<PostgresLane>);

/// Closes the lanes of the thread when it is dropped.
#[derive(Debug)]
pub(in crate::store) struct LanesGuard {
    home: Weak<Home>,
    /// It belongs to its thread.
    thread: PhantomData<*const ()>,
}

thread_local! {
    /// The lanes of this thread: those of each store that the thread has entered.
    static OWN: RefCell<Vec<Arc<WorkerLanes>>> = const { RefCell::new(Vec::new()) };
}

/// Gives the calling thread lanes until the returned guard is dropped. It renders pages of at most
/// this many bytes, or of as many as a lane carries.
pub(super) fn enter(home: &Arc<Home>, read_bytes_max: usize) -> LanesGuard {
    let set = |used_for, most| LaneSet {
        used_for,
        most,
        lanes: Mutex::default(),
        is_opening: AtomicBool::default(),
        next: Mutex::default(),
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let each = (WRITE_LANES / workers).clamp(WORKER_WRITE_LANES_MIN, WORKER_WRITE_LANES_MAX);
    let lanes = WorkerLanes {
        home: Arc::clone(home),
        reads: set(LaneUse::Reads, READ_LANES),
        writes: set(LaneUse::Writes, each),
        queues: WriteQueues::default(),
        read_bytes_max: read_bytes_max.max(ANSWER_BYTES_MAX),
    };
    OWN.with_borrow_mut(|own| own.push(Arc::new(lanes)));
    LanesGuard { home: Arc::downgrade(home), thread: PhantomData }
}

/// Returns the lanes of this thread. `None` if the thread is no worker.
pub(super) fn own(home: &Arc<Home>) -> Option<Arc<WorkerLanes>> {
    OWN.with_borrow(|own| own.iter().find(|lanes| Arc::ptr_eq(&lanes.home, home)).cloned())
}

/// Returns the lane of this thread that reads and has the fewest users. `None` if the thread is no
/// worker, or if no lane can take the request now.
pub(super) fn read_lane(home: &Arc<Home>) -> Option<UsedLane> {
    OWN.with_borrow(|own| {
        let lanes = own.iter().find(|lanes| Arc::ptr_eq(&lanes.home, home))?;
        lanes.reads.lane(lanes)
    })
}

/// Returns the maximum size of a page that this thread renders, in bytes, if another thread can
/// render a larger one.
pub(super) fn read_bytes_max(home: &Arc<Home>) -> usize {
    OWN.with_borrow(|own| {
        let lanes = own.iter().find(|lanes| Arc::ptr_eq(&lanes.home, home));
        lanes.map_or(usize::MAX, |lanes| lanes.read_bytes_max)
    })
}

impl WorkerLanes {
    /// Returns the lane that writes and has the fewest users. `None` if no lane can take the write
    /// now.
    pub(super) fn write_lane(self: &Arc<Self>) -> Option<UsedLane> {
        self.writes.lane(self)
    }

    /// Returns a lane for a number of writes, and the slot in which it counts. If all slots are
    /// used, the writes wait on a lane that has one. `None` if no lane can take them now, or if a
    /// single write has to run elsewhere, where it leases one more slot.
    pub(super) fn counting_lane(
        self: &Arc<Self>,
        writes: usize,
    ) -> Option<(UsedLane, Arc<UsedSlot>)> {
        let lane = self.write_lane()?;
        match lane.slot() {
            Some(slot) => Some((lane, slot)),
            None if writes == 1 && self.home.slots().wants_more() => None,
            None => self.writes.counting_lane(),
        }
    }
}

impl LaneSet {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<PostgresLane>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lane(&self, worker: &Arc<WorkerLanes>) -> Option<UsedLane> {
        let mut lanes = self.lock();
        lanes.retain(|lane| lane.is_usable());
        let users = |lane: &&Arc<PostgresLane>| lane.users.load(Ordering::Relaxed);
        let found = lanes.iter().min_by_key(users).cloned();
        let is_idle = found.as_ref().is_some_and(|lane| users(&lane) == 0);
        if lanes.len() < self.most && !is_idle && self.may_open() {
            self.open(worker);
        }
        drop(lanes);
        UsedLane::of(found?)
    }

    /// Returns the lane with the fewest users of those on which writes are under way.
    fn counting_lane(&self) -> Option<(UsedLane, Arc<UsedSlot>)> {
        let lanes = self.lock();
        let usable = lanes.iter().filter(|lane| lane.is_usable());
        let counting = usable.filter_map(|lane| Some((lane, lane.counts_in()?)));
        let (lane, slot) = counting.min_by_key(|(lane, _)| lane.users.load(Ordering::Relaxed))?;
        Some((UsedLane::of(Arc::clone(lane))?, slot))
    }

    fn next(&self) -> MutexGuard<'_, Option<Instant>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_open(&self) -> bool {
        self.next().is_none_or(|next| next <= Instant::now())
    }

    /// Opens one more lane, beside the requests of the worker.
    fn open(&self, worker: &Arc<WorkerLanes>) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.is_opening.swap(true, Ordering::Relaxed) {
            return;
        }
        let (worker, used_for, driver) = (Arc::clone(worker), self.used_for, runtime.clone());
        runtime.spawn_blocking(move || {
            let set = match used_for {
                LaneUse::Writes => &worker.writes,
                _ => &worker.reads,
            };
            match PostgresLane::open(&worker.home, driver, used_for) {
                Ok(lane) => set.lock().push(Arc::new(lane)),
                Err(error) => {
                    *set.next() = Some(Instant::now() + PAUSE);
                    let cause = error.source().map(ToString::to_string);
                    tracing::debug!(cause, "a worker has no connection to the database yet");
                }
            }
            set.is_opening.store(false, Ordering::Relaxed);
        });
    }
}

impl UsedLane {
    /// Adds a user to a lane. `None` if it has as many as it may have.
    fn of(lane: Arc<PostgresLane>) -> Option<Self> {
        if lane.users.load(Ordering::Relaxed) >= LANE_USERS_MAX {
            return None;
        }
        lane.users.fetch_add(1, Ordering::Relaxed);
        Some(Self(lane))
    }
}

impl Deref for UsedLane {
    type Target = Arc<PostgresLane>;

    fn deref(&self) -> &Arc<PostgresLane> {
        &self.0
    }
}

impl Drop for UsedLane {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for LanesGuard {
    fn drop(&mut self) {
        let is_own =
            |lanes: &Arc<WorkerLanes>| std::ptr::eq(Arc::as_ptr(&lanes.home), self.home.as_ptr());
        OWN.with_borrow_mut(|own| {
            if let Some(at) = own.iter().rposition(is_own) {
                own.swap_remove(at);
            }
        });
    }
}
