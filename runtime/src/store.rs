//! The store: one handle for all callers, and a closed set of engines behind it.
//!
//! Nothing above this module names a thread, a connection or a database.

mod after;
pub(crate) mod behaviour;
pub mod context;
mod copy;
mod deletion;
mod difference;
mod export;
mod failure;
mod idempotency;
mod job;
mod location;
mod open;
mod options;
mod read;
mod refusal;
mod row;
mod session;
pub mod sink;
pub mod sql;
mod sqlite;
mod stamp;
mod turns;
mod tx;

use std::{fmt, sync::Arc, time::Duration};

#[cfg(test)]
pub(crate) use self::sqlite::bed;
use self::{
    after::AfterHookQueue,
    job::Job,
    sink::Sink,
    sqlite::{Seat, Sqlite},
    turns::Turns,
};
pub(crate) use self::{after::Permit, turns::Turn};
pub use self::{
    copy::{CopyError, CopyProgress, CopySummary, RestoreSummary, backup, restore},
    difference::Difference,
    location::Location,
    open::OpenError,
    options::{StoreOptions, Synchronous},
    tx::Tx,
};
use crate::{
    base::error::Error,
    http::{
        negotiate::{Coding, Format},
        range::Portion,
    },
    model::{FieldIx, Model, ResourceIx, value::Value},
    plan::{Caller, Outcome, Plan, Sources, SourcesState, idempotency::RequestsInProgress},
    store::behaviour::WriteHooks,
};

/// The storage of the members. Clones are handles of the same store.
///
/// The database is closed and the writer ends when the last handle is dropped, or earlier by
/// [`Store::close`].
#[derive(Clone, Debug)]
pub struct Store {
    engine: Engine,
    model: Arc<Model>,
    /// Present only if the model has hooks that run after a write.
    after: Option<AfterHookQueue>,
    under_way: RequestsInProgress,
    turns: Turns,
    /// The caller of typed calls.
    caller: Caller,
}

/// The available engines.
#[derive(Clone, Debug)]
enum Engine {
    Sqlite(Arc<Sqlite>),
}

/// The read connection of a thread; it is closed when this is dropped.
#[derive(Debug)]
#[must_use = "the connection is closed when this is dropped"]
pub struct Worker(#[expect(dead_code, reason = "dropping it closes the connection")] Seat);

/// The reason why a worker did not read a page. Another thread reads it, so the other requests of
/// the worker need not wait.
#[derive(Debug)]
pub(crate) struct PageTooLarge;

impl fmt::Display for PageTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page is too large for a worker")
    }
}

impl std::error::Error for PageTooLarge {}

/// The result of a plan.
#[derive(Debug)]
pub struct PlanResult {
    /// The outcome.
    pub outcome: Outcome,
    /// The sink with the rows.
    pub sink: Sink,
    /// The number of statements that the plan took, including those that found out why one failed.
    /// The statements for transactions and revisions are not counted.
    pub statements: u32,
    /// The state of the plan's sources in the snapshot that it read.
    pub state: Option<SourcesState>,
}

impl PlanResult {
    /// Creates the result of a plan that took no statement, and whose state is not needed.
    pub(crate) const fn new(outcome: Outcome, sink: Sink) -> Self {
        Self { outcome, sink, statements: 0, state: None }
    }
}

/// The rendering of an export.
#[derive(Debug)]
pub(crate) struct ExportRendering {
    /// The format.
    pub(crate) format: Format,
    /// The content coding.
    pub(crate) coding: Coding,
    /// Whether to leave out the content, as for HEAD.
    pub(crate) bare: bool,
    /// The requested range, or `None` for the whole export.
    pub(crate) portion: Option<Portion>,
}

impl Store {
    /// Opens or creates the database of a model, and returns the differences that were applied.
    ///
    /// # Errors
    /// An error of one sentence if the database cannot be used, and a list if the database was made
    /// for another declaration.
    pub fn open(
        model: &Arc<Model>,
        options: &StoreOptions,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        let Location::File(path) = &options.database else {
            return Err(OpenError::no_engine(&options.database));
        };
        let (engine, applied) = Sqlite::open(model, path, options)?;
        let after = if model.has_after_hooks() { Some(AfterHookQueue::start()) } else { None };
        let after = after.transpose().map_err(|cause| {
            OpenError::unusable(path, "gets no thread for the hooks after a write").because(cause)
        })?;
        let engine = Engine::Sqlite(Arc::new(engine));
        Ok((
            Self {
                engine,
                model: Arc::clone(model),
                after,
                under_way: RequestsInProgress::default(),
                turns: Turns::default(),
                caller: Caller::System,
            },
            applied,
        ))
    }

    /// Returns a handle of the store for calls on behalf of a caller, whose access rules apply to
    /// them. Requests that a [`Service`](crate::Service) serves have their own callers.
    ///
    /// ```
    /// # use nouns_runtime::{Store, identify::Caller};
    /// fn for_anybody(store: &Store) -> Store {
    ///     store.acting_as(&Caller::Anonymous)
    /// }
    /// ```
    #[must_use]
    pub fn acting_as(&self, caller: &Caller) -> Self {
        Self { caller: caller.clone(), ..self.clone() }
    }

    /// Returns a handle of the store for calls on behalf of the program itself, to which no access
    /// rule applies. [`open`](Self::open) returns such a handle. A handle from a request, as by
    /// [`Context::store`](context::Context::store), acts as the request's caller.
    ///
    /// ```
    /// # use nouns_runtime::{Context, Store};
    /// fn whatever_the_rules(context: &Context) -> Store {
    ///     context.store().as_system()
    /// }
    /// ```
    #[must_use]
    pub fn as_system(&self) -> Self {
        self.acting_as(&Caller::System)
    }

