//! A connection that writes: the session in which a job runs, within a transaction.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    answers::{self, AnswerClaim},
    counters,
    fate::TransactionMark,
    grants,
    handle::PostgresHandle,
    home::{ConnectedDatabase, Home},
    others_triggers,
    pool::PooledSession,
    select,
    slots::{self, UsedSlot},
    wire::{Driver, WaitLimit},
};
use crate::{
    base::error::Error,
    model::{
        Model, ResourceIx,
        def::OnDelete,
        value::{Value, now},
    },
    plan::{
        CallerValues, CollectionState, Sources, Step, grant::GrantChange,
        idempotency::IdempotentRequest, validator::Identity,
    },
    store::{
        answer_sizes::AnswerSizes,
        failure::{Failure, FailureKind},
        idempotency::StoredAnswer,
        job::{Job, too_many_rows, too_slow},
        session::{Session, Statements as _, WriteSession},
        stamp,
    },
};

/// The number of revisions that a connection takes from the sequence at once. It is the increment
/// of the sequence.
pub(super) const REVISIONS_AT_ONCE: i64 = 64;

pub(super) const NEXT_REVISIONS: &str = "SELECT nextval('\"_nouns_revisions\"')";
/// The rows of a table that this transaction has changed, also by the actions of foreign keys.
const CHANGED_ROWS: &str = "SELECT coalesce(sum(pg_stat_get_xact_tuples_updated(r) + pg_stat_get_xact_tuples_deleted(r)), 0)::bigint \
    FROM (SELECT to_regclass(quote_ident(t))::oid AS r FROM unnest($1::text[]) AS t) AS n";

/// A connection that writes, and the state of the job that it runs.
pub(super) struct WriteConnection {
    handle: PostgresHandle,
    identity: Identity,
    /// The history of the server in which the connection writes.
    history: Option<String>,
    /// The revisions that are left of those that were taken from the sequence.
    revisions: std::ops::Range<i64>,
    /// The time of the last change of this connection.
    at: String,
    deletion_rows_max: u64,
    answer_sizes: Arc<AnswerSizes>,
    job: JobState,
}

/// The state of a job.
#[derive(Default)]
struct JobState {
    /// Whether the counters of the collection whose preconditions the job tests are locked.
    has_collection: bool,
    /// The tables whose counters this transaction has increased.
    bumped: Vec<&'static str>,
    /// The tables of them that the job has not changed yet.
    early: Vec<&'static str>,
    /// The tables that the job has changed.
    touched: Vec<&'static str>,
    /// Whether the job has changed something besides rows of resources.
    has_changed: bool,
    /// The rows that deletions have changed.
    deleted_rows: u64,
    is_over_rows: bool,
    claim: Option<AnswerClaim>,
    /// The number of the transaction and the time in its counters, by which its fate is found.
    transaction: Option<(String, String)>,
    savepoints: usize,
    /// The tables that have triggers of others.
    triggered: Arc<[String]>,
}

impl WriteConnection {
    /// Returns a slot of counters that nobody uses, outside of a transaction.
    pub(super) fn slot(&mut self, home: &Home) -> Result<UsedSlot, Failure> {
        home.slots().lease(&mut self.handle, &self.identity.database)
    }

    /// Begins the transaction of a job. Counters come first, so that all take locks in the same
    /// order. A job that tests a precondition on a collection locks all counters of the tables that
    /// the collection is made from and that the job writes. Then each job increases the counters of
    /// its slot for the tables that it will write.
    pub(super) fn begin(&mut self, home: &Home, job: &Job, slot: &UsedSlot) -> Result<(), Failure> {
        self.deletion_rows_max = home.deletion_rows_max();
        let triggers = home.others_triggers();
        if triggers.is_due() {
            triggers.note(&self.handle.ask(others_triggers::TABLES, &[])?);
        }
        self.job = JobState { triggered: triggers.tables(), ..JobState::default() };
        self.handle.take_count();
        self.handle.begin(match job.decides_by_reading() {
            true => "BEGIN ISOLATION LEVEL SERIALIZABLE",
            false => "BEGIN ISOLATION LEVEL READ COMMITTED",
        });
        let model = job.model();
        let mut tables: Vec<_> = job.tables().iter().map(|ix| model[*ix].def.table).collect();
        tables.sort_unstable();
        tables.dedup();
        if let Some(sources) = job.tested_collection() {
            let sources = sources.tables(model).map(|ix| model[ix].def.table);
            let all: Vec<_> = sources.chain(tables.iter().copied()).collect();
            counters::lock(&mut self.handle, &all)?;
            self.job.has_collection = true;
        }
        self.bump(slot, &tables)?;
        self.job.early = tables;
        Ok(())
    }

