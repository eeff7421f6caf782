//! The writer: the only connection of the store that writes. It runs a batch of jobs (queued
//! writes) in one transaction, and answers the jobs after the commit.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicU32},
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    answers,
    commits::Commits,
    deadline::Deadline,
    fault,
    file::{DatabaseFile, FileAtPath},
    functions, grants,
    handle::Handle,
    queue::fail,
    revisions::RevisionCounter,
    select::SelectGuard,
    statistics::Statistics,
    system,
    triggers::OthersTriggers,
    wal::Wal,
};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx, value::Value},
    plan::{
        CallerValues, CollectionState, Sources, Step, grant::GrantChange,
        idempotency::IdempotentRequest, validator::Identity,
    },
    store::{
        answer_sizes::AnswerSizes,
        failure::{self, Failure},
        idempotency::StoredAnswer,
        job::{Job, UncommittedJob},
        options::TemporaryFolder,
        session::{Session, Statements as _, WriteSession},
    },
};

/// The time that the checkpoint of a moved database file may wait for readers. The checkpoint is
/// retried at every refused write.
const AWAY_PATIENCE: Duration = Duration::from_millis(10);

/// The time that the last checkpoint may wait for readers, which are other programs then. A WAL
/// that is left behind is read at the next start.
const CLOSE_PATIENCE: Duration = Duration::from_millis(500);

/// The writing connection, with its revision counter, its deadline for jobs, and its WAL.
pub(super) struct Writer {
    file: Arc<DatabaseFile>,
    handle: Handle,
    deadline: Deadline,
    guard: SelectGuard,
    pub(super) commits: Arc<Commits>,
    wal: Wal,
    statistics: Statistics,
    revisions: RevisionCounter,
    triggers: OthersTriggers,
    identity: Identity,
    answer_sizes: AnswerSizes,
    /// The temporary folder of the database, if it has one. It is removed after the connection is
    /// closed.
    folder: Option<Arc<TemporaryFolder>>,
}

/// The writing connection during an open transaction: the session in which a job runs.
struct Batch<'w> {
    handle: &'w mut Handle,
    deadline: &'w Deadline,
    guard: &'w SelectGuard,
    revisions: &'w mut RevisionCounter,
    triggers: &'w OthersTriggers,
    identity: &'w Identity,
    answer_sizes: &'w AnswerSizes,
}

impl Writer {
    /// Creates the writer from an open connection.
    pub(super) fn new(mut connection: Connection, commits: Arc<Commits>) -> rusqlite::Result<Self> {
        functions::add(&connection)?;
        let statistics = Statistics::new(Arc::clone(&commits));
        let (file, identity) =
            (Arc::new(DatabaseFile::of(&connection)), system::identity(&connection)?);
        let guard = SelectGuard::set(&mut connection)?;
        let wal = Wal::watch(&mut connection, Arc::clone(&commits), Arc::clone(&file))?;
        let mut handle = Handle::new(connection)?;
        let deadline = Deadline::watch(&mut handle)?;
        Ok(Self {
            file,
            handle,
            deadline,
            guard,
            commits,
            wal,
            statistics,
            revisions: RevisionCounter::default(),
            triggers: OthersTriggers::default(),
            identity,
            answer_sizes: AnswerSizes::default(),
            folder: None,
        })
    }

    /// Keeps the temporary folder of the database until the connection is closed.
    pub(super) fn keep(&mut self, folder: Option<Arc<TemporaryFolder>>) {
        self.folder = folder;
    }

    /// The database file of the writing connection.
    pub(super) const fn file(&self) -> &Arc<DatabaseFile> {
        &self.file
    }

    /// The number of frames in the WAL.
    pub(super) fn wal_pages(&self) -> Arc<AtomicU32> {
        Arc::clone(self.wal.pages())
    }

    /// The limits of the writer's jobs: their time, and the rows that a deletion may change.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// The identity of the database. All validators (ETags) of collections depend on the identity.
    pub(super) const fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn begin(&mut self) -> rusqlite::Result<()> {
        self.file.check().inspect_err(|_| self.wal.end(&self.handle, AWAY_PATIENCE))?;
        self.handle.run_system("BEGIN IMMEDIATE")?;
        let begun = self.revisions.begin(self.handle.connection());
        begun
            .and_then(|()| self.triggers.refresh(&mut self.handle))
            .inspect_err(|_| self.roll_back())
    }

