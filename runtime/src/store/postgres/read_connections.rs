//! The connections of reads, and the way of a read through them.
//!
//! A read runs on a lane of its worker if it may run beside others. All other reads have a
//! connection alone. A trial shows whether a read is fast: the server ends a statement there that
//! is slow. The read then runs on one of the few connections for slow reads, and later reads of its
//! shape do so at once.
//!
//! A slow shape may be fast with other values, and a fast read should not wait for slow ones. So
//! while the connections for slow reads are busy, some reads of slow shapes are tried first.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::Semaphore, time::timeout};
use tokio_postgres::{Row as ServerRow, types::ToSql};

use super::{
    connection_pool::{ConnectionPool, PoolPlace, PooledConnection, TimedPlace},
    connection_runtime::ConnectionRuntime,
    fault::{self, Remedy},
    home::Home,
    lane::{LaneFailure, LaneUse, PostgresLane},
    lanes,
    proven::ProvenShapes,
    slow_queue::{QUICK_TIME_MAX, SlowQueue},
};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    plan::{ClientKey, Plan, Shape, Step},
    store::slow,
};

/// The maximum number of trials that run at the same time. A server has some hundred connections
/// for all of its clients.
const TRIALS_MAX: usize = 6;
/// The maximum number of reads that wait for a trial. Further ones are refused with 503.
const TRIALS_WAITING_MAX: usize = 1024;
/// The `Retry-After` seconds of a read that is refused so.
const RETRY_SECONDS: u16 = 1;
/// The time after which the server ends a statement of a trial.
const TRIAL_TIME_MAX: Duration = Duration::from_millis(100);
/// The time of all statements of a trial, with the network. A server that takes longer hangs.
const TRIAL_ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// The time after which the place of a trial ends in any case: the opening of a connection and the
/// trial take no longer together, unless nobody polls the read.
const TRIAL_PLACE_TIME_MAX: Duration = Duration::from_secs(10);
/// The time after which the place of a slow read ends in any case.
const SLOW_PLACE_TIME_MAX: Duration = Duration::from_secs(36);

/// A read, which can run again on another connection.
pub(super) trait ConnectionRead: Send {
    /// The result of the read.
    type Found: Send;

    /// Whether the read may run on a lane, where others wait for it.
    fn may_share(&mut self, lane: &PostgresLane, proven: &ProvenShapes) -> bool;

    /// Runs the read on a connection.
    fn run(
        &mut self,
        lane: &PostgresLane,
    ) -> impl Future<Output = Result<Self::Found, LaneFailure>> + Send;
}

/// The read of a statement of the store itself.
pub(super) struct OwnRead<'r> {
    pub(super) text: &'static str,
    pub(super) values: &'r [&'r (dyn ToSql + Sync)],
    /// Whether its rows are small, so that others may wait for them.
    pub(super) is_small: bool,
}

impl ConnectionRead for OwnRead<'_> {
    type Found = Vec<ServerRow>;

    fn may_share(&mut self, _: &PostgresLane, _: &ProvenShapes) -> bool {
        self.is_small
    }

    async fn run(&mut self, lane: &PostgresLane) -> Result<Vec<ServerRow>, LaneFailure> {
        lane.ask(self.text, self.values).await
    }
}

/// The client of a read, and the steps by whose shapes the read is known to be fast or slow.
#[derive(Clone, Copy, Default)]
pub(super) struct ReadOrigin<'p> {
    client: ClientKey,
    steps: &'p [Step],
}

impl<'p> ReadOrigin<'p> {
    /// Returns the origin of a plan.
    pub(super) fn of(plan: &'p Plan) -> Self {
        Self { client: plan.client, steps: &plan.steps }
    }

    fn shapes(self) -> impl Iterator<Item = &'p Shape> {
        self.steps.iter().map(|step| &step.shape)
    }
}

