//! The selection of the cells of a row that are rendered.

use std::sync::Arc;

use crate::model::{FieldIx, FieldModel, Model, ResourceIx};

/// The fields that a representation contains. `fields` holds the requested fields, or `None` for
/// all visible fields.
#[derive(Clone, Debug)]
pub(super) struct VisibleFields {
    resource: ResourceIx,
    pub(super) fields: Option<Arc<[FieldIx]>>,
}

impl VisibleFields {
    pub(super) const fn new(resource: ResourceIx, fields: Option<Arc<[FieldIx]>>) -> Self {
        Self { resource, fields }
    }

    /// The resource whose fields these are.
    pub(super) const fn resource(&self) -> ResourceIx {
        self.resource
    }

    /// Whether any visible field of the resource has the type JSON.
    pub(super) fn have_json(&self, model: &Model) -> bool {
        model[self.resource].shows_json()
    }

    /// Returns each rendered field with the index of its cell in a row. Cell 0 is the revision, and
    /// a cell for each visible field follows.
    pub(super) fn of<'m>(&self, model: &'m Model) -> impl Iterator<Item = (usize, &'m FieldModel)> {
        let requested = |ix| self.fields.as_ref().is_none_or(|fields| fields.contains(&ix));
        let all = (1..).zip(model[self.resource].visible());
        all.filter(move |(_, (ix, _))| requested(*ix)).map(|(at, (_, field))| (at, field))
    }
}
