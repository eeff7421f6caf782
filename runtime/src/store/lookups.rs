//! The look-ups of web pages. Each is a statement, whose rows are kept up to a limit of bytes.

use std::sync::Arc;

use super::{
    failure::Failure,
    row::MemberRow as _,
    session::{CallerStatements, Statements},
};
use crate::{
    model::{Model, value::Value},
    plan::{LookupRows, PAGE_LOOKUP_BYTES_MAX, Step},
};

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
