//! The slow lane: reads that would hold up a worker, on few threads of low priority, with
//! connections of their own.
//!
//! A worker finds out that a read is slow by running it for a moment. It remembers the shape of the
//! statement, and leaves the next reads of that shape to the slow lane, until one turns out to be
//! fast. While the slow lane is busy, the worker first tries them itself, in a tenth of its time:
//! the same shape is fast with other values, and must not wait for a slow one. The tries and the
//! places in the queue are shared fairly between clients.

mod credit;
mod log;
mod queue;
mod standing;
mod thread;
mod thread_time;

use std::{
    io,
    num::NonZero,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread as threads,
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time::timeout};

pub(super) use self::credit::Credit;
use self::{
    log::SlowLog,
    queue::{Arrival, ReadNumber, ReadQueue},
    standing::{Event, Standings},
    thread::SlowThread,
    thread_time::ThreadTime,
};
use super::lane::{Lane, Lanes};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    model::Model,
    plan::{ClientKey, Plan},
    store::{
        PlanResult,
        read::{self, Attempt},
        sink::Sink,
    },
};

/// The seconds after which a client that was refused tries again.
const RETRY_SECONDS: u16 = 2;

/// The slow lane; its threads end when this is dropped.
pub(super) struct SlowLane(Arc<SlowLaneShared>);

/// What the threads, the workers and the requests that wait have in common.
struct SlowLaneShared {
    threads: usize,
    /// The reads that wait or are under way, for those who need not know more.
    reads: AtomicUsize,
    state: Mutex<SlowLaneState>,
    /// Notified when a read comes, and when the slow lane is closed.
    arrivals: Condvar,
    log: SlowLog,
}

struct SlowLaneState {
    queue: ReadQueue<Box<SlowRead>>,
    standings: Standings,
    /// The clients of the reads that are under way.
    running: Vec<ClientKey>,
    is_closed: bool,
}

/// A read, and who waits for it.
struct SlowRead {
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    nobody_waits: Arc<AtomicBool>,
    answer: oneshot::Sender<SlowReadResult>,
}

/// The result of a read, and whether it was fast after all.
type SlowReadResult = Result<(PlanResult, bool), Error>;

impl SlowLane {
    /// Starts its threads.
    pub(super) fn start(lanes: &Lanes) -> io::Result<Self> {
        let cores = threads::available_parallelism().map_or(1, NonZero::get);
        let slow = Self::new((cores / 2).max(1));
        for _ in 0..slow.0.threads {
            let thread = SlowThread::new(Arc::clone(&slow.0), lanes.clone());
            threads::Builder::new().name("nouns-slow".into()).spawn(|| thread.run())?;
        }
        Ok(slow)
    }

    /// A slow lane of so many threads, which are still to be started.
    fn new(threads: usize) -> Self {
        let state = SlowLaneState {
            queue: ReadQueue::new(),
            standings: Standings::default(),
            running: vec![],
            is_closed: false,
        };
        let (state, arrivals) = (Mutex::new(state), Condvar::new());
        Self(Arc::new(SlowLaneShared {
            threads,
            reads: AtomicUsize::new(0),
            state,
            arrivals,
            log: SlowLog::new(),
        }))
    }

    /// Sets the time from which on a read is logged as slow; with none, none is.
    pub(super) fn log_from(&self, time: Option<Duration>) {
        self.0.log.set_min(time);
    }

    /// Whether a read would have to wait.
    pub(super) fn is_busy(&self) -> bool {
        self.0.reads.load(Ordering::Relaxed) >= self.0.threads
    }

    /// Reads on the lane of a worker, unless that is known to take too long, or turns out to: then
    /// the sink is as it was.
    pub(super) fn attempt(
        &self,
        lane: &mut Lane,
        model: &Arc<Model>,
        plan: &Plan,
        sink: &mut Sink,
    ) -> Result<Attempt, Error> {
        if lane.is_slow_at(plan) {
            return self.attempt_again(lane, model, plan, sink);
        }
        let ran = read::run(lane, model, plan, sink);
        if matches!(ran, Ok(Attempt::TooSlow)) {
            self.0.note(plan.client, Event::Failure);
        }
        ran
    }

    /// Reads what was slow before, where the slow lane is busy and there is credit for a try.
    #[cold]
    fn attempt_again(
        &self,
        lane: &mut Lane,
        model: &Arc<Model>,
        plan: &Plan,
        sink: &mut Sink,
    ) -> Result<Attempt, Error> {
        let now = Instant::now();
        if !self.is_busy() || !lane.credit.allows(self.0.lock().standings.of(plan.client, now), now)
        {
            return Ok(Attempt::TooSlow);
        }
        // By its own clock: that the system lets another thread run is no time of this one.
        let begun = ThreadTime::now();
        let ran = read::run(lane, model, plan, sink)?;
        lane.credit.spend(begun.elapsed());
        let is_done = matches!(ran, Attempt::Done { .. });
        if is_done {
            plan.steps.iter().for_each(|step| lane.handle.note_quick_try(&step.shape));
        }
        self.0.note(plan.client, if is_done { Event::Success } else { Event::Failure });
        Ok(ran)
    }

