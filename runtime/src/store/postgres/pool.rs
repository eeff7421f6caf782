//! A pool of threads, each with a connection of its own. Work waits in a bounded queue. The thread
//! that became idle last takes the next work, so there are no more connections than are needed.

use std::{
    collections::VecDeque,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{
    handle::PostgresHandle,
    home::{Home, opening_limit},
    wire::WaitLimit,
};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    store::{failure, slow},
};

/// The `Retry-After` seconds of a request that finds the queue full.
const RETRY_SECONDS: u16 = 1;

/// A session with a connection, which a thread of a pool opens when it first needs it.
pub(super) trait PooledSession: Sized {
    /// Opens the connection.
    fn connect(home: &Arc<Home>, limit: &WaitLimit) -> Result<Self, Error>;

    /// The connection.
    fn handle(&mut self) -> &mut PostgresHandle;

    /// The time without work after which a session [rests](Self::rest), again and again.
    const REST_TIME: Option<Duration> = None;

    /// Does what may wait until there is no other work.
    fn rest(&mut self, _home: &Home) {}
}

/// The database access of a thread: a session, if it has one.
pub(super) struct ThreadConnection<S> {
    home: Arc<Home>,
    settings: &'static str,
    session: Option<S>,
}

impl<S: PooledSession> ThreadConnection<S> {
    /// The database.
    pub(super) const fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Returns the session, with a new connection if the last one cannot be used.
    pub(super) fn session(&mut self, limit: &WaitLimit) -> Result<&mut S, Error> {
        if !self.session.as_mut().is_some_and(|session| session.handle().wire().is_usable()) {
            self.session = None;
            let mut session = S::connect(&self.home, limit)?;
            if !self.settings.is_empty() {
                session.handle().script(self.settings)?;
            }
            self.session = Some(session);
        }
        let session = self.session.as_mut();
        let session = session.ok_or_else(|| Error::internal("a thread has lost its session"))?;
        session.handle().wire().set_limit(limit.clone());
        Ok(session)
    }

    /// Runs work. A panic is an error, and closes the connection.
    pub(super) fn run<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|panic| {
            self.disconnect();
            Err(failure::panicked("a read", &*panic))
        })
    }

    /// Lets the session rest, if its connection can be used.
    fn rest(&mut self) {
        let home = Arc::clone(&self.home);
        let Some(session) = &mut self.session else { return };
        if session.handle().wire().is_usable() {
            session.handle().wire().set_limit(opening_limit());
            session.rest(&home);
        }
    }

    /// Closes the connection.
    pub(super) fn disconnect(&mut self) {
        self.session = None;
    }
}

type PoolWork<S> = Box<dyn FnOnce(&mut ThreadConnection<S>) + Send>;

/// The options of a pool.
pub(super) struct PoolOptions {
    /// The name of its threads.
    pub(super) name: &'static str,
    pub(super) threads: usize,
    /// The maximum number of pieces of work that wait.
    pub(super) waiting_max: usize,
    /// A script of settings for each connection.
    pub(super) settings: &'static str,
}

/// A pool of threads. They end when this is dropped, or when the pool is closed.
pub(super) struct Pool<S>(Arc<PoolShared<S>>);

struct PoolShared<S> {
    queue: Mutex<PoolQueue<S>>,
    waiting_max: usize,
}

struct PoolQueue<S> {
    waiting: VecDeque<PoolWork<S>>,
    running: usize,
    /// The threads without work, in the order in which they became idle.
    idle: Vec<Arc<Condvar>>,
    is_closed: bool,
    /// Those who wait until all threads have ended.
    closers: Vec<oneshot::Sender<()>>,
    threads: usize,
}

/// Why work was not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoolRefusal {
    Full,
    Closed,
}