/// The connections of reads.
pub(super) struct ReadConnections {
    home: Arc<Home>,
    runtime: ConnectionRuntime,
    trials: Arc<ConnectionPool>,
    trial_places: Arc<Semaphore>,
    /// The number of reads that wait for a trial.
    trials_waiting: AtomicUsize,
    slow: Arc<ConnectionPool>,
    slow_queue: Arc<SlowQueue>,
    proven: ProvenShapes,
}

/// The count of a read that waits for a trial.
struct WaitingTrial<'c>(&'c AtomicUsize);

impl Drop for WaitingTrial<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ReadConnections {
    /// Starts the thread that drives the connections. None of them is open yet.
    pub(super) fn start(home: &Arc<Home>) -> io::Result<Self> {
        let runtime = ConnectionRuntime::start()?;
        let pool = |used_for| ConnectionPool::new(home, runtime.handle(), used_for);
        Ok(Self {
            home: Arc::clone(home),
            trials: pool(LaneUse::Trial),
            trial_places: Arc::new(Semaphore::new(TRIALS_MAX)),
            trials_waiting: AtomicUsize::default(),
            slow: pool(LaneUse::Slow),
            slow_queue: SlowQueue::new(TRIAL_TIME_MAX),
            proven: ProvenShapes::default(),
            runtime,
        })
    }

    /// The number of slow reads that wait, and of those that run.
    pub(super) fn slow_counts(&self) -> (usize, usize) {
        self.slow_queue.counts()
    }

    /// Runs a read: on a lane if it may run beside others, else as a trial, and then among the slow
    /// reads.
    pub(super) async fn run<R: ConnectionRead>(
        &self,
        origin: ReadOrigin<'_>,
        read: &mut R,
    ) -> Result<R::Found, Error> {
        if let Some(lane) = lanes::read_lane(&self.home)
            && read.may_share(&lane, &self.proven)
        {
            match read.run(&lane).await {
                Ok(found) => return Ok(found),
                Err(LaneFailure::Failed(error)) => return Err(error),
                Err(failure) => self.note(&lane, origin, &failure),
            }
        }
        Box::pin(self.runtime.within(self.run_alone(origin, read))).await
    }

    /// Notes why a read has failed on a lane.
    fn note(&self, lane: &PostgresLane, origin: ReadOrigin<'_>, failure: &LaneFailure) {
        match failure {
            LaneFailure::TooSlow => self.note_slow(origin),
            LaneFailure::TooLarge => {
                origin.shapes().for_each(|shape| self.proven.note_large(shape));
            }
            failure if failure.remedy() == Remedy::Prepare => return lane.forget_statements(),
            _ => return,
        }
        origin.shapes().for_each(|shape| lane.forget(shape));
    }

    /// Records that a read took too long. Of a page with a total, the count visits all rows.
    fn note_slow(&self, origin: ReadOrigin<'_>) {
        origin.shapes().last().iter().for_each(|shape| self.proven.note_slow(shape));
    }

    fn is_slow(&self, origin: ReadOrigin<'_>) -> bool {
        origin.shapes().any(|shape| self.proven.is_slow(shape))
    }

    /// Runs a read on a connection that nobody else uses.
    async fn run_alone<R: ConnectionRead>(
        &self,
        origin: ReadOrigin<'_>,
        read: &mut R,
    ) -> Result<R::Found, Error> {
        let is_slow = self.is_slow(origin);
        if (!is_slow || self.slow_queue.allows_try(origin.client))
            && let Some(found) = self.try_read(origin, read, is_slow).await?
        {
            return Ok(found);
        }
        let (queue, client) = (Arc::clone(&self.slow_queue), origin.client);
        let turn = async move { Ok(PoolPlace::Slow(queue.turn(client).await?)) };
        let place = TimedPlace::of(self.runtime.handle(), SLOW_PLACE_TIME_MAX, turn).await?;
        let mut connection = self.slow.take(place).await?;
        let result = timeout(limits::SLOW_TIME_MAX, attempt(&mut connection, read)).await;
        drop(connection);
        let (found, took) = match result {
            Ok(Ok(found)) => found,
            Err(_) | Ok(Err(LaneFailure::TooSlow)) => return Err(slow::too_slow()),
            Ok(Err(failure)) => return Err(failure.into()),
        };
        // One fast read among many slow ones proves little.
        if took <= QUICK_TIME_MAX && !self.slow_queue.is_busy() {
            origin.shapes().for_each(|shape| self.proven.forgive(shape));
        }
        Ok(found)
    }

