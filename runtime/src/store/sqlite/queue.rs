//! The write queue: jobs that wait for the writer, and the thread that runs them.

use std::{
    collections::VecDeque,
    io, iter, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicUsize},
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

use super::{deadline::Deadline, fault, writer::Writer};
use crate::{
    base::{error::Error, limits},
    store::job::{Job, closed, too_many},
};

/// The number of writes that share a transaction. With more, each waits longer, and hardly more are
/// done per second.
const BATCH_MAX: usize = 64;
/// The pause of the writer after a panic outside of its jobs. A recurring panic then does not fill
/// the log.
const PANIC_PAUSE: Duration = Duration::from_millis(100);
/// The idle time after which the writer checks the database file and its WAL, and the interval
/// between such checks. They are rare enough to cost nothing, and soon enough after a change of the
/// file.
const QUIET: Duration = Duration::from_secs(5);

/// Fails all jobs with the same cause.
pub(super) fn fail(jobs: impl IntoIterator<Item = Job>, cause: &rusqlite::Error) {
    for job in jobs {
        job.answer(Err(fault::error(cause)));
    }
}

enum Message {
    Write(Box<Job>),
    Close(oneshot::Sender<()>),
}

/// The write queue.
pub(super) struct WriteQueue {
    messages: mpsc::Sender<Message>,
    /// The bytes of the large writes that wait.
    bytes: Arc<AtomicUsize>,
    deadline: Deadline,
}

impl WriteQueue {
    /// Starts the writer thread, which ends when the queue is closed or dropped.
    pub(super) fn start(writer: Writer) -> io::Result<Self> {
        let (queue, thread) = Self::new(writer, limits::WRITES_WAITING_MAX)?;
        thread::Builder::new().name("nouns-writer".into()).spawn(|| thread.work())?;
        Ok(queue)
    }

    fn new(writer: Writer, waiting_max: usize) -> io::Result<(Self, WriterThread)> {
        let (sender, messages) = mpsc::channel(waiting_max);
        let clock = Builder::new_current_thread().enable_time().build()?;
        let inbox = Inbox { messages, large: VecDeque::new(), was_large: false, closers: vec![] };
        let deadline = writer.deadline().clone();
        Ok((
            Self { messages: sender, bytes: Arc::default(), deadline },
            WriterThread { inbox, clock, writer },
        ))
    }

    /// The bounds of the writes.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// Queues a write.
    pub(super) fn put(&self, mut job: Job) -> Result<(), Error> {
        job.take_room(&self.bytes)?;
        self.messages.try_send(Message::Write(Box::new(job))).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => too_many(),
            mpsc::error::TrySendError::Closed(_) => closed(),
        })
    }

    /// Waits until the queued writes are done and the connection is closed. A write whose client
    /// has gone is interrupted. So are all others once the time for draining is over.
    pub(super) async fn close(&self) {
        self.deadline.close(limits::DRAIN_TIME_MAX);
        let (closed, done) = oneshot::channel();
        if self.messages.send(Message::Close(closed)).await.is_ok() {
            // An error means that the thread has already ended.
            done.await.ok();
        }
    }
}

struct WriterThread {
    inbox: Inbox,
    clock: Runtime,
    writer: Writer,
}

/// The messages and large writes that wait for the writer, and the callers that wait for its end.
struct Inbox {
    messages: mpsc::Receiver<Message>,
    /// Large writes, which run alternately with all others. Each runs alone, so a small one waits
    /// for at most one of them.
    large: VecDeque<Box<Job>>,
    /// Whether the last turn was that of a large write.
    was_large: bool,
    closers: Vec<oneshot::Sender<()>>,
}

impl Inbox {
    /// The next waiting job that is to begin now. Large ones are set aside.
    fn waiting(&mut self) -> Option<Job> {
        while let Ok(message) = self.messages.try_recv() {
            if let Some(job) = self.job(message) {
                return Some(job);
            }
        }
        None
    }

    /// The next large job.
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

impl WriterThread {
    fn work(mut self) {
        // A panic in a job is caught there. Any other panic fails the jobs of its batch, since it
        // drops their answers.
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

    /// Waits for a message and executes it. Returns whether another may come. Large writes run
    /// alternately with the others.
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

    /// The next message. While there is none, the writer maintains the database.
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

    /// Runs the queued jobs in one transaction. It includes jobs that arrive while the first ones
    /// run, but does not wait for more.
    fn batch(&mut self, first: Job) {
        let Self { inbox, writer, .. } = self;
        let (begun, since) = (writer.begin(), Instant::now());
        let more = || if since.elapsed() < limits::BATCH_TIME_MAX { inbox.waiting() } else { None };
        run(writer, begun, iter::once(first).chain(iter::from_fn(more)).take(BATCH_MAX));
    }
}

/// Runs jobs in a transaction, or fails them if it could not begin.
fn run(writer: &mut Writer, begun: rusqlite::Result<()>, jobs: impl Iterator<Item = Job>) {
    match begun {
        Ok(()) => writer.batch(jobs),
        Err(cause) => {
            // Only the jobs that wait now fail. A job that arrives later is tried on its own.
            let waiting: Vec<_> = jobs.collect();
            fail(waiting, &cause);
        }
    }
    writer.tidy();
}

#[cfg(test)]
mod tests;
