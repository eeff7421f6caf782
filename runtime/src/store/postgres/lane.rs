//! Lanes: the connections of a worker thread. Statements of many requests are under way on a lane
//! at the same time, and what one turn of the thread sends goes out in one piece.
//!
//! A statement on a lane keeps the later ones waiting, so the server ends each that takes long. The
//! request then runs on a connection of its own. Such a connection has the same code, but other
//! limits.

mod collected_rows;
mod failure;
mod lane_use;
mod transaction;
mod write_statements;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{Client, Row as ServerRow, Statement, types::ToSql};

pub(super) use self::{
    collected_rows::{CollectedRows, Excess, RowsLimit},
    failure::LaneFailure,
    lane_use::LaneUse,
    write_statements::WriteForm,
};
use super::{
    counters,
    epoch::Epoch,
    fault,
    home::{ConnectedDatabase, Home, opening_limit},
    parameter::BinaryParameter,
    prepared::{PreparedStatement, PreparedStatements, types},
    shared::{SharedState, StateReceiver, TableStates},
    slots::{CounterSlots, UsedSlot},
    wire::{CANCEL_TIME_MAX, Canceller, Driver, DriverTurns},
    writer::{NEXT_REVISIONS, REVISIONS_AT_ONCE},
};
use crate::{
    base::error::Error,
    model::{
        Model,
        value::{Value, now},
    },
    plan::{Shape, validator::Identity},
    store::{
        sql::{self, Dialect},
        stamp,
    },
};

/// The time in which a statement must be answered. It is longer than the budget, for those before
/// it and for the network. After it, the lane is not used again.
pub(super) const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);
/// The size of the rows of a statement, in bytes. Larger results are read on other connections, as
/// those that follow on a lane would wait for them.
pub(super) const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// A connection of a worker thread, or one that a read uses alone.
pub(super) struct PostgresLane {
    client: Arc<Client>,
    used_for: LaneUse,
    canceller: Canceller,
    /// The number of statements that the server may still run, although nobody waits for them, and
    /// of those that are waited for.
    unanswered: AtomicUsize,
    turns: Arc<DriverTurns>,
    epoch: Option<Arc<Epoch>>,
    pub(super) identity: Identity,
    /// The statement that reads the state of tables.
    sums: Statement,
    slots: Arc<CounterSlots>,
    /// The slot in which statements under way count.
    slot: Mutex<Weak<UsedSlot>>,
    /// The number of requests that use the lane.
    pub(super) users: AtomicUsize,
    is_spent: AtomicBool,
    state: Mutex<LaneState>,
}

