//! A declared field: its kind, constraints and reference.

use crate::words;

use super::{ExtensionDef, FieldAccessDef, OnDelete};

/// A declared field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDef {
    /// The declared name of the field: `weight_kg`.
    pub name: &'static str,
    /// The name of the column.
    pub column: &'static str,
    /// The Rust identifier of the field, such as `r#type` for a keyword.
    pub rust: &'static str,
    /// The kind of the values.
    pub kind: FieldKind,
    /// The named type of the field, declared under `types:`. `None` for a built-in type.
    pub type_name: Option<&'static str>,
    /// The target of the reference. `None` if the field is no reference.
    pub reference: Option<ReferenceDef>,
    /// Whether null is refused.
    pub required: bool,
    /// The value of the field in a new member if the request has none.
    pub default: Option<DefaultDef>,
    /// Whether no two members have the same value in this field.
    pub unique: bool,
    /// Whether the field has its own index.
    pub index: bool,
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
    pub pattern: Option<&'static str>,
    /// The list of allowed values; any value if empty.
    pub choices: &'static [Literal],
    /// The format that a string must have.
    pub format: Option<Format>,
    /// Whether clients may read the field, write it, or both.
    pub mode: FieldMode,
    /// Whether a request may filter by this field.
    pub filterable: bool,
    /// Whether a request may sort by this field.
    pub sortable: bool,
    /// The description of the field.
    pub description: Option<&'static str>,
    /// An example value.
    pub example: Option<Literal>,
    /// Whether the field is deprecated.
    pub deprecated: bool,
    /// The access rules of the field.
    pub access: FieldAccessDef,
    /// The custom `x-…` keys of the field.
    pub extensions: &'static [ExtensionDef],
}

impl FieldDef {
    /// An optional field that declares only its kind: the base for struct update syntax.
    ///
    /// ```
    /// # use nouns_declaration as nouns;
    /// use nouns::def::{FieldDef, FieldKind};
    /// const NAME: FieldDef =
    ///     FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) };
    /// assert_eq!(NAME.column, "name");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        let ordered = kind.is_ordered();
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
            min_length: kind.min_length(),
            max_length: kind.max_length(),
            pattern: None,
            choices: &[],
            format: None,
            mode: kind.mode(),
            filterable: ordered,
            sortable: ordered,
            description: None,
            example: None,
            deprecated: false,
            access: FieldAccessDef::EMPTY,
            extensions: &[],
        }
    }
}

/// The kind of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Text, ordered by code point.
    String,
    /// A signed 64-bit integer.
    Integer,
    /// A finite `f64`.
    Number,
    /// A decimal number with a fixed number of fraction digits. It is a string in JSON.
    Decimal {
        /// The number of fraction digits, 0 to 18.
        scale: u8,
    },
    /// True or false.
    Boolean,
    /// A date: `2026-11-20`.
    Date,
    /// A time of day: `23:59:59` with up to six fraction digits.
    Time,
    /// An RFC 3339 date and time, stored in UTC with six fraction digits.
    DateTime,
    /// A UUID as 36 lower-case characters.
    Uuid,
    /// Any JSON value, stored as the client sent it.
    Json,
    /// A password. Only its hash is stored, and clients can never read it.
    Password,
    /// The id of a member. The target resource determines the type of the id.
    Reference,
}

/// The minimum length of a password in code points, unless the field declares another. It is the
/// least that NIST SP 800-63B §5.1.1.2 accepts.
const PASSWORD_LENGTH_MIN: u32 = 8;

/// The maximum length of a password in code points, unless the field declares another. No
/// passphrase of use is longer.
const PASSWORD_LENGTH_MAX: u32 = 256;

impl FieldKind {
    /// The built-in types by name. The scale of `decimal` is 0 here; `scale` declares it.
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
        ("password", Self::Password),
    ];

    /// The name of this kind in the schema language. A reference has the name of its key,
    /// `references`.
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
            Self::Password => "password",
            Self::Reference => "references",
        }
    }

    /// The minimum length of values of this kind in code points, if the field declares none.
    #[must_use]
    pub const fn min_length(self) -> Option<u32> {
        if self.is_password() { Some(PASSWORD_LENGTH_MIN) } else { None }
    }

    /// The maximum length of values of this kind in code points, if the field declares none.
    #[must_use]
    pub const fn max_length(self) -> Option<u32> {
        if self.is_password() { Some(PASSWORD_LENGTH_MAX) } else { None }
    }

    /// Whether clients may read and write values of this kind, if the field declares nothing else.
    #[must_use]
    pub const fn mode(self) -> FieldMode {
        if self.is_password() { FieldMode::WriteOnly } else { FieldMode::ReadWrite }
    }

    /// Whether values of this kind are passwords, of which only the hash is stored.
    #[must_use]
    pub const fn is_password(self) -> bool {
        matches!(self, Self::Password)
    }

    /// Whether values of this kind can be compared: in a filter, in an order or in an index.
    #[must_use]
    pub const fn is_ordered(self) -> bool {
        !matches!(self, Self::Json | Self::Password)
    }
}

/// The target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceDef {
    /// The name of the target resource.
    pub resource: &'static str,
    /// The name of the target member in this resource: `home_team` for the field `home_team_id`.
    pub alias: &'static str,
    /// The effect of the deletion of the target member on the referring member.
    pub on_delete: OnDelete,
    /// The name for the referring members in the target resource, if declared: `home_games`.
    pub children: Option<&'static str>,
}

impl ReferenceDef {
    /// The name of the member that a field refers to, unless `as` declares another: `zoo` for
    /// `zoo_id`. The parent of a member always has this name.
    ///
    /// ```
    /// # use nouns_declaration::def as nouns;
    /// assert_eq!(nouns::ReferenceDef::usual_alias("zoo_id"), "zoo");
    /// assert_eq!(nouns::ReferenceDef::usual_alias("keeper"), "keeper");
    /// ```
    #[must_use]
    pub fn usual_alias(field: &str) -> &str {
        field.strip_suffix("_id").unwrap_or(field)
    }
}

/// The value of a field in a new member if the request has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultDef {
    /// A fixed value.
    Value(Literal),
    /// The time of the request.
    Now,
    /// The value of this field of the caller's account.
    Account(&'static str),
}

/// A value in a declaration, as in JSON: decimals, dates and times are strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A floating-point number. In a field of kind `number`, also a whole number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text. A decimal, date or time is in its canonical form.
    String(&'static str),
    /// Any JSON value, as JSON text.
    Json(&'static str),
}

words! {
    /// A well-known format of strings.
    pub enum Format {
        /// An email address (RFC 5321, with the characters of RFC 6531). The domain needs a dot.
        Email = "email",
        /// An absolute URI (RFC 3986).
        Uri = "uri",
        /// A host name (RFC 1123).
        Hostname = "hostname",
        /// Lower-case words of letters and digits joined by single hyphens.
        Slug = "slug",
        /// An IPv4 address in dotted-decimal form.
        Ipv4 = "ipv4",
        /// An IPv6 address (RFC 4291).
        Ipv6 = "ipv6",
    }
}

words! {
    /// Whether clients may read a field, write it, or both.
    #[derive(Default)]
    pub enum FieldMode {
        /// Clients may read and write the field.
        #[default]
        ReadWrite = "read_write",
        /// Clients may read the field; only the server sets it.
        ReadOnly = "read_only",
        /// Clients may write the field; it is never returned.
        WriteOnly = "write_only",
        /// Clients may set the field only when they create a member. It is always returned.
        CreateOnly = "create_only",
        /// Clients may neither read nor write the field.
        Hidden = "hidden",
    }
}
