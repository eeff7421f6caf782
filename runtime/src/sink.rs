//! Where rows go: the store drives a sink with borrowed cells, and the sink makes the representation.

mod json;

use std::sync::Arc;

pub use self::json::JsonSink;
pub(crate) use self::json::write_string;
use crate::model::{Model, ResourceIx};

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

/// A row of a statement that returns members: the revision, then the visible fields.
pub trait Row {
    /// The cell in this place.
    fn cell(&self, at: usize) -> Cell<'_>;
}

/// Takes rows.
pub trait RowSink {
    /// Takes one row.
    fn row(&mut self, row: &impl Row);
    /// Forgets all rows, as if it were new.
    fn reset(&mut self);
}

/// The closed set of sinks: a plan is dispatched on it once, not once a row.
#[derive(Debug)]
pub enum Sink {
    /// JSON objects, separated by commas.
    Json(JsonSink),
}

impl Sink {
    /// A sink of JSON objects of a resource, behind an opening such as `{"items":[`.
    #[must_use]
    pub fn json(model: &Arc<Model>, resource: ResourceIx, opening: &'static str) -> Self {
        Self::Json(JsonSink::new(Arc::clone(model), resource, opening))
    }
}
