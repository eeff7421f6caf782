//! What an author declared, as plain `'static` data that can stand in a `static` and be compared.
//!
//! Nothing here is linked: other resources are named, never pointed at. The model of the runtime
//! links them. Names are the declared ones; the wire spelling (`case`) is applied when the model is
//! linked.

use crate::words;

mod field;
mod field_type;
mod http;
mod operation;

pub use self::{
    field::{DefaultDef, FieldDef, FieldKind, FieldMode, Format, Literal, ReferenceDef},
    field_type::TypeDef,
    http::{CacheDef, CorsDef, DeprecationDef, Precondition, ServerDef, Visibility},
    operation::{Operation, Operations},
};

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
    /// How the server answers, beside what it is asked for.
    pub server: ServerDef,
    /// The named types, in the order of their declaration.
    pub types: &'static [&'static TypeDef],
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
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

/// A licence by name and SPDX identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LicenseDef {
    /// Its name.
    pub name: &'static str,
    /// Its SPDX expression.
    pub identifier: Option<&'static str>,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

words! {
    /// How the names of fields are spelled on the wire.
    #[derive(Default)]
    pub enum Case {
        /// `weight_kg`, as declared.
        #[default]
        Snake = "snake",
        /// `weightKg`.
        Camel = "camel",
    }
}

impl Case {
    /// The name of a field on the wire.
    ///
    /// ```
    /// use nouns_declaration::def::Case;
    /// assert_eq!(Case::Snake.wire("weight_kg"), "weight_kg");
    /// assert_eq!(Case::Camel.wire("weight_kg"), "weightKg");
    /// assert_eq!(Case::Camel.wire("a_1"), "a1");
    /// ```
    #[must_use]
    pub fn wire(self, name: &str) -> String {
        let mut words = name.split('_');
        match self {
            Self::Snake => name.to_owned(),
            Self::Camel => {
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |name, word| name + &capitalized(word))
            }
        }
    }
}

/// A word with its first letter in upper case.
fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
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
    /// Whether a client may bring the id that the server assigns otherwise; ids of text are brought
    /// in any case.
    pub optional_id: bool,
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
    /// That it is on its way out, and until when it stays.
    pub deprecated: Option<DeprecationDef>,
    /// For how long, and by whom, its representations may be kept.
    pub cache: Option<CacheDef>,
    /// Whether a change of a member must say which state it changes.
    pub precondition: Precondition,
    /// Paths of its collection in former days, below the base; `{zoo_id}` stands for the id of an
    /// ancestor.
    pub moved_from: &'static [&'static str],
    /// Where it is for the time being: a URL, or a path below the base, of its collection.
    pub moved_to: Option<&'static str>,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

impl ApiDef {
    /// An interface with a title and nothing else: the base of struct updates.
    #[must_use]
    pub const fn new(title: &'static str) -> Self {
        Self {
            title,
            version: "1.0.0",
            description: None,
            contact: None,
            license: None,
            base_path: "/",
            public_url: None,
            case: Case::Snake,
            server: ServerDef::DEFAULT,
            types: &[],
            resources: &[],
            extensions: &[],
        }
    }
}

impl ResourceDef {
    /// A resource at the top with nothing else declared: the base of struct updates.
    ///
    /// ```
    /// use nouns_declaration::def::ResourceDef;
    /// const ZOO: ResourceDef = ResourceDef { timestamps: false, ..ResourceDef::new("zoo", "zoos", "Zoo") };
    /// assert_eq!((ZOO.collection, ZOO.table), ("zoos", "zoos"));
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, collection: &'static str, rust: &'static str) -> Self {
        Self {
            name,
            collection,
            table: collection,
            rust,
            description: None,
            parent: None,
            routes: Routes::Nested,
            id: IdKind::Integer,
            optional_id: false,
            fields: &[],
            methods: Operations::DEFAULT,
            sort: &[],
            limit: LimitDef::DEFAULT,
            unique: &[],
            indexes: &[],
            timestamps: true,
            deprecated: None,
            cache: None,
            precondition: Precondition::Optional,
            moved_from: &[],
            moved_to: None,
            extensions: &[],
        }
    }
}

impl ResourceDef {
    /// Whether a client may bring the id of a new member, and PUT therefore creates one.
    #[must_use]
    pub const fn takes_ids(&self) -> bool {
        matches!(self.id, IdKind::String) || self.optional_id
    }
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
    /// Whether PUT and PATCH may give a member another parent, and so another URL.
    pub movable: bool,
    /// Whether every member has one; a member without a parent has only its flat URL.
    pub required: bool,
}

words! {
    /// What the deletion of a member does to those that refer to it.
    #[derive(Default)]
    pub enum OnDelete {
        /// It is refused while there are any.
        #[default]
        Restrict = "restrict",
        /// They go too.
        Cascade = "cascade",
        /// Their reference becomes null.
        SetNull = "set_null",
    }
}

words! {
    /// At which URLs the collection of a resource with a parent is served.
    #[derive(Default)]
    pub enum Routes {
        /// Under the members of its parent; at the top where there is none.
        #[default]
        Nested = "nested",
        /// At the top only.
        Flat = "flat",
        /// At both; the nested URL is the canonical one.
        Both = "both",
    }
}

words! {
    /// What an id is and who assigns it.
    #[derive(Default)]
    pub enum IdKind {
        /// A positive integer from the database, never reused.
        #[default]
        Integer = "integer",
        /// A version 7 UUID from the server.
        Uuid = "uuid",
        /// A string from the client.
        String = "string",
    }
}

impl IdKind {
    /// What its values are.
    #[must_use]
    pub const fn kind(self) -> FieldKind {
        match self {
            Self::Integer => FieldKind::Integer,
            Self::Uuid => FieldKind::Uuid,
            Self::String => FieldKind::String,
        }
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
