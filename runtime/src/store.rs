//! The store: one handle for whoever asks, and a closed set of engines behind it.
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

/// Where the members are kept. Clones are handles of the same store.
///
/// The database and the writer end when the last handle is dropped, or earlier by [`Store::close`].
#[derive(Clone, Debug)]
pub struct Store {
    engine: Engine,
    model: Arc<Model>,
    /// Only where the model has hooks that run after a write.
    after: Option<AfterHookQueue>,
    under_way: RequestsInProgress,
    turns: Turns,
    /// In whose name typed calls are made.
    caller: Caller,
}

/// The engines there are.
#[derive(Clone, Debug)]
enum Engine {
    Sqlite(Arc<Sqlite>),
}

/// How a store is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Where it is.
    pub database: Location,
    /// When a write is answered.
    pub synchronous: Synchronous,
    /// Whether additive differences between the declaration and the database are applied.
    pub apply: bool,
    /// How many bytes of a file of SQLite are mapped into memory, at most
    /// [`MMAP_BYTES_MAX`](crate::base::limits::MMAP_BYTES_MAX); 0 maps none.
    ///
    /// A map saves a call of the system for each page that is not in the page cache. But when the
    /// disk fails at a page that is mapped, or the file is cut short, the process is killed
    /// (SIGBUS); a page that is not mapped is a 500 for whoever needs it.
    pub mmap_bytes: u64,
}

impl StoreOptions {
    /// A database with the defaults: writes are answered once they are on the disk, nothing is
    /// applied, and nothing is mapped.
    ///
    /// ```
    /// use nouns_runtime::store::{StoreOptions, Synchronous};
    ///
    /// let options = StoreOptions { synchronous: Synchronous::Normal, ..StoreOptions::new("zoo.db") };
    /// assert_eq!((options.apply, options.mmap_bytes), (false, 0));
    /// ```
    #[must_use]
    pub fn new(database: impl Into<Location>) -> Self {
        Self {
            database: database.into(),
            synchronous: Synchronous::Full,
            apply: false,
            mmap_bytes: 0,
        }
    }
}

/// When a write is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When it is on the disk: it survives a loss of power.
    #[default]
    Full,
    /// When the operating system has it: it survives the end of the process.
    Normal,
}

/// The read connection of a thread; it is closed when this is dropped.
#[derive(Debug)]
#[must_use = "the connection is closed when this is dropped"]
pub struct Worker(#[expect(dead_code, reason = "it does what it does when it is dropped")] Seat);

/// Why a worker did not read a page: another thread does, so that the requests of the worker need
/// not wait.
#[derive(Debug)]
pub(crate) struct PageTooLarge;

impl fmt::Display for PageTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page is too large for a worker")
    }
}

impl std::error::Error for PageTooLarge {}

/// A plan that was run.
#[derive(Debug)]
pub struct PlanResult {
    /// What the store says of it.
    pub outcome: Outcome,
    /// The sink with the rows.
    pub sink: Sink,
    /// How many statements of the plan were run, and to find out why one failed; what keeps the
    /// store itself (transactions, revisions) is not counted.
    pub statements: u32,
    /// The state of what a plan reads, as of the snapshot that it was read from.
    pub state: Option<SourcesState>,
}

impl PlanResult {
    /// An outcome that took no statement, and whose state nobody needs.
    pub(crate) const fn new(outcome: Outcome, sink: Sink) -> Self {
        Self { outcome, sink, statements: 0, state: None }
    }
}

/// How an export is shown.
#[derive(Debug)]
pub(crate) struct ExportRendering {
    /// In which format.
    pub(crate) format: Format,
    /// In which coding.
    pub(crate) coding: Coding,
    /// Whether without content: HEAD.
    pub(crate) bare: bool,
    /// What of it is asked for; all of it where nothing is said.
    pub(crate) portion: Option<Portion>,
}

impl Store {
    /// Opens or makes the database of a model, and says which differences were applied.
    ///
    /// # Errors
    /// One sentence where the database cannot be used, and a list where the database was made for
    /// another declaration.
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

