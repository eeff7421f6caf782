//! Access to the cells of rows that the store reads for itself, outside a sink.

use crate::{
    base::limits,
    http::http_date::Second,
    model::{Model, Place, value::Value},
    plan::{Columns, Shape},
    store::sink::{Cell, Row},
};

/// A row as the store itself reads it: of a member, or of a lookup that explains why there is none.
pub(crate) trait MemberRow: Row {
    /// Returns an owned value.
    fn value(&self, at: usize) -> Value {
        self.cell(at).into()
    }

    /// Returns an integer, if the cell contains one.
    fn integer(&self, at: usize) -> Option<i64> {
        match self.cell(at) {
            Cell::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the revision, always the first cell; `None` in the row of an empty page.
    fn revision(&self) -> Option<u64> {
        self.integer(Columns::REVISION).map(i64::cast_unsigned)
    }

    /// Returns the time of the last change from this cell.
    fn changed(&self, at: usize) -> Option<Second> {
        match self.cell(at) {
            Cell::Text(text) => str::from_utf8(text).ok().and_then(Second::of_stored),
            _ => None,
        }
    }

    /// Returns the ids of the ancestors of a member that may have got another parent, outermost
    /// first. They are those that the URL names, up to one that has no parent.
    fn place(&self, model: &Model, shape: &Shape) -> Option<Vec<Value>> {
        let Place { resource, depth, .. } = shape.place();
        let (_, field) = model[resource].parent.filter(|_| shape.moves(&model[resource]))?;
        let columns = Columns::of(model, shape)?;
        let parent = std::iter::once(columns.field(field)).chain(columns.above_parent());
        let ids = parent.take(depth.into()).map(|at| self.value(at));
        let mut ids: Vec<_> = ids.take_while(|id| !id.is_null()).collect();
        ids.reverse();
        Some(ids)
    }

    /// Whether the written row obeys its rule; true where there is none.
    fn is_permitted(&self, model: &Model, shape: &Shape) -> bool {
        if shape.leaves(model).is_none() {
            return true;
        }
        let said = Columns::of(model, shape).and_then(Columns::permitted).map(|at| self.cell(at));
        said == Some(Cell::Integer(1))
    }

    /// Whether the merged values are at most as large as a body may be; true where nothing is
    /// merged.
    fn fits(&self, model: &Model, shape: &Shape) -> bool {
        if !shape.merges() {
            return true;
        }
        let bytes =
            Columns::of(model, shape).and_then(Columns::merged_bytes).map(|at| self.cell(at));
        !matches!(bytes, Some(Cell::Integer(bytes)) if bytes > limits::BODY_BYTES_MAX as i64)
    }
}

impl<R: Row> MemberRow for R {}
