//! The PostgreSQL engine of the store. Reads and plain writes are a single statement. Those that
//! may run beside others do so on a lane, a connection of the worker thread. Other reads have a
//! connection alone, which takes no thread. Other writes run on threads with a connection each, and
//! take several round trips.

mod address;
mod answers;
mod attempts;
mod batch_run;
mod batches;
mod build;
mod cells;
mod connection_pool;
mod connection_runtime;
mod counters;
mod epoch;
mod fate;
mod fault;
mod grants;
mod handle;
mod hold;
mod home;
mod ids;
mod indexes;
mod lane;
mod lanes;
mod merging;
mod moment;
mod needed_state;
mod numeric;
mod opening;
mod others_triggers;
mod page_lookups;
mod parameter;
mod plain;
mod plain_write;
mod pool;
mod pooler;
mod prefetched;
mod prepared;
mod proven;
mod query_plan;
mod read_connections;
mod reader;
mod records;
mod references;
mod rows;
mod select;
mod sessions;
mod shared;
mod slots;
mod slow_queue;
mod stored_rows;
mod system;
mod transfer;
mod triggers;
mod wire;
mod writer;
mod writes;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use tokio_postgres::{Row as ServerRow, types::ToSql};

use self::{
    address::PostgresAddress,
    build::Built,
    home::Home,
    needed_state::StateRead,
    page_lookups::LookupsRead,
    plain::PlanRead,
    pool::{Pool, PoolOptions, PoolRefusal, PooledSession as _, ThreadConnection},
    read_connections::{OwnRead, ReadConnections, ReadOrigin},
    reader::ReadConnection,
    sessions::SessionThreads,
    writer::WriteConnection,
};
pub(super) use self::{
    lanes::LanesGuard,
    query_plan::query_plans,
    transfer::{PostgresSource, PostgresTarget},
};
use super::{
    Difference, ExportRendering, Location, Migration, OpenError, PlanResult, StoreMetrics,
};
use crate::{
    base::{error::Error, grant_secret::SecretDigest, limits, within::within},
    model::{GrantKind, Model, Place, accounts::AccountModel},
    plan::{
        CallerValues, LookupRows, Outcome, Plan, Sources, Step, TagCipher, grant::Grant,
        idempotency::IdempotentRequest,
    },
    store::{
        attempts::{AttemptEnd, CountedAttempt},
        export::{self, ExportContent, Exports},
        idempotency::{StoredAnswer, oldest},
        job::{Job, closed, too_many},
        sink::Sink,
    },
};

/// The maximum number of writes that run at the same time, each on a connection of its own. Those
/// that wait for the lock of a row do not keep reads waiting.
const WRITES_MAX: usize = 8;

/// The time in which the slots of the counters are released at the end.
const RELEASE_TIME_MAX: Duration = Duration::from_secs(1);

/// An open PostgreSQL database.
pub(super) struct Postgres {
    home: Arc<Home>,
    location: Location,
    reads: ReadConnections,
    /// The threads for attempts to sign in, which are transactions.
    attempts: SessionThreads,
    writes: Pool<WriteConnection>,
    exports: Exports,
    /// The threads for what an export needs before it has a thread of its own.
    previews: SessionThreads,
    /// The total size of the waiting large writes, in bytes.
    bytes: Arc<AtomicUsize>,
}

impl Postgres {
    /// Opens a database, and creates or migrates the tables of a model. Returns the applied
    /// differences.
    pub(super) fn open(
        model: &Model,
        location: &Location,
        url: &str,
        apply: bool,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        let address = opening::address(model, location, url)?;
        let Built { applied, declared, cipher } =
            opening::build(&address, model, location, Migration::of(apply))?;
        let home = Home::new(address, declared, cipher);
        let no_thread = |cause| {
            OpenError::unusable_at(location, "cannot be used: no thread could be started")
                .with_source(cause)
        };
        let options = PoolOptions {
            name: "nouns-writer",
            threads: WRITES_MAX,
            waiting_max: limits::WRITES_WAITING_MAX,
            settings: "",
        };
        let engine = Self {
            location: location.clone(),
            reads: ReadConnections::start(&home).map_err(no_thread)?,
            attempts: SessionThreads::for_attempts(&home).map_err(no_thread)?,
            writes: Pool::start(&home, options).map_err(no_thread)?,
            exports: Exports::new(),
            previews: SessionThreads::for_exports(&home).map_err(no_thread)?,
            bytes: Arc::default(),
            home,
        };
        Ok((engine, applied))
    }