    /// Returns the caller on whose behalf calls are made.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the model of its members.
    #[must_use]
    pub const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Runs a plan that only reads, in one snapshot.
    ///
    /// # Errors
    /// 503 if the read can be retried, 500 if the database fails.
    pub async fn read(&self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.read(&self.model, plan, sink).await,
        }
    }

    /// Returns the current state of the sources of a cached response, or `None` if it cannot be
    /// found out in time.
    ///
    /// # Errors
    /// As for a read.
    pub(crate) async fn state(&self, sources: Sources) -> Result<Option<SourcesState>, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.state(&self.model, sources).await,
        }
    }

    /// Runs a plan that reads a whole collection, in one snapshot. The content is made while it is
    /// sent.
    ///
    /// # Errors
    /// 503 if the read can be retried, 500 if the database fails.
    pub(crate) async fn export(
        &self,
        plan: Plan,
        sink: Sink,
        shown: ExportRendering,
    ) -> Result<PlanResult, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.export(&self.model, plan, sink, shown).await,
        }
    }

    /// Runs a plan that writes, completely or not at all, and returns once it is committed. If the
    /// caller no longer waits when the writer reaches the plan, it is not begun.
    ///
    /// # Errors
    /// 503 if the write can be retried, 500 if the database fails.
    pub async fn write(&self, plan: Plan, sink: Sink) -> Result<PlanResult, Error> {
        self.write_hooked(plan, sink, None, None).await
    }

    /// Runs a write with hooks, and with a timeout until it is begun.
    pub(crate) async fn write_hooked(
        &self,
        plan: Plan,
        sink: Sink,
        hooked: Option<WriteHooks>,
        patience: Option<Duration>,
    ) -> Result<PlanResult, Error> {
        let (plan, statements) = self.with_ids(plan).await?;
        let (job, waiting) = Job::new(Arc::clone(&self.model), plan, sink, hooked);
        match &self.engine {
            Engine::Sqlite(engine) => engine.put(job)?,
        }
        let mut ran = waiting.answer(patience).await?;
        ran.statements += statements;
        Ok(ran)
    }

    /// Whether requests whose change of a member was overtaken are waiting for each other.
    pub(crate) fn is_waited_for(&self, resource: ResourceIx, id: &Value) -> bool {
        self.turns.has(|| (resource, id.spell(self.model[resource][FieldIx::ID].kind)))
    }

    /// Waits for a turn among the requests whose change of a member was overtaken. Returns `None`
    /// if that takes too long.
    pub(crate) async fn turn(&self, resource: ResourceIx, id: &Value) -> Option<Turn> {
        self.turns.take((resource, id.spell(self.model[resource][FieldIx::ID].kind))).await
    }

    /// Reserves the execution of hooks after a write.
    pub(crate) fn permit(&self) -> Result<Permit, Error> {
        let none =
            || Error::internal("the store was opened without a thread for the hooks after a write");
        self.after.as_ref().ok_or_else(none)?.permit()
    }

    /// Gives the calling thread its own read connection, until the returned value is dropped.
    ///
    /// # Errors
    /// If the database cannot be opened again.
    pub fn enter_worker(&self) -> Result<Worker, Error> {
        self.enter_worker_for(usize::MAX)
    }

    /// Gives the calling thread a read connection for pages up to this size. A request that reads a
    /// larger one fails with [`PageTooLarge`].
    pub(crate) fn enter_worker_for(&self, read_bytes_max: usize) -> Result<Worker, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.enter_worker(read_bytes_max).map(Worker),
        }
    }

    /// Sets the time from which a read is logged as slow, once for each query shape; `None`
    /// disables the log.
    ///
    /// The default is [`SLOW_READ_TIME_MIN`](crate::base::limits::SLOW_READ_TIME_MIN). It is
    /// compared with the time that a read takes by itself. Reads that fit into a worker's budget of
    /// 250 microseconds are never logged.
    ///
    /// ```
    /// # fn start(store: &nouns_runtime::Store) {
    /// store.log_slow_reads(Some(std::time::Duration::from_secs(1)));
    /// # }
    /// ```
    pub fn log_slow_reads(&self, from: Option<Duration>) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.log_slow_reads(from),
        }
    }

    /// Marks the calling worker as idle: its next read sees the current data.
    ///
    /// A worker that calls this whenever it becomes idle reads faster. Until the call, all its
    /// reads share one snapshot, as long as nothing is written. Once it has called this, it must
    /// continue to: a snapshot that is not released prevents a complete checkpoint of the WAL. On a
    /// thread that is no worker, the call has no effect.
    ///
    /// ```no_run
    /// # fn start(store: nouns_runtime::Store) -> Result<(), Box<dyn std::error::Error>> {
    /// let _worker = store.enter_worker()?;
    /// let resting = store.clone();
    /// let runtime = tokio::runtime::Builder::new_current_thread()
    ///     .enable_all()
    ///     .on_thread_park(move || resting.end_turn())
    ///     .build()?;
    /// # Ok(()) }
    /// ```
    pub fn end_turn(&self) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.end_turn(),
        }
    }

    /// Closes the store: queued writes are completed, and later ones are refused with 503. A write
    /// that no caller waits for is interrupted, and writes that are not done after ten seconds are
    /// refused.
    ///
    /// It waits for the hooks that run after writes. They may still write meanwhile, but a hook
    /// that waits for this call causes a deadlock.
    pub async fn close(&self) {
        if let Some(after) = &self.after {
            after.close().await;
        }
        match &self.engine {
            Engine::Sqlite(engine) => engine.close().await,
        }
    }

    /// Whether the database can be read now.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn ready(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.ready().await,
        }
    }
}
