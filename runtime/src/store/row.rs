//! Access to the cells of rows that the store itself reads, instead of passing them to a sink.

use crate::{
    http::http_date::Second,
    model::{Model, Place, def::Limit, value::Value},
    plan::{Columns, Shape},
    store::sink::{Cell, Row},
};

/// A row that the store itself reads: the row of a member, or the result of a lookup that explains
/// a refusal.
pub(crate) trait MemberRow: Row {
    /// Returns the value of a cell as an owned value.
    fn value(&self, at: usize) -> Value {
        self.cell(at).into()
    }

    /// Returns the integer in a cell, or `None` if the cell has another type.
    fn integer(&self, at: usize) -> Option<i64> {
        match self.cell(at) {
            Cell::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the revision of the member, which is always in the first cell. Returns `None` if
    /// that cell is NULL. An empty page of a nested collection is one row of NULLs.
    fn revision(&self) -> Option<u64> {
        self.integer(Columns::REVISION).map(i64::cast_unsigned)
    }

    /// Returns the time of the last change from the cell at this index. Returns `None` if the cell
    /// contains no time.
    fn changed(&self, at: usize) -> Option<Second> {
        match self.cell(at) {
            Cell::Text(text) => str::from_utf8(text).ok().and_then(Second::of_stored),
            _ => None,
        }
    }

    /// Returns the ids of the ancestors of a written member, outermost first. They are as many as
    /// in the URL, or fewer if an ancestor has no parent. Returns `None` if the statement cannot
    /// have changed the parent.
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

    /// Whether the written row satisfies the access rule for writes. Returns true if there is no
    /// rule.
    fn is_permitted(&self, model: &Model, shape: &Shape) -> bool {
        if shape.leaves(model).is_none() {
            return true;
        }
        let permitted =
            Columns::of(model, shape).and_then(Columns::permitted).map(|at| self.cell(at));
        permitted == Some(Cell::Integer(1))
    }

    /// Whether the merged JSON values together have at most as many bytes as a request body may
    /// have. Returns true if the statement merges nothing.
    fn fits(&self, model: &Model, shape: &Shape) -> bool {
        if !shape.merges() {
            return true;
        }
        let most = i64::try_from(model.limits().get(Limit::BodyBytes)).unwrap_or(i64::MAX);
        let bytes =
            Columns::of(model, shape).and_then(Columns::merged_bytes).map(|at| self.cell(at));
        !matches!(bytes, Some(Cell::Integer(bytes)) if bytes > most)
    }
}

impl<R: Row> MemberRow for R {}
