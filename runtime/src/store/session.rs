//! The traits that a database engine implements for the code that all engines share. That code runs
//! reads, writes with preconditions and hooks, and the lookups that explain refusals.
//!
//! The traits are synchronous: hooks within a write are plain closures, and SQLite has no network
//! to wait for. On PostgreSQL, the rows of a read are fetched before; then this code only reads
//! them. Writes and exports run it on blocking threads, each with its own connection.

use std::{sync::Arc, time::Instant};

use super::{
    end_demand::EndDemand,
    failure::Failure,
    idempotency::StoredAnswer,
    sink::{Row, Sink},
    sql::{
        Dialect,
        parameters::{RunInputs, SqlStatement},
    },
};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx, value::Value},
    plan::{
        CallerValues, CollectionState, Plan, Shape, Sources, Step,
        grant::GrantChange,
        idempotency::IdempotentRequest,
        validator::{CurrentState, Identity},
    },
};

/// Runs the SQL statements of requests on a connection.
pub(crate) trait Statements {
    /// A row of a result, valid until the next row is read.
    type Row<'r>: Row;

    /// The SQL dialect of the database.
    const DIALECT: Dialect;

    /// Runs the statement of a shape (a statement without its values). The values of the access
    /// rules that the shape contains are those of the caller. Each row is passed to the closure
    /// until the closure returns false. A failed statement undoes only its
    /// own changes: the transaction continues, and keeps its earlier changes.
    fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        row: impl FnMut(&Self::Row<'_>) -> bool,
    ) -> Result<(), Failure>;

    /// Runs a statement that has no shape.
    fn query_statement<'v>(
        &mut self,
        statement: &'v SqlStatement,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        row: impl FnMut(&Self::Row<'_>) -> bool,
    ) -> Result<(), Failure>;

    /// Returns the number of statements that were run since the last call of this function.
    fn take_count(&mut self) -> u32;
}

/// The runner of statements of a connection, on behalf of a caller.
pub(crate) struct CallerStatements<'s, S> {
    statements: &'s mut S,
    caller: &'s CallerValues,
}

impl<'s, S: Statements> CallerStatements<'s, S> {
    pub(super) const fn new(statements: &'s mut S, caller: &'s CallerValues) -> Self {
        Self { statements, caller }
    }

    pub(super) const fn caller(&self) -> &'s CallerValues {
        self.caller
    }

    /// Runs the statement of a shape, as [`Statements::query`] says.
    pub(super) fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        inputs: impl Into<RunInputs<'v>>,
        row: impl FnMut(&S::Row<'_>) -> bool,
    ) -> Result<(), Failure>
    where
        's: 'v,
    {
        self.statements.query(model, shape, self.caller, inputs.into(), row)
    }

    /// Runs a statement that has no shape.
    pub(super) fn query_statement<'v>(
        &mut self,
        statement: &'v SqlStatement,
        inputs: impl Into<RunInputs<'v>>,
        row: impl FnMut(&S::Row<'_>) -> bool,
    ) -> Result<(), Failure>
    where
        's: 'v,
    {
        self.statements.query_statement(statement, self.caller, inputs.into(), row)
    }

    /// Whether the statement of a shape returns at least one row for these values.
    pub(super) fn finds(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
        values: &[Value],
    ) -> Result<bool, Failure> {
        let mut found = false;
        self.query(model, shape, values, |_| {
            found = true;
            false
        })?;
        Ok(found)
    }
}

/// A connection that can also compute validators (ETags) from the state of the database.
pub(crate) trait Session {
    /// The type that runs statements on this connection.
    type Statements: Statements;

    /// Returns the runner of statements, and the identity of the database. The identity is the part
    /// of each validator that does not depend on rows.
    fn parts(&mut self) -> (&mut Self::Statements, &Identity);

    /// Returns the runner of statements.
    fn statements(&mut self) -> &mut Self::Statements {
        self.parts().0
    }

