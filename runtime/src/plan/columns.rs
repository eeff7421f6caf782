//! The positions of the cells of a row: the one place that counts them.

use super::Shape;
use crate::model::{FieldIx, Model, ResourceModel, View};

/// The cells of a row that returns a member.
///
/// The cells are the revision, the fields of a view, and the time of the last change, unless that
/// is the last of the fields. An update that merges adds the bytes of what it merged. One that
/// moves the member adds the ids of its new ancestors. Where a rule is tested on the written row,
/// the last cell is its result.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    model: &'a Model,
    shape: &'a Shape,
    resource: &'a ResourceModel,
    view: View,
}

impl<'a> Columns<'a> {
    /// The cell of the revision; it has no value in the row of an empty page.
    pub(crate) const REVISION: usize = 0;

    /// The cell of the id, the first field of every view.
    pub(crate) const ID: usize = 1;

    /// Returns the cells of a shape, if it returns members in a view.
    pub(crate) fn of(model: &'a Model, shape: &'a Shape) -> Option<Self> {
        let (Shape::List { place, view, .. }
        | Shape::Get { place, view }
        | Shape::Insert { place, view, .. }
        | Shape::Update { place, view, .. }) = shape
        else {
            return None;
        };
        Some(Self { model, shape, resource: &model[place.resource], view: *view })
    }

    /// Returns the cell of a field, which must be in the view.
    pub(crate) fn field(self, field: FieldIx) -> usize {
        1 + self.resource.viewed(self.view).take_while(|(ix, _)| *ix != field).count()
    }

    /// Returns the cell of the number of rows, which follows the fields in each row of a page that
    /// is read backwards.
    pub(crate) fn rows(self) -> usize {
        1 + self.resource.viewed(self.view).count()
    }

    /// Returns the cell of the time of the last change, where one member is returned.
    pub(crate) fn changed(self) -> usize {
        let last = match self.view {
            View::Whole => self.resource.fields.len(),
            View::Shown => self.resource.visible_count(),
        };
        last + usize::from(self.view == View::Shown && !self.resource.shows_times())
    }

    /// Returns the cell of the bytes that an update has merged, if it merges.
    pub(crate) fn merged_bytes(self) -> Option<usize> {
        self.shape.merges().then(|| self.changed() + 1)
    }

    /// Returns the cell that says whether the written row obeys its rule, if there is a rule.
    pub(crate) fn permitted(self) -> Option<usize> {
        self.shape.leaves(self.model)?;
        let above = usize::from(self.shape.place().depth).saturating_sub(1);
        let above = if self.shape.moves(self.resource) { above } else { 0 };
        Some(self.changed() + 1 + usize::from(self.shape.merges()) + above)
    }

    /// Returns the cells of the ids of the ancestors above the parent that an update has set,
    /// nearest first.
    pub(crate) fn above_parent(self) -> impl Iterator<Item = usize> {
        self.changed() + 1 + usize::from(self.shape.merges())..
    }
}

/// The cells of a row of [`Shape::Look`] with this many fields between the revision and the time of
/// the last change.
#[derive(Clone, Copy)]
pub(crate) struct LookColumns(pub(crate) usize);

impl LookColumns {
    /// Returns the cell of the field at this position of the shape.
    pub(crate) const fn field(self, at: usize) -> usize {
        1 + at
    }

    /// Returns the cell of the time of the last change.
    pub(crate) const fn changed(self) -> usize {
        1 + self.0
    }
}
