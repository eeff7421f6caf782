//! The writing connection: it runs the jobs of a batch in one transaction, and answers them after the commit.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;

use super::{
    commits::Commits,
    deadline::Deadline,
    fault,
    file::{DatabaseFile, Found},
    functions,
    handle::Handle,
    job::{Run, Settled},
    log::Log,
    opening::WRITING_BUSY,
    queue::{Job, fail},
    revisions::Revisions,
    statistics::Statistics,
    system,
};
use crate::{base::error::Error, plan::validator::Identity, store::behaviour::Changed};

/// How long the log of a file that is away is waited for: it is tried again with every write that is refused.
const AWAY_PATIENCE: Duration = Duration::from_millis(10);

/// The writing connection, and what it keeps.
pub(super) struct Writer {
    file: Arc<DatabaseFile>,
    handle: Handle,
    deadline: Deadline,
    log: Log,
    statistics: Statistics,
    revisions: Revisions,
    identity: Identity,
}

/// A job that was run and is not yet committed.
pub(super) struct Done {
    pub(super) settled: Settled,
    pub(super) statements: u32,
    pub(super) changes: Vec<Changed>,
}

impl Writer {
    /// The writer on a connection that is open.
    pub(super) fn new(mut connection: Connection, commits: Arc<Commits>) -> rusqlite::Result<Self> {
        functions::add(&connection)?;
        let statistics = Statistics::new(Arc::clone(&commits));
        let (file, identity) = (Arc::new(DatabaseFile::of(&connection)), system::identity(&connection)?);
        let log = Log::watch(&mut connection, commits, Arc::clone(&file))?;
        let mut handle = Handle::new(connection)?;
        let deadline = Deadline::watch(&mut handle)?;
        Ok(Self { file, handle, deadline, log, statistics, revisions: Revisions::default(), identity })
    }

    /// The file that it writes to.
    pub(super) const fn file(&self) -> &Arc<DatabaseFile> {
        &self.file
    }

    /// The bounds of its writes.
    pub(super) const fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// What the validators of the database depend on.
    pub(super) const fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn begin(&mut self) -> rusqlite::Result<()> {
        self.file.check().inspect_err(|_| self.log.end(&self.handle, AWAY_PATIENCE))?;
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
        // What has failed may have read pages that are not what they should be.
        self.handle.forget_pages();
    }

    /// Runs jobs in the open transaction, as they come, and commits it. A job that fails, and was not merely refused, takes the
    /// transaction along: the others are run again, each in one of its own. So are all where the commit fails, since the disk
    /// may have room for each but the largest.
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

    /// Runs one job. SQLite may have undone more than its statement, and what a panic leaves behind is not known:
    /// where it fails, nothing of the transaction is kept.
    fn run(&mut self, job: &mut Job) -> Result<Done, Error> {
        let mut changes = vec![];
        self.deadline.begin(job.waiter());
        let Job { model, plan, sink, hooked, .. } = job;
        let Self { handle, deadline, revisions, identity, .. } = self;
        let run = Run {
            handle,
            deadline,
            revisions,
            identity,
            model,
            plan,
            sink,
            hooked: hooked.as_ref(),
            changes: &mut changes,
            stale: false,
        };
        let ran = catch_unwind(AssertUnwindSafe(|| run.run()));
        let exceeded = self.deadline.end();
        let statements = self.handle.take_statements();
        let settled = ran
            .unwrap_or_else(|panic| Err(fault::panicked("a write", &*panic)))
            .map_err(|failure| exceeded.map_or(failure, |refusal| refusal.because("its job was interrupted")))
            .inspect_err(|_| self.roll_back())?;
        Ok(Done { settled, statements, changes })
    }

    /// Rolls back what a panic outside of a job has left open.
    pub(super) fn recover(&mut self, panic: &(dyn Any + Send)) {
        tracing::error!(cause = fault::panic_text(panic), "the writer panicked, and goes on");
        self.roll_back();
    }

    /// Brings the log into the database where it has become long.
    pub(super) fn tidy(&mut self) {
        self.log.tidy(&self.handle);
    }

    /// Does a little for the statistics, and says whether there was anything to do.
    pub(super) fn tend(&mut self) -> bool {
        let tended = self.file.is_there() && self.statistics.tend(self.handle.connection());
        if tended {
            self.log.committed();
        }
        tended
    }

    /// Sees to the file and its log while nothing is to be written.
    ///
    /// A file that is elsewhere gets all that belongs to it: its log stays behind, and must not be taken for that of another file.
    pub(super) fn rest(&mut self) {
        match self.file.look() {
            Found::TheFile => self.log.rest(&self.handle),
            Found::Nothing | Found::Another => self.log.end(&self.handle, AWAY_PATIENCE),
        }
    }

    /// Leaves the database in order: with fresh statistics, and without a log.
    pub(super) fn end(&mut self) {
        if let Err(cause) = self.handle.connection().execute_batch("PRAGMA optimize") {
            tracing::warn!(%cause, "the statistics of the database were not brought up to date");
        }
        self.log.close(&self.handle, WRITING_BUSY);
    }
}

#[cfg(test)]
pub(super) mod tests;
