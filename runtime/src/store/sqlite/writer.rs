//! The writing connection. It runs the jobs of a batch in one transaction, and answers them after
//! the commit.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;

use super::{
    answers,
    commits::Commits,
    deadline::Deadline,
    fault,
    file::{DatabaseFile, FileAtPath},
    functions,
    handle::Handle,
    opening::WRITING_BUSY,
    queue::fail,
    revisions::RevisionCounter,
    statistics::Statistics,
    system,
    wal::Wal,
};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx, value::Value},
    plan::{
        Sources, Step,
        idempotency::IdempotentRequest,
        validator::{self, CurrentState, Identity},
    },
    store::{
        failure::{self, Failure},
        idempotency::StoredAnswer,
        job::{Job, UncommittedJob},
        session::{Session, Statements as _, WriteSession},
    },
};

/// The time that a checkpoint of a moved file may wait. It is tried again with every write that is
/// refused.
const AWAY_PATIENCE: Duration = Duration::from_millis(10);

/// The writing connection with its state.
pub(super) struct Writer {
    file: Arc<DatabaseFile>,
    handle: Handle,
    deadline: Deadline,
    wal: Wal,
    statistics: Statistics,
    revisions: RevisionCounter,
    identity: Identity,
}

/// The writing connection in an open transaction, as a job sees it.
struct Batch<'w> {
    handle: &'w mut Handle,
    deadline: &'w Deadline,
    revisions: &'w mut RevisionCounter,
    identity: &'w Identity,
}

impl Writer {
    /// Creates the writer on an open connection.
    pub(super) fn new(mut connection: Connection, commits: Arc<Commits>) -> rusqlite::Result<Self> {
        functions::add(&connection)?;
        let statistics = Statistics::new(Arc::clone(&commits));
        let (file, identity) =
            (Arc::new(DatabaseFile::of(&connection)), system::identity(&connection)?);
        let wal = Wal::watch(&mut connection, commits, Arc::clone(&file))?;
        let mut handle = Handle::new(connection)?;
        let deadline = Deadline::watch(&mut handle)?;
        Ok(Self {
            file,
            handle,
            deadline,
            wal,
            statistics,
            revisions: RevisionCounter::default(),
            identity,
        })
    }

    /// The database file.
    pub(super) const fn file(&self) -> &Arc<DatabaseFile> {
        &self.file
    }

    /// The bounds of its writes.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// The identity of the database, which all its validators depend on.
    pub(super) const fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn begin(&mut self) -> rusqlite::Result<()> {
        self.file.check().inspect_err(|_| self.wal.end(&self.handle, AWAY_PATIENCE))?;
        self.handle.run_system("BEGIN IMMEDIATE")?;
        self.revisions.begin(self.handle.connection()).inspect_err(|_| self.roll_back())
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        let stored = self.revisions.store(self.handle.connection());
        stored.and_then(|()| self.handle.run_system("COMMIT")).inspect_err(|_| self.roll_back())?;
        self.wal.committed();
        Ok(())
    }

    fn roll_back(&mut self) {
        // A job that panicked has left its count.
        self.handle.take_count();
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.run_system("ROLLBACK")
        {
            tracing::error!(%cause, "a transaction was not rolled back");
        }
        // Whatever failed may have read damaged pages.
        self.handle.forget_pages();
    }

    /// Runs jobs in the open transaction as they come, and commits it.
    ///
    /// A refused job leaves the transaction open. A job that fails rolls it back, and each of the
    /// others is retried in its own transaction. If the commit fails, every job is retried like
    /// that, since the disk may have room for all but the largest.
    pub(super) fn batch(&mut self, jobs: impl IntoIterator<Item = Job>) {
        let (mut jobs, mut ran, mut done) = (jobs.into_iter(), vec![], vec![]);
        while let Some(mut job) = jobs.next() {
            match self.run(&mut job) {
                Ok(outcome) => {
                    ran.push(job);
                    done.push(outcome);
                }
                Err(error) => {
                    job.answer(Err(error));
                    return ran.into_iter().chain(jobs).for_each(|job| self.alone(job));
                }
            }
        }
        match self.commit() {
            Ok(()) => ran.into_iter().zip(done).for_each(|(job, done)| job.answer(Ok(done))),
            Err(cause) if ran.len() > 1 => {
                tracing::warn!(%cause, "writes were not committed together, and are tried one by one");
                ran.into_iter().for_each(|job| self.alone(job));
            }
            Err(cause) => fail(ran, &cause),
        }
    }

    fn alone(&mut self, job: Job) {
        let Some(mut job) = job.still_wanted() else { return };
        let done = self.begin().map_err(|cause| fault::error(&cause)).and_then(|()| {
            let done = self.run(&mut job)?;
            self.commit().map_err(|cause| fault::error(&cause))?;
            Ok(done)
        });
        job.answer(done);
    }

