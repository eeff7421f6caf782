//! The thread that writes: it takes what is queued into one transaction, and answers after the commit.

use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{
    commits::Commits,
    fault,
    file::DatabaseFile,
    handle::Handle,
    job::{Run, Settled},
    log::Log,
    revisions::Revisions,
    system,
};
use crate::{
    error::{Error, text},
    hook::{Changed, Hooked},
    limits,
    model::Model,
    plan::Plan,
    sink::Sink,
    store::Ran,
    validator::Identity,
};

/// How many writes share a transaction: beyond it each waits longer and hardly more are done in a second.
const BATCH_MAX: usize = 64;
/// After how many seconds a client tries again that found the queue full.
const RETRY_SECONDS: u16 = 1;

type Answer = Result<Ran, Error>;

/// A write as data, which can be run again.
pub(super) struct Job {
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    hooked: Option<Hooked>,
    reply: oneshot::Sender<Answer>,
}

enum Message {
    Write(Box<Job>),
    Close(oneshot::Sender<()>),
}

/// The way to the writer.
pub(super) struct Queue(mpsc::Sender<Message>);

impl Job {
    pub(super) fn new(
        model: Arc<Model>,
        plan: Plan,
        sink: Sink,
        hooked: Option<Hooked>,
    ) -> (Self, oneshot::Receiver<Answer>) {
        let (reply, answer) = oneshot::channel();
        (Self { model, plan, sink, hooked, reply }, answer)
    }

    /// Tells who waits. Hooks learn of a commit here, for who waits may have gone.
    fn answer(self, done: Result<Done, Error>) {
        let Self { plan, sink, hooked, reply, .. } = self;
        let ran = done.and_then(|Done { settled, statements, changes }| {
            let outcome = settled.map_err(|error| error.after(statements))?;
            if let Some(hooked) = hooked {
                hooked.committed(changes);
            }
            Ok(Ran { outcome, sink, statements })
        });
        // A request that is done once may be sent again as soon as it is answered; then its place must be free.
        drop(plan);
        if reply.send(ran).is_err() {
            tracing::debug!("a write was done for a request that has gone");
        }
    }
}

impl Queue {
    /// Starts the thread; it ends when the queue is closed or dropped.
    pub(super) fn start(writer: Writer) -> io::Result<Self> {
        let (sender, inbox) = mpsc::channel(limits::WRITES_WAITING_MAX);
        let thread = Thread { inbox, closers: vec![], writer };
        thread::Builder::new().name("nouns-writer".into()).spawn(|| thread.work())?;
        Ok(Self(sender))
    }

    /// Queues a write.
    pub(super) fn put(&self, job: Job) -> Result<(), Error> {
        self.0.try_send(Message::Write(Box::new(job))).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => {
                Error::unavailable(text!("Too many writes wait."), RETRY_SECONDS)
            }
            mpsc::error::TrySendError::Closed(_) => {
                Error::unavailable(text!("The database is closed."), RETRY_SECONDS)
            }
        })
    }

    /// Waits until what is queued is done and the connection is closed.
    pub(super) async fn close(&self) {
        let (closed, done) = oneshot::channel();
        if self.0.send(Message::Close(closed)).await.is_ok() {
            // An error means that the thread has ended already.
            done.await.ok();
        }
    }
}

struct Thread {
    inbox: mpsc::Receiver<Message>,
    closers: Vec<oneshot::Sender<()>>,
    writer: Writer,
}

impl Thread {
    fn work(mut self) {
        while let Some(message) = self.inbox.blocking_recv() {
            if let Some(job) = self.job(message) {
                self.batch(job);
            }
        }
        self.writer.end();
        for closer in self.closers {
            closer.send(()).ok();
        }
    }

    fn job(&mut self, message: Message) -> Option<Job> {
        match message {
            Message::Write(job) => Some(*job),
            Message::Close(closer) => {
                self.closers.push(closer);
                self.inbox.close();
                None
            }
        }
    }

    /// Takes what is queued once the transaction is open, without waiting for more.
    fn batch(&mut self, first: Job) {
        let begun = self.writer.begin();
        let mut jobs = vec![first];
        while jobs.len() < BATCH_MAX {
            let Ok(message) = self.inbox.try_recv() else { break };
            jobs.extend(self.job(message));
        }
        match begun {
            Ok(()) => self.writer.batch(jobs),
            Err(cause) => fail(jobs, &cause),
        }
        self.writer.log.tidy(&self.writer.handle);
    }
}

