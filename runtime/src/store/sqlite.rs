//! The SQLite engine of the store: one writing connection on its own thread, and a read connection
//! (a "lane") for each worker thread. A worker is a thread of the server that executes requests.

mod answers;
mod backup;
#[cfg(test)]
pub(crate) mod bed;

mod budget;
mod build;
mod checkpointer;
mod commits;
mod deadline;
mod draft;
mod fault;
mod file;
mod functions;
mod grants;

mod file_lock;
mod handle;
mod hold;
mod lane;
mod long_reads;
mod opening;
mod query_plan;
mod queue;
mod raw;
mod restore;
mod revisions;
mod select;
mod slow;
mod statistics;
mod stored_rows;
mod system;
mod times;
mod transfer;
mod triggers;
mod unclosed;
mod upgrade;
mod wal;
mod writer;

use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

pub(super) use self::{
    backup::backup,
    lane::Seat,
    query_plan::query_plans,
    restore::restore,
    transfer::{SqliteSource, SqliteTarget},
};
use self::{
    commits::Commits,
    lane::{Lane, Lanes},
    queue::WriteQueue,
    slow::SlowLane,
    writer::Writer,
};
pub(super) use self::{system::secret, times::repair_times};
use super::{
    Difference, ExportRendering, Migration, OpenError, PlanResult, StoreMetrics, StoreOptions,
};
use crate::{
    base::{error::Error, grant_secret::SecretDigest},
    model::{GrantKind, Model, Place, accounts::AccountModel},
    plan::{
        CallerValues, LookupRows, Outcome, Plan, Sources, Step, TagCipher, grant::Grant,
        idempotency::IdempotentRequest,
    },
    store::{
        export::{self, ExportContent, Exports},
        failure::FailureKind,
        idempotency::StoredAnswer,
        job::Job,
        options::TemporaryFolder,
        read::Attempt,
        session::{ReadSession as _, Session as _},
        sink::Sink,
    },
};

/// An open SQLite database, with its read connections, slow reads, exports and write queue.
pub(super) struct Sqlite {
    lanes: Lanes,
    slow: SlowLane,
    exports: Exports,
    queue: WriteQueue,
    commits: Arc<Commits>,
    wal_pages: Arc<AtomicU32>,
    cipher: TagCipher,
    /// The temporary folder of the database, if it has one.
    _folder: Option<Arc<TemporaryFolder>>,
}

impl Sqlite {
    pub(super) fn open(
        model: &Model,
        path: &Path,
        options: &StoreOptions,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        raw::count_no_memory();
        let (connection, applied) = opening::open(model, path, options)?;
        let failed = |cause| OpenError::unusable(path, "cannot be used").with_source(cause);
        let commits = Arc::new(Commits::default());
        let mut writer = Writer::new(connection, Arc::clone(&commits)).map_err(failed)?;
        writer.keep(options.folder.clone());
        let lanes = Lanes::new(
            path,
            options.mmap_bytes,
            Arc::clone(writer.file()),
            writer.identity().clone(),
            Arc::clone(&commits),
        );
        let (wal_pages, cipher) = (writer.wal_pages(), writer.identity().cipher);
        let queue = WriteQueue::start(writer).map_err(|cause| {
            OpenError::unusable(path, "cannot be used: no writer thread could be started")
                .with_source(cause)
        })?;
        let slow = SlowLane::start(&lanes).map_err(|cause| {
            OpenError::unusable(path, "cannot be used: no thread for slow reads could be started")
                .with_source(cause)
        })?;
        let folder = options.folder.clone();
        let exports = Exports::new();
        let engine =
            Self { lanes, slow, exports, queue, commits, wal_pages, cipher, _folder: folder };
        Ok((engine, applied))
    }

    /// Changes the tables for another model, while the database is in use. Returns the applied
    /// differences.
    pub(super) fn redeclare(
        &self,
        model: &Model,
        migration: Migration,
    ) -> Result<Vec<Difference>, OpenError> {
        let deadline = self.queue.deadline().clone();
        let is_closing = move || deadline.is_closing();
        let (applied, declared) =
            opening::redeclare(model, self.lanes.file(), migration, is_closing)?;
        self.lanes.redeclare(&declared);
        Ok(applied)
    }

    pub(super) async fn read(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        mut sink: Sink,
    ) -> Result<PlanResult, Error> {
        let mut attempt = Ok(Attempt::TooSlow);
        self.lanes.with(|lane| attempt = self.slow.attempt(lane, model, plan, &mut sink)).await?;
        match attempt? {
            Attempt::Done { outcome, statements, state } => {
                Ok(PlanResult { outcome, sink, statements, state })
            }
            Attempt::TooSlow => Box::pin(self.read_slowly(model, plan, sink)).await,
            Attempt::TooLarge => Ok(PlanResult::new(Outcome::TooLarge, sink)),
        }
    }

    /// Runs the look-ups of a web page on this worker.
    pub(super) async fn look_up(
        &self,
        model: &Arc<Model>,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        Ok(self.lanes.with(|lane| lane.look_up(model, steps, caller)).await??)
    }

