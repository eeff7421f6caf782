//! The way to the writer: jobs that wait for their turn, and the thread that takes them.

use std::{
    collections::VecDeque,
    io, iter, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Runtime},
    sync::{
        mpsc::{self, error::TryRecvError},
        oneshot,
    },
    time::timeout,
};

use super::{
    deadline::{Deadline, Waiter},
    fault,
    writer::{Done, Writer},
};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    model::{Model, value::Value},
    plan::Plan,
    store::{Ran, behaviour::Hooked, sink::Sink},
};

/// How many writes share a transaction: beyond it each waits longer and hardly more are done in a second.
const BATCH_MAX: usize = 64;
/// From how many bytes of its values on a write is large: it takes about a millisecond, and runs in a transaction of its own.
const LARGE_BYTES_MIN: usize = 64 * 1024;
/// After how many seconds a client tries again that found the queue full, or waited in it for too long.
const RETRY_SECONDS: u16 = 1;
/// How long the writer rests after a panic outside of its jobs, so that one that recurs does not fill the log.
const PANIC_PAUSE: Duration = Duration::from_millis(100);
/// How long nothing is to be written before the writer sees to the file of the database and to its log, and how often it sees
/// to them while that goes on: rarely enough to cost nothing, and soon after what may have happened to the file.
const QUIET: Duration = Duration::from_secs(5);

pub(super) type Answer = Result<Ran, Error>;

/// A write as data, which can be run again.
pub(super) struct Job {
    pub(super) model: Arc<Model>,
    pub(super) plan: Plan,
    pub(super) sink: Sink,
    pub(super) hooked: Option<Hooked>,
    /// The bytes of its texts.
    bytes: usize,
    room: Option<Room>,
    since: Instant,
    taken: Taken,
    waiter: Waiter,
    reply: oneshot::Sender<Answer>,
}

