//! A connection with its prepared statements, and the state of its transaction.

mod deletion;
mod statements;
mod texts;

use std::{mem, pin::pin, sync::Arc};

use tokio_postgres::{Row as ServerRow, RowStream, Statement, types::ToSql};

use super::{
    cells::BinaryRow,
    fault::{self, Remedy},
    parameter::BinaryParameter,
    prepared::{PreparedStatement, PreparedStatements, types},
    rows::{self, ROWS_AT_ONCE, before, take, take_all},
    wire::{WaitLimit, Wire, WireError},
};
use crate::{
    model::Model,
    plan::{CallerValues, Shape, Step},
    store::{
        failure::{Failure, FailureKind},
        sql::{self, Dialect},
    },
};

/// The savepoint of a statement that may be refused.
const STEP: &str = "SAVEPOINT nouns_step";
const NEXT_STEP: &str = "RELEASE SAVEPOINT nouns_step; SAVEPOINT nouns_step";
const UNDO_STEP: &str = "ROLLBACK TO SAVEPOINT nouns_step";

/// The SQL of a row lock, at the end of a statement.
const LOCKED: &str = " FOR NO KEY UPDATE OF t";
/// The same for a row that may be read by others, but not changed.
const HELD: &str = " FOR SHARE OF t";

/// A connection with its prepared statements.
pub(super) struct PostgresHandle {
    wire: Wire,
    statements: PreparedStatements,
    /// The statements that lock the rows which they find.
    holding: [PreparedStatements; 2],
    /// The number of statements of requests that were run since it was asked for.
    count: u32,
    /// Whether the session writes: then a look at a member locks its row, and a statement that
    /// writes has a savepoint.
    writes: bool,
    /// The commands that are sent with the next statement, in one go.
    deferred: String,
    /// Whether the command that begins the transaction was sent.
    is_begun: bool,
    /// Whether the savepoint of a statement is open.
    has_step: bool,
    /// Whether the transaction has failed, so that it can only be rolled back.
    is_aborted: bool,
    /// The remedy for the last error.
    remedy: Remedy,
}

impl PostgresHandle {
    pub(super) fn new(wire: Wire, writes: bool) -> Self {
        Self {
            wire,
            statements: PreparedStatements::default(),
            holding: Default::default(),
            count: 0,
            writes,
            deferred: String::new(),
            is_begun: false,
            has_step: false,
            is_aborted: false,
            remedy: Remedy::None,
        }
    }

    pub(super) const fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// Returns the connection.
    pub(super) fn into_wire(self) -> Wire {
        self.wire
    }

    /// When statements are interrupted.
    pub(super) const fn limit(&self) -> &WaitLimit {
        self.wire.limit()
    }

    /// Whether the transaction can go on.
    pub(super) fn is_open(&self) -> bool {
        !self.is_aborted && self.wire.is_usable()
    }

    /// Takes what can be done after the last error.
    pub(super) fn take_remedy(&mut self) -> Remedy {
        mem::replace(&mut self.remedy, Remedy::None)
    }

    /// Says what can be done after an error that no statement has raised.
    pub(super) const fn set_remedy(&mut self, remedy: Remedy) {
        self.remedy = remedy;
    }

    /// Forgets all prepared statements.
    pub(super) fn forget_statements(&mut self) {
        (self.statements, self.holding) = Default::default();
    }

    /// Begins a transaction. The command is sent with the first statement.
    pub(super) fn begin(&mut self, command: &str) {
        (self.is_begun, self.has_step, self.is_aborted) = (false, false, false);
        self.deferred.clear();
        self.deferred.push_str(command);
    }

    /// Ends the transaction by a command, unless it was never begun.
    pub(super) fn end(&mut self, command: &str) -> Result<(), Failure> {
        self.has_step = false;
        self.deferred.clear();
        if !mem::take(&mut self.is_begun) {
            return Ok(());
        }
        let result = self.wire.command(command);
        result.map_err(|error| self.failed(error))
    }

