//! The members that rendered rows refer to, for server push.

use super::{Cell, Row, repaired};
use crate::{
    base::limits,
    model::{Layout, Model, ResourceIx, Role, value::Value},
};

/// The first members that rows refer to, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FoundReferences(Vec<(ResourceIx, Value)>);

impl FoundReferences {
    /// Returns the resource and the id of each member.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(ResourceIx, Value)> {
        self.0.iter()
    }

    /// Adds the members that the rendered fields of a row refer to.
    pub(super) fn add(&mut self, layout: &Layout, model: &Model, row: &impl Row) {
        for (at, field) in layout.fields(model) {
            let Some(target) = field.target.filter(|_| field.role == Role::Declared) else {
                continue;
            };
            let id = match row.cell(at) {
                Cell::Integer(id) => Value::Integer(id),
                Cell::Text(id) => Value::Text(repaired(id).into_owned()),
                Cell::Null | Cell::Number(_) => continue,
            };
            let reference = (target, id);
            if self.0.len() < limits::PUSHES_MAX && !self.0.contains(&reference) {
                self.0.push(reference);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
