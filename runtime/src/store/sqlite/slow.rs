//! The slow lane: reads that would hold up a worker, on few threads of low priority with their own
//! connections.
//!
//! A worker runs every read for a moment to find out whether it is slow. It remembers the shape of
//! a slow statement, and leaves the next reads of that shape to the slow lane, until one turns out
//! to be fast.
//!
//! While the slow lane is busy, the worker first tries them itself, in a tenth of its time. The
//! same shape may be fast with other values, and such a read must not wait for a slow one. Clients
//! share the tries and the places in the queue fairly.

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

/// The `Retry-After` seconds of a refusal.
const RETRY_SECONDS: u16 = 2;

/// The slow lane; its threads end when this is dropped.
pub(super) struct SlowLane(Arc<SlowLaneShared>);

/// The state that the threads, the workers and the waiting requests share.
struct SlowLaneShared {
    threads: usize,
    /// The number of reads that wait or are under way, readable without the lock.
    reads: AtomicUsize,
    state: Mutex<SlowLaneState>,
    /// Notified when a read arrives, and when the slow lane is closed.
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

/// A read, and the channel to its waiting request.
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

    /// Creates a slow lane of `threads` threads, which are not started yet.
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

    /// Sets the time from which on a read is logged as slow. `None` turns the log off.
    pub(super) fn log_from(&self, time: Option<Duration>) {
        self.0.log.set_min(time);
    }

    /// Whether a read would have to wait.
    pub(super) fn is_busy(&self) -> bool {
        self.0.reads.load(Ordering::Relaxed) >= self.0.threads
    }

    /// Reads on the lane of a worker, unless the read is known to be too slow, or turns out to be.
    /// In that case the sink is unchanged.
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

    /// Tries a read of a slow shape if the slow lane is busy and there is credit for a try.
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
        // The clock of the thread does not count the time in which the system runs other threads.
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

    /// Reads on the slow lane, and returns whether the read was fast.
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
        // A program may call without a runtime, so without a timer. Its read expires when its turn
        // comes.
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

    /// Updates the number of reads.
    fn count(&self, state: &SlowLaneState) {
        self.reads.store(state.queue.len() + state.running.len(), Ordering::Relaxed);
    }

    fn note(&self, client: ClientKey, event: Event) {
        self.lock().standings.note(client, event, Instant::now());
    }

    /// Queues a read, or refuses it.
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
            // Its client may have disconnected.
            other.work.answer.send(Err(full())).ok();
        }
        number.ok_or_else(full)
    }

    /// Removes a read from the queue, and returns whether it was still there.
    fn withdraw(&self, number: ReadNumber) -> bool {
        let mut state = self.lock();
        let withdrawn = state.queue.remove(number);
        self.count(&state);
        drop(state);
        withdrawn.is_some()
    }

    /// Waits for the next read. `None` once the slow lane is closed.
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

    /// Notes the end of a read, how long it took, and whether it was fast.
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

/// The place of a waiting request in the queue. It is freed when this is dropped.
struct SlowReadWaiter<'s> {
    shared: &'s SlowLaneShared,
    number: ReadNumber,
    nobody_waits: Arc<AtomicBool>,
}

impl SlowReadWaiter<'_> {
    /// Waits for the answer. `patience` limits only the wait in the queue, not the read.
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
