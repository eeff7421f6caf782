//! Sinks. A sink consumes the rows of a statement and renders the representation of a response from
//! them, cell by cell.

mod cells;
mod csv;
mod json;
mod references;
mod sizes;
mod values;
mod visible_cells;

use std::borrow::Cow;

pub use self::{
    cells::CellSink,
    csv::CsvSink,
    json::{JsonSink, NdjsonSink},
    values::{MemberValues, RelatedValues, RowValues, ValueSink},
};
pub(crate) use self::{
    cells::{CellColumn, CellRow},
    json::{MEMBERS_CLOSING, MEMBERS_OPENING},
    references::FoundReferences,
    sizes::{End, Sizes},
};
#[cfg(feature = "postgres")]
use crate::model::Layout;
use crate::{
    base::limits,
    http::negotiate::Format,
    model::{LayoutList, Model},
    plan::FoundLookups,
};

/// The borrowed value of one cell of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'row> {
    /// The SQL value NULL.
    Null,
    /// An SQL integer. It may stand for a boolean or for a decimal.
    Integer(i64),
    /// A double.
    Number(f64),
    /// The bytes of a text. Another program may have stored bytes that are not UTF-8.
    Text(&'row [u8]),
}

/// Returns a text in which U+FFFD replaces invalid UTF-8. The text is validated first, since
/// validating is several times as fast as replacing.
fn repaired(text: &[u8]) -> Cow<'_, str> {
    str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

/// A row of a statement that returns members. The first cell is the revision, and the selected
/// fields follow.
pub trait Row {
    /// Returns the cell at this index.
    fn cell(&self, at: usize) -> Cell<'_>;

    /// Passes the rows of a list that comes with the row, until the closure returns false. Returns
    /// whether the store has left out rows for which there is no room. A store that cannot read
    /// them stops, and fails the read to which the row belongs. A row without lists has none.
    fn list(&self, _list: &LayoutList, _row: &mut dyn FnMut(&dyn Row) -> bool) -> bool {
        false
    }
}

/// Renders the rows of a list until it has its limit, or until the member to which it belongs is
/// large. `bytes` is the size of that member until now; `render` returns it after each row. Returns
/// whether there are more rows.
fn render_list(
    row: &(impl Row + ?Sized),
    list: &LayoutList,
    mut bytes: usize,
    mut render: impl FnMut(&dyn Row) -> usize,
) -> bool {
    let (mut count, mut has_more) = (0, false);
    let are_left_out = row.list(list, &mut |row| {
        has_more = count >= list.limit || bytes >= limits::RELATED_LISTS_BYTES_MAX;
        if !has_more {
            bytes = render(row);
            count += 1;
        }
        !has_more
    });
    has_more || are_left_out
}

/// A consumer of the rows of a statement.
pub trait RowSink {
    /// Consumes one row.
    fn row(&mut self, model: &Model, row: &impl Row);
    /// Returns the number of bytes that the sink holds.
    fn size(&self) -> usize;
    /// Discards all rows, so that the sink is as when it was created.
    fn reset(&mut self);
}

/// The available sinks. The variant is matched once per page, not once per row.
#[derive(Clone, Debug)]
pub enum Sink {
    /// A sink that discards all rows.
    Nothing,
    /// A sink that renders JSON objects, separated by commas.
    Json(JsonSink),
    /// A sink that renders JSON objects, one on each line (NDJSON).
    Ndjson(NdjsonSink),
    /// A sink that renders CSV: a header row, then one row for each member.
    Csv(CsvSink),
    /// A sink that collects the texts of cells, for a web page.
    Cells(Box<CellSink>),
    /// A sink that collects values, for programs that use members as Rust values.
    Values(ValueSink),
}

impl Sink {
    /// Removes and returns the rendered bytes, if there are at least `bytes_min`. The sink can then
    /// render more rows. Sinks other than NDJSON and CSV always return `None`.
    pub(crate) fn take(&mut self, bytes_min: usize) -> Option<Vec<u8>> {
        let bytes = match self {
            Self::Ndjson(ndjson) => ndjson.content(),
            Self::Csv(csv) => csv.content(),
            Self::Nothing | Self::Json(_) | Self::Cells(_) | Self::Values(_) => return None,
        };
        let rest = Vec::with_capacity(if bytes.is_empty() { 0 } else { bytes.capacity() });
        (bytes.len() >= bytes_min).then(|| std::mem::replace(bytes, rest))
    }

    /// Returns the bytes that were rendered.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Nothing | Self::Cells(_) | Self::Values(_) => vec![],
            Self::Json(sink) => sink.into_bytes(),
            Self::Ndjson(sink) => sink.into_bytes(),
            Self::Csv(sink) => sink.into_bytes(),
        }
    }

    /// Whether the sink holds more bytes than a page may have.
    pub(crate) fn is_too_large(&self) -> bool {
        self.content().is_some_and(|(_, bytes)| bytes.len() > limits::PAGE_BYTES_MAX)
    }

    /// Returns the maximum number of bytes of a page that this sink renders or collects.
    pub(crate) const fn size_max(&self) -> usize {
        match self {
            Self::Values(_) => limits::LIST_BYTES_MAX,
            Self::Nothing | Self::Json(_) | Self::Ndjson(_) | Self::Csv(_) | Self::Cells(_) => {
                limits::PAGE_BYTES_MAX
            }
        }
    }

    /// Returns the parts of a row that the sink shows, or `None` if it may show all cells.
    #[cfg(feature = "postgres")]
    pub(crate) const fn layout(&self) -> Option<&Layout> {
        match self {
            Self::Nothing | Self::Values(_) => None,
            Self::Json(json) => Some(json.layout()),
            Self::Ndjson(ndjson) => Some(ndjson.layout()),
            Self::Csv(csv) => Some(csv.layout()),
            Self::Cells(cells) => Some(cells.layout()),
        }
    }

    /// Returns what a web page has looked up, or `None` if the sink is not that of a page.
    pub(crate) const fn found(&self) -> Option<&FoundLookups> {
        match self {
            Self::Cells(cells) => Some(&cells.found),
            _ => None,
        }
    }

    /// Returns the format and the bytes that were rendered so far, or `None` if the sink renders no
    /// bytes.
    pub(crate) fn content(&self) -> Option<(Format, &[u8])> {
        match self {
            Self::Nothing | Self::Cells(_) | Self::Values(_) => None,
            Self::Json(json) => Some((Format::Json, json.bytes())),
            Self::Ndjson(ndjson) => Some((Format::Ndjson, ndjson.bytes())),
            Self::Csv(csv) => Some((Format::Csv, csv.bytes())),
        }
    }
}

impl RowSink for Sink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        match self {
            Self::Nothing => {}
            Self::Json(json) => json.row(model, row),
            Self::Ndjson(ndjson) => ndjson.row(model, row),
            Self::Csv(csv) => csv.row(model, row),
            Self::Cells(cells) => cells.row(model, row),
            Self::Values(values) => values.row(model, row),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Json(json) => json.size(),
            Self::Ndjson(ndjson) => ndjson.size(),
            Self::Csv(csv) => csv.size(),
            Self::Cells(cells) => cells.size(),
            Self::Values(values) => values.size(),
        }
    }

    fn reset(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Json(json) => json.reset(),
            Self::Ndjson(ndjson) => ndjson.reset(),
            Self::Csv(csv) => csv.reset(),
            Self::Cells(cells) => cells.reset(),
            Self::Values(values) => values.reset(),
        }
    }
}
