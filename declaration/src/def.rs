//! A declaration as plain `'static` data that can be in a `static` and can be compared.
//!
//! A definition refers to another resource by name; the runtime resolves these names. Names are as
//! declared; the runtime converts them to the spelling that `case` declares.

use crate::words;

mod access;
mod auth;
mod field;
mod field_type;
mod http;
mod jwt;
mod limit;
mod operation;

pub use self::{
    access::{AccessDef, FieldAccessDef, OperandDef, RuleDef, TestDef, TestOp},
    auth::{AuthDef, SameSite, Scheme, SessionDef, SessionStore},
    field::{DefaultDef, FieldDef, FieldKind, FieldMode, Format, Literal, ReferenceDef},
    field_type::TypeDef,
    http::{
        CacheDef, CorsDef, DeprecationDef, HstsDef, Precondition, ProxyFields, Push, RateDef,
        RateLimitDef, ServerDef, Visibility,
    },
    jwt::{ClaimDef, JwtDef},
    limit::{Limit, LimitUnit, Limits, Timeout},
    operation::{Operation, Operations},
};

/// A whole declaration: the API and its resources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApiDef {
    /// The title of the API.
    pub title: &'static str,
    /// The version of the API.
    pub version: &'static str,
    /// The description of the API.
    pub description: Option<&'static str>,
    /// The contact of the API.
    pub contact: Option<ContactDef>,
    /// The licence of the API.
    pub license: Option<LicenseDef>,
    /// The path prefix of all URLs; `/` unless declared.
    pub base_path: &'static str,
    /// The base URL that clients use, if a proxy changes the URL.
    pub public_url: Option<&'static str>,
    /// The spelling of field names in JSON and in query parameters.
    pub case: Case,
    /// The HTTP settings of the server.
    pub server: ServerDef,
    /// The accounts, if the API has any.
    pub auth: Option<AuthDef>,
    /// The named types, in the order of declaration.
    pub types: &'static [&'static TypeDef],
    /// The resources, in the order of declaration.
    pub resources: &'static [&'static ResourceDef],
    /// The custom `x-…` keys of the API.
    pub extensions: &'static [ExtensionDef],
}

/// A custom `x-…` key, which is copied to the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionDef {
    /// The name of the key, beginning with `x-`.
    pub name: &'static str,
    /// The value of the key, as JSON text.
    pub json: &'static str,
}

/// The contact of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactDef {
    /// The name of a person or a team.
    pub name: Option<&'static str>,
    /// The URL of a page about the person or team.
    pub url: Option<&'static str>,
    /// The email address of the person or team.
    pub email: Option<&'static str>,
    /// The custom `x-…` keys of the contact.
    pub extensions: &'static [ExtensionDef],
}

/// A licence by name and SPDX identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LicenseDef {
    /// The name of the licence.
    pub name: &'static str,
    /// The SPDX expression of the licence.
    pub identifier: Option<&'static str>,
    /// The custom `x-…` keys of the licence.
    pub extensions: &'static [ExtensionDef],
}

words! {
    /// The spelling of field names in JSON and in query parameters.
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
    /// The spelling of a field name in JSON and in query parameters.
    ///
    /// ```
    /// # use nouns_declaration::def as nouns;
    /// use nouns::Case;
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

/// The word with its first letter in upper case.
fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// A declared resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceDef {
    /// The name of the resource, a singular noun: `animal_type`.
    pub name: &'static str,
    /// The path segment of the collection: `animal_types`.
    pub collection: &'static str,
    /// The name of the table: `animal_types`.
    pub table: &'static str,
    /// The name of the Rust type: `AnimalType`.
    pub rust: &'static str,
    /// The description of the resource.
    pub description: Option<&'static str>,
    /// The parent resource, if the collection is nested below its members.
    pub parent: Option<ParentDef>,
    /// The URLs at which a resource with a parent is served.
    pub routes: Routes,
    /// The kind of the ids, and who assigns them.
    pub id: IdKind,
    /// Whether a client may choose the id of a new member. If it does not, the server assigns one.
    /// Ids of type `string` are always chosen by the client.
    pub optional_id: bool,
    /// The declared fields, in order. The id, the parent's id and the timestamps are not in this
    /// list.
    pub fields: &'static [FieldDef],
    /// The operations that the resource offers.
    pub methods: Operations,
    /// The default order of the collection, if a request has no `sort`.
    pub sort: &'static [SortDef],
    /// The page size of the collection.
    pub limit: LimitDef,
    /// Sets of fields. No two members have the same values in all fields of a set.
    pub unique: &'static [&'static [&'static str]],
    /// Sets of fields that have an index together.
    pub indexes: &'static [&'static [&'static str]],
    /// Whether members have the fields `created_at` and `updated_at`.
    pub timestamps: bool,
    /// The field by which a member is shown where it is referenced, if declared.
    pub label: Option<&'static str>,
    /// The deprecation of the resource: since when, and when it may be removed.
    pub deprecated: Option<DeprecationDef>,
    /// The cache directives of the responses.
    pub cache: Option<CacheDef>,
    /// Whether a change of a member must be conditional.
    pub precondition: Precondition,
    /// The members that are pushed with responses over HTTP/2.
    pub push: &'static [Push],
    /// Former paths of the collection, below the base path. `{zoo_id}` is the id of an ancestor.
    pub moved_from: &'static [&'static str],
    /// The temporary location of the collection: a URL, or a path below the base path.
    pub moved_to: Option<&'static str>,
    /// The access rules of the members.
    pub access: AccessDef,
    /// The custom `x-…` keys of the resource.
    pub extensions: &'static [ExtensionDef],
}

impl ApiDef {
    /// An API that declares only a title: the base for struct update syntax.
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
            auth: None,
            types: &[],
            resources: &[],
            extensions: &[],
        }
    }
}

