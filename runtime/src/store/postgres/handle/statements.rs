//! The statements of shapes, as the code that all engines share runs them.

use std::{mem, sync::Arc};

use super::PostgresHandle;
use crate::{
    model::{Model, value::Value},
    plan::{CallerValues, Shape},
    store::{
        failure::Failure,
        postgres::{
            cells::BinaryRow, ids, merging, parameter::BinaryParameter, prepared::PreparedStatement,
        },
        session::Statements,
        sql::{
            Dialect,
            parameters::{RunInputs, SqlStatement},
        },
    },
};

impl PostgresHandle {
    /// Runs an SQL text with these values. Passes the rows to `row` until `row` returns false.
    pub(in crate::store::postgres) fn query_text<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        mut row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let statement = self.prepare(text)?;
        let values: Vec<_> = values.into_iter().map(BinaryParameter).collect();
        self.run(&statement, &values, &mut row)
    }

    /// Runs the statement of a shape, as [`Statements::query`] says. It is compiled once, and not
    /// for each kind of row.
    fn run_shape(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
        caller: &CallerValues,
        inputs: RunInputs<'_>,
        row: &mut dyn FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let prepared = self.prepared(model, shape)?;
        if !matches!(shape, Shape::Insert { .. } | Shape::Update { .. }) {
            return self.run(&prepared.statement, &bound(&prepared, caller, inputs)?, row);
        }
        let Some(values) = merging::merged(self, model, shape, caller, inputs.values())? else {
            return Ok(());
        };
        let bound = bound(&prepared, caller, inputs.with_values(&values))?;
        self.run_step(&prepared.statement, &bound, row)?;
        ids::pass(self, model, shape, &values)
    }
}

impl Statements for PostgresHandle {
    type Row<'r> = BinaryRow;

    const DIALECT: Dialect = Dialect::Postgres;

    fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        mut row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        self.run_shape(model, shape, caller, inputs, &mut row)
    }

    fn query_statement<'v>(
        &mut self,
        statement: &'v SqlStatement,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let values = statement.parameters.bound(caller, inputs).ok_or_else(missing)?;
        self.query_text(&statement.text, values, row)
    }

    fn take_count(&mut self) -> u32 {
        mem::take(&mut self.count)
    }
}

/// Returns the values of the parameters of a statement.
pub(super) fn bound<'v>(
    prepared: &'v PreparedStatement,
    caller: &'v CallerValues,
    inputs: impl Into<RunInputs<'v>>,
) -> Result<Vec<BinaryParameter<'v>>, Failure> {
    prepared.bound(caller, inputs).ok_or_else(missing)
}

fn missing() -> Failure {
    Failure::internal("a step has too few values")
}
