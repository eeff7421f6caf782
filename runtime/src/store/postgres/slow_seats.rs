//! The seats of slow reads: a few threads, each with a connection, and the queue in which slow
//! reads wait for them. Clients share both fairly.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time::timeout};

use super::{
    home::Home,
    pool::{Chair, Pool, PoolOptions, PoolRefusal},
    reader::ReadConnection,
    wire::{Presence, WaitLimit},
};
use crate::{
    base::{error::Error, limits},
    plan::ClientKey,
    store::{
        job,
        slow::{self, Arrival, Credit, Event, ReadNumber, ReadQueue, Standings},
    },
};

/// The maximum number of slow reads that run at the same time. A scan of a table keeps a core of
/// the server busy, so more of them would only share its cores.
pub(super) const SLOW_SEATS: usize = 2;
/// The time of a read that could as well have run among the fast ones.
pub(super) const QUICK_TIME_MAX: Duration = Duration::from_millis(50);
/// The time that can be saved up for tries of reads whose shape is slow: some forty that fail.
const TRIES_CREDIT_MAX: Duration = Duration::from_secs(4);

/// The threads for slow reads, and their queue.
pub(super) struct SlowSeats {
    pool: Pool<ReadConnection>,
    line: Arc<SlowLine>,
}

/// The queue, as the threads and the waiting requests see it.
struct SlowLine(Mutex<SlowLineState>);

struct SlowLineState {
    queue: ReadQueue<SlowWork>,
    standings: Standings,
    credit: Credit,
    /// The clients of the running reads.
    running: Vec<ClientKey>,
    /// The pieces of work in the pool, each of which takes one read from the queue. A read that was
    /// withdrawn leaves its piece of work to a later one.
    tickets: usize,
}

/// A slow read. It gets a chair, or the reason why there is none.
type SlowWork = Box<dyn FnOnce(Result<&mut Chair<ReadConnection>, Error>) + Send>;

impl SlowSeats {
    /// Starts the threads. `try_time` is what a try may take at most.
    pub(super) fn start(home: &Arc<Home>, try_time: Duration) -> io::Result<Self> {
        let options = PoolOptions {
            name: "nouns-slow",
            threads: SLOW_SEATS,
            waiting_max: limits::SLOW_WAITING_MAX,
            settings: "",
        };
        let state = SlowLineState {
            queue: ReadQueue::new(),
            standings: Standings::default(),
            credit: Credit::new(Instant::now(), try_time, TRIES_CREDIT_MAX),
            running: vec![],
            tickets: 0,
        };
        let line = Arc::new(SlowLine(Mutex::new(state)));
        Ok(Self { pool: Pool::start(home, options)?, line })
    }