    /// Commits this number of jobs.
    fn commit(&mut self, jobs: usize) -> rusqlite::Result<()> {
        let begun = Instant::now();
        let result = self.revisions.store(self.handle.connection());
        result.and_then(|()| self.handle.run_system("COMMIT")).inspect_err(|_| self.roll_back())?;
        self.commits.times().commits.record_time(begun.elapsed());
        self.commits.times().batches.record(jobs as u64);
        self.wal.committed();
        // What is only in a deleted WAL would be lost with this process.
        if !self.file.wal_is_there() && !self.wal.save(&self.handle, AWAY_PATIENCE) {
            self.file.check()?;
        }
        Ok(())
    }

    fn roll_back(&mut self) {
        // A job that panicked has not reset the count of its statements.
        self.handle.take_count();
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.run_system("ROLLBACK")
        {
            tracing::error!(%cause, "the rollback of a transaction failed");
        }
        // The failed statement may have read damaged pages into the page cache.
        self.handle.forget_pages();
    }

    /// Runs jobs in the open transaction, in the order of the iterator, and commits.
    ///
    /// A job that is refused (for example by a precondition) leaves the transaction open. A job
    /// that fails rolls back the transaction. Then each other job of the batch is retried in its
    /// own transaction. The same happens to all jobs if the commit fails: the disk may have room
    /// for all but the largest job.
    pub(super) fn batch(&mut self, jobs: impl IntoIterator<Item = Box<Job>>) {
        let (mut jobs, mut executed, mut outcomes) = (jobs.into_iter(), vec![], vec![]);
        while let Some(mut job) = jobs.next() {
            match self.run(&mut job) {
                Ok(outcome) => {
                    executed.push(job);
                    outcomes.push(outcome);
                }
                Err(error) => {
                    job.answer(Err(error));
                    return executed.into_iter().chain(jobs).for_each(|job| self.alone(job));
                }
            }
        }
        match self.commit(executed.len()) {
            Ok(()) => executed
                .into_iter()
                .zip(outcomes)
                .for_each(|(job, outcome)| job.answer(Ok(outcome))),
            Err(cause) if executed.len() > 1 => {
                tracing::warn!(%cause, "a batch of writes failed to commit; its writes are retried one by one");
                executed.into_iter().for_each(|job| self.alone(job));
            }
            Err(cause) => fail(executed, &cause),
        }
    }

    fn alone(&mut self, job: Box<Job>) {
        let Some(mut job) = job.still_wanted() else { return };
        let result = self.begin().map_err(|cause| fault::error(&cause)).and_then(|()| {
            let outcome = self.run(&mut job)?;
            self.commit(1).map_err(|cause| fault::error(&cause))?;
            Ok(outcome)
        });
        job.answer(result);
    }

    /// Runs one job in the open transaction. If the job fails, the whole transaction is rolled
    /// back. SQLite may have undone more than the failed statement, and after a panic the state is
    /// unknown.
    fn run(&mut self, job: &mut Job) -> Result<UncommittedJob, Error> {
        self.deadline.begin(job.waiter());
        let Self { handle, deadline, guard, revisions, triggers, identity, answer_sizes, .. } =
            self;
        let mut batch =
            Batch { handle, deadline, guard, revisions, triggers, identity, answer_sizes };
        let result = catch_unwind(AssertUnwindSafe(|| job.run(&mut batch)));
        let exceeded = self.deadline.end();
        result
            .unwrap_or_else(|panic| Err(failure::panicked("a write", &*panic)))
            .map_err(|failure| {
                exceeded.map_or(failure, |refusal| refusal.with_source("its job was interrupted"))
            })
            .inspect_err(|_| self.roll_back())
    }

    /// Logs a panic outside of a job, and rolls back the transaction that the panic left open.
    pub(super) fn recover(&mut self, panic: &(dyn Any + Send)) {
        tracing::error!(cause = failure::panic_text(panic), "the writer panicked and continues");
        self.roll_back();
    }

