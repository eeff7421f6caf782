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
    /// What its values are, with everything that its named type says.
    pub domain: Domain,
    /// The member it points at.
    pub reference: Option<Reference>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of a new member that does not say one.
    pub default: Option<DefaultValue>,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether it has an index of its own.
    pub index: bool,
    /// In which directions it travels.
    pub mode: FieldMode,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// What it is.
    pub description: Option<String>,
    /// A value, to show what it looks like.
    pub example: Option<Literal>,
    /// Whether it is on its way out.
    pub deprecated: bool,
    /// The `x-…` keys, also those of `references`.
    pub extensions: Vec<Extension>,
}

/// A set of values: a kind and its constraints.
///
/// What can be long is shared between a named type and the fields that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The kind of the values; `None` for a named type of another item, if one is read alone.
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
    /// The only values there are; empty means any.
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

    /// Whether the values can be compared.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.kind != Some(FieldKind::Json)
    }
}

/// What a reference points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name of the other resource.
    pub resource: String,
    /// What the other member is called here: `home_team` for `home_team_id`.
    pub alias: String,
    /// What the deletion of the other member does to this one.
    pub on_delete: OnDelete,
    /// What the members here are called there, where that was declared.
    pub children: Option<String>,
}

/// The value of a new member that does not say one.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// This value.
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
    /// A double, for fields of the kind number also where the author wrote a whole one.
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
