//! Methods of [`FieldModel`]: generated ids, and the comparison of values.

use super::{FieldModel, Role};
use crate::model::{
    def::{FieldKind, FieldMode},
    value::Value,
};

impl FieldModel {
    /// Whether the field is a parent field that clients may change. A change moves the member to
    /// another parent.
    pub(crate) fn is_movable(&self) -> bool {
        self.role == Role::Parent && self.mode == FieldMode::ReadWrite
    }

    /// The id that the server generates for a new member; `None` if the database or the client
    /// assigns the id.
    pub(crate) fn generated_id(&self) -> Option<Value> {
        (self.kind == FieldKind::Uuid).then(|| Value::Text(uuid::Uuid::now_v7().to_string()))
    }

    /// Whether two values of the field are equal. Equal values of type `json` may differ in
    /// whitespace and in the order of object members.
    #[must_use]
    pub fn same(&self, one: &Value, other: &Value) -> bool {
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        match (one, other) {
            _ if one == other => true,
            (Value::Text(one), Value::Text(other)) if self.kind == FieldKind::Json => {
                json(one).is_some_and(|one| json(other) == Some(one))
            }
            _ => false,
        }
    }

    /// Whether representations contain the field.
    #[must_use]
    pub const fn visible(&self) -> bool {
        !matches!(self.mode, FieldMode::WriteOnly | FieldMode::Hidden)
    }
}
