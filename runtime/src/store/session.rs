//! The interface of an engine for the work that all engines share: reads, writes with their guards
//! and hooks, and the reasons for refusals.
//!
//! It is synchronous: hooks within a write are closures that return, and SQLite has nothing to wait
//! for. An engine behind a network would run this code on blocking threads, each with its own
//! connection. For plain reads and writes, which can be a single statement there, it will need an
//! entry that takes a whole plan.

use std::{sync::Arc, time::Instant};

use super::{
    failure::Failure,
    idempotency::StoredAnswer,
    sink::{Row, Sink},
    sql::Dialect,
};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx, value::Value},
    plan::{
        ClientKey, Shape, Sources, Step,
        idempotency::IdempotentRequest,
        validator::{CurrentState, Identity},
    },
};

/// Runs the statements of requests on a connection.
pub(crate) trait Statements {
    /// A row of a statement, valid until the next one is read.
    type Row<'r>: Row;

    /// The SQL dialect that it understands.
    const DIALECT: Dialect;

    /// Runs a shape with values, to which it adds those of the rules that the shape obeys. It
    /// passes the rows to the closure until the closure returns false. A failed statement undoes
    /// only itself: the transaction continues, and contains the changes before it.
    fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&Self::Row<'_>) -> bool,
    ) -> Result<(), Failure>;

    /// Runs a text that has no shape, with all of its values.
    fn query_text<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&Self::Row<'_>) -> bool,
    ) -> Result<(), Failure>;

    /// Returns how many statements were run since the last call.
    fn take_count(&mut self) -> u32;

    /// Whether a shape finds any row with these values.
    fn finds(
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

/// A connection with the inputs of validators.
pub(crate) trait Session {
    /// The runner of its statements.
    type Statements: Statements;

    /// Returns the statements, and the inputs of validators that belong to the database and not to
    /// its rows.
    fn parts(&mut self) -> (&mut Self::Statements, &Identity);

    /// Returns the statements.
    fn statements(&mut self) -> &mut Self::Statements {
        self.parts().0
    }

    /// Returns the validator and the change time of a collection, in the snapshot or the
    /// transaction.
    fn current(&mut self, model: &Model, sources: Sources) -> Result<CurrentState, Failure>;
}

/// A session that reads.
pub(crate) trait ReadSession: Session {
    /// Runs a closure in one snapshot.
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Runs a closure with one statement, which needs no shared snapshot. A second one may follow,
    /// to find out why the first found nothing.
    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Interrupts the following reads at a time, complete or not.
    fn end_at(&mut self, until: Instant) -> Result<(), Error>;

    /// Returns the bytes of the largest page that may be read here for a client into a sink.
    fn bytes_max(&self, client: ClientKey, sink: &Sink) -> usize;
}

/// A session within a write transaction.
pub(crate) trait WriteSession: Session + Send {
    /// A savepoint: see [`mark`](Self::mark).
    type Mark;

    /// Whether the transaction still contains its changes: some failures end it.
    fn is_open(&mut self) -> bool;

    /// Checks whether the job may run another statement; the error names the limit that it has
    /// exceeded.
    fn check(&self) -> Result<(), Error>;

    /// Returns the time and the revision of a change.
    fn stamps(&mut self) -> Result<[Value; 2], Failure>;

    /// Runs a step that deletes, and returns how many members it has deleted. Beyond the limit of
    /// changed rows it is interrupted, and [`check`](Self::check) returns the reason.
    fn delete(&mut self, model: &Arc<Model>, step: &Step) -> Result<u64, Failure>;

    /// Records that tables have changed.
    fn touch(&mut self, model: &Model, tables: &[ResourceIx]);

    /// Creates a savepoint.
    fn mark(&mut self) -> Result<Self::Mark, Failure>;

    /// Rolls back to a savepoint.
    fn undo(&mut self, mark: &Self::Mark) -> Result<(), Failure>;

    /// Releases a savepoint.
    fn release(&mut self, mark: Self::Mark) -> Result<(), Failure>;

    /// Returns the first response to an idempotent request.
    fn first_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Failure>;

    /// Stores a response, and removes a few expired ones.
    fn store_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
        answer: &StoredAnswer<'_>,
    ) -> Result<(), Failure>;
}