#[derive(Default)]
struct LaneState {
    statements: PreparedStatements,
    /// The statements of pages with a total, by the shapes of the pages.
    totals: PreparedStatements,
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

impl LaneState {
    /// Returns the statements of pages with a total, or those of all other shapes.
    const fn of_shapes(&mut self, have_total: bool) -> &mut PreparedStatements {
        if have_total { &mut self.totals } else { &mut self.statements }
    }
}

impl PostgresLane {
    /// Opens a connection that a runtime drives. This blocks, and must be called on another thread.
    pub(super) fn open(
        home: &Arc<Home>,
        runtime: Handle,
        used_for: LaneUse,
    ) -> Result<Self, Error> {
        let (driver, writes) = (Driver::Other(runtime), used_for == LaneUse::Writes);
        let connected = match used_for.is_shared() {
            true => home.connect_beside(driver, writes),
            false => home.connect(driver, writes, &opening_limit()),
        };
        let ConnectedDatabase { mut handle, identity, .. } = connected?;
        handle.script(&used_for.settings())?;
        let sums = handle.prepare(counters::SUMS)?;
        let (client, canceller, turns, epoch) = handle.into_wire().into_client();
        Ok(Self {
            client: Arc::new(client),
            used_for,
            canceller,
            unanswered: AtomicUsize::default(),
            turns,
            epoch: epoch.map(Arc::new),
            identity,
            sums,
            slots: Arc::clone(home.slots()),
            slot: Mutex::default(),
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

    /// Returns the slot in which the lane counts its writes, which it uses until the last of them
    /// has dropped it. `None` if all slots are used.
    pub(super) fn slot(self: &Arc<Self>) -> Option<Arc<UsedSlot>> {
        if let Some(renewal) = self.slots.renewal(&self.identity.database) {
            let lane = Arc::clone(self);
            tokio::spawn(async move {
                lane.answer(lane.slots.renew_beside(&lane.client, &renewal)).await.ok();
            });
        }
        self.counts_in().or_else(|| {
            let slot = Arc::new(self.slots.unused(&self.identity.database)?);
            *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&slot);
            Some(slot)
        })
    }

    /// Returns the slot in which writes count that are under way on the lane.
    pub(super) fn counts_in(&self) -> Option<Arc<UsedSlot>> {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner).upgrade()?;
        Some(slot).filter(|slot| slot.is_held())
    }

    /// Whether many requests use the connection at the same time.
    pub(super) const fn is_shared(&self) -> bool {
        self.used_for.is_shared()
    }

    /// The time at which the connection was driven last. On one that a read has alone, the answer
    /// to its last statement arrived then.
    pub(super) fn last_turn(&self) -> Instant {
        self.turns.last()
    }

    /// Ends the use of the lane by further requests.
    pub(super) fn spend(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the prepared statement of a shape, if the lane has it. `has_total` says that it is a
    /// page whose statement also reads its total.
    pub(super) fn known(
        &self,
        model: &Arc<Model>,
        shape: &Shape,
        has_total: bool,
    ) -> Option<PreparedStatement> {
        self.lock().of_shapes(has_total).find(model, shape)
    }

    /// Prepares the statement of a shape, which may be a page with a total.
    pub(super) async fn prepare(
        &self,
        model: &Arc<Model>,
        (shape, has_total): (&Shape, bool),
        statement: sql::SqlStatement,
    ) -> Result<PreparedStatement, LaneFailure> {
        let prepared = self.prepared(statement).await?;
        self.lock().of_shapes(has_total).add(model, shape, &prepared);
        Ok(prepared)
    }

    /// Returns the prepared statement of a shape, and prepares it if the lane does not have it.
    pub(super) async fn statement(
        &self,
        model: &Arc<Model>,
        shape: &Shape,
    ) -> Result<PreparedStatement, LaneFailure> {
        match self.known(model, shape, false) {
            Some(prepared) => Ok(prepared),
            None => {
                let statement = sql::statement(shape, model, Dialect::Postgres);
                self.prepare(model, (shape, false), statement).await
            }
        }
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

    /// Forgets the prepared statements of a shape.
    pub(super) fn forget(&self, shape: &Shape) {
        let mut state = self.lock();
        state.statements.remove(shape);
        state.totals.remove(shape);
    }

    /// Forgets all prepared statements, since the tables may have changed.
    pub(super) fn forget_statements(&self) {
        let mut state = self.lock();
        (state.statements, state.totals, state.writes) = Default::default();
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

    /// Waits for a response of the server.
    async fn answer<T>(
        &self,
        response: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, LaneFailure> {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
        let answer = timeout(self.used_for.answer_time_max(), self.kept(response)).await;
        let Ok(answer) = answer else {
            self.spend();
            self.epoch.iter().for_each(|epoch| epoch.suspect());
            return Err(LaneFailure::Lost);
        };
        self.unanswered.fetch_sub(1, Ordering::Relaxed);
        answer.ok_or(LaneFailure::Lost)?.map_err(|error| self.failure(error))
    }

    /// Waits for a response. `None` if the connection is discarded before.
    async fn kept<T>(&self, response: impl Future<Output = T>) -> Option<T> {
        match &self.epoch {
            Some(epoch) if self.is_shared() => epoch.keep_shortly(response).await,
            Some(epoch) => epoch.keep(response).await,
            None => Some(response.await),
        }
    }

    fn failure(&self, error: tokio_postgres::Error) -> LaneFailure {
        if fault::is_interrupted(&error) {
            return LaneFailure::TooSlow;
        }
        if fault::is_lost(&error) {
            self.spend();
            return LaneFailure::Lost;
        }
        LaneFailure::Refused(error)
    }

    /// Whether the server runs no statement for which nobody waits.
    pub(super) fn is_settled(&self) -> bool {
        self.unanswered.load(Ordering::Relaxed) == 0
    }

    /// Waits until the server has ended the statements for which nobody waits. A slow one is
    /// cancelled. The server may do so late, and hit the next statement, so there is none.
    pub(super) async fn settle(&self) {
        let end = async {
            if self.used_for == LaneUse::Slow {
                self.spend();
                self.canceller.cancel().await;
            }
            // The response to an empty statement follows those to all earlier ones.
            self.client.batch_execute("").await
        };
        match timeout(CANCEL_TIME_MAX, end).await {
            Ok(Ok(())) => self.unanswered.store(0, Ordering::Relaxed),
            Ok(Err(_)) => self.spend(),
            Err(_) => {
                self.spend();
                self.epoch.iter().for_each(|epoch| epoch.suspect());
            }
        }
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
        debug_assert!(self.is_shared(), "what is asked for may be under way for another request");
        let turn = self.turns.count();
        let mut state = self.lock();
        let shared = state.shared.as_ref().and_then(|shared| shared.receiver(turn, tables));
        shared.or_else(|| {
            let shared =
                SharedState::ask((&self.client, self.epoch.clone()), &self.sums, turn, tables);
            state.shared.insert(shared).receiver(turn, tables)
        })
    }

    /// Returns the state of tables.
    pub(super) async fn states(&self, tables: &[&'static str]) -> Result<TableStates, LaneFailure> {
        if self.is_shared() {
            let asked = self.ask_state(tables).ok_or(LaneFailure::Lost)?;
            return asked.states().await.ok_or(LaneFailure::Lost);
        }
        let rows = self.answer(self.client.query(&self.sums, &[&tables])).await?;
        Ok(counters::of_tables(rows, tables)?.into())
    }
}
