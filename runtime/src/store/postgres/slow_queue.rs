//! The queue in which slow reads wait for a connection. Clients share the few connections fairly.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time::timeout};

use crate::{
    base::{error::Error, limits},
    plan::ClientKey,
    store::slow::{self, Arrival, Credit, Event, ReadNumber, ReadQueue, Standings},
};

/// The maximum number of slow reads that run at the same time. A scan of a table keeps a core of
/// the server busy, so more of them would only share its cores.
const SLOW_CONNECTIONS: usize = 2;
/// The time of a read that could as well have run as a trial.
pub(super) const QUICK_TIME_MAX: Duration = Duration::from_millis(50);
/// The time that can be saved up for tries of reads whose shape is slow: some forty that fail.
const TRIES_CREDIT_MAX: Duration = Duration::from_secs(4);

/// The queue of slow reads.
pub(super) struct SlowQueue(Mutex<SlowQueueState>);

struct SlowQueueState {
    queue: ReadQueue<TurnSender>,
    standings: Standings,
    credit: Credit,
    /// The clients of the running reads.
    running: Vec<ClientKey>,
}

/// The sender of the turn of a waiting read, or of the reason why it has none.
type TurnSender = oneshot::Sender<Result<SlowTurn, Error>>;

/// The turn of a slow read, which ends when this is dropped. The next read then has its turn.
pub(super) struct SlowTurn {
    queue: Arc<SlowQueue>,
    client: ClientKey,
    begun: Instant,
}

/// A read that waits for its turn.
struct QueuedTurn<'q> {
    queue: &'q SlowQueue,
    number: ReadNumber,
}

impl SlowQueue {
    /// Creates an empty queue. `try_time` is what a try may take at most.
    pub(super) fn new(try_time: Duration) -> Arc<Self> {
        Arc::new(Self(Mutex::new(SlowQueueState {
            queue: ReadQueue::new(),
            standings: Standings::default(),
            credit: Credit::new(Instant::now(), try_time, TRIES_CREDIT_MAX),
            running: vec![],
        })))
    }

    fn lock(&self) -> MutexGuard<'_, SlowQueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of reads that wait, and of those that run.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.lock();
        (state.queue.len(), state.running.len())
    }

    /// Whether a read that comes now has to wait.
    pub(super) fn is_busy(&self) -> bool {
        let (waiting, running) = self.counts();
        waiting + running >= SLOW_CONNECTIONS
    }

    /// Whether a read of a slow shape may be tried on another connection: it would have to wait
    /// here, and there is credit for this client.
    pub(super) fn allows_try(&self, client: ClientKey) -> bool {
        if !self.is_busy() {
            return false;
        }
        let (mut state, now) = (self.lock(), Instant::now());
        let standing = state.standings.of(client, now);
        state.credit.allows(standing, now)
    }

    /// Records a try: how long it took, and whether the read was fast.
    pub(super) fn note_try(&self, client: ClientKey, took: Duration, is_fast: bool) {
        self.lock().credit.spend(took);
        self.note(client, if is_fast { Event::Success } else { Event::Failure });
    }

    /// Records that a read was too slow for other connections.
    pub(super) fn note_failure(&self, client: ClientKey) {
        self.note(client, Event::Failure);
    }

    fn note(&self, client: ClientKey, event: Event) {
        self.lock().standings.note(client, event, Instant::now());
    }

    /// Waits for the turn of a read. If the caller stops waiting, the read leaves the queue.
    pub(super) async fn turn(self: &Arc<Self>, client: ClientKey) -> Result<SlowTurn, Error> {
        let (sender, turn) = oneshot::channel();
        let number = self.put(client, sender)?;
        let _queued = QueuedTurn { queue: self, number };
        self.serve();
        match timeout(limits::SLOW_WAIT_MAX, turn).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => Err(Error::internal("a slow read was forgotten")),
            Err(_) => Err(slow::too_late()),
        }
    }

    /// Queues a read. If the queue is full, another one may be refused in its place.
    fn put(&self, client: ClientKey, sender: TurnSender) -> Result<ReadNumber, Error> {
        let (mut state, now) = (self.lock(), Instant::now());
        let standing = state.standings.of(client, now);
        let (number, displaced) = match state.queue.put(client, standing, now, sender) {
            Arrival::Placed(number) => return Ok(number),
            Arrival::Displaced(number, other) => (Some(number), Some(other)),
            Arrival::Refused => (None, None),
        };
        let refused = displaced.as_ref().map_or(client, |other| other.client);
        state.standings.note(refused, Event::Refusal, now);
        drop(state);
        if let Some(other) = displaced {
            other.work.send(Err(slow::full())).ok();
        }
        number.ok_or_else(slow::full)
    }

    /// Gives turns to the reads that are next, as long as there are connections for them.
    fn serve(self: &Arc<Self>) {
        while let Some((client, sender)) = self.next() {
            let turn = SlowTurn { queue: Arc::clone(self), client, begun: Instant::now() };
            // If nobody waits for the turn any more, it ends at once.
            sender.send(Ok(turn)).ok();
        }
    }

    /// Takes the read that is next. `None` if no read waits, or no connection is free.
    fn next(&self) -> Option<(ClientKey, TurnSender)> {
        let mut state = self.lock();
        let SlowQueueState { queue, running, .. } = &mut *state;
        if running.len() >= SLOW_CONNECTIONS {
            return None;
        }
        let next = queue.take(|client| running.iter().filter(|other| **other == client).count())?;
        running.push(next.client);
        Some((next.client, next.work))
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

impl Drop for SlowTurn {
    fn drop(&mut self) {
        self.queue.end(self.client, self.begun.elapsed());
        self.queue.serve();
    }
}

impl Drop for QueuedTurn<'_> {
    fn drop(&mut self) {
        self.queue.lock().queue.remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn a_turn_begins_when_another_one_ends_and_whoever_leaves_gives_up_the_place() {
        run(async {
            let queue = SlowQueue::new(Duration::from_millis(100));
            let turn = |client| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.turn(ClientKey::Connection(client)).await })
            };
            let first = turn(1).await.unwrap().ok().unwrap();
            let second = turn(1).await.unwrap().ok().unwrap();
            let (third, fourth) = (turn(1), turn(2));
            tokio::task::yield_now().await;
            assert_eq!(queue.counts(), (2, 2));
            drop(first);
            let fourth = fourth.await.unwrap().ok().unwrap();
            assert!(!third.is_finished(), "a client with running reads waits for others");
            third.abort();
            assert!(third.await.is_err());
            assert_eq!(queue.counts(), (0, 2));
            drop((second, fourth));
            assert_eq!((queue.counts(), queue.is_busy()), ((0, 0), false));
        });
    }

    #[test]
    fn a_client_with_too_many_waiting_reads_is_refused() {
        run(async {
            let queue = SlowQueue::new(Duration::from_millis(100));
            let turn = || {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.turn(ClientKey::Connection(1)).await })
            };
            let waiting: Vec<_> =
                (0..SLOW_CONNECTIONS + limits::SLOW_WAITING_CLIENT_MAX).map(|_| turn()).collect();
            tokio::task::yield_now().await;
            assert_eq!(queue.counts(), (limits::SLOW_WAITING_CLIENT_MAX, SLOW_CONNECTIONS));
            assert_eq!(turn().await.unwrap().err().unwrap().status(), 503);
            // Each turn ends at once when it is received, and passes on to the next.
            for turn in waiting {
                assert!(turn.await.unwrap().is_ok());
            }
            assert_eq!(queue.counts(), (0, 0));
        });
    }
}