    /// The number of reads that wait, and of those that run.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.line.lock();
        (state.queue.len(), state.running.len())
    }

    /// Whether a read that comes now has to wait.
    pub(super) fn is_busy(&self) -> bool {
        let (waiting, running) = self.counts();
        waiting + running >= SLOW_SEATS
    }

    /// Whether a read of a slow shape may be tried among the fast ones: it would have to wait here,
    /// and there is credit for this client.
    pub(super) fn allows_try(&self, client: ClientKey) -> bool {
        if !self.is_busy() {
            return false;
        }
        let (mut state, now) = (self.line.lock(), Instant::now());
        let standing = state.standings.of(client, now);
        state.credit.allows(standing, now)
    }

    /// Records a try: how long it took, and whether the read was fast.
    pub(super) fn note_try(&self, client: ClientKey, took: Duration, is_fast: bool) {
        self.line.lock().credit.spend(took);
        self.note(client, if is_fast { Event::Success } else { Event::Failure });
    }

    /// Records that a read was too slow for the other seats.
    pub(super) fn note_failure(&self, client: ClientKey) {
        self.note(client, Event::Failure);
    }

    fn note(&self, client: ClientKey, event: Event) {
        self.line.lock().standings.note(client, event, Instant::now());
    }

    /// Runs a slow read, and waits for its result. If the caller stops waiting, a read that waits
    /// is removed from the queue, and the statement of one that runs is cancelled.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        client: ClientKey,
        work: impl FnOnce(&mut Chair<ReadConnection>, &WaitLimit) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, mut answered) = oneshot::channel();
        let presence = Arc::<Presence>::default();
        let present = Arc::clone(&presence);
        let task = move |seat: Result<&mut Chair<ReadConnection>, Error>| {
            let result = seat.and_then(|chair| {
                let limit = WaitLimit::new(Instant::now() + limits::SLOW_TIME_MAX, Some(present));
                let result = chair.run(|chair| work(chair, &limit));
                result.map_err(|error| if limit.is_over() { slow::too_slow() } else { error })
            });
            answer.send(result).ok();
        };
        let number = self.put(client, Box::new(task))?;
        let waiter = SlowWaiter { line: &self.line, number, presence };
        // A program may call without a tokio runtime, so without a timer. Its reads that have
        // waited for too long are refused when a thread next looks at the queue.
        let answer = match client {
            ClientKey::Program => answered.await,
            _ => match timeout(limits::SLOW_WAIT_MAX, &mut answered).await {
                Ok(answer) => answer,
                Err(_) if waiter.withdraw() => return Err(slow::too_late()),
                Err(_) => answered.await,
            },
        };
        answer.unwrap_or_else(|_| Err(Error::internal("a thread ended without a result")))
    }

    /// Queues a read. If the queue is full, another one may be refused in its place.
    fn put(&self, client: ClientKey, work: SlowWork) -> Result<ReadNumber, Error> {
        let (mut state, now) = (self.line.lock(), Instant::now());
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
        let needs_ticket = state.tickets < state.queue.len();
        state.tickets += usize::from(needs_ticket);
        drop(state);
        if let Some(other) = displaced {
            (other.work)(Err(slow::full()));
        }
        if needs_ticket {
            let line = Arc::clone(&self.line);
            self.pool.put(move |chair| line.serve(chair)).map_err(|refusal| {
                self.line.lock().tickets -= 1;
                match refusal {
                    PoolRefusal::Full => slow::full(),
                    PoolRefusal::Closed => job::closed(),
                }
            })?;
        }
        number.ok_or_else(slow::full)
    }
}

impl SlowLine {
    fn lock(&self) -> MutexGuard<'_, SlowLineState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the read that is next.
    fn serve(&self, chair: &mut Chair<ReadConnection>) {
        let mut state = self.lock();
        state.tickets -= 1;
        let late = state.queue.expired(Instant::now());
        let SlowLineState { queue, running, .. } = &mut *state;
        let next = queue.take(|client| running.iter().filter(|other| **other == client).count());
        running.extend(next.as_ref().map(|entry| entry.client));
        drop(state);
        for entry in late {
            (entry.work)(Err(slow::too_late()));
        }
        let Some(entry) = next else { return };
        let (client, begun) = (entry.client, Instant::now());
        (entry.work)(Ok(chair));
        self.end(client, begun.elapsed());
    }

    fn end(&self, client: ClientKey, took: Duration) {
        let (mut state, now) = (self.lock(), Instant::now());
        if let Some(at) = state.running.iter().position(|other| *other == client) {
            state.running.swap_remove(at);
        }
        if took <= QUICK_TIME_MAX {
            state.standings.note(client, Event::Success, now);
        }
        let standing = state.standings.note(client, Event::Occupied(took), now);
        state.queue.charge(client, standing);
    }
}

/// A request that waits for a slow read.
struct SlowWaiter<'s> {
    line: &'s SlowLine,
    number: ReadNumber,
    presence: Arc<Presence>,
}

impl SlowWaiter<'_> {
    /// Removes the read from the queue. Returns whether it was still there.
    fn withdraw(&self) -> bool {
        self.line.lock().queue.remove(self.number).is_some()
    }
}

impl Drop for SlowWaiter<'_> {
    fn drop(&mut self) {
        self.presence.leave();
        self.withdraw();
    }
}
