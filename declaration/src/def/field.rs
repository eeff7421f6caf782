//! A field as it was declared: its kind, its constraints, and what it points at.

use crate::words;

use super::{ExtensionDef, OnDelete};

/// One field as it was declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDef {
    /// Its declared name: `weight_kg`.
    pub name: &'static str,
    /// Its column.
    pub column: &'static str,
    /// Its Rust identifier, `r#type` for keywords.
    pub rust: &'static str,
    /// What its values are.
    pub kind: FieldKind,
    /// The named type of `types:` it was declared with.
    pub type_name: Option<&'static str>,
    /// The member it points at.
    pub reference: Option<ReferenceDef>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of a new member that does not say one.
    pub default: Option<DefaultDef>,
    /// Whether no two members have the same value.
    pub unique: bool,
    /// Whether it has an index of its own.
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
    /// The values it may have; empty means any.
    pub choices: &'static [Literal],
    /// A well-known form of strings.
    pub format: Option<Format>,
    /// In which directions it travels.
    pub mode: FieldMode,
    /// Whether a request may filter by it.
    pub filterable: bool,
    /// Whether a request may sort by it.
    pub sortable: bool,
    /// What it is.
    pub description: Option<&'static str>,
    /// A value, to show what it looks like.
    pub example: Option<Literal>,
    /// Whether it is on its way out.
    pub deprecated: bool,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

impl FieldDef {
    /// An optional field of a kind, with nothing else declared: the base of struct updates.
    ///
    /// ```
    /// use nouns_declaration::def::{FieldDef, FieldKind};
    /// const NAME: FieldDef = FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) };
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

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Text, compared by code point.
    String,
    /// A whole number of 64 bits.
    Integer,
    /// A finite double.
    Number,
    /// A decimal number with a fixed count of fraction digits; a string on the wire.
    Decimal {
        /// The count of fraction digits, 0 to 18.
        scale: u8,
    },
    /// True or false.
    Boolean,
    /// `2026-11-20`.
    Date,
    /// `23:59:59` with up to six fraction digits.
    Time,
    /// An RFC 3339 instant, kept in UTC with six fraction digits.
    DateTime,
    /// 36 lower-case characters.
    Uuid,
    /// Any JSON value, kept as it came.
    Json,
    /// The id of another member; which kind, its resource says.
    Reference,
}

impl FieldKind {
    /// The built-in types by their words; the scale of a decimal is a key of its own.
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

    /// Its word in the schema language; a reference is no type there, but the key `references`.
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

/// What a reference points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceDef {
    /// The name of the other resource.
    pub resource: &'static str,
    /// What the other member is called here: `home_team` for `home_team_id`.
    pub alias: &'static str,
    /// What the deletion of the other member does to this one.
    pub on_delete: OnDelete,
    /// What the members here are called there, where that was declared.
    pub children: Option<&'static str>,
}

/// The value of a new member that does not say one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultDef {
    /// This value.
    Value(Literal),
    /// The time of the request.
    Now,
}

/// A value in a declaration, in the spelling of the wire: decimals, dates and times are strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A double, for fields of the kind number also where the author wrote a whole one.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text, in its canonical form.
    String(&'static str),
    /// Any JSON value, as its text.
    Json(&'static str),
}

words! {
    /// A well-known form of strings.
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
    /// In which directions a field travels.
    #[derive(Default)]
    pub enum FieldMode {
        /// Both.
        #[default]
        ReadWrite = "read_write",
        /// Shown, and set by the server alone.
        ReadOnly = "read_only",
        /// Accepted, and never shown.
        WriteOnly = "write_only",
        /// Accepted when a member is created, shown afterwards.
        CreateOnly = "create_only",
        /// Neither accepted nor shown.
        Hidden = "hidden",
    }
}
