//! [`Slots`]: the values of a member by field. Rows, bodies and Rust values are converted to slots
//! and back.

use std::fmt;

use crate::model::{
    FieldIx, ResourceModel, def::FieldKind, field_type::FieldType, patch::Patch, value::Value,
};

/// A slot for each field of a resource. The slot of a field without a value is empty.
///
/// Code that the derive generates refers to fields by index. The order is: the id, the parent's id
/// if there is one, the declared fields, `created_at`, `updated_at`.
pub struct Slots<'model> {
    /// The resource whose fields have slots.
    pub resource: &'model ResourceModel,
    values: Vec<Option<Value>>,
}

/// The error for a stored value that a Rust type cannot hold. Another program wrote the value, or
/// an older declaration allowed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableValue {
    /// The name of the field that has the value.
    pub field: String,
}

impl fmt::Display for UnreadableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored value of `{}` does not fit its Rust type", self.field)
    }
}

impl std::error::Error for UnreadableValue {}

impl<'model> Slots<'model> {
    /// Creates empty slots for the fields of a resource.
    #[must_use]
    pub fn new(resource: &'model ResourceModel) -> Self {
        Self { resource, values: vec![None; resource.fields.len()] }
    }

    /// Creates slots from a row that has a value for each field.
    #[must_use]
    pub fn of_row(resource: &'model ResourceModel, row: Vec<Value>) -> Self {
        Self { resource, values: row.into_iter().map(Some).collect() }
    }

    /// The value of a field; `None` if the slot is empty.
    #[must_use]
    pub fn get(&self, ix: FieldIx) -> Option<&Value> {
        self.values[usize::from(ix.0)].as_ref()
    }

    /// Sets the value of a field.
    pub fn set(&mut self, ix: FieldIx, value: Value) {
        self.values[usize::from(ix.0)] = Some(value);
    }

    /// Removes the value of a field and returns it; `None` if the slot is empty.
    pub fn remove(&mut self, ix: FieldIx) -> Option<Value> {
        self.values[usize::from(ix.0)].take()
    }

    /// Removes the value of a field and converts it to a Rust value. An empty slot counts as null.
    ///
    /// # Errors
    /// The Rust type cannot hold the value.
    pub(crate) fn take<T: FieldType>(&mut self, at: u16) -> Result<T, UnreadableValue> {
        let value = self.remove(FieldIx(at)).unwrap_or(Value::Null);
        self.read(at, value)
    }

    /// Removes the value of a field and converts it to a Rust value; `None` if the slot is empty or
    /// null.
    ///
    /// # Errors
    /// The Rust type cannot hold the value.
    pub(crate) fn take_optional<T: FieldType>(
        &mut self,
        at: u16,
    ) -> Result<Option<T>, UnreadableValue> {
        match self.remove(FieldIx(at)) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.read(at, value).map(Some),
        }
    }

    /// Removes the value of a field and converts it to a change. An empty slot means no change.
    ///
    /// # Errors
    /// The Rust type cannot hold the value.
    pub(crate) fn take_patch<T: FieldType>(
        &mut self,
        at: u16,
    ) -> Result<Patch<T>, UnreadableValue> {
        match self.remove(FieldIx(at)) {
            None => Ok(Patch::Keep),
            Some(value) => self.read(at, value).map(Patch::Set),
        }
    }

    /// Sets the value of a field from a Rust value.
    pub(crate) fn put<T: FieldType>(&mut self, at: u16, value: T) {
        self.set(FieldIx(at), value.into_value(self.kind(at)));
    }

    /// Sets the value of a field of a new member. `None` leaves the slot empty, so the field gets
    /// its default.
    pub(crate) fn put_optional<T: FieldType>(&mut self, at: u16, value: Option<T>) {
        if let Some(value) = value {
            self.put(at, value);
        }
    }

    /// Sets the value of a field in a patch. `Patch::Keep` leaves the slot empty.
    pub(crate) fn put_patch<T: FieldType>(&mut self, at: u16, patch: Patch<T>) {
        if let Patch::Set(value) = patch {
            self.put(at, value);
        }
    }

    fn read<T: FieldType>(&self, at: u16, value: Value) -> Result<T, UnreadableValue> {
        T::from_value(self.kind(at), value)
            .ok_or_else(|| UnreadableValue { field: self.resource[FieldIx(at)].name.to_string() })
    }

    fn kind(&self, at: u16) -> FieldKind {
        self.resource[FieldIx(at)].kind
    }
}