    /// Reads on the slow lane, and says whether that was fast.
    pub(super) async fn read(&self, model: &Arc<Model>, plan: &Plan, sink: Sink) -> SlowReadResult {
        let (answer, answered) = oneshot::channel();
        let nobody_waits = Arc::<AtomicBool>::default();
        let work = SlowRead {
            model: Arc::clone(model),
            plan: plan.clone(),
            sink,
            nobody_waits: Arc::clone(&nobody_waits),
            answer,
        };
        let number = self.0.put(Box::new(work))?;
        let waiting = SlowReadWaiter { shared: &self.0, number, nobody_waits };
        // A program may call without any runtime, where there is no clock: it finds out when its
        // turn comes.
        let patience = (plan.client != ClientKey::Program).then_some(limits::SLOW_WAIT_MAX);
        waiting.answer(answered, patience).await
    }
}

impl Drop for SlowLane {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.arrivals.notify_all();
    }
}

impl SlowLaneShared {
    fn lock(&self) -> MutexGuard<'_, SlowLaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the reads that there are.
    fn count(&self, state: &SlowLaneState) {
        self.reads.store(state.queue.len() + state.running.len(), Ordering::Relaxed);
    }

    fn note(&self, client: ClientKey, event: Event) {
        self.lock().standings.note(client, event, Instant::now());
    }

    /// Puts a read into the queue, or refuses it.
    fn put(&self, work: Box<SlowRead>) -> Result<ReadNumber, Error> {
        let (client, now) = (work.plan.client, Instant::now());
        let mut state = self.lock();
        let standing = state.standings.of(client, now);
        let (number, displaced) = match state.queue.put(client, standing, now, work) {
            Arrival::Placed(number) => (Some(number), None),
            Arrival::Displaced(number, other) => (Some(number), Some(other)),
            Arrival::Refused => (None, None),
        };
        if number.is_none() || displaced.is_some() {
            let refused = displaced.as_ref().map_or(client, |other| other.client);
            state.standings.note(refused, Event::Refusal, now);
        }
        self.count(&state);
        drop(state);
        self.arrivals.notify_one();
        if let Some(other) = displaced {
            // Its client may have gone.
            other.work.answer.send(Err(full())).ok();
        }
        number.ok_or_else(full)
    }

    /// Takes a read out of the queue, and says whether it was still there.
    fn withdraw(&self, number: ReadNumber) -> bool {
        let mut state = self.lock();
        let withdrawn = state.queue.remove(number);
        self.count(&state);
        drop(state);
        withdrawn.is_some()
    }

    /// Waits for a read whose turn it is; nothing once the slow lane is closed.
    fn next(&self) -> Option<Box<SlowRead>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            for late in state.queue.expired(Instant::now()) {
                late.work.answer.send(Err(too_late())).ok();
            }
            let SlowLaneState { queue, running, .. } = &mut *state;
            let next =
                queue.take(|client| running.iter().filter(|other| **other == client).count());
            running.extend(next.as_ref().map(|entry| entry.client));
            self.count(&state);
            if let Some(entry) = next {
                return Some(entry.work);
            }
            state = self.arrivals.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that a read is no longer under way, how long it took, and whether it was fast.
    fn end(&self, client: ClientKey, took: Duration, is_fast: bool) {
        let (mut state, now) = (self.lock(), Instant::now());
        if let Some(at) = state.running.iter().position(|other| *other == client) {
            state.running.swap_remove(at);
        }
        if is_fast {
            state.standings.note(client, Event::Success, now);
        }
        let standing = state.standings.note(client, Event::Occupied(took), now);
        state.queue.charge(client, standing);
        self.count(&state);
    }
}

/// The place of somebody who waits; it is freed when this is dropped.
struct SlowReadWaiter<'s> {
    shared: &'s SlowLaneShared,
    number: ReadNumber,
    nobody_waits: Arc<AtomicBool>,
}

impl SlowReadWaiter<'_> {
    /// Waits for the answer, with patience until the read is begun.
    async fn answer(
        self,
        mut answered: oneshot::Receiver<SlowReadResult>,
        patience: Option<Duration>,
    ) -> SlowReadResult {
        let answer = match patience {
            None => answered.await,
            Some(patience) => match timeout(patience, &mut answered).await {
                Ok(answer) => answer,
                Err(_) if self.shared.withdraw(self.number) => return Err(too_late()),
                Err(_) => answered.await,
            },
        };
        answer.unwrap_or_else(|_| Err(Error::internal("the threads of slow reads have ended")))
    }
}

impl Drop for SlowReadWaiter<'_> {
    fn drop(&mut self) {
        self.nobody_waits.store(true, Ordering::Relaxed);
        self.shared.withdraw(self.number);
    }
}

fn full() -> Error {
    Error::unavailable(text!("Too many slow queries wait."), RETRY_SECONDS)
}

fn too_late() -> Error {
    Error::unavailable(text!("The query has waited too long for its turn."), RETRY_SECONDS)
}

#[cfg(test)]
pub(super) mod tests;
