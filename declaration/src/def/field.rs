//! A declared field: its kind, its constraints, and its reference.

use crate::words;

use super::{ExtensionDef, OnDelete};

/// A declared field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDef {
    /// Its declared name: `weight_kg`.
    pub name: &'static str,
    /// Its column.
    pub column: &'static str,
    /// Its Rust identifier, `r#type` for keywords.
    pub rust: &'static str,
    /// The kind of its values.
    pub kind: FieldKind,
    /// The named type of `types:` it was declared with.
    pub type_name: Option<&'static str>,
    /// The resource that it refers to.
    pub reference: Option<ReferenceDef>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of a new member that has none in the request.
    pub default: Option<DefaultDef>,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether it has its own index.
    pub index: bool,
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
    pub pattern: Option<&'static str>,
    /// The only values that it may have; any if empty.
    pub choices: &'static [Literal],
    /// A well-known format of strings.
    pub format: Option<Format>,
    /// Whether clients may read it, write it, or both.
    pub mode: FieldMode,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// Its description.
    pub description: Option<&'static str>,
    /// An example value.
    pub example: Option<Literal>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

impl FieldDef {
    /// An optional field of a kind without further keys: the base of struct updates.
    ///
    /// ```
    /// use nouns_declaration::def::{FieldDef, FieldKind};
    /// const NAME: FieldDef =
    ///     FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) };
    /// assert_eq!(NAME.column, "name");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        let ordered = !matches!(kind, FieldKind::Json);
        Self {
            name,
            column: name,
            rust: name,
            kind,
            type_name: None,
            reference: None,
            required: false,
            default: None,
            unique: false,
            index: false,
            ignore_case: false,
            minimum: None,
            maximum: None,
            min_length: None,
            max_length: None,
            pattern: None,
            choices: &[],
            format: None,
            mode: FieldMode::ReadWrite,
            filterable: ordered,
            sortable: ordered,
            description: None,
            example: None,
            deprecated: false,
            extensions: &[],
        }
    }
}

/// The kind of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Text, compared by code point.
    String,
    /// A whole number of 64 bits.
    Integer,
    /// A finite double.
    Number,
    /// A decimal number with a fixed number of fraction digits; a string on the wire.
    Decimal {
        /// The number of fraction digits, 0 to 18.
        scale: u8,
    },
    /// True or false.
    Boolean,
    /// `2026-11-20`.
    Date,
    /// `23:59:59` with up to six fraction digits.
    Time,
    /// An RFC 3339 date and time, stored in UTC with six fraction digits.
    DateTime,
    /// 36 lower-case characters.
    Uuid,
    /// Any JSON value, stored as it was sent.
    Json,
    /// The id of another member; the other resource determines its kind.
    Reference,
}

impl FieldKind {
    /// The words of the built-in types; the scale of a decimal is a separate key.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("decimal", Self::Decimal { scale: 0 }),
        ("boolean", Self::Boolean),
        ("date", Self::Date),
        ("time", Self::Time),
        ("datetime", Self::DateTime),
        ("uuid", Self::Uuid),
        ("json", Self::Json),
    ];

    /// Its word in the schema language. A reference is not a type there, but the key `references`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Decimal { .. } => "decimal",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Time => "time",
            Self::DateTime => "datetime",
            Self::Uuid => "uuid",
            Self::Json => "json",
            Self::Reference => "references",
        }
    }
}

/// The target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceDef {
    /// The name of the other resource.
    pub resource: &'static str,
    /// The name of the referenced member in this resource: `home_team` for `home_team_id`.
    pub alias: &'static str,
    /// The effect on this member when the other one is deleted.
    pub on_delete: OnDelete,
    /// The name of these members in the other resource, if declared.
    pub children: Option<&'static str>,
}

/// The value of a new member that has none in the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultDef {
    /// A fixed value.
    Value(Literal),
    /// The time of the request.
    Now,
}

/// A value in a declaration, in the spelling of the wire: decimals, dates and times are strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A double; also a whole number in a field of kind `number`.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text, in its canonical form.
    String(&'static str),
    /// Any JSON value, as its text.
    Json(&'static str),
}

words! {
    /// A well-known format of strings.
    pub enum Format {
        /// `name@host`, as HTML forms check it.
        Email = "email",
        /// An absolute URI (RFC 3986).
        Uri = "uri",
        /// A host name (RFC 1123).
        Hostname = "hostname",
        /// Lower-case words of letters and digits joined by single hyphens.
        Slug = "slug",
        /// Four numbers with dots.
        Ipv4 = "ipv4",
        /// An IPv6 address (RFC 4291).
        Ipv6 = "ipv6",
    }
}

words! {
    /// Whether clients may read a field, write it, or both.
    #[derive(Default)]
    pub enum FieldMode {
        /// Both.
        #[default]
        ReadWrite = "read_write",
        /// Returned, and set only by the server.
        ReadOnly = "read_only",
        /// Accepted, and never returned.
        WriteOnly = "write_only",
        /// Accepted when a member is created, and always returned.
        CreateOnly = "create_only",
        /// Neither accepted nor returned.
        Hidden = "hidden",
    }
}
