//! The sink that renders rows as comma-separated values (RFC 4180): a header row, then one row for
//! each member.

use super::{Cell, Row, RowSink, repaired};
use crate::model::{Layout, LayoutItem, Model, def::FieldKind, value};

/// Renders members as CSV rows.
///
/// NULL is an empty cell, and an empty text is `""`, so a reader can tell them apart. A text is
/// written unchanged, even if a spreadsheet would read it as a formula. So data is the same after
/// an export and an import.
///
/// A field of a related member has the name of the relation, a dot and its own name. If there is no
/// such member, its cells are empty. A list has no cell.
#[derive(Clone, Debug)]
pub struct CsvSink {
    layout: Layout,
    bytes: Vec<u8>,
    header: usize,
}

impl CsvSink {
    /// Creates a sink that contains only the header row.
    #[must_use]
    pub fn new(model: &Model, layout: Layout) -> Self {
        let mut bytes = vec![];
        write_names(&mut bytes, "", layout.items(model), model);
        end_row(&mut bytes);
        let header = bytes.len();
        Self { layout, bytes, header }
    }

    /// Returns the parts of a row that the sink shows.
    #[cfg(feature = "postgres")]
    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the buffer with the rendered bytes.
    pub(super) const fn content(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Returns the header row and the rows that were rendered so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the header row and the rendered rows.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl RowSink for CsvSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        write_cells(&mut self.bytes, self.layout.items(model), model, row);
        end_row(&mut self.bytes);
    }

    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn reset(&mut self) {
        self.bytes.truncate(self.header);
    }
}

/// Writes the names of columns, each with a comma behind it.
fn write_names(to: &mut Vec<u8>, before: &str, items: &[LayoutItem], model: &Model) {
    for item in items {
        match item {
            LayoutItem::Cell(cell) => {
                write_text(to, [before, &*cell.field(model).name].concat().as_bytes());
                to.push(b',');
            }
            LayoutItem::Member(member) => {
                let before = format!("{before}{}.", member.relation(model).wire);
                write_names(to, &before, &member.items, model);
            }
            // A table has no room for a list.
            LayoutItem::List(_) => {}
        }
    }
}

/// Writes the cells of a row, each with a comma behind it.
fn write_cells(to: &mut Vec<u8>, items: &[LayoutItem], model: &Model, row: &impl Row) {
    for item in items {
        match item {
            LayoutItem::Cell(cell) => {
                write_cell(to, cell.field(model).kind, row.cell(cell.at.into()));
                to.push(b',');
            }
            LayoutItem::Member(member) => write_cells(to, &member.items, model, row),
            LayoutItem::List(_) => {}
        }
    }
}

/// Ends a row. A comma follows every cell, so the last comma is replaced by CR LF.
fn end_row(to: &mut Vec<u8>) {
    if to.last() == Some(&b',') {
        to.pop();
    }
    to.extend_from_slice(b"\r\n");
}

fn write_cell(to: &mut Vec<u8>, kind: FieldKind, cell: Cell<'_>) {
    match (cell, kind) {
        (Cell::Null, _) => {}
        (Cell::Integer(value), FieldKind::Boolean) => {
            to.extend_from_slice(if value == 0 { b"false" } else { b"true" });
        }
        (Cell::Integer(value), FieldKind::Decimal { scale }) => {
            to.extend_from_slice(value::spell_decimal(value, scale).as_bytes());
        }
        (Cell::Integer(value), _) => {
            to.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        }
        (Cell::Number(value), _) if !value.is_finite() => {}
        (Cell::Number(value), _) => {
            to.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
        }
        (Cell::Text(text), _) => write_text(to, repaired(text).as_bytes()),
    }
}

fn write_text(to: &mut Vec<u8>, text: &[u8]) {
    if !text.is_empty() && !text.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return to.extend_from_slice(text);
    }
    to.push(b'"');
    for byte in text {
        if *byte == b'"' {
            to.push(b'"');
        }
        to.push(*byte);
    }
    to.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(kind: FieldKind, cell: Cell<'_>) -> String {
        let mut to = vec![];
        write_cell(&mut to, kind, cell);
        String::from_utf8(to).unwrap()
    }

    #[test]
    fn a_text_is_quoted_where_it_must_be() {
        let text = |text: &str| cell(FieldKind::String, Cell::Text(text.as_bytes()));
        assert_eq!((text("Oslo"), text(" a b ")), ("Oslo".into(), " a b ".into()));
        assert_eq!((text(""), text("a,b")), ("\"\"".into(), "\"a,b\"".into()));
        assert_eq!((text("a\"b"), text("a\r\nb")), ("\"a\"\"b\"".into(), "\"a\r\nb\"".into()));
        assert_eq!(text("=1+1"), "=1+1");
        assert_eq!(cell(FieldKind::String, Cell::Null), "");
    }

    #[test]
    fn cells_are_written_by_their_kind() {
        assert_eq!(cell(FieldKind::Boolean, Cell::Integer(0)), "false");
        assert_eq!(cell(FieldKind::Decimal { scale: 2 }, Cell::Integer(-5)), "-0.05");
        assert_eq!(cell(FieldKind::Number, Cell::Number(2.5)), "2.5");
        assert_eq!(cell(FieldKind::Json, Cell::Text(b"{\"a\":1}")), "\"{\"\"a\"\":1}\"");
    }
}
