//! The sink that collects the texts of cells, from which a web page is rendered.

use std::ops::Range;

use super::{Cell, Row, RowSink, repaired};
use crate::{
    model::{FieldIx, FieldModel, Layout, Model, def::FieldKind, value},
    plan::FoundLookups,
};

/// The bytes that a page has around each cell, in addition to its text.
const CELL_BYTES: usize = 64;

/// Collects the fields of members as texts, spelled as in a query string. It leaves out related
/// members.
#[derive(Clone, Debug)]
pub struct CellSink {
    layout: Layout,
    /// The texts of all cells, one after another.
    texts: String,
    /// The place of each text; `None` for a cell without a value. Each row begins with its id,
    /// whether the id is a requested field or not.
    cells: Vec<Option<Range<usize>>>,
    /// The values that the page has looked up besides its rows.
    pub(crate) found: FoundLookups,
}

impl CellSink {
    /// Creates an empty sink.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self { layout, texts: String::new(), cells: vec![], found: FoundLookups::default() }
    }

    /// Returns the fields of the columns.
    pub(crate) fn columns<'m>(&'m self, model: &'m Model) -> Vec<&'m FieldModel> {
        self.layout.fields(model).map(|(_, field)| field).collect()
    }

    /// Returns each row: the id of the member, and the text of each column.
    pub(crate) fn rows(
        &self,
        columns: usize,
    ) -> impl Iterator<Item = (&str, impl Iterator<Item = Option<&str>>)> {
        let text = |cell: &Option<Range<usize>>| cell.clone().map(|place| &self.texts[place]);
        self.cells
            .chunks_exact(columns + 1)
            .map(move |row| (text(&row[0]).unwrap_or_default(), row[1..].iter().map(text)))
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
}

impl RowSink for CellSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        let resource = &model[self.layout.resource()];
        self.push(resource[FieldIx::ID].kind, row.cell(1));
        let layout = self.layout.clone();
        for (at, field) in layout.fields(model) {
            self.push(field.kind, row.cell(at));
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
