//! Pools of connections that read, each for one read at a time.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, oneshot},
    task::AbortHandle,
    time::sleep,
};

use super::{
    home::Home,
    lane::{LaneUse, PostgresLane},
    slow_queue::SlowTurn,
};
use crate::{base::error::Error, store::slow};

/// The idle connections of a pool. Whoever uses one has a place, so the pool has no more
/// connections than there are places.
pub(super) struct ConnectionPool {
    home: Arc<Home>,
    runtime: Handle,
    used_for: LaneUse,
    /// The connection that became idle last is at the end, and is the next to be used.
    idle: Mutex<Vec<Arc<PostgresLane>>>,
}

/// The right to use a connection of a pool, which ends when this is dropped.
pub(super) enum PoolPlace {
    Trial(#[expect(dead_code, reason = "dropping it frees the place")] OwnedSemaphorePermit),
    Slow(#[expect(dead_code, reason = "dropping it frees the place")] SlowTurn),
}

/// A place that ends after a time, also if whoever has it is not polled any more: a future of user
/// code may be kept and never be awaited.
pub(super) struct TimedPlace {
    place: Arc<Mutex<Option<PoolPlace>>>,
    end: AbortHandle,
}

impl TimedPlace {
    /// Waits for a place on a runtime, which begins its time when it is given.
    pub(super) async fn of(
        runtime: &Handle,
        time_max: Duration,
        wait: impl Future<Output = Result<PoolPlace, Error>> + Send + 'static,
    ) -> Result<Self, Error> {
        let (mut sender, place) = oneshot::channel();
        runtime.spawn(async move {
            let place = tokio::select! {
                place = wait => place,
                () = sender.closed() => return,
            };
            sender.send(place.map(|place| Self::new(place, time_max))).ok();
        });
        place.await.unwrap_or_else(|_| Err(Error::internal("nobody waits for a place")))
    }

    fn new(place: PoolPlace, time_max: Duration) -> Self {
        let place = Arc::new(Mutex::new(Some(place)));
        let ended = Arc::clone(&place);
        let end = tokio::spawn(async move {
            sleep(time_max).await;
            ended.lock().unwrap_or_else(PoisonError::into_inner).take();
        });
        Self { place, end: end.abort_handle() }
    }

    /// Whether the time of the place is over.
    pub(super) fn is_over(&self) -> bool {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl Drop for TimedPlace {
    fn drop(&mut self) {
        self.end.abort();
        // The task may keep it for a moment.
        self.place.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A connection while a read uses it alone. Dropping this returns it to its pool.
pub(super) struct PooledConnection {
    pool: Arc<ConnectionPool>,
    lane: Arc<PostgresLane>,
    /// `None` only after the connection was replaced.
    place: Option<TimedPlace>,
}

impl ConnectionPool {
    /// Creates a pool without connections.
    pub(super) fn new(home: &Arc<Home>, runtime: &Handle, used_for: LaneUse) -> Arc<Self> {
        let (home, runtime) = (Arc::clone(home), runtime.clone());
        Arc::new(Self { home, runtime, used_for, idle: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<PostgresLane>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idle connection, or opens one.
    pub(super) async fn take(
        self: &Arc<Self>,
        place: TimedPlace,
    ) -> Result<PooledConnection, Error> {
        if place.is_over() {
            return Err(slow::too_late());
        }
        let idle = {
            let mut idle = self.lock();
            idle.retain(|lane| lane.is_usable());
            idle.pop()
        };
        match idle {
            Some(lane) => Ok(PooledConnection { pool: Arc::clone(self), lane, place: Some(place) }),
            None => self.open(place).await,
        }
    }

    /// Opens a connection. If the caller stops waiting, the pool gets it, and the place is free
    /// only then.
    async fn open(self: &Arc<Self>, place: TimedPlace) -> Result<PooledConnection, Error> {
        let (pool, runtime) = (Arc::clone(self), self.runtime.clone());
        let opened = self.runtime.spawn_blocking(move || {
            let lane = Arc::new(PostgresLane::open(&pool.home, runtime, pool.used_for)?);
            Ok(PooledConnection { pool, lane, place: Some(place) })
        });
        opened.await.unwrap_or_else(|_| Err(Error::internal("a connection was not opened")))
    }

    fn put(&self, lane: Arc<PostgresLane>) {
        if lane.is_usable() {
            self.lock().push(lane);
        }
    }
}

impl PooledConnection {
    /// The connection.
    pub(super) fn lane(&self) -> &PostgresLane {
        &self.lane
    }

    /// Replaces a lost connection with a new one. Those that are idle may be lost, too.
    pub(super) async fn replace(&mut self) -> Result<(), Error> {
        self.lane.spend();
        if let Some(place) = self.place.take() {
            *self = self.pool.open(place).await?;
        }
        Ok(())
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        // A statement may be half written, and what follows would be sent behind it.
        if thread::panicking() {
            self.lane.spend();
        }
        let Some(place) = self.place.take() else { return };
        let (pool, lane) = (Arc::clone(&self.pool), Arc::clone(&self.lane));
        if lane.is_settled() || !lane.is_usable() {
            return pool.put(lane);
        }
        self.pool.runtime.spawn(async move {
            lane.settle().await;
            pool.put(lane);
            drop(place);
        });
    }
}