    /// The same store for calls in the name of a caller: the access rules that apply to it hold for
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

    /// The same store for calls in the name of the program itself, to which no access rule applies.
    /// What is opened by [`open`](Self::open) is one already; what a request reaches, as by
    /// [`Context::store`](context::Context::store), acts as its caller.
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

    /// In whose name calls are made.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// What is kept in it.
    #[must_use]
    pub const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Runs a plan that only reads, in one snapshot.
    ///
    /// # Errors
    /// 503 where it can be tried again, 500 where the database fails.
    pub async fn read(&self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.read(&self.model, plan, sink).await,
        }
    }

    /// The state of what a cached response depends on; nothing where that is not known in time.
    ///
    /// # Errors
    /// As for a read.
    pub(crate) async fn state(&self, sources: Sources) -> Result<Option<SourcesState>, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.state(&self.model, sources).await,
        }
    }

    /// Runs a plan that reads a whole collection, in one snapshot, whose content is made while it
    /// is sent.
    ///
    /// # Errors
    /// 503 where it can be tried again, 500 where the database fails.
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

    /// Runs a plan that writes, whole or not at all; the answer comes when it is committed. Where
    /// nobody waits for it any more when its turn comes, it is not begun.
    ///
    /// # Errors
    /// 503 where it can be tried again, 500 where the database fails.
    pub async fn write(&self, plan: Plan, sink: Sink) -> Result<PlanResult, Error> {
        self.write_hooked(plan, sink, None, None).await
    }

    /// The same with hooks, and with a bound on the time until it is begun.
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

    /// Whether others whose change of a member was overtaken wait for each other.
    pub(crate) fn is_waited_for(&self, resource: ResourceIx, id: &Value) -> bool {
        self.turns.has(|| (resource, id.spell(self.model[resource][FieldIx::ID].kind)))
    }

    /// A turn among those whose change of a member was overtaken; nothing where that takes too
    /// long.
    pub(crate) async fn turn(&self, resource: ResourceIx, id: &Value) -> Option<Turn> {
        self.turns.take((resource, id.spell(self.model[resource][FieldIx::ID].kind))).await
    }

    /// The right to have hooks run after a write.
    pub(crate) fn permit(&self) -> Result<Permit, Error> {
        let none =
            || Error::internal("the store was opened without a thread for the hooks after a write");
        self.after.as_ref().ok_or_else(none)?.permit()
    }

    /// Gives the thread that calls it a read connection of its own, for as long as it keeps what it
    /// gets.
    ///
    /// # Errors
    /// Where the database cannot be opened once more.
    pub fn enter_worker(&self) -> Result<Worker, Error> {
        self.enter_worker_for(usize::MAX)
    }

    /// The same for a worker that leaves larger pages to another thread: a request that reads one
    /// fails with [`PageTooLarge`].
    pub(crate) fn enter_worker_for(&self, read_bytes_max: usize) -> Result<Worker, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.enter_worker(read_bytes_max).map(Worker),
        }
    }

    /// Sets the time from which on a read is logged as slow, once for each question; with none, no
    /// read is.
    ///
    /// It is [`SLOW_READ_TIME_MIN`](crate::base::limits::SLOW_READ_TIME_MIN) at first, and compared
    /// with the time that a read has taken by itself. Reads that a worker has time for, 250
    /// microseconds, are never logged.
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

    /// Says that a worker comes to rest: what it reads after that, it reads anew.
    ///
    /// A worker that says so whenever it has nothing to do reads faster, for all that it reads
    /// until then is read from one snapshot, as long as nothing is written. Once it has said so it
    /// must go on to: a snapshot that nobody lets go keeps the log of the database from ending. On
    /// a thread that is no worker it does nothing.
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

    /// Ends the store: the writes that are queued are done, and later ones are refused with 503. A
    /// write that nobody waits for is interrupted, and what is not done after ten seconds is
    /// refused.
    ///
    /// It waits for the hooks that run after writes. They may still write while it does, but a hook
    /// that waits for this waits for itself.
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
    /// Where it cannot.
    pub async fn ready(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.ready().await,
        }
    }
}
