//! A checked field, and the values that it may have.

use std::sync::Arc;

use super::{Extension, FieldAccess, FieldKind, FieldMode, Format, OnDelete};

/// A checked field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The declared name of the field: `weight_kg`.
    pub name: String,
    /// The name of the column.
    pub column: String,
    /// The Rust identifier of the field, such as `r#type` for a keyword.
    pub rust: String,
    /// The named type of the field. `None` for a built-in type.
    pub type_name: Option<String>,
    /// The kind and the constraints of the values, including the constraints of the named type.
    pub domain: Domain,
    /// The target of the reference. `None` if the field is no reference.
    pub reference: Option<Reference>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of the field in a new member if the request has none.
    pub default: Option<DefaultValue>,
    /// Whether no two members have the same value in this field.
    pub unique: bool,
    /// Whether the field has its own index.
    pub index: bool,
    /// Whether clients may read the field, write it, or both.
    pub mode: FieldMode,
    /// Whether a request may filter by this field.
    pub filterable: bool,
    /// Whether a request may sort by this field.
    pub sortable: bool,
    /// The description of the field.
    pub description: Option<String>,
    /// An example value.
    pub example: Option<Literal>,
    /// Whether the field is deprecated.
    pub deprecated: bool,
    /// The access rules of the field.
    pub access: FieldAccess,
    /// The `x-…` keys of the field and of its keys `references` and `access`.
    pub extensions: Vec<Extension>,
}

/// A set of values: a kind and its constraints.
///
/// Patterns and choices are reference-counted, because a named type and its fields share them.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The kind of the values. A derive macro sees only one item, so the kind is `None` for a named
    /// type that another item declares.
    pub kind: Option<FieldKind>,
    /// Whether upper-case and lower-case ASCII letters count as equal.
    pub ignore_case: bool,
    /// The smallest allowed value.
    pub minimum: Option<Literal>,
    /// The largest allowed value.
    pub maximum: Option<Literal>,
    /// The minimum length of a string in code points.
    pub min_length: Option<u32>,
    /// The maximum length of a string in code points.
    pub max_length: Option<u32>,
    /// A regular expression that must match some part of each string.
    pub pattern: Option<Arc<str>>,
    /// The list of allowed values; any value if empty.
    pub choices: Arc<[Literal]>,
    /// The format that a string must have.
    pub format: Option<Format>,
}

impl Domain {
    /// All values of a kind. The kind is `None` for a named type that another item declares.
    #[must_use]
    pub fn of(kind: impl Into<Option<FieldKind>>) -> Self {
        Self {
            kind: kind.into(),
            ignore_case: false,
            minimum: None,
            maximum: None,
            min_length: None,
            max_length: None,
            pattern: None,
            choices: Arc::default(),
            format: None,
        }
    }

    /// All values of a field that declares only its kind. A password has bounds of its length even
    /// then.
    #[must_use]
    pub fn usual(kind: impl Into<Option<FieldKind>>) -> Self {
        let all = Self::of(kind);
        Self {
            min_length: all.kind.and_then(FieldKind::min_length),
            max_length: all.kind.and_then(FieldKind::max_length),
            ..all
        }
    }

    /// Whether the values can be compared. JSON values and passwords cannot.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.kind.is_none_or(FieldKind::is_ordered)
    }
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name of the target resource.
    pub resource: String,
    /// The name of the target member in this resource: `home_team` for the field `home_team_id`.
    pub alias: String,
    /// The effect of the deletion of the target member on this member.
    pub on_delete: OnDelete,
    /// The name that the target resource uses for the members that refer to it, if declared.
    pub children: Option<String>,
}

/// The value of a field in a new member if the request has none.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// A fixed value.
    Value(Literal),
    /// The time of the request.
    Now,
    /// The value of this field of the caller's account.
    Account(String),
}

/// A value in a declaration, as in JSON: decimals, dates and times are strings in canonical form.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A floating-point number. In a field of kind `number`, also a whole number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text in canonical form.
    String(String),
    /// Any JSON value, as JSON text.
    Json(String),
}

impl std::fmt::Display for Literal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(formatter),
            Self::Number(value) => value.fmt(formatter),
            Self::Boolean(value) => value.fmt(formatter),
            Self::String(text) | Self::Json(text) => {
                formatter.write_str(&crate::draft::excerpt(text))
            }
        }
    }
}
