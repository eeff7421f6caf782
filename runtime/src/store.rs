//! The store: a handle that all callers share, and an enum of the database engines behind the
//! handle.
//!
//! Code outside this module does not refer to the threads, connections or databases of an engine.

mod accounts;
mod administration;
mod after;
mod answer_sizes;
mod attempts;
pub(crate) mod behaviour;
pub mod context;
mod copy;
mod credentials;
mod deletion;
mod difference;
mod end_demand;
mod engine;
mod explain;
mod export;
mod failure;
pub(crate) mod grants;
mod hold;
mod idempotency;
pub(crate) mod inside;
mod issuer;
mod job;
mod location;
mod lookups;
mod metrics;
mod migration;
mod open;
mod options;
mod passwords;
mod plan_result;
#[cfg(feature = "postgres")]
mod postgres;
mod process_sessions;
mod raised;
mod read;
mod redeclare;
mod refusal;
mod row;
mod session;
mod session_file;
mod session_folder;
pub mod sink;
mod slow;
pub mod sql;
mod sqlite;
mod stamp;
mod temporary;
mod transaction;
mod transfer;
mod turns;
mod tx;
mod worker;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

#[cfg(test)]
pub(crate) use self::sqlite::bed;
pub use self::{
    administration::{backup, query_plans, repair_times, restore, transfer, unseal},
    copy::{CopyError, CopyProgress, CopySummary, FutureTimes, RestoreSummary},
    difference::Difference,
    explain::{BoundValue, ExplainedStatement, QueryPlanLine},
    location::Location,
    open::OpenError,
    options::{StoreOptions, Synchronous},
    plan_result::PlanResult,
    transfer::{TransferSummary, TransferredTable},
    tx::{Actor, AsCaller, AsSystem, NoActor, Tx},
    worker::Worker,
};
use self::{
    after::AfterHookQueue, attempts::FailedAttempts, credentials::VerifiedCredentials,
    engine::Engine, grants::GrantUses, issuer::Issuer, job::Job, migration::Migration,
    passwords::PasswordThreads, process_sessions::ProcessSessions, sink::Sink, turns::Turns,
};
pub(crate) use self::{
    after::Permit, explain::statements as explained, metrics::StoreMetrics,
    passwords::PasswordSource, plan_result::ExportRendering, tx::OpenTransaction,
};
use crate::{
    base::{error::Error, limits, within::within},
    model::Model,
    plan::{Caller, Plan, Sources, idempotency::RequestsInProgress},
    store::behaviour::WriteHooks,
};

/// The storage of the members (rows) of all resources. Clones are handles of the same store.
///
/// The database is closed and the writer thread ends when the last handle is dropped, or earlier
/// when [`Store::close`] is called.
#[derive(Clone, Debug)]
pub struct Store {
    engine: Engine,
    model: Arc<Model>,
    /// The path of the database, as the program has given it.
    path: PathBuf,
    /// The queue of the hooks that run after a write, or `None` if the model has no such hooks.
    after: Option<AfterHookQueue>,
    under_way: RequestsInProgress,
    turns: Turns,
    passwords: PasswordThreads,
    verified: VerifiedCredentials,
    failed: FailedAttempts,
    /// The sessions, if they are not in the database.
    sessions: Option<ProcessSessions>,
    uses: GrantUses,
    /// The other issuer of tokens, if there is one.
    issuer: Option<Issuer>,
    /// The caller on whose behalf the program calls this handle from Rust code.
    caller: Caller,
}

impl Store {
    /// Opens or creates the database of a model. Returns the store, and the differences from the
    /// declaration that were corrected in the database.
    ///
    /// # Errors
    /// A one-sentence error if the database cannot be used. A list of differences if the database
    /// was made for another declaration.
    pub fn open(
        model: &Arc<Model>,
        options: &StoreOptions,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        let (engine, applied) = Engine::open(model, options)?;
        let path = match &options.database {
            Location::File(path) => path.clone(),
            url @ Location::Url(_) => url.to_string().into(),
        };
        let after = AfterHookQueue::of(model, &path)?;
        let sessions = ProcessSessions::of(model, &path);
        Ok((
            Self {
                engine,
                model: Arc::clone(model),
                path,
                after,
                under_way: RequestsInProgress::default(),
                turns: Turns::default(),
                passwords: PasswordThreads::default(),
                verified: VerifiedCredentials::default(),
                failed: FailedAttempts::default(),
                sessions,
                uses: GrantUses::default(),
                issuer: Issuer::of(model),
                caller: Caller::System,
            },
            applied,
        ))
    }

    /// Returns a handle of the store for calls on behalf of a caller. The access rules of the
    /// caller apply to the calls. Requests that a [`Service`](crate::Service) serves have their own
    /// callers.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Caller, Store};
    ///
    /// fn for_anybody(store: &Store) -> Store {
    ///     store.acting_as(&Caller::Anonymous)
    /// }
    /// ```
    #[must_use]
    pub fn acting_as(&self, caller: &Caller) -> Self {
        Self { caller: caller.clone(), ..self.clone() }
    }

    /// Returns a handle of the store for calls on behalf of the program itself. No access rules
    /// apply to the calls. [`open`](Self::open) returns such a handle. A handle from a request, as
    /// returned by [`Context::store`](context::Context::store), acts as the caller of the request.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Context, Store};
    ///
    /// fn whatever_the_rules(context: &Context) -> Store {
    ///     context.store().as_system()
    /// }
    /// ```
    #[must_use]
    pub fn as_system(&self) -> Self {
        self.acting_as(&Caller::System)
    }

