//! What an author declared, as plain `'static` data that can stand in a `static` and be compared.
//!
//! Nothing here is linked: other resources are named, never pointed at. [`crate::model::Model`] links.
//! Names are the declared ones; the wire spelling (`case`) is applied when the model is linked.

/// A whole declaration: the facts about the interface and its resources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApiDef {
    /// What people call the interface.
    pub title: &'static str,
    /// The version of the interface, as its authors count it.
    pub version: &'static str,
    /// A longer text about it.
    pub description: Option<&'static str>,
    /// Whom to ask about it.
    pub contact: Option<ContactDef>,
    /// Under which licence it may be used.
    pub license: Option<LicenseDef>,
    /// The path below which everything is served; `/` unless declared.
    pub base_path: &'static str,
    /// The URL that clients use, where a proxy makes it differ from ours.
    pub public_url: Option<&'static str>,
    /// How the names of fields are spelled on the wire.
    pub case: Case,
    /// The resources, in the order of their declaration.
    pub resources: &'static [&'static ResourceDef],
    /// The `x-…` keys with their values as JSON text.
    pub extensions: &'static [ExtensionDef],
}

/// A member named `x-…`, kept for the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionDef {
    /// Its name, beginning with `x-`.
    pub name: &'static str,
    /// Its value as JSON text.
    pub json: &'static str,
}

/// Whom to ask about an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactDef {
    /// A person or a team.
    pub name: Option<&'static str>,
    /// A page about them.
    pub url: Option<&'static str>,
    /// Their address.
    pub email: Option<&'static str>,
}

/// A licence by name and SPDX identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LicenseDef {
    /// Its name.
    pub name: &'static str,
    /// Its SPDX expression.
    pub identifier: Option<&'static str>,
}

/// How the names of fields are spelled on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// `weight_kg`, as declared.
    #[default]
    Snake,
    /// `weightKg`.
    Camel,
}

/// One resource as it was declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceDef {
    /// The singular noun: `animal_type`.
    pub name: &'static str,
    /// The segment of its collection in a URL: `animal_types`.
    pub collection: &'static str,
    /// Its table: `animal_types`.
    pub table: &'static str,
    /// Its Rust type: `AnimalType`.
    pub rust: &'static str,
    /// What it is.
    pub description: Option<&'static str>,
    /// The resource under whose members its collection is nested.
    pub parent: Option<ParentDef>,
    /// At which URLs it is served.
    pub routes: Routes,
    /// What its ids are and who assigns them.
    pub id: IdKind,
    /// The declared fields, in order; id, parent and times are not among them.
    pub fields: &'static [FieldDef],
    /// What may be done with it.
    pub methods: Operations,
    /// The order of its collection where a request asks for none.
    pub sort: &'static [SortDef],
    /// How many members a page has.
    pub limit: LimitDef,
    /// Sets of fields whose values are unique together.
    pub unique: &'static [&'static [&'static str]],
    /// Sets of fields that are indexed together.
    pub indexes: &'static [&'static [&'static str]],
    /// Whether `created_at` and `updated_at` are shown.
    pub timestamps: bool,
    /// Whether it is on its way out.
    pub deprecated: bool,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

/// The resource under whose members a collection is nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParentDef {
    /// Its name.
    pub resource: &'static str,
    /// The field (and column) that holds the id of the parent: `zoo_id`.
    pub field: &'static str,
    /// What the deletion of a parent does to its children.
    pub on_delete: OnDelete,
}

/// What the deletion of a member does to those that refer to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// It is refused while there are any.
    #[default]
    Restrict,
    /// They go too.
    Cascade,
    /// Their reference becomes null.
    SetNull,
}

/// At which URLs the collection of a resource with a parent is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routes {
    /// Under the members of its parent; at the top where there is none.
    #[default]
    Nested,
    /// At the top only.
    Flat,
    /// At both; the nested URL is the canonical one.
    Both,
}

/// What an id is and who assigns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdKind {
    /// A positive integer from the database, never reused.
    #[default]
    Integer,
    /// A version 7 UUID from the server.
    Uuid,
    /// A string from the client.
    String,
}

/// Something that can be done with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// GET on the collection.
    List = 1,
    /// POST on the collection.
    Create = 2,
    /// GET on a member.
    Get = 4,
    /// PUT on a member.
    Replace = 8,
    /// PATCH on a member.
    Update = 16,
    /// DELETE on a member.
    Delete = 32,
    /// DELETE on the collection, with a filter.
    DeleteMany = 64,
}

/// A set of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations(u8);

impl Operations {
    /// Everything but `delete_many`.
    pub const DEFAULT: Self = Self(63);

    /// The set of these operations.
    ///
    /// ```
    /// use nouns_runtime::def::{Operation, Operations};
    /// const READ: Operations = Operations::of(&[Operation::List, Operation::Get]);
    /// assert!(READ.contains(Operation::Get) && !READ.contains(Operation::Delete));
    /// ```
    #[must_use]
    pub const fn of(operations: &[Operation]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < operations.len() {
            bits |= operations[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether an operation is in the set.
    #[must_use]
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & operation as u8 != 0
    }
}

/// One key of a default order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortDef {
    /// The field.
    pub field: &'static str,
    /// Whether the largest come first.
    pub descending: bool,
}

/// How many members a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitDef {
    /// Where the request does not say.
    pub default: u32,
    /// What a request may ask for at most.
    pub maximum: u32,
}

impl LimitDef {
    /// 20, at most 100.
    pub const DEFAULT: Self = Self { default: 20, maximum: 100 };
}

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
    /// use nouns_runtime::def::{FieldDef, FieldKind};
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

/// A well-known form of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `name@host`, as HTML forms check it.
    Email,
    /// An absolute URI (RFC 3986).
    Uri,
    /// A host name (RFC 1123).
    Hostname,
    /// Lower-case words of letters and digits joined by single hyphens.
    Slug,
    /// Four numbers with dots.
    Ipv4,
    /// An IPv6 address (RFC 4291).
    Ipv6,
}

/// In which directions a field travels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldMode {
    /// Both.
    #[default]
    ReadWrite,
    /// Shown, and set by the server alone.
    ReadOnly,
    /// Accepted, and never shown.
    WriteOnly,
    /// Accepted when a member is created, shown afterwards.
    CreateOnly,
    /// Neither accepted nor shown.
    Hidden,
}