    /// Returns the runner of statements, on behalf of a caller.
    fn acting_for<'s>(
        &'s mut self,
        caller: &'s CallerValues,
    ) -> CallerStatements<'s, Self::Statements> {
        CallerStatements::new(self.statements(), caller)
    }

    /// Returns the same, and the identity of the database.
    fn parts_for<'s>(
        &'s mut self,
        caller: &'s CallerValues,
    ) -> (CallerStatements<'s, Self::Statements>, &'s Identity) {
        let (statements, identity) = self.parts();
        (CallerStatements::new(statements, caller), identity)
    }

    /// Returns the state of the tables of a response, in the current snapshot or transaction.
    fn tables_state(
        &mut self,
        model: &Model,
        sources: &Sources,
    ) -> Result<CollectionState, Failure>;

    /// Returns the validator and the change time of a collection, in the current snapshot or
    /// transaction.
    fn current(&mut self, model: &Model, sources: &Sources) -> Result<CurrentState, Failure> {
        let state = self.tables_state(model, sources)?;
        Ok(state.current(self.parts().1))
    }
}

/// A session that only reads.
pub(crate) trait ReadSession: Session {
    /// Runs a closure whose statements all read the same snapshot.
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Runs a closure that needs only one statement, without the cost of a shared snapshot. The
    /// closure may run a second statement to find out why the first one returned no row.
    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Sets the time at which the following reads are interrupted, even if they are incomplete.
    /// They are also interrupted if `demand` comes.
    fn end_at(&mut self, until: Instant, demand: &Arc<EndDemand>) -> Result<(), Error>;

    /// Returns the maximum size, in bytes, of a page that this session may read for this plan and
    /// render with this sink.
    fn bytes_max(&self, plan: &Plan, sink: &Sink) -> usize;
}

/// A session within a write transaction.
pub(crate) trait WriteSession: Session + Send {
    /// A savepoint that [`mark`](Self::mark) has created.
    type Mark: Send;

    /// Whether the transaction is still open and holds its changes. Some failures make SQLite roll
    /// it back.
    fn is_open(&mut self) -> bool;

    /// Checks whether the job may run another statement. The error names the limit that the job has
    /// exceeded.
    fn check(&self) -> Result<(), Error>;

    /// Whether a step finds a row. No other transaction changes that row before this one ends.
    /// `is_written` says that this transaction may change the row itself.
    fn holds(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
        is_written: bool,
    ) -> Result<bool, Failure> {
        let _ = is_written;
        self.acting_for(caller).finds(model, &step.shape, &step.values)
    }

    /// Whether any of these tables has triggers that somebody else has written into the database.
    fn has_others_triggers(&self, model: &Model, tables: &[ResourceIx]) -> bool;

    /// Prepares for a statement that may fire triggers of others. They may change any table, and
    /// that is counted as the change of another program.
    fn before_triggers(&mut self) -> Result<(), Failure>;

    /// Ends what [`before_triggers`](Self::before_triggers) has prepared.
    fn after_triggers(&mut self) -> Result<(), Failure>;

    /// Returns the time and the revision that a change writes into its rows.
    fn stamps(&mut self) -> Result<[Value; 2], Failure>;

    /// Runs a step that deletes, and returns the number of deleted members. A deletion that exceeds
    /// the limit of changed rows is interrupted. [`check`](Self::check) then returns the reason.
    fn delete(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
    ) -> Result<u64, Failure>;

    /// Runs an SQL query of user code. Returns the rows of the result, each with a value for each
    /// column.
    ///
    /// The query may only read, and not the store's own tables (`_nouns_*`). It fails if it is not
    /// a single SELECT, if the number of its parameters is not that of `values`, or if the result
    /// exceeds a limit.
    fn select(&mut self, text: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, Failure>;

    /// Records that the rows of these tables have changed.
    fn touch(&mut self, model: &Model, tables: &[ResourceIx]);

    /// Creates a savepoint.
    fn mark(&mut self) -> Result<Self::Mark, Failure>;

    /// Rolls back to a savepoint.
    fn undo(&mut self, mark: &Self::Mark) -> Result<(), Failure>;

    /// Releases a savepoint.
    fn release(&mut self, mark: Self::Mark) -> Result<(), Failure>;

    /// Returns the stored first response to an idempotent request, or `None` if there is none.
    fn first_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Failure>;

    /// Stores the response to an idempotent request, and deletes a few expired responses.
    fn store_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
        answer: &StoredAnswer<'_>,
    ) -> Result<(), Failure>;

    /// Changes the stored sessions and tokens. Returns the number of grants that have changed.
    fn change_grants(&mut self, change: &GrantChange) -> Result<u64, Failure>;
}
