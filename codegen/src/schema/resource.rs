//! A checked resource.

use nouns_declaration::words;

use super::{
    Cache, Deprecation, Extension, Field, IdKind, OnDelete, Operation, Precondition, Routes,
};

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The singular noun: `animal_type`.
    pub name: String,
    /// The segment of its collection in a URL: `animal_types`.
    pub collection: String,
    /// Its table: `animal_types`.
    pub table: String,
    /// Its Rust type: `AnimalType`.
    pub rust: String,
    /// Its description.
    pub description: Option<String>,
    /// The resource under whose members its collection is nested.
    pub parent: Option<Parent>,
    /// The URLs at which it is served.
    pub routes: Routes,
    /// The kind of its ids, and who assigns them.
    pub id: IdKind,
    /// Whether a client may choose the id, which the server assigns otherwise.
    pub optional_id: bool,
    /// The declared fields, in order.
    pub fields: Vec<Field>,
    /// The operations that it offers, in the order of [`Operation`].
    pub methods: Vec<Operation>,
    /// The order of its collection, unless a request has its own.
    pub sort: Vec<SortKey>,
    /// The page size of a collection.
    pub limit: Limit,
    /// Sets of fields whose combined values are unique.
    pub unique: Vec<Vec<String>>,
    /// Sets of fields that are indexed together.
    pub indexes: Vec<Vec<String>>,
    /// Whether members have `created_at` and `updated_at`.
    pub timestamps: bool,
    /// Whether the key `noun` asserts that the name is a singular noun.
    pub noun: bool,
    /// Its deprecation.
    pub deprecated: Option<Deprecation>,
    /// The cache directives of its representations.
    pub cache: Option<Cache>,
    /// Whether a change of a member must be conditional.
    pub precondition: Precondition,
    /// Former paths of its collection, below the base path.
    pub moved_from: Vec<String>,
    /// The temporary place of its collection: a URL, or a path below the base path.
    pub moved_to: Option<String>,
    /// The `x-…` keys, also those of the mappings in it.
    pub extensions: Vec<Extension>,
}

/// The resource under whose members a collection is nested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its name.
    pub resource: String,
    /// The field and column that hold the id of the parent: `zoo_id`.
    pub field: String,
    /// The effect on children when their parent is deleted.
    pub on_delete: OnDelete,
    /// Whether PUT and PATCH may change the parent of a member, and with it the URL.
    pub movable: bool,
    /// Whether every member has a parent; a member without one has only its flat URL.
    pub required: bool,
}

/// One key of a default order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The field; it may be that of the parent, `id`, `created_at` or `updated_at`.
    pub field: String,
    /// Whether the order is descending.
    pub descending: bool,
}

/// The page size of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The page size of a request without `limit`.
    pub default: u32,
    /// The largest page size that a request may set.
    pub maximum: u32,
}

words! {
    /// Who assigns an id that is not a string.
    #[derive(Default)]
    pub enum IdAssignment {
        /// The server.
        #[default]
        Server = "server",
        /// The client, or the server if the client does not.
        Optional = "optional",
    }
}
