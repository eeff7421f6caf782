//! [`FieldModel`]: a linked field, with its generated ids and the comparison of its values.

use crate::{
    base::{
        error::{Text, quoted, text},
        limits,
    },
    model::{
        Constraints, ResourceIx,
        def::{FieldDef, FieldKind, FieldMode},
        value::{ExpectedValue, Value},
    },
};

/// A field, with all information that is needed to read, check and write its values.
#[derive(Clone)]
pub struct FieldModel {
    /// The name of the field in JSON and in queries.
    pub name: Box<str>,
    /// The name of the column in the database.
    pub column: &'static str,
    /// The kind of the values. For a reference, it is the kind of the referenced id.
    pub kind: FieldKind,
    /// The role of the field in its resource.
    pub role: Role,
    /// Whether clients may read the field, write it, or both.
    pub mode: FieldMode,
    /// Whether a value must not be null.
    pub required: bool,
    /// Whether the comparison of values ignores the case of ASCII letters.
    pub ignore_case: bool,
    /// Whether requests may filter by the field.
    pub filterable: bool,
    /// Whether requests may sort by the field.
    pub sortable: bool,
    /// The resource that the field refers to; `None` if the field is not a reference.
    pub target: Option<ResourceIx>,
    /// The value of the field in a new member whose body does not have it.
    pub default: Option<Default>,
    /// The constraints on values of the field.
    pub constraints: Constraints,
    /// The JSON text before a value of the field: `,"name":`, with the name escaped.
    pub prefix: Box<[u8]>,
    /// Whether an access rule keeps the caller from setting the field. The server itself has no
    /// such rules.
    pub(crate) is_withheld: bool,
    /// The declaration of the field; `None` for the id, the parent, `created_at` and `updated_at`.
    pub def: Option<&'static FieldDef>,
}

/// The role of a field in its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The id of the member.
    Id,
    /// The id of the member's parent.
    Parent,
    /// A field that the schema declares.
    Declared,
    /// The time at which the member was created.
    CreatedAt,
    /// The time of the member's last change.
    UpdatedAt,
}

/// The default value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// A fixed value.
    Value(Value),
    /// The time of the request.
    Now,
    /// A value of the caller's account, by its place in
    /// [`AccountModel::values`](crate::model::accounts::AccountModel::values).
    Account(u16),
}

impl FieldModel {
    /// Whether the field is a parent field that clients may change. A change moves the member to
    /// another parent.
    pub(crate) fn is_movable(&self) -> bool {
        self.role == Role::Parent && self.mode == FieldMode::ReadWrite
    }

    /// Describes the values of the field, for the message about a value of the wrong type.
    pub(crate) fn described(&self, expected: ExpectedValue) -> Text {
        if let Some(choices) = self.constraints.choices() {
            let choices = quoted(choices.iter().map(|choice| choice.spell(self.kind)));
            return text!("one of {choices}", choices);
        }
        if expected != ExpectedValue::Kind(FieldKind::Integer) {
            return expected.into();
        }
        if self.role == Role::Id || self.target.is_some() {
            let (least, most) = (1_i64, limits::INTEGER_ID_MAX);
            return text!("a whole number from {least} to {most}", least, most);
        }
        self.constraints.whole_numbers().unwrap_or_else(|| expected.into())
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