fn fail(jobs: Vec<Job>, cause: &rusqlite::Error) {
    for job in jobs {
        job.answer(Err(fault::error(cause)));
    }
}

/// The writing connection, and what it keeps.
pub(super) struct Writer {
    file: DatabaseFile,
    handle: Handle,
    log: Log,
    revisions: Revisions,
    identity: Identity,
}

/// A job that was run and is not yet committed.
struct Done {
    settled: Settled,
    statements: u32,
    changes: Vec<Changed>,
}

impl Writer {
    /// The writer on a connection that is open.
    pub(super) fn new(mut connection: Connection, commits: Arc<Commits>) -> rusqlite::Result<Self> {
        let log = Log::watch(&mut connection, commits)?;
        let (file, identity) = (DatabaseFile::of(&connection), system::identity(&connection)?);
        let handle = Handle::new(connection)?;
        Ok(Self { file, handle, log, revisions: Revisions::default(), identity })
    }

    /// What the validators of the database depend on.
    pub(super) const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn begin(&mut self) -> rusqlite::Result<()> {
        self.file.check()?;
        self.handle.keep("BEGIN IMMEDIATE")?;
        self.revisions.begin(self.handle.connection()).inspect_err(|_| self.roll_back())
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        let stored = self.revisions.store(self.handle.connection());
        stored.and_then(|()| self.handle.keep("COMMIT")).inspect_err(|_| self.roll_back())?;
        self.log.committed();
        Ok(())
    }

    fn roll_back(&mut self) {
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.keep("ROLLBACK")
        {
            tracing::error!(%cause, "a transaction was not rolled back");
        }
    }

    /// Runs jobs in the open transaction and commits it. A job that fails, and was not merely refused, takes the
    /// transaction along: the others are run again, each in one of its own. So are all where the commit fails, since the disk
    /// may have room for each but the largest.
    fn batch(&mut self, mut jobs: Vec<Job>) {
        let mut done = Vec::with_capacity(jobs.len());
        for at in 0..jobs.len() {
            match self.run(&mut jobs[at]) {
                Ok(outcome) => done.push(outcome),
                Err(error) => {
                    jobs.remove(at).answer(Err(error));
                    return jobs.into_iter().for_each(|job| self.alone(job));
                }
            }
        }
        match self.commit() {
            Ok(()) => jobs.into_iter().zip(done).for_each(|(job, done)| job.answer(Ok(done))),
            Err(cause) if jobs.len() > 1 => {
                tracing::warn!(%cause, "writes were not committed together, and are tried one by one");
                jobs.into_iter().for_each(|job| self.alone(job));
            }
            Err(cause) => fail(jobs, &cause),
        }
    }

    fn alone(&mut self, mut job: Job) {
        let done = self.begin().map_err(|cause| fault::error(&cause)).and_then(|()| {
            let done = self.run(&mut job)?;
            self.commit().map_err(|cause| fault::error(&cause))?;
            Ok(done)
        });
        job.answer(done);
    }

    /// Runs one job. SQLite may have undone more than its statement, and what a panic leaves behind is not known:
    /// where it fails, nothing of the transaction is kept.
    fn run(&mut self, job: &mut Job) -> Result<Done, Error> {
        let Job { model, plan, sink, hooked, .. } = job;
        let Self { handle, revisions, identity, .. } = self;
        let mut changes = vec![];
        let hooked = hooked.as_ref();
        let changed = &mut changes;
        let run =
            Run { handle, revisions, identity, model, plan, sink, hooked, changes: changed, stale: false };
        let ran = catch_unwind(AssertUnwindSafe(|| run.run()));
        let statements = self.handle.take_statements();
        let settled = ran
            .unwrap_or_else(|panic| Err(Error::internal(said(&*panic))))
            .inspect_err(|_| self.roll_back())?;
        Ok(Done { settled, statements, changes })
    }

    /// Leaves the database in order: with fresh statistics, and without a log.
    fn end(&self) {
        let optimized = self.handle.connection().execute_batch("PRAGMA optimize");
        for done in [optimized, self.log.end(&self.handle)] {
            if let Err(cause) = done {
                tracing::warn!(%cause, "the database was not tidied up");
            }
        }
    }
}

/// What a panic has said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a write panicked: {}", text.unwrap_or("without a word"))
}

#[cfg(test)]
mod tests;