    /// Ends the transaction without its changes. A connection on which that fails is not used
    /// again.
    pub(super) fn roll_back(&mut self) {
        if self.end("ROLLBACK").is_err() {
            self.wire.spend();
        }
    }

    /// Sends a command within the transaction with the next statement. It ends the savepoint of a
    /// statement, which is inside of those that commands create.
    pub(super) fn defer(&mut self, command: &str) {
        if !self.deferred.is_empty() {
            self.deferred.push_str("; ");
        }
        if mem::take(&mut self.has_step) {
            self.deferred.push_str("RELEASE SAVEPOINT nouns_step; ");
        }
        self.deferred.push_str(command);
    }

    fn take_deferred(&mut self) -> String {
        self.is_begun = true;
        mem::take(&mut self.deferred)
    }

    /// Sends the deferred commands now.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let deferred = self.take_deferred();
        if deferred.is_empty() {
            return Ok(());
        }
        let result = self.wire.command(&deferred);
        result.map_err(|error| {
            self.is_aborted = true;
            self.failed(error)
        })
    }

    /// Runs a statement of the store itself. Returns all rows.
    pub(super) fn ask(
        &mut self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<ServerRow>, Failure> {
        let statement = self.own_statement(text)?;
        let deferred = self.take_deferred();
        let result = self.wire.wait(async |client| {
            let (begun, rows) =
                tokio::join!(biased; before(client, &deferred), client.query(&statement, values));
            begun.and(rows)
        });
        result.map_err(|error| self.broken(error))
    }

    /// Runs the commands of a script. In a transaction, they belong to it.
    pub(super) fn script(&mut self, text: &str) -> Result<(), Failure> {
        self.flush()?;
        let result = self.wire.wait(async |client| client.batch_execute(text).await);
        result.map_err(|error| self.broken(error))
    }

    /// Runs a statement of the store itself. Returns the number of changed rows.
    pub(super) fn change(
        &mut self,
        text: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Failure> {
        let statement = self.own_statement(text)?;
        let deferred = self.take_deferred();
        let result = self.wire.wait(async |client| {
            let (begun, count) =
                tokio::join!(biased; before(client, &deferred), client.execute(&statement, values));
            begun.and(count)
        });
        result.map_err(|error| self.broken(error))
    }

    fn own_statement(&mut self, text: &'static str) -> Result<Statement, Failure> {
        if let Some(statement) = self.statements.find_own(text) {
            return Ok(statement);
        }
        let statement = self.prepare(text)?;
        self.statements.add_own(text, &statement);
        Ok(statement)
    }

    /// Prepares a text that has no shape.
    pub(super) fn prepare(&mut self, text: &str) -> Result<Statement, Failure> {
        let prepared = self.wire.wait(async |client| client.prepare(text).await);
        prepared.map_err(|error| self.broken(error))
    }

    /// Runs a prepared statement. Passes the rows to `row` until `row` returns false.
    pub(super) fn run(
        &mut self,
        statement: &Statement,
        values: &[BinaryParameter<'_>],
        row: &mut dyn FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        self.count += 1;
        let deferred = self.take_deferred();
        let stream = self.start(statement, values, &deferred);
        let mut stream = pin!(stream.map_err(|error| self.broken(error))?);
        let mut arrived = Vec::with_capacity(ROWS_AT_ONCE);
        let mut is_over = false;
        while !is_over {
            let more = self.wire.wait(async |_| take(stream.as_mut(), &mut arrived).await);
            is_over = !more.map_err(|error| self.broken(error))?;
            for each in arrived.drain(..) {
                if !row(&rows::read(each)?) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Runs a prepared statement that writes, in a savepoint. Its rows are passed on after it has
    /// ended: the server sends them before it tests references.
    fn run_step(
        &mut self,
        statement: &Statement,
        values: &[BinaryParameter<'_>],
        row: &mut dyn FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        self.count += 1;
        let deferred = self.step();
        let result = self.wire.wait(async |client| {
            let rows =
                async { take_all(pin!(client.query_raw(statement, values.iter()).await?)).await };
            let (begun, rows) = tokio::join!(biased; before(client, &deferred), rows);
            begun.and(rows)
        });
        let all = result.map_err(|error| self.undo_step(error))?;
        self.remedy = Remedy::None;
        for each in all {
            if !row(&rows::read(each)?) {
                break;
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        statement: &Statement,
        values: &[BinaryParameter<'_>],
        deferred: &str,
    ) -> Result<RowStream, WireError> {
        self.wire.wait(async |client| {
            let run = client.query_raw(statement, values.iter());
            let (begun, stream) = tokio::join!(biased; before(client, deferred), run);
            begun.and(stream)
        })
    }

    /// Returns the commands to send before a statement that writes: those that were deferred, and
    /// the savepoint of the statement.
    fn step(&mut self) -> String {
        let mut commands = self.take_deferred();
        if self.writes {
            if !commands.is_empty() {
                commands.push_str("; ");
            }
            let is_next = mem::replace(&mut self.has_step, true);
            commands.push_str(if is_next { NEXT_STEP } else { STEP });
        }
        commands
    }

    /// Undoes the statement that has failed, so that the transaction can go on.
    fn undo_step(&mut self, error: WireError) -> Failure {
        let failure = self.failed(error);
        if self.writes && self.wire.command(UNDO_STEP).is_err() {
            self.is_aborted = true;
        }
        failure
    }

    /// Notes the error of a statement without a savepoint.
    fn broken(&mut self, error: WireError) -> Failure {
        self.is_aborted = true;
        self.failed(error)
    }

    /// Whether a write was interrupted because its time is over.
    fn is_late(&self, error: &tokio_postgres::Error) -> bool {
        self.writes && self.limit().is_over() && fault::is_interrupted(error)
    }

    fn failed(&mut self, error: WireError) -> Failure {
        match error {
            WireError::Server(error) if !self.is_late(&error) => {
                self.remedy = fault::remedy(&error);
                error.into()
            }
            WireError::Abandoned => {
                self.remedy = Remedy::Connect;
                let cause = "the server does not answer, or another one has taken over";
                Failure::new(FailureKind::Other, fault::away(cause))
            }
            _ => {
                self.remedy = Remedy::None;
                let error = fault::interrupted(self.writes && self.limit().is_over());
                Failure::new(FailureKind::Interrupted, error)
            }
        }
    }

    /// Whether a step finds a row, which then does not change before the transaction ends. Two
    /// transactions that both change the row would wait for each other if they shared it.
    pub(super) fn holds(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
        is_written: bool,
    ) -> Result<bool, Failure> {
        let at = usize::from(is_written);
        let prepared = match self.holding[at].find(model, &step.shape) {
            Some(prepared) => prepared,
            None => {
                let statement = sql::statement(&step.shape, model, Dialect::Postgres);
                let lock = if is_written { LOCKED } else { HELD };
                let held = self.prepare(&format!("{}{lock}", statement.text))?;
                let prepared = PreparedStatement::new(held, statement.parameters);
                self.holding[at].add(model, &step.shape, &prepared);
                prepared
            }
        };
        let mut is_found = false;
        self.run(&prepared.statement, &statements::bound(&prepared, caller, step)?, &mut |_| {
            is_found = true;
            false
        })?;
        Ok(is_found)
    }

    /// Returns the prepared statement of a shape.
    fn prepared(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
    ) -> Result<PreparedStatement, Failure> {
        if let Some(prepared) = self.statements.find(model, shape) {
            return Ok(prepared);
        }
        let sql::SqlStatement { mut text, parameters } =
            sql::statement(shape, model, Dialect::Postgres);
        if self.writes && matches!(shape, Shape::Look { .. }) {
            text.push_str(LOCKED);
        }
        let types = types(&text);
        let prepared = self.wire.wait(async |client| client.prepare_typed(&text, &types).await);
        let statement = prepared.map_err(|error| self.broken(error))?;
        let prepared = PreparedStatement::new(statement, parameters);
        self.statements.add(model, shape, &prepared);
        Ok(prepared)
    }
}