impl ResourceDef {
    /// A top-level resource that declares nothing else: the base for struct update syntax.
    ///
    /// ```
    /// # use nouns_declaration as nouns;
    /// use nouns::def::ResourceDef;
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
            label: None,
            deprecated: None,
            cache: None,
            precondition: Precondition::Optional,
            push: &[],
            moved_from: &[],
            moved_to: None,
            access: AccessDef::EMPTY,
            extensions: &[],
        }
    }
}

impl ResourceDef {
    /// The roles that the rules of the resource and of its fields name, with repetitions.
    pub fn all_roles(&self) -> impl Iterator<Item = &'static str> + use<> {
        let fields = self.fields;
        self.access.roles().into_iter().chain(fields.iter().flat_map(|field| field.access.roles()))
    }

    /// Whether any field has access rules.
    #[must_use]
    pub fn has_field_rules(&self) -> bool {
        self.fields.iter().any(|field| field.access != FieldAccessDef::EMPTY)
    }

    /// Whether clients may choose the id of a new member. If so, PUT on an unused id creates a
    /// member.
    #[must_use]
    pub const fn takes_ids(&self) -> bool {
        matches!(self.id, IdKind::String) || self.optional_id
    }
}

/// The parent of a resource, below whose members its collection is nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParentDef {
    /// The name of the parent resource.
    pub resource: &'static str,
    /// The field (and column) of the child that holds the id of the parent: `zoo_id`.
    pub field: &'static str,
    /// The effect of the deletion of a parent on its children.
    pub on_delete: OnDelete,
    /// Whether PUT and PATCH may change the parent of a member, and thereby its URL.
    pub movable: bool,
    /// Whether every member has a parent. A member without a parent has only its top-level URL.
    pub required: bool,
}

words! {
    /// The effect of a deletion on the members that refer to the deleted member.
    #[derive(Default)]
    pub enum OnDelete {
        /// The deletion is refused while other members refer to the member.
        #[default]
        Restrict = "restrict",
        /// The members that refer to the deleted member are deleted too.
        Cascade = "cascade",
        /// The references to the deleted member become null.
        SetNull = "set_null",
    }
}

words! {
    /// The URLs of a resource that has a parent.
    #[derive(Default)]
    pub enum Routes {
        /// Only below the members of the parent.
        #[default]
        Nested = "nested",
        /// Only at the top level.
        Flat = "flat",
        /// At the top level and below the parent; the nested URL is the canonical one.
        Both = "both",
    }
}

words! {
    /// The kind of the ids of a resource, and who assigns them.
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
    /// The kind of the field `id` for this kind of id.
    #[must_use]
    pub const fn kind(self) -> FieldKind {
        match self {
            Self::Integer => FieldKind::Integer,
            Self::Uuid => FieldKind::Uuid,
            Self::String => FieldKind::String,
        }
    }
}

/// A sort key of a default order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortDef {
    /// The name of the field to sort by.
    pub field: &'static str,
    /// Whether the largest values come first.
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
    /// The default page size is 20, the maximum is 100.
    pub const DEFAULT: Self = Self { default: 20, maximum: 100 };
}