    /// Runs a read as a trial. `None` if it is slow. `is_try` says that its shape is known to be.
    async fn try_read<R: ConnectionRead>(
        &self,
        origin: ReadOrigin<'_>,
        read: &mut R,
        is_try: bool,
    ) -> Result<Option<R::Found>, Error> {
        let mut connection = self.trial().await?;
        if !is_try && self.is_slow(origin) {
            // Its shape has turned out to be slow while it waited.
            return Ok(None);
        }
        let begun = Instant::now();
        let result = timeout(TRIAL_ANSWER_TIME_MAX, attempt(&mut connection, read)).await;
        drop(connection);
        if is_try {
            let is_fast = matches!(result, Ok(Ok(_)));
            self.slow_queue.note_try(origin.client, begun.elapsed(), is_fast);
        }
        let result = match result {
            Ok(Ok((found, took))) => {
                origin.shapes().for_each(|shape| self.proven.note(shape, took));
                Some(found)
            }
            Ok(Err(LaneFailure::TooSlow)) => {
                self.note_slow(origin);
                None
            }
            Ok(Err(failure)) => return Err(failure.into()),
            Err(_) => return Err(fault::overloaded("the server did not answer a read in time")),
        };
        if !is_try && result.is_none() {
            self.slow_queue.note_failure(origin.client);
        }
        Ok(result)
    }

    /// Waits for the connection of a trial.
    async fn trial(&self) -> Result<PooledConnection, Error> {
        let waiting = self.trials_waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = WaitingTrial(&self.trials_waiting);
        if waiting >= TRIALS_WAITING_MAX {
            let full = text!("Too many requests are waiting for the database.");
            return Err(Error::unavailable(full, RETRY_SECONDS));
        }
        let places = Arc::clone(&self.trial_places);
        let place = async move {
            match timeout(limits::SLOW_WAIT_MAX, places.acquire_owned()).await {
                Ok(Ok(place)) => Ok(PoolPlace::Trial(place)),
                Ok(Err(_)) => Err(Error::internal("the places of trials were closed")),
                Err(_) => Err(slow::too_late()),
            }
        };
        let place = TimedPlace::of(self.runtime.handle(), TRIAL_PLACE_TIME_MAX, place).await?;
        self.trials.take(place).await
    }
}

/// Runs a read, also a second time if the connection was lost or a statement is out of date.
/// Returns how long the last run took.
async fn attempt<R: ConnectionRead>(
    connection: &mut PooledConnection,
    read: &mut R,
) -> Result<(R::Found, Duration), LaneFailure> {
    let mut is_first = true;
    loop {
        let begun = Instant::now();
        let failure = match read.run(connection.lane()).await {
            Ok(found) => {
                // A busy thread may look at the answer late.
                let answered = connection.lane().last_turn();
                return Ok((found, answered.saturating_duration_since(begun)));
            }
            Err(failure) => failure,
        };
        match failure.remedy() {
            Remedy::None | Remedy::MoreTime => return Err(failure),
            _ if !std::mem::take(&mut is_first) => {
                connection.lane().spend();
                return Err(failure);
            }
            Remedy::Again => {}
            Remedy::Prepare => connection.lane().forget_statements(),
            Remedy::Connect => connection.replace().await.map_err(LaneFailure::Failed)?,
        }
    }
}
