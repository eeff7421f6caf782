//! What the store reads of a row, beside the sink.

use super::raw::Fetched;
use crate::{
    base::limits,
    http::http_date::Second,
    model::{Model, value::Value},
    plan::Shape,
    store::sink::{Cell, Row},
};

impl Fetched<'_> {
    /// An owned value.
    pub(super) fn value(&self, at: usize) -> Value {
        self.cell(at).into()
    }

    /// An integer, where it is one.
    pub(super) fn integer(&self, at: usize) -> Option<i64> {
        match self.cell(at) {
            Cell::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The revision, always the first cell; nothing where the row stands for an empty page.
    pub(super) fn revision(&self) -> Option<u64> {
        self.integer(0).map(i64::cast_unsigned)
    }

    /// The time of the last change, which stands in this cell.
    pub(super) fn changed(&self, at: usize) -> Option<Second> {
        match self.cell(at) {
            Cell::Text(text) => str::from_utf8(text).ok().and_then(Second::of_stored),
            _ => None,
        }
    }

    /// The ids of the ancestors of a member that may have got another parent, outermost first; those that the URL names,
    /// up to one that has no parent.
    pub(super) fn place(&self, model: &Model, shape: &Shape) -> Option<Vec<Value>> {
        let Shape::Update { place, view, merged, .. } = shape else { return None };
        let resource = &model[place.resource];
        let (_, field) = resource.parent.filter(|_| shape.moves(resource))?;
        let above = resource.octets_at(*view) + usize::from(!merged.is_empty());
        let parent = std::iter::once(resource.cell(*view, field)).chain(above..);
        let ids = parent.take(place.depth.into()).map(|at| self.value(at));
        let mut ids: Vec<_> = ids.take_while(|id| !id.is_null()).collect();
        ids.reverse();
        Some(ids)
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