    /// Changes the tables for another model, while the database is in use. Returns the applied
    /// differences.
    pub(super) fn redeclare(
        &self,
        model: &Model,
        migration: Migration,
    ) -> Result<Vec<Difference>, OpenError> {
        let built = opening::build(self.home.address(), model, &self.location, migration)?;
        self.home.declared().set(&built.declared);
        Ok(built.applied)
    }

    /// The cipher that hides the revisions in tags.
    pub(super) fn cipher(&self) -> &TagCipher {
        self.home.cipher()
    }

    /// Runs a statement of the store itself, which reads a few small rows.
    async fn rows(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<ServerRow>, Error> {
        self.reads.run(ReadOrigin::default(), &mut OwnRead { text, values, is_small: true }).await
    }

    pub(super) async fn read(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        mut sink: Sink,
    ) -> Result<PlanResult, Error> {
        let bytes_max = match sink {
            Sink::Json(_) | Sink::Ndjson(_) | Sink::Csv(_) if plan.is_movable => {
                lanes::read_bytes_max(&self.home)
            }
            _ => usize::MAX,
        };
        let mut read = PlanRead::new(model, plan, &mut sink, bytes_max)?;
        let found = self.reads.run(ReadOrigin::of(plan), &mut read).await?;
        let (outcome, statements, state) = found;
        Ok(PlanResult { outcome, sink, statements, state })
    }

    /// Runs the look-ups of a web page.
    pub(super) async fn look_up(
        &self,
        model: &Arc<Model>,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        let mut read = LookupsRead { model, steps, caller };
        self.reads.run(ReadOrigin::default(), &mut read).await
    }

    /// Returns the current state of sources.
    pub(super) async fn state_number(
        &self,
        model: &Arc<Model>,
        sources: &Sources,
    ) -> Result<u64, Error> {
        let mut read = StateRead { model, sources, further: None };
        let (number, _) = self.reads.run(ReadOrigin::default(), &mut read).await?;
        Ok(number)
    }

    pub(super) async fn export(
        &self,
        model: &Arc<Model>,
        plan: Plan,
        sink: Sink,
        rendering: ExportRendering,
    ) -> Result<PlanResult, Error> {
        let (known, bare) = (Arc::clone(model), rendering.bare);
        let previewed = plan.clone();
        let preview =
            move |reader: &mut ReadConnection| export::preview(reader, &known, &previewed, bare);
        if let Some(result) = self.previews.run(preview).await? {
            return Ok(result);
        }
        let permit = self.exports.permit().await?;
        let reader = self.previews.open().await?;
        let content = ExportContent { model: Arc::clone(model), plan, sink, rendering };
        export::start(reader, permit, content).await
    }

    /// Runs a plain plan that writes. `None` if the plan is not plain, or has changed nothing.
    /// Then a job runs it.
    pub(super) async fn write(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        sink: &mut Sink,
    ) -> Result<Option<Outcome>, Error> {
        plain_write::write(&self.home, model, plan, sink).await
    }

    /// Gives the calling thread connections of its own until the returned value is dropped.
    /// It renders pages of at most this many bytes, or of as many as such a connection carries.
    pub(super) fn enter_worker(&self, read_bytes_max: usize) -> LanesGuard {
        lanes::enter(&self.home, read_bytes_max)
    }

    /// Queues a write job. The caller waits for the result through the `PendingWrite` of the job.
    pub(super) fn put(&self, mut job: Box<Job>) -> Result<(), Error> {
        job.take_room(&self.bytes)?;
        let work = move |connection: &mut ThreadConnection<WriteConnection>| {
            writes::serve(connection, job);
        };
        self.writes.put(work).map_err(|refusal| match refusal {
            PoolRefusal::Full => too_many(),
            PoolRefusal::Closed => closed(),
        })
    }

    pub(super) fn deletion_rows_max(&self) -> u64 {
        self.home.deletion_rows_max()
    }

    pub(super) fn set_deletion_rows_max(&self, rows: u64) {
        self.home.set_deletion_rows_max(rows);
    }

    pub(super) async fn first_answer(
        &self,
        model: &Arc<Model>,
        once: &Arc<IdempotentRequest>,
    ) -> Result<Option<StoredAnswer<'static>>, Error> {
        let values: [&(dyn ToSql + Sync); 3] = [&once.scope, &once.key, &oldest(model)];
        let mut read = OwnRead { text: answers::FIND, values: &values, is_small: false };
        let rows = self.reads.run(ReadOrigin::default(), &mut read).await?;
        Ok(rows.first().map(|row| answers::read(row, once)).transpose()?)
    }

