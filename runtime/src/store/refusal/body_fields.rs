//! The values that a step of a write sets, and those that it leaves.

use std::sync::Arc;

use crate::{
    model::{Default, FieldIx, Model, Place, ResourceModel, value::Value},
    plan::{LookColumns, Shape, Step},
    store::{
        failure::Failure,
        row::MemberRow as _,
        session::{CallerStatements, Statements},
        sql,
    },
};

/// The values that an insert or an update sets, by field.
pub(super) struct BodyFields<'s> {
    pub(super) resource: &'s ResourceModel,
    pub(super) step: &'s Step,
    pub(super) columns: &'s [FieldIx],
    /// The id of the member that an update changes; `None` for an insert.
    pub(super) id: Option<&'s Value>,
}

impl<'s> BodyFields<'s> {
    pub(super) fn of(model: &'s Model, step: &'s Step) -> Self {
        let place = step.shape.place();
        let (columns, id) = match &step.shape {
            Shape::Insert { columns, .. } => (columns.as_slice(), None),
            Shape::Update { columns, .. } => {
                (columns.as_slice(), step.values.get(usize::from(place.depth)))
            }
            _ => (&[][..], None),
        };
        Self { resource: &model[place.resource], step, columns, id }
    }

    /// Returns the value that the step sets a field to, or `None` if the step does not set the
    /// field.
    pub(super) fn set(&self, field: FieldIx) -> Option<&'s Value> {
        let depth = usize::from(self.step.shape.place().depth);
        if let Some(at) = self.columns.iter().position(|column| *column == field) {
            return self.step.values.get(depth + usize::from(self.id.is_some()) + at);
        }
        let parent = self.resource.parent.is_some_and(|(_, parent)| parent == field);
        (parent && depth > 0).then(|| &self.step.values[depth - 1])
    }

    /// Returns the value that a field of a new member has, as far as the step and the declaration
    /// say it.
    pub(super) fn initial(&self, field: FieldIx) -> Option<&'s Value> {
        self.set(field).or(match &self.resource[field].default {
            Some(Default::Value(value)) => Some(value),
            _ => None,
        })
    }

    /// Returns the sets of fields whose values no two members may share. The id is one if the step
    /// sets it.
    pub(super) fn unique_sets(&self) -> impl Iterator<Item = Vec<FieldIx>> + use<> {
        let id_given = self.columns.contains(&FieldIx::ID).then(|| vec![FieldIx::ID]);
        id_given.into_iter().chain(sql::unique_sets(self.resource))
    }

    /// Returns the value that a field would have after the statement. The stored value is read for
    /// a field that the step does not set.
    pub(super) fn value(
        &self,
        statements: &mut CallerStatements<'_, impl Statements>,
        model: &Arc<Model>,
        field: FieldIx,
    ) -> Result<Value, Failure> {
        if let Some(value) = self.set(field) {
            return Ok(value.clone());
        }
        let Some(id) = self.id else {
            return Ok(self.initial(field).cloned().unwrap_or(Value::Null));
        };
        // The stored value is read without access rules, since the caller is already changing this
        // member.
        let place = Place::new(self.resource.ix, 0);
        let mut value = Value::Null;
        statements.query(model, &Shape::Look { place, fields: vec![field] }, id, |row| {
            value = row.value(LookColumns(1).field(0));
            false
        })?;
        Ok(value)
    }
}
