//! The slow lane: a few low-priority threads with their own connections. These threads execute
//! reads that would take too much time of a worker (a thread that serves requests).
//!
//! A worker starts every read itself, with a small time budget. If a statement exceeds the budget,
//! the worker remembers the statement's shape (the statement without values) as slow. Later reads
//! of that shape run on the slow lane, until one of them is fast.
//!
//! A slow shape may be fast with other values, and a fast read should not wait for a slow one. So
//! while the slow lane is busy, workers first try reads of slow shapes themselves. A worker spends
//! at most a tenth of its time on such tries. Clients share these tries, and the places in the
//! queue of the slow lane, fairly.

mod log;
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

use self::{log::SlowLog, thread::SlowThread, thread_time::ThreadTime};
use super::lane::{Lane, Lanes};
use crate::{
    base::{error::Error, limits},
    model::Model,
    plan::{ClientKey, Plan},
    store::{
        PlanResult,
        read::{self, Attempt},
        sink::Sink,
        slow::{Arrival, Event, ReadNumber, ReadQueue, Standings, full, too_late},
    },
};

/// The slow lane: the threads for slow reads, and their queue. The threads end when this is
/// dropped.
pub(super) struct SlowLane(Arc<SlowLaneShared>);

/// The state that is shared by the threads of the slow lane, the workers, and the waiting requests.
struct SlowLaneShared {
    threads: usize,
    /// The number of slow reads that are queued or running. The number can be read without the lock
    /// of `state`.
    reads: AtomicUsize,
    state: Mutex<SlowLaneState>,
    /// A condition that is notified when a read is queued, and when the slow lane is closed.
    arrivals: Condvar,
    log: SlowLog,
}

struct SlowLaneState {
    queue: ReadQueue<Box<SlowRead>>,
    standings: Standings,
    /// The clients of the running reads. A client with several running reads occurs several times.
    running: Vec<ClientKey>,
    is_closed: bool,
}

/// A queued slow read, and the channel to the request that waits for its result.
struct SlowRead {
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    nobody_waits: Arc<AtomicBool>,
    answer: oneshot::Sender<SlowReadResult>,
}

/// The result of a slow read, and whether the read was fast enough for a worker.
type SlowReadResult = Result<(PlanResult, bool), Error>;

impl SlowLane {
    /// Starts the slow lane with a thread for every two processor cores, but at least one.
    pub(super) fn start(lanes: &Lanes) -> io::Result<Self> {
        let cores = threads::available_parallelism().map_or(1, NonZero::get);
        let slow = Self::new((cores / 2).max(1));
        for _ in 0..slow.0.threads {
            let thread = SlowThread::new(Arc::clone(&slow.0), lanes.clone());
            threads::Builder::new().name("nouns-slow".into()).spawn(|| thread.run())?;
        }
        Ok(slow)
    }

    /// Creates a slow lane for `threads` threads, without starting them.
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

    /// The number of reads that wait, and the number of those that run.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.0.lock();
        (state.queue.len(), state.running.len())
    }

    /// Sets the minimum time of reads that are logged as slow. `None` turns the log of slow reads
    /// off.
    pub(super) fn log_from(&self, time: Option<Duration>) {
        self.0.log.set_min(time);
    }

    /// Whether a read that is queued now may have to wait: at least as many reads are queued or
    /// running as there are threads.
    pub(super) fn is_busy(&self) -> bool {
        self.0.reads.load(Ordering::Relaxed) >= self.0.threads
    }

    /// Executes a read on a worker's lane. Returns `Attempt::TooSlow`, with an unchanged sink, if
    /// the read exceeds the time budget. Also returns it if a statement of the read is known to be
    /// slow and is not tried.
    pub(super) fn attempt(
        &self,
        lane: &mut Lane,
        model: &Arc<Model>,
        plan: &Plan,
        sink: &mut Sink,
    ) -> Result<Attempt, Error> {
        lane.give_time(plan);
        if lane.is_slow_at(plan) {
            return self.attempt_again(lane, model, plan, sink);
        }
        let result = read::run(lane, model, plan, sink);
        if matches!(result, Ok(Attempt::TooSlow)) {
            self.0.note(plan.client, Event::Failure);
        }
        result
    }

    /// Tries a read of a slow shape on a worker's lane, if the slow lane is busy and the worker has
    /// credit (time for tries) left. Otherwise returns `Attempt::TooSlow`.
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
        // The CPU clock of the thread does not advance while the system runs other threads.
        let begun = ThreadTime::now();
        let attempt = read::run(lane, model, plan, sink)?;
        lane.credit.spend(begun.elapsed());
        let is_done = matches!(attempt, Attempt::Done { .. });
        if is_done {
            plan.steps.iter().for_each(|step| lane.handle.note_quick_try(&step.shape));
        }
        self.0.note(plan.client, if is_done { Event::Success } else { Event::Failure });
        Ok(attempt)
    }

    /// Queues a read for the slow lane, and waits for its result. Also returns whether the read was
    /// fast enough for a worker.
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
        // A program may call without a tokio runtime, so without a timer for this timeout. A read
        // of a program that has waited too long is refused when a thread next looks at the queue.
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

    /// Copies the number of queued and running reads into `reads`, which can be read without the
    /// lock.
    fn count(&self, state: &SlowLaneState) {
        self.reads.store(state.queue.len() + state.running.len(), Ordering::Relaxed);
    }

    fn note(&self, client: ClientKey, event: Event) {
        self.lock().standings.note(client, event, Instant::now());
    }

    /// Queues a read. If the client has too many queued reads or the queue is full, the read is
    /// refused with 503. A full queue may instead refuse a read that was queued before.
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
            // Sending fails if the client of the displaced read has disconnected.
            other.work.answer.send(Err(full())).ok();
        }
        number.ok_or_else(full)
    }

    /// Removes a read from the queue. Returns whether the read was still queued.
    fn withdraw(&self, number: ReadNumber) -> bool {
        let mut state = self.lock();
        let withdrawn = state.queue.remove(number);
        self.count(&state);
        drop(state);
        withdrawn.is_some()
    }

    /// Waits for a queued read, and takes it from the queue. Refuses reads that have waited too
    /// long. Returns `None` once the slow lane is closed.
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

    /// Records that a running read has ended. `took` is the duration of the read. `is_fast` says
    /// whether the read was fast enough for a worker.
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

/// A request that waits for a slow read. When this is dropped, a queued read is removed from the
/// queue, and a running read learns that nobody waits for its result.
struct SlowReadWaiter<'s> {
    shared: &'s SlowLaneShared,
    number: ReadNumber,
    nobody_waits: Arc<AtomicBool>,
}

impl SlowReadWaiter<'_> {
    /// Waits for the result of the read. `patience` limits only the time in the queue, not the time
    /// of the execution. `None` is no limit.
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

#[cfg(test)]
pub(super) mod tests;
