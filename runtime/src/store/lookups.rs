//! The look-ups of web pages. Each is a statement, whose rows are kept up to a limit of bytes.

use std::sync::Arc;

use super::{
    Engine, Store,
    failure::Failure,
    row::MemberRow as _,
    session::{CallerStatements, Statements},
};
use crate::{
    base::error::Error,
    model::{Model, value::Value},
    plan::{CallerValues, LookupRows, PAGE_LOOKUP_BYTES_MAX, Step},
};

impl Store {
    /// Runs the look-ups of a web page for a caller. Returns the rows of each, and the number of
    /// statements.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read). A look-up that takes too long is no error.
    pub(crate) async fn look_up(
        &self,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.look_up(&self.model, steps, caller).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.look_up(&self.model, steps, caller).await,
        }
    }
}

/// Runs a look-up. Also returns the rows that were read before a failure.
pub(super) fn rows_of(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> (LookupRows, Result<(), Failure>) {
    let (cells, mut bytes) = (step.shape.lookup_cells(), 0);
    let mut found = LookupRows { rows: vec![], is_complete: true };
    let result = statements.query(model, &step.shape, step, |row| {
        let values: Vec<_> = (0..cells).map(|at| row.value(at)).collect();
        bytes += values.iter().map(text_bytes).sum::<usize>();
        found.is_complete = bytes <= PAGE_LOOKUP_BYTES_MAX;
        if found.is_complete {
            found.rows.push(values);
        }
        found.is_complete
    });
    found.is_complete &= result.is_ok();
    (found, result)
}

fn text_bytes(value: &Value) -> usize {
    if let Value::Text(text) = value { text.len() } else { 0 }
}