    /// Returns the validator of the accounts, and the number of grants that have ended.
    pub(super) async fn identity_state(
        &self,
        model: &Arc<Model>,
        accounts: &AccountModel,
    ) -> Result<Option<(u64, u64)>, Error> {
        let sources = &Sources::of(Place::new(accounts.resource, 0));
        let mut read = StateRead { model, sources, further: Some(grants::TABLE) };
        self.reads.run(ReadOrigin::default(), &mut read).await.map(Some)
    }

    pub(super) async fn grant(
        &self,
        kind: GrantKind,
        digest: SecretDigest,
    ) -> Result<Option<Grant>, Error> {
        let rows = self.rows(grants::FIND, &[&&digest.0[..], &kind.word()]).await?;
        Ok(rows.first().map(grants::read).transpose()?)
    }

    pub(super) async fn grants(&self, kind: GrantKind, account: &str) -> Result<Vec<Grant>, Error> {
        let rows = self.rows(grants::ALL, &[&account, &kind.word()]).await?;
        Ok(rows.iter().map(grants::read).collect::<Result<_, _>>()?)
    }

    /// Begins an attempt to sign in. The inner error says how long to wait.
    pub(super) async fn begin_attempt(
        &self,
        names: Vec<String>,
    ) -> Result<Result<CountedAttempt, Error>, Error> {
        self.attempts.run(move |reader| Ok(attempts::begin(reader.handle(), &names)?)).await
    }

    pub(super) async fn end_attempt(
        &self,
        names: Vec<String>,
        counted: CountedAttempt,
        end: AttemptEnd,
    ) -> Result<(), Error> {
        let end = move |reader: &mut ReadConnection| {
            Ok(attempts::end(reader.handle(), &names, &counted, end)?)
        };
        self.attempts.run(end).await
    }

    pub(super) fn metrics(&self) -> StoreMetrics {
        let ((waiting, running), (writes, _)) = (self.reads.slow_counts(), self.writes.counts());
        let mut metrics = StoreMetrics {
            writes_waiting: writes as u64,
            slow_reads_waiting: waiting as u64,
            slow_reads_running: running as u64,
            exports_running: self.exports.running() as u64,
            ..StoreMetrics::default()
        };
        self.home.add_times(&mut metrics);
        metrics
    }

    /// Refuses further writes, and waits for those that are queued. They have this much time.
    pub(super) async fn close(&self, time: Duration) {
        let home = Arc::clone(&self.home);
        let release = move |connection: &mut ThreadConnection<WriteConnection>| {
            if let Ok(session) = connection.session(&writer::deadline(RELEASE_TIME_MAX)) {
                home.slots().release(session.handle());
            }
        };
        self.writes.put(release).ok();
        let closed = self.writes.close();
        if within(time, closed).await.is_none() {
            tracing::warn!(target: "nouns", "writes did not end in time: they are abandoned");
        }
    }

    pub(super) async fn ready(&self) -> Result<(), Error> {
        self.rows(system::EXIST, &[]).await.map(drop)
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres")
    }
}
