//! A checked resource.

use nouns_declaration::words;

use super::{
    Cache, Deprecation, Extension, Field, IdKind, OnDelete, Operation, Precondition, Routes,
};

/// A kind of thing.
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
    /// What it is.
    pub description: Option<String>,
    /// The resource under whose members its collection is nested.
    pub parent: Option<Parent>,
    /// At which URLs it is served.
    pub routes: Routes,
    /// What its ids are and who assigns them.
    pub id: IdKind,
    /// Whether a client may bring the id that the server assigns otherwise.
    pub optional_id: bool,
    /// The declared fields, in order.
    pub fields: Vec<Field>,
    /// What may be done with it, in the order of [`Operation`].
    pub methods: Vec<Operation>,
    /// The order of its collection where a request asks for none.
    pub sort: Vec<SortKey>,
    /// How many members a page has.
    pub limit: Limit,
    /// Sets of fields whose values are unique together.
    pub unique: Vec<Vec<String>>,
    /// Sets of fields that are indexed together.
    pub indexes: Vec<Vec<String>>,
    /// Whether `created_at` and `updated_at` are shown.
    pub timestamps: bool,
    /// Whether the author insists that the name is a singular noun.
    pub noun: bool,
    /// That it is on its way out.
    pub deprecated: Option<Deprecation>,
    /// For how long, and by whom, its representations may be kept.
    pub cache: Option<Cache>,
    /// Whether a change of a member must say which state it changes.
    pub precondition: Precondition,
    /// Paths of its collection in former days, below the base.
    pub moved_from: Vec<String>,
    /// Where its collection is for the time being: a URL, or a path below the base.
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
    /// What the deletion of a parent does to its children.
    pub on_delete: OnDelete,
    /// Whether PUT and PATCH may give a member another parent, and so another URL.
    pub movable: bool,
    /// Whether every member has one; a member without a parent has only its flat URL.
    pub required: bool,
}

/// One key of a default order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The field; it may be the one of the parent, `id`, `created_at` or `updated_at`.
    pub field: String,
    /// Whether the largest come first.
    pub descending: bool,
}

/// How many members a page has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Where the request does not say.
    pub default: u32,
    /// What a request may ask for at most.
    pub maximum: u32,
}

words! {
    /// Who assigns an id that is no string.
    #[derive(Default)]
    pub enum Assigned {
        /// The server.
        #[default]
        Server = "server",
        /// The client, or the server where the client does not.
        Optional = "optional",
    }
}
