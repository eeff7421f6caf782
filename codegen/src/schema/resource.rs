//! A checked resource.

use nouns_declaration::words;

use super::{
    Access, Cache, Deprecation, Extension, Field, IdKind, Limit, OnDelete, Operation, Precondition,
    Push, Routes,
};

/// A checked resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The name of the resource, a singular noun: `animal_type`.
    pub name: String,
    /// The path segment of the collection: `animal_types`.
    pub collection: String,
    /// The name of the table: `animal_types`.
    pub table: String,
    /// The name of the Rust type: `AnimalType`.
    pub rust: String,
    /// The description of the resource.
    pub description: Option<String>,
    /// The parent resource, if the collection is nested below its members.
    pub parent: Option<Parent>,
    /// The URLs at which a resource with a parent is served.
    pub routes: Routes,
    /// The kind of the ids, and who assigns them.
    pub id: IdKind,
    /// Whether a client may choose the id of a new member, which the server otherwise assigns.
    pub optional_id: bool,
    /// The declared fields, in order. The id, the parent's id and the timestamps are not in this
    /// list.
    pub fields: Vec<Field>,
    /// The operations that the resource offers, in the order of [`Operation`].
    pub methods: Vec<Operation>,
    /// The default order of the collection, if a request has no `sort`.
    pub sort: Vec<SortKey>,
    /// The page size of the collection.
    pub limit: Limit,
    /// Sets of fields. No two members have the same values in all fields of a set.
    pub unique: Vec<Vec<String>>,
    /// Sets of fields that have an index together.
    pub indexes: Vec<Vec<String>>,
    /// Whether members have the fields `created_at` and `updated_at`.
    pub timestamps: bool,
    /// The field by which a member is shown where it is referenced, if declared.
    pub label: Option<String>,
    /// Whether the key `noun` asserts that the name is a singular noun.
    pub noun: bool,
    /// The deprecation of the resource, if declared.
    pub deprecated: Option<Deprecation>,
    /// The cache directives of the responses.
    pub cache: Option<Cache>,
    /// Whether a change of a member must be conditional.
    pub precondition: Precondition,
    /// The members that are pushed with responses over HTTP/2.
    pub push: Vec<Push>,
    /// Former paths of the collection, below the base path.
    pub moved_from: Vec<String>,
    /// The temporary location of the collection: a URL, or a path below the base path.
    pub moved_to: Option<String>,
    /// The access rules of the members.
    pub access: Access,
    /// The `x-…` keys of the resource and of its mappings `id`, `parent`, `fields`, `limit`,
    /// `cache`, `deprecated` and `access`.
    pub extensions: Vec<Extension>,
}

/// The parent of a resource, below whose members its collection is nested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The name of the parent resource.
    pub resource: String,
    /// The field (and column) of the child that holds the id of the parent: `zoo_id`.
    pub field: String,
    /// The effect of the deletion of a parent on its children.
    pub on_delete: OnDelete,
    /// Whether PUT and PATCH may change the parent of a member, and thereby its URL.
    pub movable: bool,
    /// Whether every member has a parent. A member without a parent has only its top-level URL.
    pub required: bool,
}

/// A sort key of a default order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The name of the field: a declared field, the field of the parent, `id`, `created_at` or
    /// `updated_at`.
    pub field: String,
    /// Whether the largest values come first.
    pub descending: bool,
}

words! {
    /// Who assigns ids of type `integer` or `uuid`.
    #[derive(Default)]
    pub enum IdAssignment {
        /// The server assigns every id.
        #[default]
        Server = "server",
        /// The client may choose the id. If it does not, the server assigns one.
        Optional = "optional",
    }
}
