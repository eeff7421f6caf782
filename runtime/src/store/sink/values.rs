//! The sink that collects rows as owned values, for programs that use members as Rust values.

use super::{Cell, Row, RowSink, repaired};
use crate::{
    model::{Model, ResourceIx, value::Value},
    plan::Columns,
};

/// A member that was read with all its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberValues {
    /// The number of the member's last change.
    pub revision: u64,
    /// The value of each field, in the order of the model.
    pub values: Vec<Value>,
}

/// Collects members with all their fields: the revision of each member, and the value of each
/// field.
#[derive(Clone, Debug)]
pub struct ValueSink {
    resource: ResourceIx,
    rows: Vec<MemberValues>,
    /// The total number of bytes of all text values.
    bytes: usize,
}

impl ValueSink {
    /// Creates an empty sink for members of a resource.
    #[must_use]
    pub const fn new(resource: ResourceIx) -> Self {
        Self { resource, rows: vec![], bytes: 0 }
    }

    /// Adds a member whose values are already owned.
    pub(crate) fn push(&mut self, row: MemberValues) {
        self.rows.push(row);
    }

    /// Removes and returns the last member, or returns `None` if there is none.
    pub(crate) fn take(&mut self) -> Option<MemberValues> {
        self.rows.pop()
    }

    /// Returns the members.
    #[must_use]
    pub fn into_rows(self) -> Vec<MemberValues> {
        self.rows
    }
}

impl RowSink for ValueSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        let fields = model[self.resource].fields.len();
        let values: Vec<Value> = (1..=fields).map(|at| row.cell(at).into()).collect();
        let bytes = |value: &Value| if let Value::Text(text) = value { text.len() } else { 0 };
        self.bytes += values.iter().map(bytes).sum::<usize>();
        self.rows.push(MemberValues { revision: revision(row), values });
    }

    fn size(&self) -> usize {
        self.bytes
    }

    fn reset(&mut self) {
        self.bytes = 0;
        self.rows.clear();
    }
}

fn revision(row: &impl Row) -> u64 {
    match row.cell(Columns::REVISION) {
        Cell::Integer(revision) => revision.cast_unsigned(),
        _ => 0,
    }
}

impl From<Cell<'_>> for Value {
    /// Converts a cell to an owned value. U+FFFD replaces invalid UTF-8.
    fn from(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Integer(value) => Self::Integer(value),
            Cell::Number(value) => Self::Number(value),
            Cell::Text(text) => Self::Text(repaired(text).into_owned()),
        }
    }
}
