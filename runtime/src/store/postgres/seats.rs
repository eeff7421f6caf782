//! The connections of reads that do not run on a lane. Most of them are for fast reads: the server
//! ends each statement there that is slow. The read then runs on one of the few seats for slow
//! reads, and later reads of its shape do so at once.
//!
//! A slow shape may be fast with other values, and a fast read should not wait for slow ones. So
//! while the seats of slow reads are busy, some reads of slow shapes are tried among the fast ones
//! first.

use std::{
    io,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use super::{
    fault::Remedy,
    home::Home,
    pool::{Chair, Pool, PoolOptions, Seated as _},
    proven::ProvenShapes,
    reader::ReadConnection,
    slow_seats::{QUICK_TIME_MAX, SlowSeats},
    wire::WaitLimit,
};
use crate::{
    base::error::Error,
    plan::{ClientKey, Plan, Shape},
};

/// The maximum number of fast reads that run at the same time. A server has some hundred
/// connections for all of its clients.
const FAST_SEATS: usize = 6;
/// The maximum number of reads that wait for one of these connections. Further ones are refused
/// with 503.
const FAST_WAITING_MAX: usize = 1024;
/// The time of a statement of a fast read.
const FAST_TIME_MAX: Duration = Duration::from_millis(100);
const SETTINGS: &str = "SET statement_timeout = 100";
/// The time of all statements of a fast read, with the network. A server that takes longer hangs.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// The threads that read, each with a connection.
pub(super) struct ReadSeats {
    fast: Pool<ReadConnection>,
    slow: SlowSeats,
    proven: Arc<ProvenShapes>,
}

/// Whose read it is, and the shape by which it is remembered as slow.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadOrigin {
    client: ClientKey,
    shape: Option<Shape>,
}

impl ReadOrigin {
    /// The origin of a plan. Of a page with a total count, the count visits all rows.
    pub(super) fn of(plan: &Plan) -> Self {
        let last = plan.steps.last().map(|step| &step.shape);
        Self { client: plan.client, shape: last.filter(|shape| ProvenShapes::has(shape)).cloned() }
    }
}

/// A read, which can run again.
type ReadWork = Box<dyn FnMut(&mut ReadConnection) -> Result<(), Error> + Send>;

/// The result of a read among the fast ones.
enum FastRun {
    Done,
    /// It was interrupted. The work can run again.
    Interrupted(ReadWork),
    /// Its shape had turned out to be slow before it began.
    Skipped(ReadWork),
}

impl ReadSeats {
    pub(super) fn start(home: &Arc<Home>) -> io::Result<Self> {
        let options = PoolOptions {
            name: "nouns-reader",
            threads: FAST_SEATS,
            waiting_max: FAST_WAITING_MAX,
            settings: SETTINGS,
        };
        let fast = Pool::start(home, options)?;
        Ok(Self { fast, slow: SlowSeats::start(home, FAST_TIME_MAX)?, proven: Arc::default() })
    }

    /// The lists that may run on a lane.
    pub(super) fn proven(&self) -> &ProvenShapes {
        &self.proven
    }

    /// The number of slow reads that wait, and of those that run.
    pub(super) fn slow_counts(&self) -> (usize, usize) {
        self.slow.counts()
    }

    /// Runs work with a session that reads. Work that met a lost connection, or a statement that is
    /// out of date, runs again.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        origin: ReadOrigin,
        mut work: impl FnMut(&mut ReadConnection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answered) = mpsc::channel();
        let work = move |reader: &mut ReadConnection| {
            answer.send(work(reader)?).ok();
            Ok(())
        };
        self.run_boxed(origin, Box::new(work)).await?;
        answered.try_recv().map_err(|_| Error::internal("a read ended without a result"))
    }

    /// Runs work that puts its result away. It is compiled once, and not for each kind of result.
    async fn run_boxed(&self, origin: ReadOrigin, mut work: ReadWork) -> Result<(), Error> {
        let ReadOrigin { client, shape } = origin;
        let is_slow = shape.as_ref().is_some_and(|shape| self.proven.is_slow(shape));
        if !is_slow || self.slow.allows_try(client) {
            match self.run_fast(client, shape.clone(), is_slow, work).await? {
                FastRun::Done => return Ok(()),
                FastRun::Interrupted(rest) | FastRun::Skipped(rest) => work = rest,
            }
        }
        let slowly = move |chair: &mut Chair<ReadConnection>, limit: &WaitLimit| {
            attempt(chair, limit, &mut work).map_err(|(error, _)| error)
        };
        let took = self.slow.run(client, slowly).await?;
        // One fast read among many slow ones proves little.
        if let Some(shape) = shape.filter(|_| took <= QUICK_TIME_MAX && !self.slow.is_busy()) {
            self.proven.forgive(&shape);
        }
        Ok(())
    }

    /// Runs work among the fast reads. `is_try` says that its shape is slow.
    async fn run_fast(
        &self,
        client: ClientKey,
        shape: Option<Shape>,
        is_try: bool,
        mut work: ReadWork,
    ) -> Result<FastRun, Error> {
        let (proven, known) = (Arc::clone(&self.proven), shape.clone());
        let quickly = move |chair: &mut Chair<ReadConnection>| {
            if !is_try && known.as_ref().is_some_and(|shape| proven.is_slow(shape)) {
                return Ok((FastRun::Skipped(work), Duration::ZERO));
            }
            let begun = Instant::now();
            let limit = WaitLimit::new(begun + ANSWER_TIME_MAX, None);
            match attempt(chair, &limit, &mut work) {
                Ok(took) => {
                    if let Some(shape) = &known {
                        proven.note(shape, took);
                    }
                    Ok((FastRun::Done, took))
                }
                Err((_, Remedy::MoreTime)) => Ok((FastRun::Interrupted(work), begun.elapsed())),
                Err((error, _)) => Err(error),
            }
        };
        let (run, took) = self.fast.run(quickly).await?;
        let is_interrupted = matches!(run, FastRun::Interrupted(_));
        if is_try {
            self.slow.note_try(client, took, !is_interrupted);
        } else if is_interrupted {
            self.slow.note_failure(client);
        }
        if let Some(shape) = shape.filter(|_| is_interrupted) {
            self.proven.note_slow(&shape);
        }
        Ok(run)
    }
}

/// Runs work on a chair. Returns how long the last attempt took, or what can be done after its
/// error.
fn attempt(
    chair: &mut Chair<ReadConnection>,
    limit: &WaitLimit,
    work: &mut ReadWork,
) -> Result<Duration, (Error, Remedy)> {
    let mut is_first = true;
    loop {
        let reader = chair.session(limit).map_err(|error| (error, Remedy::None))?;
        let begun = Instant::now();
        let error = match work(reader) {
            Ok(()) => return Ok(begun.elapsed()),
            Err(error) => error,
        };
        match reader.handle().take_remedy() {
            remedy @ (Remedy::None | Remedy::MoreTime) => return Err((error, remedy)),
            remedy if !std::mem::take(&mut is_first) => return Err((error, remedy)),
            Remedy::Again => {}
            Remedy::Prepare => reader.handle().forget_statements(),
            Remedy::Connect => chair.leave(),
        }
    }
}