    /// Runs one job. If it fails, the whole transaction is rolled back: SQLite may have undone more
    /// than the statement, and the state after a panic is unknown.
    fn run(&mut self, job: &mut Job) -> Result<UncommittedJob, Error> {
        self.deadline.begin(job.waiter());
        let Self { handle, deadline, revisions, identity, .. } = self;
        let mut batch = Batch { handle, deadline, revisions, identity };
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(&mut batch)));
        let exceeded = self.deadline.end();
        ran.unwrap_or_else(|panic| Err(failure::panicked("a write", &*panic)))
            .map_err(|failure| {
                exceeded.map_or(failure, |refusal| refusal.because("its job was interrupted"))
            })
            .inspect_err(|_| self.roll_back())
    }

    /// Rolls back the transaction that a panic outside of a job has left open.
    pub(super) fn recover(&mut self, panic: &(dyn Any + Send)) {
        tracing::error!(cause = failure::panic_text(panic), "the writer panicked and continues");
        self.roll_back();
    }

    /// Copies the WAL into the database if it has become long.
    pub(super) fn tidy(&mut self) {
        self.wal.tidy(&self.handle);
    }

    /// Does a small part of the work on the statistics. Returns whether there was any.
    pub(super) fn tend(&mut self) -> bool {
        let tended = self.file.is_there() && self.statistics.tend(self.handle.connection());
        if tended {
            self.wal.committed();
        }
        tended
    }

    /// Checks the file and its WAL while there is nothing to write.
    ///
    /// If the file was moved, its WAL is copied into it. The WAL stays at the old path, and must
    /// not be taken for that of another file.
    pub(super) fn rest(&mut self) {
        match self.file.look() {
            FileAtPath::TheFile => self.wal.rest(&self.handle),
            FileAtPath::Nothing | FileAtPath::Another => self.wal.end(&self.handle, AWAY_PATIENCE),
        }
    }

    /// Leaves the database with fresh statistics and without a WAL.
    pub(super) fn end(&mut self) {
        if let Err(cause) = self.handle.connection().execute_batch("PRAGMA optimize") {
            tracing::warn!(%cause, "the statistics of the database were not brought up to date");
        }
        self.wal.close(&self.handle, WRITING_BUSY);
    }
}

impl Session for Batch<'_> {
    type Statements = Handle;

    fn parts(&mut self) -> (&mut Handle, &Identity) {
        (self.handle, self.identity)
    }

    fn current(
        &mut self,
        model: &Model,
        Sources { seed, place }: Sources,
    ) -> Result<CurrentState, Failure> {
        self.revisions.store(self.handle.connection())?;
        let connection = self.handle.connection();
        let read = |ix: ResourceIx| system::read_revision(connection, model[ix].def.table);
        let tables = model.sources(place).map(read).collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(validator::collection(seed, self.identity, tables.into_iter()))
    }
}

/// The savepoint of a job. No statement of a request uses its name.
const MARK: &str = "SAVEPOINT \"job\"";
const UNDO: &str = "ROLLBACK TO \"job\"";
const RELEASE: &str = "RELEASE \"job\"";

impl WriteSession for Batch<'_> {
    /// The number of tables that had changed.
    type Mark = usize;

    fn is_open(&mut self) -> bool {
        !self.handle.connection().is_autocommit()
    }

    fn check(&self) -> Result<(), Error> {
        self.deadline.check()
    }

    fn stamps(&mut self) -> Result<[Value; 2], Failure> {
        let (time, revision) = (Value::Text(self.revisions.time().into()), self.revisions.next());
        Ok([time, Value::Integer(revision.cast_signed())])
    }

    /// A deletion fires triggers, which advance the counter in the database.
    fn delete(&mut self, model: &Arc<Model>, step: &Step) -> Result<u64, Failure> {
        self.revisions.flush(self.handle.connection())?;
        let deleted = self.deadline.counting(self.handle, |handle| handle.execute(model, step));
        if self.is_open() {
            self.revisions.reload(self.handle.connection())?;
        }
        Ok(deleted?)
    }

    fn touch(&mut self, model: &Model, tables: &[ResourceIx]) {
        self.revisions.touch(model, tables);
    }

    fn mark(&mut self) -> Result<usize, Failure> {
        self.handle.run_system(MARK)?;
        Ok(self.revisions.touched_count())
    }

    fn undo(&mut self, touched: &usize) -> Result<(), Failure> {
        self.revisions.forget(*touched);
        self.handle.run_system(UNDO)?;
        Ok(self.revisions.reload(self.handle.connection())?)
    }

    fn release(&mut self, _: usize) -> Result<(), Failure> {
        Ok(self.handle.run_system(RELEASE)?)
    }

    fn first_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Failure> {
        Ok(answers::find(self.handle.connection(), model, once)?)
    }

    fn store_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
        answer: &StoredAnswer<'_>,
    ) -> Result<(), Failure> {
        Ok(answers::store(self.handle.connection(), model, once, answer)?)
    }
}

#[cfg(test)]
pub(super) mod tests;