    fn bump(&mut self, slot: &UsedSlot, tables: &[&'static str]) -> Result<(), Failure> {
        let at = self.time();
        let transaction = counters::bump(&mut self.handle, slot, tables, &at)?;
        let numbered = transaction.map(|number| (number, at));
        self.job.transaction = numbered.or(self.job.transaction.take());
        self.job.bumped.extend(tables);
        Ok(())
    }

    /// Does what must precede the commit. Returns whether there is anything to commit.
    pub(super) fn finish(&mut self, slot: &UsedSlot) -> Result<bool, Failure> {
        let late = |table: &&&str| !self.job.bumped.contains(*table);
        let mut late: Vec<_> = self.job.touched.iter().filter(late).copied().collect();
        late.sort_unstable();
        late.dedup();
        if !late.is_empty() {
            self.bump(slot, &late)?;
        }
        let changes = !self.job.touched.is_empty() || self.job.has_changed;
        if let (true, Some(claim)) = (changes, self.job.claim.take()) {
            claim.give_up(&mut self.handle)?;
        }
        Ok(changes)
    }

    /// The transaction, as it can be found again after its connection was lost.
    pub(super) fn transaction(&self) -> Option<TransactionMark> {
        let (number, at) = self.job.transaction.clone()?;
        Some(TransactionMark { history: self.history.clone(), number, at })
    }

    /// Returns the time of the next change. It is never earlier than the one before.
    fn time(&mut self) -> String {
        self.at = stamp::after(&self.at, now());
        self.at.clone()
    }

    /// Returns the next revision.
    fn revision(&mut self) -> Result<i64, Failure> {
        if self.revisions.is_empty() {
            let rows = self.handle.ask(NEXT_REVISIONS, &[])?;
            let none = || Failure::internal("the sequence of revisions has no value");
            let first: i64 = rows.first().ok_or_else(none)?.get(0);
            self.revisions = first..first + REVISIONS_AT_ONCE;
        }
        self.revisions.next().ok_or_else(|| Failure::internal("there are no more revisions"))
    }

    /// Returns the rows that the transaction has changed in the tables that a deletion changes.
    fn changed_rows(&mut self, model: &Model, resource: ResourceIx) -> Result<u64, Failure> {
        let tables: Vec<_> =
            model[resource].deletes.iter().map(|ix| model[*ix].def.table).collect();
        let rows = self.handle.ask(CHANGED_ROWS, &[&tables])?;
        Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)).unsigned_abs())
    }
}

impl PooledSession for WriteConnection {
    fn connect(home: &Arc<Home>, limit: &WaitLimit) -> Result<Self, Error> {
        let ConnectedDatabase { handle, identity, history } =
            home.connect(Driver::own()?, true, limit)?;
        Ok(Self {
            handle,
            identity,
            history,
            revisions: 0..0,
            at: String::new(),
            deletion_rows_max: home.deletion_rows_max(),
            answer_sizes: Arc::clone(home.answer_sizes()),
            job: JobState::default(),
        })
    }

    fn handle(&mut self) -> &mut PostgresHandle {
        &mut self.handle
    }

    const REST_TIME: Option<Duration> = Some(slots::UNUSED_TIME);

    fn rest(&mut self, home: &Home) {
        home.slots().rest(&mut self.handle, &self.identity.database);
    }
}

impl Session for WriteConnection {
    type Statements = PostgresHandle;

    fn parts(&mut self) -> (&mut PostgresHandle, &Identity) {
        (&mut self.handle, &self.identity)
    }

    /// Reads the counters of the collection, which [`begin`](WriteConnection::begin) has locked in
    /// another statement. Increments for changes that the job has not made yet do not count.
    fn tables_state(
        &mut self,
        model: &Model,
        sources: &Sources,
    ) -> Result<CollectionState, Failure> {
        if !self.job.has_collection {
            return Err(Failure::internal("the counters of a collection are not locked"));
        }
        let tables: Vec<_> = sources.tables(model).map(|ix| model[ix].def.table).collect();
        let mut sums = counters::sums(&mut self.handle, &tables)?;
        for (table, (sum, _)) in tables.iter().zip(&mut sums) {
            *sum -= u64::from(self.job.early.contains(table));
        }
        Ok(sources.state(model, &self.identity, sums.into_iter()).without_order())
    }
}

