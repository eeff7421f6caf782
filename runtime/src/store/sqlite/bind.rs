//! Values on their way into SQLite and out of it.

use rusqlite::{
    ToSql,
    types::{ToSqlOutput, ValueRef},
};

use crate::{
    http_date::Second,
    limits,
    model::Model,
    plan::Shape,
    sink::{Cell, Row},
    value::Value,
};

/// A value to bind, borrowed.
pub(super) struct Bound<'v>(pub(super) &'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Number(value) => ValueRef::Real(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
        }))
    }
}

/// A row of SQLite for a sink.
pub(super) struct Fetched<'r, 's>(pub(super) &'r rusqlite::Row<'s>);

impl Fetched<'_, '_> {
    /// An owned value.
    pub(super) fn value(&self, at: usize) -> Value {
        self.cell(at).into()
    }

    /// The revision, always the first cell; nothing where the row stands for an empty page.
    pub(super) fn revision(&self) -> Option<u64> {
        match self.cell(0) {
            Cell::Integer(revision) => Some(revision.cast_unsigned()),
            _ => None,
        }
    }
}

impl Fetched<'_, '_> {
    /// The time of the last change, which stands in this cell.
    pub(super) fn changed(&self, at: usize) -> Option<Second> {
        match self.cell(at) {
            Cell::Text(text) => str::from_utf8(text).ok().and_then(Second::of_stored),
            _ => None,
        }
    }

    /// Whether what a statement has merged is as large as a body may be, or smaller; where it merges nothing, it is.
    pub(super) fn fits(&self, model: &Model, shape: &Shape) -> bool {
        let Shape::Update { place, merged, view, .. } = shape else { return true };
        if merged.is_empty() {
            return true;
        }
        match self.cell(model[place.resource].octets_at(*view)) {
            Cell::Integer(octets) => octets <= limits::BODY_BYTES_MAX as i64,
            _ => true,
        }
    }
}

impl Row for Fetched<'_, '_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        match self.0.get_ref(at) {
            Ok(ValueRef::Integer(value)) => Cell::Integer(value),
            Ok(ValueRef::Real(value)) => Cell::Number(value),
            Ok(ValueRef::Text(text) | ValueRef::Blob(text)) => Cell::Text(text),
            Ok(ValueRef::Null) | Err(_) => Cell::Null,
        }
    }
}
