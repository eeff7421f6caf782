//! Lanes: the connections of a worker thread. Statements of many requests are under way on a lane
//! at the same time, and what one turn of the thread sends goes out in one piece.
//!
//! A statement on a lane keeps the later ones waiting, so the server ends each that takes long. The
//! request then runs on a thread of a pool, which may wait.

mod write_statements;

use std::{
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::timeout;
use tokio_postgres::{Client, Row as ServerRow, Statement, types::ToSql};

pub(super) use self::write_statements::WriteForm;
use super::{
    cells::BinaryRow,
    counters::{self, SlotLease},
    epoch::Epoch,
    fault,
    home::{ConnectedDatabase, Home},
    parameter::BinaryParameter,
    prepared::{PreparedStatement, PreparedStatements, types},
    rows::next,
    shared::{SharedState, StateReceiver},
    wire::Driver,
    writer::{NEXT_REVISIONS, REVISIONS_AT_ONCE},
};
use crate::{
    base::error::Error,
    model::{
        Model,
        value::{Value, now},
    },
    plan::{Shape, validator::Identity},
    store::{sql, stamp},
};

/// The limits of a statement on a lane. The second one is for the lock of a row that another
/// transaction has changed.
const BUDGET: &str = "SET statement_timeout = 100; SET lock_timeout = 50";
/// A lane that reads never writes, whatever its statements are. The rows of a page keep their order
/// only in a plan that is not parallel.
const READ_ONLY: &str =
    "SET default_transaction_read_only = on; SET max_parallel_workers_per_gather = 0";
/// A lane that writes finds members by their ids, also in a table that had no rows yet when the
/// statement was planned. And a batch locks them in the order of its values.
const BY_ID: &str =
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";
/// The time in which a statement must be answered. It is longer than the budget, for those before
/// it and for the network. After it, the lane is not used again.
pub(super) const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);
/// The size of the rows of a statement, in bytes. Larger results are read on a thread of a pool,
/// which does not collect them.
pub(super) const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// A connection of a worker thread.
pub(super) struct PostgresLane {
    client: Arc<Client>,
    /// The number of times that the connection was driven.
    turns: Arc<AtomicU64>,
    epoch: Option<Arc<Epoch>>,
    pub(super) identity: Identity,
    /// The statement that reads the state of tables.
    sums: Statement,
    slot: Option<SlotLease>,
    is_renewing: AtomicBool,
    /// The number of requests that use the lane.
    pub(super) users: AtomicUsize,
    is_spent: AtomicBool,
    state: Mutex<LaneState>,
}

#[derive(Default)]
struct LaneState {
    statements: PreparedStatements,
    /// The statements of writes, by their form, and by the statement that finds the account of the
    /// caller.
    writes: Vec<(WriteForm, Option<Shape>, PreparedStatements)>,
    /// The revisions that are left of those that were taken from the sequence.
    revisions: std::ops::Range<i64>,
    /// The time of the last change.
    at: String,
    /// The last state that was asked for.
    shared: Option<SharedState>,
}

/// Why a statement on a lane has no result.
#[derive(Debug)]
pub(super) enum LaneFailure {
    /// The server has refused it, so it has changed nothing.
    Refused(tokio_postgres::Error),
    /// It took too long, so the server has ended it. It has changed nothing.
    TooSlow,
    /// Its rows are too large.
    TooLarge,
    /// The connection is lost. What the statement has done is not known.
    Lost,
}

impl PostgresLane {
    /// Opens a lane that the runtime of a worker drives. This blocks, and must be called on another
    /// thread.
    pub(super) fn open(
        home: &Arc<Home>,
        worker: tokio::runtime::Handle,
        writes: bool,
    ) -> Result<Self, Error> {
        let driver = Driver::Other(worker);
        let ConnectedDatabase { mut handle, identity, .. } = home.connect_on(driver, writes)?;
        let slot = match writes {
            true => Some(SlotLease::take(&mut handle, home.holder())?),
            false => None,
        };
        handle.script(BUDGET)?;
        handle.script(if writes { BY_ID } else { READ_ONLY })?;
        let sums = handle.prepare(counters::SUMS)?;
        let (client, turns, epoch) = handle.into_wire().into_client();
        Ok(Self {
            client: Arc::new(client),
            turns,
            epoch: epoch.map(Arc::new),
            identity,
            sums,
            slot,
            is_renewing: AtomicBool::default(),
            users: AtomicUsize::default(),
            is_spent: AtomicBool::default(),
            state: Mutex::default(),
        })
    }

    /// Whether the lane can be used for another request.
    pub(super) fn is_usable(&self) -> bool {
        let is_abandoned = self.epoch.as_ref().is_some_and(|epoch| epoch.is_over());
        !self.is_spent.load(Ordering::Relaxed) && !self.client.is_closed() && !is_abandoned
    }

    /// The slot of counters in which the lane counts its writes. Its lease is renewed in time.
    pub(super) fn slot(self: &Arc<Self>) -> Option<i32> {
        let slot = self.slot.as_ref()?;
        if slot.is_due() && !self.is_renewing.swap(true, Ordering::Relaxed) {
            let lane = Arc::clone(self);
            tokio::spawn(async move {
                let Some(slot) = &lane.slot else { return };
                let renewed = lane.answer(slot.renew(&lane.client)).await;
                if !matches!(renewed, Ok(true)) {
                    lane.spend();
                }
                lane.is_renewing.store(false, Ordering::Relaxed);
            });
        }
        Some(slot.number())
    }

