//! The values of a member by field, for rows, bodies and Rust values.

use std::fmt;

use crate::model::{
    FieldIx, ResourceModel, def::FieldKind, field_type::FieldType, patch::Patch, value::Value,
};

/// A slot for each field of a resource; it is empty if the field has no value yet.
///
/// Code that the derive generates names fields by index: the id, the id of the parent if there is
/// one, the declared fields in order, the two times.
pub struct Slots<'model> {
    /// The resource.
    pub resource: &'model ResourceModel,
    values: Vec<Option<Value>>,
}

/// A stored value that a Rust type cannot hold. Another program wrote it, or an older declaration
/// allowed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The field.
    pub field: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored value of `{}` is none of its Rust type", self.field)
    }
}

impl std::error::Error for Unreadable {}

impl<'model> Slots<'model> {
    /// Creates empty slots.
    #[must_use]
    pub fn new(resource: &'model ResourceModel) -> Self {
        Self { resource, values: vec![None; resource.fields.len()] }
    }

    /// Creates the slots of a whole row.
    #[must_use]
    pub fn of_row(resource: &'model ResourceModel, row: Vec<Value>) -> Self {
        Self { resource, values: row.into_iter().map(Some).collect() }
    }

    /// The value of a field, if it is set.
    #[must_use]
    pub fn get(&self, ix: FieldIx) -> Option<&Value> {
        self.values[usize::from(ix.0)].as_ref()
    }

    /// Sets the value of a field.
    pub fn set(&mut self, ix: FieldIx, value: Value) {
        self.values[usize::from(ix.0)] = Some(value);
    }

    /// Removes and returns the value of a field.
    pub fn remove(&mut self, ix: FieldIx) -> Option<Value> {
        self.values[usize::from(ix.0)].take()
    }

    /// Takes the value of a field; null if it is not set.
    ///
    /// # Errors
    /// If the Rust type cannot hold the value.
    pub(crate) fn take<T: FieldType>(&mut self, at: u16) -> Result<T, Unreadable> {
        let value = self.remove(FieldIx(at)).unwrap_or(Value::Null);
        self.read(at, value)
    }

    /// Takes the value of a field of a new member, if it is set.
    ///
    /// # Errors
    /// If the Rust type cannot hold the value.
    pub(crate) fn take_optional<T: FieldType>(&mut self, at: u16) -> Result<Option<T>, Unreadable> {
        match self.remove(FieldIx(at)) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.read(at, value).map(Some),
        }
    }

    /// Takes the change of a field in a patch.
    ///
    /// # Errors
    /// If the Rust type cannot hold the value.
    pub(crate) fn take_patch<T: FieldType>(&mut self, at: u16) -> Result<Patch<T>, Unreadable> {
        match self.remove(FieldIx(at)) {
            None => Ok(Patch::Keep),
            Some(value) => self.read(at, value).map(Patch::Set),
        }
    }

    /// Sets the value of a field.
    pub(crate) fn put<T: FieldType>(&mut self, at: u16, value: T) {
        self.set(FieldIx(at), value.into_value(self.kind(at)));
    }

    /// Sets the value of a field of a new member, or leaves it to the default.
    pub(crate) fn put_optional<T: FieldType>(&mut self, at: u16, value: Option<T>) {
        if let Some(value) = value {
            self.put(at, value);
        }
    }

    /// Sets the value of a field in a patch, unless it is unchanged.
    pub(crate) fn put_patch<T: FieldType>(&mut self, at: u16, patch: Patch<T>) {
        if let Patch::Set(value) = patch {
            self.put(at, value);
        }
    }

    fn read<T: FieldType>(&self, at: u16, value: Value) -> Result<T, Unreadable> {
        T::from_value(self.kind(at), value)
            .ok_or_else(|| Unreadable { field: self.resource[FieldIx(at)].name.to_string() })
    }

    fn kind(&self, at: u16) -> FieldKind {
        self.resource[FieldIx(at)].kind
    }
}