    /// Returns the caller on whose behalf this handle makes calls.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the model, which has all resources whose members are in this store.
    #[must_use]
    pub const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the number in the entity tags of a member with a revision.
    pub(crate) fn tag_of(&self, revision: u64) -> u64 {
        match &self.engine {
            Engine::Sqlite(engine) => engine.cipher().encrypt(revision),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.cipher().encrypt(revision),
        }
    }

    /// Runs a plan that only reads, in one snapshot of the database.
    ///
    /// # Errors
    /// 503 if the read can be retried, 500 if the database fails.
    #[doc(hidden)]
    pub async fn read(&self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.read(&self.model, plan, sink).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.read(&self.model, plan, sink).await,
        }
    }

    /// Returns the current state of the tables that a cached response was made from. Returns `None`
    /// if the state cannot be read in time.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read).
    pub(crate) async fn state_number(&self, sources: &Sources) -> Result<Option<u64>, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.state_number(&self.model, sources).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.state_number(&self.model, sources).await.map(Some),
        }
    }

    /// Runs a plan that reads a whole collection, in one snapshot. The content is rendered while it
    /// is sent.
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
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.export(&self.model, plan, sink, shown).await,
        }
    }

    /// Runs a plan that writes, in one transaction, and returns once the transaction is committed.
    /// If the caller has stopped waiting before the writer reaches the plan, the plan is not run.
    ///
    /// # Errors
    /// 503 if the write can be retried, 500 if the database fails.
    #[doc(hidden)]
    pub async fn write(&self, plan: Plan, sink: Sink) -> Result<PlanResult, Error> {
        self.write_hooked(plan, sink, None, None).await
    }

    /// Runs a write with hooks. `patience` limits the time until the write begins; `None` sets no
    /// limit.
    pub(crate) async fn write_hooked(
        &self,
        mut plan: Plan,
        sink: Sink,
        hooked: Option<WriteHooks>,
        patience: Option<Duration>,
    ) -> Result<PlanResult, Error> {
        inside::refuse()?;
        #[cfg(feature = "postgres")]
        let mut sink = sink;
        #[cfg(feature = "postgres")]
        if let (Engine::Postgres(engine), None) = (&self.engine, &hooked)
            && let Some(outcome) = Box::pin(engine.write(&self.model, &plan, &mut sink)).await?
        {
            return Ok(PlanResult { outcome, sink, statements: 1, state: None });
        }
        let statements = self.find_ids(&mut plan).await?;
        let (job, waiting) = Job::of_plan(Arc::clone(&self.model), plan, sink, hooked);
        self.put(job)?;
        let mut result = waiting.answer(patience).await?;
        result.statements += statements;
        Ok(result)
    }

    fn put(&self, job: Box<Job>) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.put(job),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.put(job),
        }
    }

    /// Reserves a place in the queue of the hooks that run after a write. The error is a 503 if the
    /// queue is full, and a 500 if the model has no such hooks.
    pub(crate) fn permit(&self) -> Result<Permit, Error> {
        let none =
            || Error::internal("the store was opened without a thread for the hooks after a write");
        self.after.as_ref().ok_or_else(none)?.permit()
    }

    /// Sets the duration from which a read is logged as slow. Each query shape (resource, filter
    /// and sort order) is logged once. `None` disables the log.
    ///
    /// The default is [`SLOW_READ_TIME_MIN`](crate::base::limits::SLOW_READ_TIME_MIN). The duration
    /// is compared with the time that a read takes when it runs alone. Reads that fit into a
    /// worker's budget of 250 microseconds are never logged.
    ///
    /// ```
    /// # fn start(store: &nouns_runtime::Store) {
    /// store.log_slow_reads(Some(std::time::Duration::from_secs(1)));
    /// # }
    /// ```
    pub fn log_slow_reads(&self, from: Option<Duration>) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.log_slow_reads(from),
            // A server of PostgreSQL logs them itself (`log_min_duration_statement`).
            #[cfg(feature = "postgres")]
            Engine::Postgres(_) => {}
        }
    }

    /// Returns the numbers of the store for `/-/metrics`.
    pub(crate) fn metrics(&self) -> StoreMetrics {
        let mut metrics = match &self.engine {
            Engine::Sqlite(engine) => engine.metrics(),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.metrics(),
        };
        metrics.passwords_waiting = self.passwords.waiting() as u64;
        metrics
    }

    /// Closes the store. Hooks that run after writes end, and may still write. Queued writes are
    /// completed, and later writes are refused with 503. A write that no caller waits for is
    /// interrupted.
    ///
    /// All of this takes at most [`CLOSE_TIME_MAX`](limits::CLOSE_TIME_MAX), and then a second to
    /// empty the WAL. Hooks and writes that have not ended by then are abandoned, which is logged.
    /// The transaction of such a write is rolled back, now or at the next start.
    pub async fn close(&self) {
        let until = Instant::now() + limits::CLOSE_TIME_MAX;
        if let Some(after) = &self.after
            && within(limits::CLOSE_TIME_MAX, after.close()).await.is_none()
        {
            tracing::warn!(target: "nouns", "hooks after writes did not end in time: they are abandoned");
        }
        let left = until.saturating_duration_since(Instant::now());
        match &self.engine {
            Engine::Sqlite(engine) => engine.close(left).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.close(left).await,
        }
    }

    /// Checks that the database, the files of sessions and the keys of tokens can be read now.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub async fn ready(&self) -> Result<(), Error> {
        if let Some(sessions) = &self.sessions {
            sessions.ready()?;
        }
        if let Some(issuer) = &self.issuer {
            issuer.keys()?;
        }
        match &self.engine {
            Engine::Sqlite(engine) => engine.ready().await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.ready().await,
        }
    }
}
