//! What a field does with its values.

use super::{Default, FieldModel, Role};
use crate::model::{
    def::{FieldKind, FieldMode},
    value::{self, Value},
};

impl FieldModel {
    /// Whether it says where a member stands, and may say another place later.
    pub(crate) fn is_movable(&self) -> bool {
        self.role == Role::Parent && self.mode == FieldMode::ReadWrite
    }

    /// The value of a new member that does not say one.
    pub(crate) fn initial(&self) -> Value {
        match &self.default {
            None => Value::Null,
            Some(Default::Value(value)) => value.clone(),
            Some(Default::Now) => value::now_as(self.kind),
        }
    }

    /// The id that a new member gets from here; an integer is given by the database.
    pub(crate) fn generated_id(&self) -> Option<Value> {
        (self.kind == FieldKind::Uuid).then(|| Value::Text(uuid::Uuid::now_v7().to_string()))
    }

    /// Whether two values of it are the same: of JSON, whatever the spaces and the order of names.
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

    /// Whether it is part of a representation.
    #[must_use]
    pub const fn visible(&self) -> bool {
        !matches!(self.mode, FieldMode::WriteOnly | FieldMode::Hidden)
    }
}
