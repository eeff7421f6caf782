//! The sink that collects rows as owned values, for programs that use members as Rust values.

use std::sync::Arc;

use super::{Cell, Row, RowSink, render_list, repaired};
use crate::{
    model::{Layout, LayoutItem, Model, RelatedSelections, ResourceIx, value::Value},
    plan::Columns,
};

/// A member that was read with all its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberValues {
    /// The number of the member's last change.
    pub revision: u64,
    /// The value of each field, in the order of the model.
    pub values: Vec<Value>,
    /// The related rows that came with the member, in the order of the selection: first the
    /// members, then the lists.
    pub related: Vec<RelatedValues>,
}

/// The related rows that came with a row through one relation.
#[derive(Clone, Debug, PartialEq)]
pub enum RelatedValues {
    /// The member that the row refers to, if there is one that the caller may read.
    Member(Option<RowValues>),
    /// The members that refer to the row.
    List {
        /// The members.
        rows: Vec<RowValues>,
        /// Whether there are more of them.
        has_more: bool,
    },
}

/// A related row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowValues {
    /// The values of the fields that were selected.
    pub values: Vec<Value>,
    /// The related rows that came with this row, in turn.
    pub related: Vec<RelatedValues>,
}

/// Collects members with all their fields: the revision of each member, and the value of each
/// field.
#[derive(Clone, Debug)]
pub struct ValueSink {
    resource: ResourceIx,
    /// The items of the related rows.
    related: Arc<[LayoutItem]>,
    rows: Vec<MemberValues>,
    /// The number of bytes of all texts, and of all related rows.
    bytes: usize,
}

impl ValueSink {
    /// Creates an empty sink for members of a resource.
    #[must_use]
    pub fn new(resource: ResourceIx) -> Self {
        Self { resource, related: Arc::default(), rows: vec![], bytes: 0 }
    }

    /// Returns the sink of members with which related rows come. The statement must return all
    /// fields of the members. The values are those of the lists.
    #[must_use]
    pub fn with_related(self, model: &Model, related: &RelatedSelections, lists: &[Value]) -> Self {
        Self { related: Layout::related(model, self.resource, related, lists), ..self }
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
        let mut member_bytes = values.iter().map(size).sum();
        let related = related_of(&self.related, row, &mut member_bytes);
        self.bytes += member_bytes;
        self.rows.push(MemberValues { revision: revision(row), values, related });
    }

    fn size(&self) -> usize {
        self.bytes
    }

    fn reset(&mut self) {
        self.bytes = 0;
        self.rows.clear();
    }
}

/// The bytes of a text.
const fn size(value: &Value) -> usize {
    if let Value::Text(text) = value { text.len() } else { 0 }
}

/// Returns the related rows that come with a row. Adds their texts to the size of the member.
fn related_of(
    items: &[LayoutItem],
    row: &(impl Row + ?Sized),
    bytes: &mut usize,
) -> Vec<RelatedValues> {
    let related = |item: &LayoutItem| match item {
        LayoutItem::Cell(_) => None,
        LayoutItem::Member(member) => {
            let is_there = row.cell(member.id.into()) != Cell::Null;
            let values = is_there.then(|| row_values(&member.items, row, bytes));
            Some(RelatedValues::Member(values))
        }
        LayoutItem::List(list) => {
            let mut rows = vec![];
            let has_more = render_list(row, list, *bytes, |row| {
                rows.push(row_values(&list.items, row, bytes));
                *bytes
            });
            Some(RelatedValues::List { rows, has_more })
        }
    };
    items.iter().filter_map(related).collect()
}

fn row_values(items: &[LayoutItem], row: &(impl Row + ?Sized), bytes: &mut usize) -> RowValues {
    let cells = items.iter().filter_map(LayoutItem::cell);
    let values: Vec<Value> = cells.map(|cell| row.cell(cell.at.into()).into()).collect();
    *bytes += size_of::<RowValues>() + values.len() * size_of::<Value>();
    *bytes += values.iter().map(size).sum::<usize>();
    RowValues { values, related: related_of(items, row, bytes) }
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