impl WriteSession for WriteConnection {
    /// The number of changed tables at the time of the savepoint, and the number of the savepoint.
    type Mark = (usize, usize);

    fn is_open(&mut self) -> bool {
        self.handle.is_open()
    }

    fn check(&self) -> Result<(), Error> {
        if self.job.is_over_rows {
            return Err(too_many_rows(self.deletion_rows_max));
        }
        match self.handle.limit().is_over() {
            true => Err(too_slow()),
            false => Ok(()),
        }
    }

    fn holds(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
        is_written: bool,
    ) -> Result<bool, Failure> {
        self.handle.holds(model, step, caller, is_written)
    }

    fn has_others_triggers(&self, model: &Model, tables: &[ResourceIx]) -> bool {
        let is_on =
            |ix: &ResourceIx| self.job.triggered.iter().any(|on| on == model[*ix].def.table);
        !self.job.triggered.is_empty() && tables.iter().any(is_on)
    }

    /// Lets the triggers of Nouns count what the statement changes, in whichever tables.
    fn before_triggers(&mut self) -> Result<(), Failure> {
        self.handle.defer("SET LOCAL nouns.own = ''");
        Ok(())
    }

    fn after_triggers(&mut self) -> Result<(), Failure> {
        self.handle.defer("SET LOCAL nouns.own = '1'");
        Ok(())
    }

    fn stamps(&mut self) -> Result<[Value; 2], Failure> {
        let time = Value::Text(self.time());
        Ok([time, Value::Integer(self.revision()?)])
    }

    fn delete(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
    ) -> Result<u64, Failure> {
        let resource = step.shape.place().resource;
        // A deletion without cascades changes as many rows as it says.
        let referrers = &model[resource].referrers;
        let cascades = referrers.iter().any(|one| one.on_delete != OnDelete::Restrict);
        let before = if cascades { self.changed_rows(model, resource)? } else { 0 };
        let count = self.handle.delete(model, step, caller, cascades)?;
        let rows = match cascades && count > 0 {
            true => self.changed_rows(model, resource)?.saturating_sub(before),
            false => count,
        };
        self.job.deleted_rows += rows;
        if self.job.deleted_rows > self.deletion_rows_max {
            self.job.is_over_rows = true;
            let error = too_many_rows(self.deletion_rows_max);
            return Err(Failure::new(FailureKind::Interrupted, error));
        }
        Ok(count)
    }

    fn select(&mut self, text: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, Failure> {
        select::select(&mut self.handle, text, values)
    }

    fn touch(&mut self, model: &Model, tables: &[ResourceIx]) {
        let names = tables.iter().map(|ix| model[*ix].def.table);
        self.job.touched.extend(names);
        self.job.early.clear();
    }

    fn mark(&mut self) -> Result<(usize, usize), Failure> {
        self.job.savepoints += 1;
        self.handle.defer(&format!("SAVEPOINT nouns_{}", self.job.savepoints));
        Ok((self.job.touched.len(), self.job.savepoints))
    }

    fn undo(&mut self, (touched, number): &(usize, usize)) -> Result<(), Failure> {
        self.job.touched.truncate(*touched);
        self.handle.defer(&format!("ROLLBACK TO SAVEPOINT nouns_{number}"));
        Ok(())
    }

    fn release(&mut self, (_, number): (usize, usize)) -> Result<(), Failure> {
        self.handle.defer(&format!("RELEASE SAVEPOINT nouns_{number}"));
        Ok(())
    }

    fn first_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Failure> {
        let (claim, answer) = answers::claim(&mut self.handle, model, once)?;
        self.job.claim = claim;
        Ok(answer)
    }

    fn store_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
        answer: &StoredAnswer<'_>,
    ) -> Result<(), Failure> {
        self.job.has_changed = true;
        self.job.claim = None;
        answers::store(&mut self.handle, &self.answer_sizes, model, once, answer)
    }

    fn change_grants(&mut self, change: &GrantChange) -> Result<u64, Failure> {
        let changed = grants::change(&mut self.handle, change)?;
        if changed.ended > 0 {
            self.job.touched.push(grants::TABLE);
        }
        self.job.has_changed |= changed.count > 0 || changed.ended > 0;
        Ok(changed.count)
    }
}

/// The time at which a job must have ended.
pub(super) fn deadline(time: Duration) -> WaitLimit {
    WaitLimit::new(Instant::now() + time)
}
