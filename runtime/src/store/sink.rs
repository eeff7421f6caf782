//! The sinks of rows: the store passes borrowed cells to a sink, and the sink makes the
//! representation.

mod columns;
mod csv;
mod json;
mod sizes;
mod values;
mod visible_cells;

use std::borrow::Cow;

use self::columns::VisibleFields;
pub(crate) use self::sizes::{End, Sizes};
pub use self::{
    csv::CsvSink,
    json::{JsonSink, NdjsonSink},
    values::ValueSink,
};
use crate::{base::limits, http::negotiate::Format, model::Model};

/// A borrowed value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'row> {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A double.
    Number(f64),
    /// Text, which another program may have left in any encoding.
    Text(&'row [u8]),
}

/// Returns a text with invalid UTF-8 replaced. The check alone is several times as fast as the
/// repair, which reads each character.
fn repaired(text: &[u8]) -> Cow<'_, str> {
    str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

/// A row of a statement that returns members: the revision, then the fields of its view.
pub trait Row {
    /// Returns the cell at this position.
    fn cell(&self, at: usize) -> Cell<'_>;
}

/// A consumer of rows.
pub trait RowSink {
    /// Consumes one row.
    fn row(&mut self, model: &Model, row: &impl Row);
    /// Returns the bytes that it holds.
    fn size(&self) -> usize;
    /// Discards all rows, as if it were new.
    fn reset(&mut self);
}

/// The closed set of sinks: dispatched once per page, not once per row.
#[derive(Clone, Debug)]
pub enum Sink {
    /// Renders nothing.
    Nothing,
    /// JSON objects, separated by commas.
    Json(JsonSink),
    /// JSON objects, each on its own line.
    Ndjson(NdjsonSink),
    /// Rows of text, after a row of names.
    Csv(CsvSink),
    /// Values, for programs that hold members as Rust values.
    Values(ValueSink),
}

impl Sink {
    /// Takes the bytes made so far, if there are at least this many; the sink continues after them.
    pub(crate) fn take(&mut self, bytes_min: usize) -> Option<Vec<u8>> {
        let bytes = match self {
            Self::Ndjson(ndjson) => ndjson.content(),
            Self::Csv(csv) => csv.content(),
            Self::Nothing | Self::Json(_) | Self::Values(_) => return None,
        };
        let rest = Vec::with_capacity(if bytes.is_empty() { 0 } else { bytes.capacity() });
        (bytes.len() >= bytes_min).then(|| std::mem::replace(bytes, rest))
    }

    /// Whether it holds more than a page may have.
    pub(crate) fn is_too_large(&self) -> bool {
        self.content().is_some_and(|(_, made)| made.len() > limits::PAGE_BYTES_MAX)
    }

    /// Returns the most bytes that a page may have in it.
    pub(crate) const fn size_max(&self) -> usize {
        match self {
            Self::Values(_) => limits::LIST_BYTES_MAX,
            Self::Nothing | Self::Json(_) | Self::Ndjson(_) | Self::Csv(_) => {
                limits::PAGE_BYTES_MAX
            }
        }
    }

    /// Returns the format and the bytes of the representation so far, if it makes one.
    pub(crate) fn content(&self) -> Option<(Format, &[u8])> {
        match self {
            Self::Nothing | Self::Values(_) => None,
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
            Self::Values(values) => values.row(model, row),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Json(json) => json.size(),
            Self::Ndjson(ndjson) => ndjson.size(),
            Self::Csv(csv) => csv.size(),
            Self::Values(values) => values.size(),
        }
    }

    fn reset(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Json(json) => json.reset(),
            Self::Ndjson(ndjson) => ndjson.reset(),
            Self::Csv(csv) => csv.reset(),
            Self::Values(values) => values.reset(),
        }
    }
}
