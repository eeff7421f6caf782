//! A checked field and the values it may have.

use std::sync::Arc;

use super::{Extension, FieldKind, FieldMode, Format, OnDelete};

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its declared name: `weight_kg`.
    pub name: String,
    /// Its column.
    pub column: String,
    /// Its Rust identifier, `r#type` for keywords.
    pub rust: String,
    /// The named type it was declared with.
    pub type_name: Option<String>,
    /// Its domain, with all constraints of its named type.
    pub domain: Domain,
    /// The resource that it refers to.
    pub reference: Option<Reference>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of a new member that has none in the request.
    pub default: Option<DefaultValue>,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether it has its own index.
    pub index: bool,
    /// Whether clients may read it, write it, or both.
    pub mode: FieldMode,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// Its description.
    pub description: Option<String>,
    /// An example value.
    pub example: Option<Literal>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The `x-…` keys, also those of `references`.
    pub extensions: Vec<Extension>,
}

/// A set of values: a kind and its constraints.
///
/// A named type and its fields share values that can be large.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The kind of the values; `None` for a named type of another item, in a derive.
    pub kind: Option<FieldKind>,
    /// Whether ASCII letters compare without case.
    pub ignore_case: bool,
    /// The smallest value.
    pub minimum: Option<Literal>,
    /// The largest value.
    pub maximum: Option<Literal>,
    /// The least number of code points.
    pub min_length: Option<u32>,
    /// The greatest number of code points.
    pub max_length: Option<u32>,
    /// A regular expression that a value contains a match of.
    pub pattern: Option<Arc<str>>,
    /// The only values; any if empty.
    pub choices: Arc<[Literal]>,
    /// A well-known form of strings.
    pub format: Option<Format>,
}

impl Domain {
    /// All values of a kind; `None` for a named type of another item.
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

    /// Whether the values can be ordered.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.kind != Some(FieldKind::Json)
    }
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name of the other resource.
    pub resource: String,
    /// The name of the other member here: `home_team` for `home_team_id`.
    pub alias: String,
    /// The effect on this member when the other one is deleted.
    pub on_delete: OnDelete,
    /// The name of these members in the other resource, if declared.
    pub children: Option<String>,
}

/// The value of a new member that has none in the request.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// A fixed value.
    Value(Literal),
    /// The time of the request.
    Now,
}

/// A value in a declaration, in the spelling of the wire: decimals, dates and times are strings in
/// canonical form.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A double; also a whole number in a field of kind `number`.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text, in its canonical form.
    String(String),
    /// Any JSON value, as its text.
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
