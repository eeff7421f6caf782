//! An adapter that gives a sink only the visible fields of a member. It renders members that were
//! read with all their fields, as hooks need them.

use super::{Cell, JsonSink, MemberValues, Row, RowSink, Sink};
use crate::model::{Model, ResourceIx, ResourceModel, value::Value};

/// The visible fields of a member, presented as a row.
struct VisibleCells<'row> {
    revision: u64,
    cells: Vec<&'row Value>,
}

impl<'row> VisibleCells<'row> {
    /// Returns the row of a member, from its revision and the values of all its fields.
    fn of(
        resource: &ResourceModel,
        MemberValues { revision, values, .. }: &'row MemberValues,
    ) -> Self {
        let cells = resource.visible().map(|(ix, _)| &values[usize::from(ix.0)]).collect();
        Self { revision: *revision, cells }
    }
}

impl Row for VisibleCells<'_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        let Some(at) = at.checked_sub(1) else { return Cell::Integer(self.revision.cast_signed()) };
        // Related rows were not read.
        match self.cells.get(at) {
            None | Some(Value::Null | Value::Password(_)) => Cell::Null,
            Some(Value::Integer(value)) => Cell::Integer(*value),
            Some(Value::Number(value)) => Cell::Number(*value),
            Some(Value::Text(text)) => Cell::Text(text.as_bytes()),
        }
    }
}

impl JsonSink {
    /// Renders the visible fields of a member that was read with all its fields.
    pub(crate) fn member(&mut self, model: &Model, resource: ResourceIx, member: &MemberValues) {
        self.row(model, &VisibleCells::of(&model[resource], member));
    }
}

impl Sink {
    /// Renders a member that was read with all its fields. Only the visible fields are rendered. A
    /// `ValueSink` keeps all fields.
    pub(crate) fn member(&mut self, model: &Model, resource: ResourceIx, member: &MemberValues) {
        match self {
            Self::Nothing => {}
            Self::Json(json) => json.member(model, resource, member),
            Self::Ndjson(ndjson) => ndjson.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Csv(csv) => csv.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Cells(cells) => cells.row(model, &VisibleCells::of(&model[resource], member)),
            Self::Values(values) => values.push(member.clone()),
        }
    }
}
