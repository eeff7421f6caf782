//! The indexes of the cells in a row. All code that reads rows takes the indexes from this module.

use super::Shape;
use crate::model::{FieldIx, Model, ResourceModel, View};

/// The cells of a row that contains a member.
///
/// The first cell is the revision. The fields of the view follow, and the related rows, whose cells
/// [`Layout`](crate::model::Layout) numbers. The time of the last change comes next, unless
/// the last field already is that time. An update with a merge patch adds the number of merged
/// bytes. An update of the parent adds the ids of the new ancestors. If a rule is tested on the
/// written row, its result is the last cell.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    model: &'a Model,
    shape: &'a Shape,
    resource: &'a ResourceModel,
    view: View,
    /// The number of cells of related rows.
    related: usize,
}

impl<'a> Columns<'a> {
    /// The index of the revision. The cell is NULL in the row that stands for an empty page.
    pub(crate) const REVISION: usize = 0;

    /// The index of the id, which is the first field that any statement returns.
    pub(crate) const ID: usize = 1;

    /// Returns the cells of the rows that a statement returns, or `None` if the rows are not
    /// members.
    #[inline]
    pub(crate) fn of(model: &'a Model, shape: &'a Shape) -> Option<Self> {
        let resource = &model[shape.place().resource];
        let (view, related) = match shape {
            Shape::List { selection, .. } | Shape::Get { selection, .. } => {
                (selection.view, selection.related().cells())
            }
            Shape::Insert { view, .. } | Shape::Update { view, .. } => (*view, 0),
            _ => return None,
        };
        Some(Self { model, shape, resource, view, related })
    }

    /// Returns the index of a field. The statement must return the field.
    pub(crate) fn field(self, field: FieldIx) -> usize {
        1 + self.resource.viewed(self.view).take_while(|(ix, _)| *ix != field).count()
    }

    /// Returns the index of the cell with the number of rows. Only the rows of a page that is read
    /// backwards have this cell, after those of the selection.
    pub(crate) fn rows(self) -> usize {
        1 + self.own() + self.related
    }

    /// Returns the number of fields of the row itself.
    fn own(self) -> usize {
        match self.view {
            View::Whole => self.resource.fields.len(),
            View::Shown => self.resource.visible_count(),
        }
    }

    /// Returns the index of the time of the last change, for a statement that returns one member.
    pub(crate) fn changed(self) -> usize {
        let is_shown = self.view == View::Whole || self.resource.shows_times();
        if is_shown { self.own() } else { self.rows() }
    }

    /// Returns the index of the number of merged bytes, or `None` if the statement merges nothing.
    pub(crate) fn merged_bytes(self) -> Option<usize> {
        self.shape.merges().then(|| self.changed() + 1)
    }

    /// Returns the index of the result of the access rule for the written row, or `None` if there
    /// is no such rule.
    pub(crate) fn permitted(self) -> Option<usize> {
        self.shape.leaves(self.model)?;
        let above = usize::from(self.shape.place().depth).saturating_sub(1);
        let above = if self.shape.moves(self.resource) { above } else { 0 };
        Some(self.changed() + 1 + usize::from(self.shape.merges()) + above)
    }

    /// Returns the indexes of the ids of the ancestors above the new parent of an updated member,
    /// nearest first.
    pub(crate) fn above_parent(self) -> impl Iterator<Item = usize> {
        self.changed() + 1 + usize::from(self.shape.merges())..
    }
}

/// The cells of a row that [`Shape::Look`] selects: the revision, some fields, and the time of the
/// last change. The value in the struct is the number of fields.
#[derive(Clone, Copy)]
pub(crate) struct LookColumns(pub(crate) usize);

impl LookColumns {
    /// Returns the index of the field at this position in the shape's list of fields.
    pub(crate) const fn field(self, at: usize) -> usize {
        1 + at
    }

    /// Returns the index of the time of the last change.
    pub(crate) const fn changed(self) -> usize {
        1 + self.0
    }
}
