//! The PostgreSQL engine of the store. Plain plans are a single statement on a lane, a connection
//! of the worker thread. All others run on threads with a connection each, and take several round
//! trips: some threads are for fast reads, some for slow ones, and some for writes.

mod address;
mod answers;
mod attempts;
mod batch_run;
mod batches;
mod build;
mod cells;
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
mod numeric;
mod opening;
mod others_triggers;
mod parameter;
mod plain;
mod plain_write;
mod pool;
mod pooler;
mod prefetched;
mod prepared;
mod proven;
mod query_plan;
mod reader;
mod references;
mod rows;
mod seats;
mod select;
mod shared;
mod slow_seats;
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

use self::{
    address::PostgresAddress,
    build::Built,
    home::Home,
    pool::{Chair, Pool, PoolOptions, PoolRefusal, Seated as _},
    reader::ReadConnection,
    seats::{ReadOrigin, ReadSeats},
    writer::WriteConnection,
};
pub(super) use self::{
    lanes::LaneSeat,
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
        CallerValues, LookupRows, Outcome, Plan, Sources, SourcesState, Step, TagCipher,
        grant::Grant, idempotency::IdempotentRequest,
    },
    store::{
        attempts::{AttemptEnd, CountedAttempt},
        export::{self, ExportContent, Exports},
        idempotency::StoredAnswer,
        job::{Job, closed, too_many},
        read::{self, Attempt},
        session::{ReadSession as _, Session as _},
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
    seats: ReadSeats,
    writes: Pool<WriteConnection>,
    exports: Exports,
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
        let (seats, writes) = (ReadSeats::start(&home), Pool::start(&home, options));
        let engine = Self {
            home,
            location: location.clone(),
            seats: seats.map_err(no_thread)?,
            writes: writes.map_err(no_thread)?,
            exports: Exports::new(),
            bytes: Arc::default(),
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

    /// Runs work with a session that reads.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut ReadConnection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.seats.run(ReadOrigin::default(), work).await
    }

    pub(super) async fn read(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        mut sink: Sink,
    ) -> Result<PlanResult, Error> {
        let plain = plain::read(&self.home, self.seats.proven(), model, plan, &mut sink).await;
        if let Some((outcome, state)) = plain {
            return Ok(PlanResult { outcome, sink, statements: 1, state });
        }
        let (model, plan, origin) = (Arc::clone(model), plan.clone(), ReadOrigin::of(plan));
        let work = move |reader: &mut ReadConnection| {
            let mut sink = sink.clone();
            match read::run(reader, &model, &plan, &mut sink)? {
                Attempt::Done { outcome, statements, state } => {
                    Ok(PlanResult { outcome, sink, statements, state })
                }
                Attempt::TooSlow => Err(fault::overloaded("a read took too long")),
                Attempt::TooLarge => Err(Error::internal("a read has a limit of bytes")),
            }
        };
        self.seats.run(origin, work).await
    }

    /// Runs the look-ups of a web page.
    pub(super) async fn look_up(
        &self,
        model: &Arc<Model>,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        let (model, steps, caller) = (Arc::clone(model), steps.to_vec(), caller.clone());
        self.with(move |reader| Ok(reader.look_up(&model, &steps, &caller)?)).await
    }

    /// Returns the current state of sources.
    pub(super) async fn state(
        &self,
        model: &Arc<Model>,
        sources: &Sources,
    ) -> Result<Option<SourcesState>, Error> {
        let state = |number| Some(SourcesState { sources: sources.clone(), number });
        if let Some(number) = plain::state(&self.home, model, sources).await {
            return Ok(state(number));
        }
        let (model, sources) = (Arc::clone(model), sources.clone());
        let read = self.with(move |reader| {
            Ok(reader.statement(|reader| reader.tables_state(&model, &sources))?)
        });
        Ok(state(read.await?.number))
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
        if let Some(result) = self.with(preview).await? {
            return Ok(result);
        }
        let permit = self.exports.permit().await?;
        let home = Arc::clone(&self.home);
        let reader = self.with(move |_| ReadConnection::open(&home)).await?;
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
    pub(super) fn enter_worker(&self) -> LaneSeat {
        lanes::enter(&self.home)
    }

    /// Queues a write job. The caller waits for the result through the `PendingWrite` of the job.
    pub(super) fn put(&self, mut job: Box<Job>) -> Result<(), Error> {
        job.take_room(&self.bytes)?;
        let work = move |chair: &mut Chair<WriteConnection>| writes::serve(chair, job);
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
        let (model, once) = (Arc::clone(model), Arc::clone(once));
        self.with(move |reader| Ok(answers::find(reader.handle(), &model, &once)?)).await
    }

    /// Returns the validator of the accounts, and the number of grants that have ended.
    pub(super) async fn identity_state(
        &self,
        model: &Arc<Model>,
        accounts: &AccountModel,
    ) -> Result<Option<(u64, u64)>, Error> {
        let sources = Sources::of(Place::new(accounts.resource, 0));
        if let Some(state) = plain::identity_state(&self.home, model, &sources).await {
            return Ok(Some(state));
        }
        let model = Arc::clone(model);
        let read = move |reader: &mut ReadConnection| {
            Ok(reader.snapshot(|reader| {
                let accounts = reader.tables_state(&model, &sources)?.number;
                let ended = counters::sums(reader.handle(), &[grants::TABLE])?;
                Ok((accounts, ended[0].0))
            })?)
        };
        self.with(read).await.map(Some)
    }

    pub(super) async fn grant(
        &self,
        kind: GrantKind,
        digest: SecretDigest,
    ) -> Result<Option<Grant>, Error> {
        if let Some(found) = plain::grant(&self.home, kind, digest).await {
            return Ok(found?);
        }
        self.with(move |reader| Ok(grants::find(reader.handle(), kind, digest)?)).await
    }

    pub(super) async fn grants(&self, kind: GrantKind, account: &str) -> Result<Vec<Grant>, Error> {
        let account = account.to_owned();
        self.with(move |reader| Ok(grants::all(reader.handle(), kind, &account)?)).await
    }

    /// Begins an attempt to sign in. The inner error says how long to wait.
    pub(super) async fn begin_attempt(
        &self,
        names: Vec<String>,
    ) -> Result<Result<CountedAttempt, Error>, Error> {
        self.with(move |reader| Ok(attempts::begin(reader.handle(), &names)?)).await
    }

    pub(super) async fn end_attempt(
        &self,
        names: Vec<String>,
        counted: CountedAttempt,
        end: AttemptEnd,
    ) -> Result<(), Error> {
        self.with(move |reader| Ok(attempts::end(reader.handle(), &names, &counted, end)?)).await
    }

    pub(super) fn metrics(&self) -> StoreMetrics {
        let ((waiting, running), (writes, _)) = (self.seats.slow_counts(), self.writes.counts());
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
        let release = move |chair: &mut Chair<WriteConnection>| {
            if let Ok(session) = chair.session(&writer::deadline(RELEASE_TIME_MAX)) {
                counters::release(session.handle(), home.holder());
            }
        };
        self.writes.put(release).ok();
        let closed = self.writes.close();
        if within(time, closed).await.is_none() {
            tracing::warn!(target: "nouns", "writes did not end in time: they are abandoned");
        }
    }

    pub(super) async fn ready(&self) -> Result<(), Error> {
        self.with(|reader| {
            system::exist(reader.handle())?;
            Ok(())
        })
        .await
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres")
    }
}
