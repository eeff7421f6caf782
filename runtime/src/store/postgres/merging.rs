//! Merge patches of JSON fields. The stored value is read and its row locked, then it is merged
//! here, as for SQLite: so both engines store the same bytes.

use std::{borrow::Cow, sync::Arc};

use super::handle::PostgresHandle;
use crate::{
    model::{Model, merge_patch, value::Value},
    plan::{CallerValues, LookColumns, Shape},
    store::{failure::Failure, row::MemberRow as _, session::Statements as _},
};

/// Returns the values of a write, with each merge patch applied to the stored value. `None` if
/// there is no row to change.
pub(super) fn merged<'v>(
    handle: &mut PostgresHandle,
    model: &Arc<Model>,
    shape: &Shape,
    caller: &CallerValues,
    values: &'v [Value],
) -> Result<Option<Cow<'v, [Value]>>, Failure> {
    let Shape::Update { place, columns, merged, .. } = shape else {
        return Ok(Some(values.into()));
    };
    if merged.is_empty() {
        return Ok(Some(values.into()));
    }
    let key = usize::from(place.depth) + 1;
    let look = Shape::Look { place: *place, fields: merged.clone() };
    let mut stored = None;
    handle.query(model, &look, caller, values[..key].into(), |row| {
        let cells = LookColumns(merged.len());
        stored = Some((0..merged.len()).map(|at| row.value(cells.field(at))).collect::<Vec<_>>());
        false
    })?;
    let Some(stored) = stored else { return Ok(None) };
    let mut bound = values.to_vec();
    for (field, stored) in merged.iter().zip(stored) {
        let at = columns.iter().position(|column| column == field).map(|at| key + at);
        let at = at.ok_or_else(|| Failure::internal("a merged field is not written"))?;
        if let Value::Text(patch) = &bound[at] {
            let stored = if let Value::Text(text) = &stored { text } else { "null" };
            let text = merge_patch::merged(stored, patch);
            let text = text.ok_or_else(|| {
                Failure::internal("a merge patch was applied to text that is not JSON")
            })?;
            bound[at] = Value::Text(text);
        }
    }
    Ok(Some(bound.into()))
}