impl<S: PooledSession + 'static> Pool<S> {
    /// Starts the threads of a pool. None of them has a connection yet.
    pub(super) fn start(
        home: &Arc<Home>,
        PoolOptions { name, threads, waiting_max, settings }: PoolOptions,
    ) -> io::Result<Self> {
        let queue = PoolQueue {
            waiting: VecDeque::new(),
            running: 0,
            idle: vec![],
            is_closed: false,
            closers: vec![],
            threads,
        };
        let pool = Self(Arc::new(PoolShared { queue: Mutex::new(queue), waiting_max }));
        for _ in 0..threads {
            let (shared, home) = (Arc::clone(&pool.0), Arc::clone(home));
            let work = move || shared.work(ThreadConnection { home, settings, session: None });
            thread::Builder::new().name(name.into()).spawn(work)?;
        }
        Ok(pool)
    }

    /// The number of pieces of work that wait, and of those that run.
    pub(super) fn counts(&self) -> (usize, usize) {
        let queue = self.0.lock();
        (queue.waiting.len(), queue.running)
    }

    /// Queues work for the next thread that is free.
    pub(super) fn put(
        &self,
        work: impl FnOnce(&mut ThreadConnection<S>) + Send + 'static,
    ) -> Result<(), PoolRefusal> {
        let mut queue = self.0.lock();
        if queue.is_closed {
            return Err(PoolRefusal::Closed);
        }
        if queue.waiting.len() >= self.0.waiting_max {
            return Err(PoolRefusal::Full);
        }
        queue.waiting.push_back(Box::new(work));
        if let Some(last) = queue.idle.pop() {
            last.notify_one();
        }
        Ok(())
    }

    /// Runs work on a thread of the pool, and waits for its result. Work that nobody waits for any
    /// more is not begun.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut ThreadConnection<S>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ((answer, answered), queued_at) = (oneshot::channel(), Instant::now());
        let task = move |connection: &mut ThreadConnection<S>| {
            if answer.is_closed() {
                return;
            }
            let result = match queued_at.elapsed() > limits::SLOW_WAIT_MAX {
                true => Err(slow::too_late()),
                false => connection.run(work),
            };
            answer.send(result).ok();
        };
        self.put(task).map_err(|refusal| match refusal {
            PoolRefusal::Full => Error::unavailable(
                text!("Too many requests are waiting for the database."),
                RETRY_SECONDS,
            ),
            PoolRefusal::Closed => crate::store::job::closed(),
        })?;
        answered.await.unwrap_or_else(|_| Err(Error::internal("a thread ended without a result")))
    }

    /// Refuses further work. Returns a receiver that ends when all threads have done the waiting
    /// work and ended.
    pub(super) fn close(&self) -> oneshot::Receiver<()> {
        let (closer, closed) = oneshot::channel();
        let mut queue = self.0.lock();
        queue.is_closed = true;
        if queue.threads > 0 {
            queue.closers.push(closer);
        }
        queue.wake_all();
        closed
    }
}

impl<S> Drop for Pool<S> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        queue.wake_all();
    }
}

impl<S> PoolQueue<S> {
    fn wake_all(&mut self) {
        self.idle.drain(..).for_each(|idle| idle.notify_one());
    }
}

impl<S> PoolShared<S> {
    fn lock(&self) -> MutexGuard<'_, PoolQueue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next work. `None` if the pool is closed and no work waits. `arrival` is what the
    /// thread waits for.
    fn next(&self, arrival: &Arc<Condvar>) -> Option<PoolWork<S>>
    where
        S: PooledSession + 'static,
    {
        let mut queue = self.lock();
        loop {
            if let Some(work) = queue.waiting.pop_front() {
                queue.running += 1;
                return Some(work);
            }
            if queue.is_closed {
                return None;
            }
            queue.idle.push(Arc::clone(arrival));
            let is_idle = match S::REST_TIME {
                None => {
                    queue = arrival.wait(queue).unwrap_or_else(PoisonError::into_inner);
                    false
                }
                Some(time) => {
                    let waited = arrival.wait_timeout(queue, time);
                    let (back, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                    queue = back;
                    waited.timed_out()
                }
            };
            queue.idle.retain(|other| !Arc::ptr_eq(other, arrival));
            if is_idle && queue.waiting.is_empty() && !queue.is_closed {
                queue.running += 1;
                return Some(Box::new(ThreadConnection::rest));
            }
        }
    }

    fn work(&self, mut connection: ThreadConnection<S>)
    where
        S: PooledSession + 'static,
    {
        let arrival = Arc::default();
        while let Some(work) = self.next(&arrival) {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&mut connection))) {
                let cause = failure::panic_text(&*panic);
                tracing::error!(cause, "a thread of the database panicked and continues");
                connection.disconnect();
            }
            self.lock().running -= 1;
        }
        drop(connection);
        let mut queue = self.lock();
        queue.threads -= 1;
        if queue.threads == 0 {
            queue.closers.clear();
        }
    }
}
