//! [`RefusedMembers`]: the members of a posted array that are in conflict. The other members are
//! compared with them, since they are not in the database.

use super::body_fields::BodyFields;
use crate::{
    model::{FieldIx, FieldModel, Model, value::Value},
    plan::{ConflictKind, Refusal, Step, WriteConflict},
};

/// The members of a posted array that were refused, as their steps would have inserted them.
pub(in crate::store) struct RefusedMembers<'s> {
    model: &'s Model,
    bodies: Vec<BodyFields<'s>>,
}

impl<'s> RefusedMembers<'s> {
    /// Begins with the first member that was refused.
    pub(in crate::store) fn new(model: &'s Model, first: &'s Step) -> Self {
        Self { model, bodies: vec![BodyFields::of(model, first)] }
    }

    pub(in crate::store) fn add(&mut self, step: &'s Step) {
        self.bodies.push(BodyFields::of(self.model, step));
    }

    pub(in crate::store) fn count(&self) -> usize {
        self.bodies.len()
    }

    /// Returns the conflict of a step with the first unique set of fields in which a refused member
    /// has the same values.
    pub(in crate::store) fn conflict(&self, at: usize, step: &Step) -> Option<WriteConflict> {
        let body = BodyFields::of(self.model, step);
        let is_taken = |fields: &Vec<FieldIx>| {
            self.bodies.iter().any(|other| fields.iter().all(|ix| shares(&body, other, *ix)))
        };
        let fields = body.unique_sets().find(is_taken)?;
        Some(WriteConflict { step: at, kind: ConflictKind::Taken, fields })
    }

    /// Removes references to refused members from the conflict of a step. They would exist if their
    /// own conflicts were resolved. Returns `None` if no other field is in conflict.
    pub(in crate::store) fn without_references(
        &self,
        step: &Step,
        mut conflict: WriteConflict,
    ) -> Option<WriteConflict> {
        if conflict.kind == ConflictKind::Dangling {
            let body = BodyFields::of(self.model, step);
            conflict.fields.retain(|ix| {
                let value = body.set(*ix);
                let is_own = body.resource[*ix].target == Some(body.resource.ix);
                !(is_own && self.bodies.iter().any(|other| other.set(FieldIx::ID) == value))
            });
        }
        (!conflict.fields.is_empty()).then_some(conflict)
    }
}

/// Whether two new members have the same value in a field. No value is the same as none.
fn shares(one: &BodyFields<'_>, other: &BodyFields<'_>, ix: FieldIx) -> bool {
    match (one.initial(ix), other.initial(ix)) {
        (Some(value), Some(other)) => !value.is_null() && is_equal(&one.resource[ix], value, other),
        _ => false,
    }
}

/// Whether a unique index has two values as the same.
fn is_equal(field: &FieldModel, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Text(one), Value::Text(other)) if field.ignore_case => {
            one.eq_ignore_ascii_case(other)
        }
        _ => one == other,
    }
}

impl From<WriteConflict> for Refusal {
    fn from(conflict: WriteConflict) -> Self {
        Self::Conflicts(vec![conflict])
    }
}