/// What a large write that waits takes of the memory of the queue; it is free when this is dropped.
struct Room {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl Room {
    /// Takes room for a write; one alone always has it.
    fn take(taken: &Arc<AtomicUsize>, bytes: usize) -> Option<Self> {
        let others = taken.fetch_add(bytes, Ordering::Relaxed);
        let room = Self { taken: Arc::clone(taken), bytes };
        (others == 0 || others + bytes <= limits::WRITES_WAITING_BYTES_MAX).then_some(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Who waits for a write for too long takes it, and so does the writer that begins it: whoever comes first has it.
#[derive(Clone, Debug, Default)]
struct Taken(Arc<AtomicBool>);

impl Taken {
    /// Takes it, and says whether that is not the first time.
    fn take(&self) -> bool {
        self.0.swap(true, Ordering::AcqRel)
    }
}

/// The place of somebody who waits for a write.
pub(super) struct Waiting {
    answer: oneshot::Receiver<Answer>,
    taken: Taken,
    waiter: Waiter,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.waiter.leave();
    }
}

impl Waiting {
    /// Waits for the answer, which a write that is begun has, however long that takes. With patience, one that is not begun in time never
    /// is; to measure that, the runtime must have its time enabled.
    pub(super) async fn answer(mut self, patience: Option<Duration>) -> Answer {
        let answer = match patience {
            None => (&mut self.answer).await,
            Some(patience) => match timeout(patience, &mut self.answer).await {
                Ok(answer) => answer,
                Err(_) if self.taken.take() => (&mut self.answer).await,
                Err(_) => return Err(too_late()),
            },
        };
        answer.unwrap_or_else(|_| Err(Error::internal("the writer ended before it answered")))
    }
}

fn too_many() -> Error {
    Error::unavailable(text!("Too many writes wait."), RETRY_SECONDS)
}

fn too_late() -> Error {
    Error::unavailable(text!("The write has waited too long for its turn."), RETRY_SECONDS)
}

impl Job {
    pub(super) fn new(model: Arc<Model>, plan: Plan, sink: Sink, hooked: Option<Hooked>) -> (Self, Waiting) {
        let ((reply, answer), taken, waiter) = (oneshot::channel(), Taken::default(), Waiter::default());
        let waiting = Waiting { answer, taken: taken.clone(), waiter: waiter.clone() };
        let text = |value: &Value| if let Value::Text(text) = value { text.len() } else { 0 };
        let bytes = plan.steps.iter().flat_map(|step| &step.values).map(text).sum();
        let since = Instant::now();
        (Self { model, plan, sink, hooked, bytes, room: None, since, taken, waiter, reply }, waiting)
    }

    /// Whether others go first.
    const fn is_large(&self) -> bool {
        self.bytes >= LARGE_BYTES_MIN
    }

    /// Whoever waits for it.
    pub(super) const fn waiter(&self) -> &Waiter {
        &self.waiter
    }

    /// The job, if it is to be begun now.
    fn take(self) -> Option<Self> {
        let job = self.still_wanted()?;
        if job.taken.take() { None } else { Some(job) }
    }

    /// The job, where it is still to be done: nobody is told of a write that was done for one who has gone, and who has
    /// waited for too long is better told to come again than kept waiting behind more of the kind.
    pub(super) fn still_wanted(self) -> Option<Self> {
        if self.reply.is_closed() {
            tracing::debug!("a write was not done: its request has gone");
            return None;
        }
        if self.since.elapsed() > limits::WRITE_WAIT_MAX {
            self.answer(Err(too_late()));
            return None;
        }
        Some(self)
    }

    /// Tells who waits. Hooks learn of a commit here, for who waits may have gone.
    pub(super) fn answer(self, done: Result<Done, Error>) {
        let Self { plan, sink, hooked, reply, .. } = self;
        let ran = done.and_then(|Done { settled, statements, changes }| {
            let outcome = settled.map_err(|error| error.after(statements))?;
            if let Some(hooked) = hooked {
                hooked.committed(changes);
            }
            Ok(Ran { statements, ..Ran::new(outcome, sink) })
        });
        // A request that is done once may be sent again as soon as it is answered; then its place must be free.
        drop(plan);
        if reply.send(ran).is_err() {
            tracing::debug!("a write was done for a request that has gone");
        }
    }
}

/// Tells all of a cause.
pub(super) fn fail(jobs: impl IntoIterator<Item = Job>, cause: &rusqlite::Error) {
    for job in jobs {
        job.answer(Err(fault::error(cause)));
    }
}

enum Message {
    Write(Box<Job>),
    Close(oneshot::Sender<()>),
}

/// The way to the writer.
pub(super) struct Queue {
    messages: mpsc::Sender<Message>,
    /// The bytes of the large writes that wait.
    bytes: Arc<AtomicUsize>,
    deadline: Deadline,
}

impl Queue {
    /// Starts the thread; it ends when the queue is closed or dropped.
    pub(super) fn start(writer: Writer) -> io::Result<Self> {
        let (queue, thread) = Self::new(writer, limits::WRITES_WAITING_MAX)?;
        thread::Builder::new().name("nouns-writer".into()).spawn(|| thread.work())?;
        Ok(queue)
    }

    fn new(writer: Writer, waiting_max: usize) -> io::Result<(Self, Thread)> {
        let (sender, messages) = mpsc::channel(waiting_max);
        let clock = Builder::new_current_thread().enable_time().build()?;
        let inbox = Inbox { messages, large: VecDeque::new(), was_large: false, closers: vec![] };
        let deadline = writer.deadline().clone();
        Ok((Self { messages: sender, bytes: Arc::default(), deadline }, Thread { inbox, clock, writer }))
    }

    /// The bounds of the writes.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// Queues a write.
    pub(super) fn put(&self, mut job: Job) -> Result<(), Error> {
        if job.is_large() {
            job.room = Some(Room::take(&self.bytes, job.bytes).ok_or_else(too_many)?);
        }
        self.messages.try_send(Message::Write(Box::new(job))).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => too_many(),
            mpsc::error::TrySendError::Closed(_) => {
                Error::unavailable(text!("The database is closed."), RETRY_SECONDS)
            }
        })
    }

