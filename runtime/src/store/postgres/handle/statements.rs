//! The statements of shapes, as the code that all engines share runs them.

use std::{mem, sync::Arc};

use super::PostgresHandle;
use crate::{
    model::{Model, value::Value},
    plan::{CallerValues, Shape},
    store::{
        failure::Failure,
        postgres::{cells::BinaryRow, ids, merging, parameter::BinaryParameter},
        session::Statements,
        sql::{Dialect, values::RuledValues},
    },
};

impl PostgresHandle {
    /// Runs the statement of a shape, as [`Statements::query`] says. It is compiled once, and not
    /// for each kind of row.
    fn run_shape(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
        caller: &CallerValues,
        values: &[&Value],
        row: &mut dyn FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let statement = self.prepared(model, shape)?;
        if !matches!(shape, Shape::Insert { .. } | Shape::Update { .. }) {
            let values = RuledValues::new(model, shape, caller, values.iter().copied());
            return self.run(&statement, &values.map(BinaryParameter).collect::<Vec<_>>(), row);
        }
        let Some(values) = merging::merged(self, model, shape, caller, values)? else {
            return Ok(());
        };
        let bound = RuledValues::new(model, shape, caller, values.iter().map(|value| &**value));
        self.run_step(&statement, &bound.map(BinaryParameter).collect::<Vec<_>>(), row)?;
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
        caller: &CallerValues,
        values: impl IntoIterator<Item = &'v Value>,
        mut row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        self.run_shape(model, shape, caller, &values.into_iter().collect::<Vec<_>>(), &mut row)
    }

    fn query_text<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        mut row: impl FnMut(&BinaryRow) -> bool,
    ) -> Result<(), Failure> {
        let statement = self.prepare(text)?;
        let values: Vec<_> = values.into_iter().map(BinaryParameter).collect();
        self.run(&statement, &values, &mut row)
    }

    fn take_count(&mut self) -> u32 {
        mem::take(&mut self.count)
    }
}
