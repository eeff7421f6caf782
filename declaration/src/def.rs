//! A declaration as plain `'static` data, which can be in a `static` and be compared.
//!
//! Definitions refer to other resources by name; the runtime links them to a model. Names are the
//! declared ones; linking applies the wire spelling (`case`).

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
    /// The title of the interface.
    pub title: &'static str,
    /// The version of the interface.
    pub version: &'static str,
    /// Its description.
    pub description: Option<&'static str>,
    /// Its contact.
    pub contact: Option<ContactDef>,
    /// Its licence.
    pub license: Option<LicenseDef>,
    /// The path below which everything is served; `/` unless declared.
    pub base_path: &'static str,
    /// The URL that clients use, if a proxy changes it.
    pub public_url: Option<&'static str>,
    /// The spelling of field names on the wire.
    pub case: Case,
    /// The settings of the server that belong to HTTP.
    pub server: ServerDef,
    /// The named types, in the order of their declaration.
    pub types: &'static [&'static TypeDef],
    /// The resources, in the order of their declaration.
    pub resources: &'static [&'static ResourceDef],
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

/// An `x-…` key, which is copied to the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionDef {
    /// Its name, beginning with `x-`.
    pub name: &'static str,
    /// Its value as JSON text.
    pub json: &'static str,
}

/// The contact of an interface.
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
    /// The spelling of field names on the wire.
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

/// A declared resource.
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
    /// Its description.
    pub description: Option<&'static str>,
    /// The resource under whose members its collection is nested.
    pub parent: Option<ParentDef>,
    /// The URLs at which it is served.
    pub routes: Routes,
    /// The kind of its ids, and who assigns them.
    pub id: IdKind,
    /// Whether a client may choose the id, which the server assigns otherwise. Clients always
    /// choose ids of type `string`.
    pub optional_id: bool,
    /// The declared fields, in order; id, parent and times are not among them.
    pub fields: &'static [FieldDef],
    /// The operations that it offers.
    pub methods: Operations,
    /// The order of its collection, unless a request has its own.
    pub sort: &'static [SortDef],
    /// The page size of a collection.
    pub limit: LimitDef,
    /// Sets of fields whose combined values are unique.
    pub unique: &'static [&'static [&'static str]],
    /// Sets of fields that are indexed together.
    pub indexes: &'static [&'static [&'static str]],
    /// Whether members have `created_at` and `updated_at`.
    pub timestamps: bool,
    /// Its deprecation: since when, and when it may be removed.
    pub deprecated: Option<DeprecationDef>,
    /// The cache directives of its representations.
    pub cache: Option<CacheDef>,
    /// Whether a change of a member must be conditional.
    pub precondition: Precondition,
    /// Former paths of its collection, below the base path; `{zoo_id}` is the id of an ancestor.
    pub moved_from: &'static [&'static str],
    /// The temporary place of its collection: a URL, or a path below the base path.
    pub moved_to: Option<&'static str>,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

impl ApiDef {
    /// An interface with only a title: the base of struct updates.
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
    /// A resource at the top without further keys: the base of struct updates.
    ///
    /// ```
    /// use nouns_declaration::def::ResourceDef;
    /// const ZOO: ResourceDef =
    ///     ResourceDef { timestamps: false, ..ResourceDef::new("zoo", "zoos", "Zoo") };
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
    /// Whether clients may choose the id of a new member. If so, PUT creates members.
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
    /// The effect on children when their parent is deleted.
    pub on_delete: OnDelete,
    /// Whether PUT and PATCH may change the parent of a member, and with it the URL.
    pub movable: bool,
    /// Whether every member has a parent; a member without one has only its flat URL.
    pub required: bool,
}

words! {
    /// The effect of a deletion on the members that refer to the deleted one.
    #[derive(Default)]
    pub enum OnDelete {
        /// The deletion is refused while there are any.
        #[default]
        Restrict = "restrict",
        /// They are deleted too.
        Cascade = "cascade",
        /// Their reference becomes null.
        SetNull = "set_null",
    }
}

words! {
    /// The URLs of a resource that has a parent.
    #[derive(Default)]
    pub enum Routes {
        /// Below the members of its parent; at the top if it has none.
        #[default]
        Nested = "nested",
        /// Only at the top.
        Flat = "flat",
        /// At the top and nested; the nested URL is the canonical one.
        Both = "both",
    }
}

words! {
    /// The kind of an id, and who assigns it.
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
    /// The kind of its values.
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
    /// Whether the order is descending.
    pub descending: bool,
}

/// The page size of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitDef {
    /// The page size of a request without `limit`.
    pub default: u32,
    /// The largest page size that a request may set.
    pub maximum: u32,
}

impl LimitDef {
    /// 20, at most 100.
    pub const DEFAULT: Self = Self { default: 20, maximum: 100 };
}