    /// Waits until what is queued is done and the connection is closed. A write that nobody waits for is interrupted, and
    /// what is left of the others when a server has had its time to drain.
    pub(super) async fn close(&self) {
        self.deadline.close(limits::DRAIN_TIME_MAX);
        let (closed, done) = oneshot::channel();
        if self.messages.send(Message::Close(closed)).await.is_ok() {
            // An error means that the thread has ended already.
            done.await.ok();
        }
    }
}

struct Thread {
    inbox: Inbox,
    clock: Runtime,
    writer: Writer,
}

/// What waits for the writer, and who waits for its end.
struct Inbox {
    messages: mpsc::Receiver<Message>,
    /// Large writes, which take turns with all others: each runs alone, so that a small one waits for one of them at most.
    large: VecDeque<Box<Job>>,
    /// Whether the last turn was one of theirs.
    was_large: bool,
    closers: Vec<oneshot::Sender<()>>,
}

impl Inbox {
    /// A job that waits and is to be begun now. Large ones are set aside.
    fn waiting(&mut self) -> Option<Job> {
        while let Ok(message) = self.messages.try_recv() {
            if let Some(job) = self.job(message) {
                return Some(job);
            }
        }
        None
    }

    /// A large job whose turn it is.
    fn large(&mut self) -> Option<Job> {
        while let Some(job) = self.large.pop_front() {
            if let Some(job) = job.take() {
                return Some(job);
            }
        }
        None
    }

    fn job(&mut self, message: Message) -> Option<Job> {
        match message {
            Message::Write(job) if job.is_large() => {
                self.large.push_back(job);
                None
            }
            Message::Write(job) => job.take(),
            Message::Close(closer) => {
                self.closers.push(closer);
                self.messages.close();
                None
            }
        }
    }
}

impl Thread {
    fn work(mut self) {
        // A panic in a job is caught there. Elsewhere it fails the jobs of its batch, whose answers are dropped with them.
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.turn())) {
                Ok(true) => {}
                Ok(false) => break,
                Err(panic) => {
                    self.writer.recover(&*panic);
                    thread::sleep(PANIC_PAUSE);
                }
            }
        }
        self.writer.end();
        drop(self.writer);
        for closer in self.inbox.closers {
            closer.send(()).ok();
        }
    }

    /// Waits for a message and does what it says, and returns whether another may come. Large writes take turns with the others.
    fn turn(&mut self) -> bool {
        if !mem::take(&mut self.inbox.was_large)
            && let Some(job) = self.inbox.large()
        {
            self.inbox.was_large = true;
            let begun = self.writer.begin();
            run(&mut self.writer, begun, iter::once(job));
            return true;
        }
        let mut job = None;
        if self.inbox.large.is_empty() {
            let Some(message) = self.next() else { return false };
            job = self.inbox.job(message);
        }
        if let Some(job) = job.or_else(|| self.inbox.waiting()) {
            self.batch(job);
        }
        true
    }

    /// What comes next; while nothing does, the writer looks after the database.
    fn next(&mut self) -> Option<Message> {
        loop {
            match self.inbox.messages.try_recv() {
                Ok(message) => return Some(message),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if self.writer.tend() => continue,
                Err(TryRecvError::Empty) => {}
            }
            let Self { clock, inbox, .. } = self;
            match clock.block_on(async { timeout(QUIET, inbox.messages.recv()).await }) {
                Ok(message) => return message,
                Err(_) => self.writer.rest(),
            }
        }
    }

    /// Takes what is queued, without waiting for more: also what comes while the first of them are run.
    fn batch(&mut self, first: Job) {
        let Self { inbox, writer, .. } = self;
        let (begun, since) = (writer.begin(), Instant::now());
        let more = || if since.elapsed() < limits::BATCH_TIME_MAX { inbox.waiting() } else { None };
        run(writer, begun, iter::once(first).chain(iter::from_fn(more)).take(BATCH_MAX));
    }
}

/// Runs jobs in a transaction that was begun, if it could be.
fn run(writer: &mut Writer, begun: rusqlite::Result<()>, jobs: impl Iterator<Item = Job>) {
    match begun {
        Ok(()) => writer.batch(jobs),
        Err(cause) => fail(jobs, &cause),
    }
    writer.tidy();
}

#[cfg(test)]
mod tests;