    /// Ends the use of the lane by further requests.
    pub(super) fn spend(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the prepared statement of a shape, if the lane has it.
    pub(super) fn known(&self, model: &Arc<Model>, shape: &Shape) -> Option<PreparedStatement> {
        self.lock().statements.find(model, shape)
    }

    /// Prepares the statement of a shape.
    pub(super) async fn prepare(
        &self,
        shape: &Shape,
        statement: sql::SqlStatement,
    ) -> Result<PreparedStatement, LaneFailure> {
        let prepared = self.prepared(statement).await?;
        self.lock().statements.add(shape, &prepared);
        Ok(prepared)
    }

    async fn prepared(
        &self,
        statement: sql::SqlStatement,
    ) -> Result<PreparedStatement, LaneFailure> {
        let sql::SqlStatement { text, parameters } = statement;
        let types = types(&text);
        let statement = self.answer(self.client.prepare_typed(&text, &types)).await?;
        Ok(PreparedStatement::new(statement, parameters))
    }

    /// Forgets the prepared statement of a shape.
    pub(super) fn forget(&self, shape: &Shape) {
        self.lock().statements.remove(shape);
    }

    /// Forgets all prepared statements, since the tables may have changed.
    pub(super) fn forget_statements(&self) {
        let mut state = self.lock();
        (state.statements, state.writes) = Default::default();
    }

    /// Runs a prepared statement. Returns its rows, if they have at most this many bytes together.
    pub(super) async fn rows(
        &self,
        statement: &Statement,
        values: Vec<impl ToSql>,
        bytes_max: usize,
    ) -> Result<Vec<BinaryRow>, LaneFailure> {
        let mut bytes = 0;
        let run = async {
            let mut stream = pin!(self.client.query_raw(statement, values).await?);
            let mut rows = vec![];
            while let Some(row) = next(stream.as_mut()).await {
                let row = row?;
                bytes += row.raw_size_bytes();
                if bytes > bytes_max {
                    return Ok(None);
                }
                rows.push(row);
            }
            Ok(Some(rows))
        };
        let rows = self.answer(run).await?;
        let Some(rows) = rows else {
            // The rest of the rows is still to come, and all that follows has to wait for it.
            self.spend();
            return Err(LaneFailure::TooLarge);
        };
        rows.into_iter().map(Self::decoded).collect()
    }

    /// Runs a prepared statement that returns no rows. Returns the number of changed rows.
    pub(super) async fn execute(
        &self,
        statement: &Statement,
        values: Vec<BinaryParameter<'_>>,
    ) -> Result<u64, LaneFailure> {
        let run = self.client.execute_raw(statement, values);
        self.answer(run).await
    }

    /// Runs a statement of the store itself. Returns its rows.
    pub(super) async fn ask(
        &self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<ServerRow>, LaneFailure> {
        let known = self.lock().statements.find_own(text);
        let statement = match known {
            Some(statement) => statement,
            None => {
                let statement = self.answer(self.client.prepare(text)).await?;
                self.lock().statements.add_own(text, &statement);
                statement
            }
        };
        self.answer(self.client.query(&statement, values)).await
    }

    fn decoded(row: ServerRow) -> Result<BinaryRow, LaneFailure> {
        BinaryRow::read(row).ok_or(LaneFailure::TooLarge)
    }

    /// Waits for a response of the server.
    async fn answer<T>(
        &self,
        response: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, LaneFailure> {
        let kept = async {
            match &self.epoch {
                Some(epoch) => epoch.keep_shortly(response).await,
                None => Some(response.await),
            }
        };
        let error = match timeout(ANSWER_TIME_MAX, kept).await {
            Ok(Some(Ok(result))) => return Ok(result),
            Ok(Some(Err(error))) => error,
            Ok(None) => return Err(LaneFailure::Lost),
            Err(_) => {
                self.spend();
                self.epoch.iter().for_each(|epoch| epoch.suspect());
                return Err(LaneFailure::Lost);
            }
        };
        if fault::is_interrupted(&error) {
            return Err(LaneFailure::TooSlow);
        }
        if fault::is_lost(&error) {
            self.spend();
            return Err(LaneFailure::Lost);
        }
        Err(LaneFailure::Refused(error))
    }

    /// Returns the time and the revision for a write. The revisions are taken in blocks.
    pub(super) async fn stamps(&self) -> Result<[Value; 2], LaneFailure> {
        loop {
            {
                let mut state = self.lock();
                if let Some(revision) = state.revisions.next() {
                    state.at = stamp::after(&state.at, now());
                    return Ok([Value::Text(state.at.clone()), Value::Integer(revision)]);
                }
            }
            let taken = self.ask(NEXT_REVISIONS, &[]).await?;
            let first: i64 = taken.first().ok_or(LaneFailure::Lost)?.get(0);
            // Another request may have taken a block at the same time. Its rest is left out.
            self.lock().revisions = first..first + REVISIONS_AT_ONCE;
        }
    }

    /// Asks for the state of tables. What was asked for in this turn is shared. Statements that are
    /// sent after the call run after the state was read.
    pub(super) fn ask_state(&self, tables: &[&'static str]) -> Option<StateReceiver> {
        let turn = self.turns.load(Ordering::Acquire);
        let mut state = self.lock();
        let shared = state.shared.as_ref().and_then(|shared| shared.receiver(turn, tables));
        shared.or_else(|| {
            let shared =
                SharedState::ask((&self.client, self.epoch.clone()), &self.sums, turn, tables);
            state.shared.insert(shared).receiver(turn, tables)
        })
    }
}