    /// Requests or runs a checkpoint if the WAL has become long.
    pub(super) fn tidy(&mut self) {
        self.wal.tidy(&self.handle);
    }

    /// Does one small step of updating the planner statistics. Returns whether there was one to do.
    pub(super) fn tend(&mut self) -> bool {
        let has_worked = self.file.is_there() && self.statistics.tend(self.handle.connection());
        if has_worked {
            self.wal.committed();
        }
        has_worked
    }

    /// Checks the database file, and checkpoints the WAL, while there is nothing to write.
    ///
    /// If the database file was moved, the WAL is copied into the moved file and emptied. The WAL
    /// file stays at the old path. If it were not empty, SQLite could apply its frames to another
    /// file at that path.
    pub(super) fn rest(&mut self) {
        match self.file.look() {
            FileAtPath::TheFile => self.wal.rest(&self.handle),
            FileAtPath::Nothing | FileAtPath::Another | FileAtPath::WithoutWal => {
                self.wal.end(&self.handle, AWAY_PATIENCE);
            }
        }
    }

    /// Updates the planner statistics, and copies the whole WAL into the database, before the
    /// connection is closed.
    pub(super) fn end(&mut self) {
        if let Err(cause) = self.handle.connection().execute_batch("PRAGMA optimize") {
            tracing::warn!(%cause, "the query planner statistics were not updated");
        }
        self.file.close();
        self.wal.close(&self.handle, CLOSE_PATIENCE);
    }
}

impl Session for Batch<'_> {
    type Statements = Handle;

    fn parts(&mut self) -> (&mut Handle, &Identity) {
        (self.handle, self.identity)
    }

    fn tables_state(
        &mut self,
        model: &Model,
        sources: &Sources,
    ) -> Result<CollectionState, Failure> {
        self.revisions.store(self.handle.connection())?;
        let connection = self.handle.connection();
        let read = |ix: ResourceIx| system::read_revision(connection, model[ix].def.table);
        let tables = sources.tables(model).map(read).collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(sources.state(model, self.identity, tables.into_iter()))
    }
}

/// The statement that begins a job's savepoint. No statement of a request uses the name of the
/// savepoint.
const MARK: &str = "SAVEPOINT \"job\"";
const UNDO: &str = "ROLLBACK TO \"job\"";
const RELEASE: &str = "RELEASE \"job\"";

impl WriteSession for Batch<'_> {
    /// The number of changed tables at the time of the savepoint.
    type Mark = usize;

    fn is_open(&mut self) -> bool {
        !self.handle.connection().is_autocommit()
    }

    fn check(&self) -> Result<(), Error> {
        self.deadline.check()
    }

    fn has_others_triggers(&self, model: &Model, tables: &[ResourceIx]) -> bool {
        tables.iter().any(|ix| self.triggers.has(model[*ix].def.table))
    }

    /// Triggers advance the revision counter in the database. So the counter is stored before them,
    /// and read again afterwards.
    fn before_triggers(&mut self) -> Result<(), Failure> {
        Ok(self.revisions.flush(self.handle.connection())?)
    }

    fn after_triggers(&mut self) -> Result<(), Failure> {
        Ok(self.revisions.reload(self.handle.connection())?)
    }

    fn stamps(&mut self) -> Result<[Value; 2], Failure> {
        let (time, revision) = (Value::Text(self.revisions.time().into()), self.revisions.next());
        Ok([time, Value::Integer(revision.cast_signed())])
    }

    /// Runs a deletion, which always has triggers.
    fn delete(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
    ) -> Result<u64, Failure> {
        self.before_triggers()?;
        let run = |handle: &mut Handle| handle.execute(model, step, caller);
        let count = self.deadline.counting(self.handle, run);
        if self.is_open() {
            self.after_triggers()?;
        }
        Ok(count?)
    }

    fn select(&mut self, text: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, Failure> {
        self.guard.select(self.handle, text, values)
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
        let connection = self.handle.connection();
        Ok(answers::store(connection, self.answer_sizes, model, once, answer)?)
    }

    fn change_grants(&mut self, change: &GrantChange) -> Result<u64, Failure> {
        Ok(grants::change(self.handle.connection(), change)?)
    }
}

#[cfg(test)]
pub(super) mod tests;
