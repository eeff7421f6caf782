//! The write queue: jobs (queued writes) that wait for the writer, and the writer's thread, which
//! runs the jobs.

use std::{
    collections::VecDeque,
    io, iter, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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

use super::{deadline::Deadline, fault, writer::Writer};
use crate::{
    base::{error::Error, limits, within::within},
    store::job::{Job, closed, too_many},
};

/// The maximum number of writes that share a transaction. With a higher maximum, each write would
/// wait longer, and the number of writes per second would hardly rise.
const BATCH_MAX: usize = 64;
/// The pause of the writer after a panic outside of a job. The pause keeps a recurring panic from
/// filling the log.
const PANIC_PAUSE: Duration = Duration::from_millis(100);
/// The idle time after which the writer checks the database file and the WAL, and the interval
/// between further checks. At this interval the checks cost next to nothing.
const QUIET: Duration = Duration::from_secs(5);

/// The time that the writer has to empty the WAL and to close its connection.
const END_MAX: Duration = Duration::from_secs(1);

/// Answers all jobs with the same error.
pub(super) fn fail(jobs: impl IntoIterator<Item = Box<Job>>, cause: &rusqlite::Error) {
    for job in jobs {
        job.answer(Err(fault::error(cause)));
    }
}

enum Message {
    Write(Box<Job>),
    Close(oneshot::Sender<()>),
}

/// A handle of the write queue, through which requests queue their writes.
pub(super) struct WriteQueue {
    messages: mpsc::Sender<Message>,
    /// The total size of the waiting large writes, in bytes.
    bytes: Arc<AtomicUsize>,
    /// The number of large writes that the writer has taken from the channel, and not run yet.
    large: Arc<AtomicUsize>,
    deadline: Deadline,
}

impl WriteQueue {
    /// Starts the writer's thread. The thread ends when the queue is closed or dropped.
    pub(super) fn start(writer: Writer) -> io::Result<Self> {
        let (queue, thread) = Self::new(writer, limits::WRITES_WAITING_MAX)?;
        thread::Builder::new().name("nouns-writer".into()).spawn(|| thread.work())?;
        Ok(queue)
    }

    fn new(writer: Writer, waiting_max: usize) -> io::Result<(Self, WriterThread)> {
        let (sender, messages) = mpsc::channel(waiting_max);
        let clock = Builder::new_current_thread().enable_time().build()?;
        let large = Arc::<AtomicUsize>::default();
        let inbox = Inbox {
            messages,
            large: VecDeque::new(),
            large_count: Arc::clone(&large),
            was_large: false,
            closers: vec![],
        };
        let deadline = writer.deadline().clone();
        Ok((
            Self { messages: sender, bytes: Arc::default(), large, deadline },
            WriterThread { inbox, clock, writer },
        ))
    }

    /// The limits of the writes: their time, and the rows that a deletion may change.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// The number of writes that wait for the writer.
    pub(super) fn waiting(&self) -> usize {
        let queued = self.messages.max_capacity() - self.messages.capacity();
        queued + self.large.load(Ordering::Relaxed)
    }

    /// Queues a write. If the queue is full or closed, the write is refused with 503.
    pub(super) fn put(&self, mut job: Box<Job>) -> Result<(), Error> {
        job.take_room(&self.bytes)?;
        self.messages.try_send(Message::Write(job)).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => too_many(),
            mpsc::error::TrySendError::Closed(_) => closed(),
        })
    }

    /// Closes the queue, and waits until the queued writes are done and the writing connection is
    /// closed. A running write whose client has disconnected is interrupted at once. Other writes
    /// are interrupted after `time`. A writer that user code blocks is abandoned.
    pub(super) async fn close(&self, time: Duration) {
        self.deadline.close(time);
        let (closer, end) = oneshot::channel();
        let closed = async {
            if self.messages.send(Message::Close(closer)).await.is_ok() {
                // An error means that the writer's thread has already ended.
                end.await.ok();
            }
        };
        if within(time + END_MAX, closed).await.is_none() {
            tracing::warn!(target: "nouns", "the database was not closed, because the writer is busy; the next start recovers it");
        }
    }
}

struct WriterThread {
    inbox: Inbox,
    clock: Runtime,
    writer: Writer,
}

/// The messages and large writes that wait for the writer. Also the callers of `close`, who wait
/// until the writer's thread has ended.
struct Inbox {
    messages: mpsc::Receiver<Message>,
    /// The waiting large writes. Each large write runs in a batch of its own, alternately with
    /// batches of small writes. So a small write waits for at most one large write.
    large: VecDeque<Box<Job>>,
    /// The length of `large`, which other threads read.
    large_count: Arc<AtomicUsize>,
    /// Whether the writer's last batch was a large write.
    was_large: bool,
    closers: Vec<oneshot::Sender<()>>,
}

impl Inbox {
    /// Returns the next small job to run, if one is waiting. Moves large jobs to `large`.
    fn waiting(&mut self) -> Option<Box<Job>> {
        while let Ok(message) = self.messages.try_recv() {
            if let Some(job) = self.job(message) {
                return Some(job);
            }
        }
        None
    }

    /// Returns the next large job to run, if one is waiting.
    fn large(&mut self) -> Option<Box<Job>> {
        while let Some(job) = self.large.pop_front() {
            self.large_count.store(self.large.len(), Ordering::Relaxed);
            if let Some(job) = job.take() {
                return Some(job);
            }
        }
        None
    }

    fn job(&mut self, message: Message) -> Option<Box<Job>> {
        match message {
            Message::Write(job) if job.is_large() => {
                self.large.push_back(job);
                self.large_count.store(self.large.len(), Ordering::Relaxed);
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
        // `Writer::run` catches a panic in a job. Any other panic drops the jobs of the batch, so
        // each waiting request gets an error.
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

    /// Waits for a message if nothing is queued, and then runs one batch. Large writes run
    /// alternately with the other writes. Returns false if no message can come any more.
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

    /// Waits for the next message. Returns `None` if no message can come any more. While the queue
    /// is empty, the writer maintains the database.
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

    /// Runs the queued jobs in one transaction. Jobs that arrive while the batch runs are included,
    /// but the batch does not wait for them.
    fn batch(&mut self, first: Box<Job>) {
        let Self { inbox, writer, .. } = self;
        let (begun, since) = (writer.begin(), Instant::now());
        let more = || if since.elapsed() < limits::BATCH_TIME_MAX { inbox.waiting() } else { None };
        run(writer, begun, iter::once(first).chain(iter::from_fn(more)).take(BATCH_MAX));
    }
}

/// Runs jobs in an open transaction. `begun` is the result of its BEGIN statement. If BEGIN failed,
/// all jobs fail with the same error.
fn run(writer: &mut Writer, begun: rusqlite::Result<()>, jobs: impl Iterator<Item = Box<Job>>) {
    match begun {
        Ok(()) => writer.batch(jobs),
        Err(cause) => {
            // Only the jobs that are queued now fail. For a later job the writer tries to begin a
            // transaction again.
            let waiting: Vec<_> = jobs.collect();
            fail(waiting, &cause);
        }
    }
    writer.tidy();
}

#[cfg(test)]
mod tests;
