//! What an engine gives to the work that is the same for every engine: reads, writes with their
//! guards and hooks, and why something was refused.
//!
//! It is synchronous. Hooks within a write are closures that return, and SQLite has nothing to wait
//! for. An engine that waits for a network runs what is here on threads that may block, each with a
//! connection of its own; for plain reads and writes, which can be a single statement there, it
//! will need an entry that takes a plan as a whole.

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
    /// A row of a statement, as long as it stands there.
    type Row<'r>: Row;

    /// The SQL that it understands.
    const DIALECT: Dialect;

    /// Runs a shape with values, to which it adds those of the rules that the shape obeys, and
    /// shows its rows until one returns false. One that fails undoes itself alone: a transaction
    /// goes on, and shows what was done before.
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

    /// How many statements were run since the last time this was asked.
    fn take_count(&mut self) -> u32;

    /// Whether a shape finds anything, with these values.
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

/// A connection with what validators depend on.
pub(crate) trait Session {
    /// What runs its statements.
    type Statements: Statements;

    /// Its statements, and what the validators of the database depend on beside its rows.
    fn parts(&mut self) -> (&mut Self::Statements, &Identity);

    /// Its statements.
    fn statements(&mut self) -> &mut Self::Statements {
        self.parts().0
    }

    /// The validator and the time of a collection, as of the snapshot or the transaction.
    fn current(&mut self, model: &Model, sources: Sources) -> Result<CurrentState, Failure>;
}

/// A session that reads.
pub(crate) trait ReadSession: Session {
    /// Works in one snapshot.
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Works with a statement, which needs no snapshot with others; one that asks why it found
    /// nothing may follow.
    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Has what is read from now on interrupted at a time, however far it is.
    fn end_at(&mut self, until: Instant) -> Result<(), Error>;

    /// The bytes of the largest page that may be read here for a client into a sink.
    fn bytes_max(&self, client: ClientKey, sink: &Sink) -> usize;
}

/// A session in the middle of a transaction that writes.
pub(crate) trait WriteSession: Session + Send {
    /// What is undone together: see [`mark`](Self::mark).
    type Mark;

    /// Whether the transaction still holds what was done in it: some failures end it.
    fn is_open(&mut self) -> bool;

    /// Whether the job may run another statement; the error says which of its bounds it has
    /// exceeded.
    fn check(&self) -> Result<(), Error>;

    /// The time and the revision of a change.
    fn stamps(&mut self) -> Result<[Value; 2], Failure>;

    /// Runs a step that deletes, and says how many members it has deleted. Beyond the bound on the
    /// rows that change with it, it is interrupted, and [`check`](Self::check) says why.
    fn delete(&mut self, model: &Arc<Model>, step: &Step) -> Result<u64, Failure>;

    /// Notes that tables have changed.
    fn touch(&mut self, model: &Model, tables: &[ResourceIx]);

    /// Begins what is undone together.
    fn mark(&mut self) -> Result<Self::Mark, Failure>;

    /// Undoes what was done since.
    fn undo(&mut self, mark: &Self::Mark) -> Result<(), Failure>;

    /// Ends it.
    fn release(&mut self, mark: Self::Mark) -> Result<(), Failure>;

    /// The first answer to a request that is done once.
    fn first_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer<'static>>, Failure>;

    /// Stores one, and removes a few that are too old.
    fn store_answer(
        &mut self,
        model: &Model,
        once: &IdempotentRequest,
        answer: &StoredAnswer<'_>,
    ) -> Result<(), Failure>;
}
