//! The sink that collects the texts of cells, from which a web page is rendered.

use std::ops::Range;

use super::{Cell, Row, RowSink, repaired};
use crate::{
    model::{FieldIx, FieldModel, Layout, LayoutItem, Model, def::FieldKind, value},
    plan::{FoundLookups, label_of},
};

/// The bytes that a page has around each cell, in addition to its text.
const CELL_BYTES: usize = 64;

/// Collects the fields of members as texts, spelled as in a query string. Of a related member it
/// collects the first field, as the label of the member. A list has an empty cell.
#[derive(Clone, Debug)]
pub struct CellSink {
    layout: Layout,
    /// The texts of all cells, one after another.
    texts: String,
    /// The place of each text; `None` for a cell without a value. Each row begins with its id,
    /// whether the id is a requested field or not. The labels come last.
    cells: Vec<Option<Range<usize>>>,
    /// The values that the page has looked up besides its rows.
    pub(crate) found: FoundLookups,
}

/// A column of the collected cells.
#[derive(Clone, Copy)]
pub(crate) struct CellColumn<'m> {
    pub(crate) field: &'m FieldModel,
    /// The index of the cell with the label of the member that the field refers to.
    label: Option<usize>,
    /// The index of the cell of the field.
    at: usize,
}

/// The cells of a member.
#[derive(Clone, Copy)]
pub(crate) struct CellRow<'s> {
    texts: &'s str,
    cells: &'s [Option<Range<usize>>],
}

impl<'s> CellRow<'s> {
    /// The id of the member.
    pub(crate) fn id(self) -> &'s str {
        self.cell(0).unwrap_or_default()
    }

    /// The text of a column; `None` if the field has no value.
    pub(crate) fn text(self, column: &CellColumn<'_>) -> Option<&'s str> {
        self.cell(column.at)
    }

    /// The label of the member that the field of a column refers to, if it has one.
    pub(crate) fn label(self, column: &CellColumn<'_>) -> Option<&'s str> {
        self.cell(column.label?)
    }

    fn cell(self, at: usize) -> Option<&'s str> {
        self.cells[at].clone().map(|place| &self.texts[place])
    }
}

impl CellSink {
    /// Creates an empty sink.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self { layout, texts: String::new(), cells: vec![], found: FoundLookups::default() }
    }

    /// Returns the parts of a row that the sink shows.
    #[cfg(feature = "postgres")]
    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the columns.
    pub(crate) fn columns<'m>(&'m self, model: &'m Model) -> Vec<CellColumn<'m>> {
        let items = self.layout.items(model);
        let reference = |item: &LayoutItem| item.member()?.relation(model).of_one();
        let references: Vec<_> = items.iter().map(reference).collect();
        let column = |(at, item): (usize, &LayoutItem)| {
            let cell = item.cell()?;
            let label = references.iter().position(|reference| *reference == Some(cell.ix()));
            Some(CellColumn { field: cell.field(model), label: label.map(|label| 1 + label), at })
        };
        (1..).zip(items).filter_map(column).collect()
    }

    /// Returns the rows.
    pub(crate) fn rows(&self, model: &Model) -> impl Iterator<Item = CellRow<'_>> {
        let cells = self.cells.chunks_exact(1 + self.layout.items(model).len());
        cells.map(|cells| CellRow { texts: &self.texts, cells })
    }

    fn push(&mut self, kind: FieldKind, cell: Cell<'_>) {
        let begin = self.texts.len();
        let has_value = match (cell, kind) {
            (Cell::Null, _) => false,
            (Cell::Integer(value), FieldKind::Boolean) => {
                self.texts.push_str(if value == 0 { "false" } else { "true" });
                true
            }
            (Cell::Integer(value), FieldKind::Decimal { scale }) => {
                self.texts.push_str(&value::spell_decimal(value, scale));
                true
            }
            (Cell::Integer(value), _) => {
                self.texts.push_str(itoa::Buffer::new().format(value));
                true
            }
            (Cell::Number(value), _) if !value.is_finite() => false,
            (Cell::Number(value), _) => {
                self.texts.push_str(zmij::Buffer::new().format_finite(value));
                true
            }
            (Cell::Text(text), _) => {
                self.texts.push_str(&repaired(text));
                true
            }
        };
        self.cells.push(has_value.then_some(begin..self.texts.len()));
    }

    /// Adds the label of a related member. The page has no room for a long one.
    fn push_label(&mut self, kind: FieldKind, cell: Cell<'_>) {
        match cell {
            Cell::Text(text) => {
                self.push(kind, Cell::Text(label_of(&repaired(text)).as_bytes()));
            }
            cell => self.push(kind, cell),
        }
    }
}

impl RowSink for CellSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        let resource = &model[self.layout.resource()];
        self.push(resource[FieldIx::ID].kind, row.cell(1));
        let layout = self.layout.clone();
        for item in layout.items(model) {
            match item {
                LayoutItem::Cell(cell) => {
                    self.push(cell.field(model).kind, row.cell(cell.at.into()));
                }
                LayoutItem::Member(member) => match member.items.first() {
                    Some(LayoutItem::Cell(label)) => {
                        self.push_label(label.field(model).kind, row.cell(label.at.into()));
                    }
                    _ => self.cells.push(None),
                },
                LayoutItem::List(_) => self.cells.push(None),
            }
        }
    }

    fn size(&self) -> usize {
        self.texts.len() + self.cells.len() * CELL_BYTES
    }

    fn reset(&mut self) {
        self.texts.clear();
        self.cells.clear();
    }
}
