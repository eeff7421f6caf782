//! The cells of a row that are rendered.

use std::sync::Arc;

use crate::model::{FieldIx, FieldModel, Model, ResourceIx};

/// The fields of a representation: all visible ones, or those of them that were requested.
#[derive(Clone, Debug)]
pub(super) struct VisibleFields {
    resource: ResourceIx,
    pub(super) fields: Option<Arc<[FieldIx]>>,
}

impl VisibleFields {
    pub(super) const fn new(resource: ResourceIx, fields: Option<Arc<[FieldIx]>>) -> Self {
        Self { resource, fields }
    }

    /// Whether any field of the resource is JSON.
    pub(super) fn have_json(&self, model: &Model) -> bool {
        model[self.resource].shows_json()
    }

    /// Returns each field with its cell in a row, which begins with the revision and contains every
    /// visible field.
    pub(super) fn of<'m>(&self, model: &'m Model) -> impl Iterator<Item = (usize, &'m FieldModel)> {
        let asked = |ix| self.fields.as_ref().is_none_or(|fields| fields.contains(&ix));
        let all = (1..).zip(model[self.resource].visible());
        all.filter(move |(_, (ix, _))| asked(*ix)).map(|(at, (_, field))| (at, field))
    }
}