    pub(super) async fn state_number(
        &self,
        model: &Model,
        sources: &Sources,
    ) -> Result<Option<u64>, Error> {
        match self
            .lanes
            .with(|lane| lane.snapshot(|lane| lane.tables_state(model, sources)))
            .await?
        {
            Ok(state) => Ok(Some(state.number)),
            // The read of the state exceeded its time limit. `None` makes the caller execute the
            // request instead of using a cached response.
            Err(failure) if failure.kind == FailureKind::Interrupted => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Executes a read on the slow lane: a few low-priority threads for slow reads.
    ///
    /// A shape is an SQL statement without its values. If the read was fast, its shape no longer
    /// counts as slow, and workers execute reads of that shape again. While the slow lane is busy,
    /// the shape still counts as slow: one fast read among many slow reads proves little.
    async fn read_slowly(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        sink: Sink,
    ) -> Result<PlanResult, Error> {
        let bytes_max = self.lanes.with(|lane| lane.bytes_max(plan, &sink)).await?;
        let (result, is_fast) = self.slow.read(model, plan, sink).await?;
        if is_fast && !self.slow.is_busy() {
            self.lanes
                .with(|lane| {
                    plan.steps.iter().for_each(|step| lane.handle.note(&step.shape, false));
                })
                .await?;
        }
        // The page exceeds the limit of this worker. The caller reads the page again on another
        // thread.
        let bytes = result.sink.content().map_or(0, |(_, bytes)| bytes.len());
        if bytes > bytes_max {
            return Ok(PlanResult::new(Outcome::TooLarge, Sink::Nothing));
        }
        Ok(result)
    }

    pub(super) async fn export(
        &self,
        model: &Arc<Model>,
        plan: Plan,
        sink: Sink,
        rendering: ExportRendering,
    ) -> Result<PlanResult, Error> {
        let preview =
            self.lanes.with(|lane| export::preview(lane, model, &plan, rendering.bare)).await?;
        if let Some(result) = preview? {
            return Ok(result);
        }
        let permit = self.exports.permit().await?;
        export::start(
            self.lanes.long()?,
            permit,
            ExportContent { model: Arc::clone(model), plan, sink, rendering },
        )
        .await
    }

    /// The cipher that hides the revisions in tags.
    pub(super) const fn cipher(&self) -> &TagCipher {
        &self.cipher
    }

    /// Queues a write job. The caller waits for the result through the `PendingWrite` of the job.
    pub(super) fn put(&self, job: Box<Job>) -> Result<(), Error> {
        self.queue.put(job)
    }

    pub(super) fn deletion_rows_max(&self) -> u64 {
        self.queue.deadline().rows_max()
    }

    pub(super) fn set_deletion_rows_max(&self, rows: u64) {
        self.queue.deadline().set_rows_max(rows);
    }

    pub(super) async fn first_answer(
        &self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Error> {
        let find = |lane: &mut Lane| Ok(answers::find(lane.handle.connection(), model, once)?);
        Ok(self.lanes.with(|lane| lane.statement(find)).await??)
    }

    /// Returns the validator of the accounts, and the number of grants that have ended. Returns
    /// `None` if they cannot be read in time.
    pub(super) async fn identity_state(
        &self,
        model: &Model,
        accounts: &AccountModel,
    ) -> Result<Option<(u64, u64)>, Error> {
        let sources = Sources::of(Place::new(accounts.resource, 0));
        let read = |lane: &mut Lane| {
            let accounts = lane.tables_state(model, &sources)?.number;
            Ok((accounts, lane.ended_grants()?))
        };
        match self.lanes.with(|lane| lane.snapshot(read)).await? {
            Ok(state) => Ok(Some(state)),
            Err(failure) if failure.kind == FailureKind::Interrupted => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    pub(super) async fn grant(
        &self,
        kind: GrantKind,
        digest: SecretDigest,
    ) -> Result<Option<Grant>, Error> {
        let find = |lane: &mut Lane| Ok(grants::find(lane.handle.connection(), kind, digest)?);
        Ok(self.lanes.with(|lane| lane.statement(find)).await??)
    }

    pub(super) async fn grants(&self, kind: GrantKind, account: &str) -> Result<Vec<Grant>, Error> {
        let all = |lane: &mut Lane| Ok(grants::all(lane.handle.connection(), kind, account)?);
        Ok(self.lanes.with(|lane| lane.statement(all)).await??)
    }

    pub(super) fn enter_worker(&self, read_bytes_max: usize) -> Result<Seat, Error> {
        self.lanes.enter(read_bytes_max)
    }

    pub(super) fn log_slow_reads(&self, from: Option<Duration>) {
        self.slow.log_from(from);
    }

    pub(super) fn end_turn(&self) {
        self.lanes.end_turn();
    }

    pub(super) fn metrics(&self) -> StoreMetrics {
        let (waiting, running) = self.slow.counts();
        let pages = self.wal_pages.load(Ordering::Relaxed);
        let mut metrics = StoreMetrics {
            writes_waiting: self.queue.waiting() as u64,
            slow_reads_waiting: waiting as u64,
            slow_reads_running: running as u64,
            exports_running: self.exports.running() as u64,
            snapshots: self.commits.taken(),
            wal_bytes: u64::from(pages) * opening::PAGE_BYTES as u64,
            ..StoreMetrics::default()
        };
        self.commits.times().add_to(&mut metrics);
        metrics
    }

    /// Closes the write queue. The queued writes have this much time.
    pub(super) async fn close(&self, time: Duration) {
        self.lanes.close_free();
        self.queue.close(time).await;
    }

    pub(super) async fn ready(&self) -> Result<(), Error> {
        self.lanes.look()?;
        self.lanes
            .with(|lane| lane.statement(|lane| Ok(system::read_counter(lane.handle.connection())?)))
            .await??;
        Ok(())
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sqlite")
    }
}

#[cfg(test)]
mod tests;
