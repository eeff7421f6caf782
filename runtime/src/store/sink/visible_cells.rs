//! A whole member as a row of its visible fields: members that hooks saw are rendered as if they
//! came from the store.

use super::{Cell, Row, RowSink, Sink};
use crate::model::{Model, ResourceIx, ResourceModel, value::Value};

/// The visible fields of a whole member.
struct VisibleCells<'row> {
    revision: u64,
    cells: Vec<&'row Value>,
}

impl<'row> VisibleCells<'row> {
    /// Returns the cells of a member of a resource, from its revision and all its values.
    fn of(resource: &ResourceModel, (revision, values): &'row (u64, Vec<Value>)) -> Self {
        let cells = resource.visible().map(|(ix, _)| &values[usize::from(ix.0)]).collect();
        Self { revision: *revision, cells }
    }
}

impl Row for VisibleCells<'_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        let Some(at) = at.checked_sub(1) else { return Cell::Integer(self.revision.cast_signed()) };
        match self.cells[at] {
            Value::Null => Cell::Null,
            Value::Integer(value) => Cell::Integer(*value),
            Value::Number(value) => Cell::Number(*value),
            Value::Text(text) => Cell::Text(text.as_bytes()),
        }
    }
}

impl Sink {
    /// Consumes a whole member, and renders the same fields as of every row.
    pub(crate) fn member(
        &mut self,
        model: &Model,
        resource: ResourceIx,
        member: &(u64, Vec<Value>),
    ) {
        match self {
            Self::Nothing => {}
            Self::Json(json) => json.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Ndjson(ndjson) => ndjson.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Csv(csv) => csv.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Values(values) => values.push(member.clone()),
        }
    }
}
