//! The checked declaration: what the author meant, every default applied, without places, so that
//! equal means equal.
//!
//! It mirrors the definitions of the runtime and adds what only generators need: the settings of
//! the server and the named types.

pub mod duration;
mod field;
mod http;
mod resource;

pub use nouns_declaration::def::{
    Case, FieldKind, FieldMode, Format, IdKind, OnDelete, Operation, Precondition, Routes,
    Visibility,
};

pub use field::{DefaultValue, Domain, Field, Literal, Reference};
pub use http::{Cache, Cors, Deprecation, Server, Synchronous};
pub use resource::{Assigned, Limit, Parent, Resource, SortKey};

/// A whole declaration that has no mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The facts about the interface.
    pub api: Api,
    /// The settings of the server.
    pub server: Server,
    /// The named types, in the order of their declaration.
    pub types: Vec<NamedType>,
    /// The resources, in the order of their declaration.
    pub resources: Vec<Resource>,
}

/// A key `x-…`, kept for the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name, beginning with `x-`.
    pub name: String,
    /// Its value as JSON text.
    pub json: String,
}

/// The facts about the interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Api {
    /// What people call it; `API` unless declared.
    pub title: String,
    /// Its version, as its authors count; `1.0.0` unless declared.
    pub version: String,
    /// A longer text about it.
    pub description: Option<String>,
    /// Whom to ask about it.
    pub contact: Option<Contact>,
    /// Under which licence it may be used.
    pub license: Option<License>,
    /// The path below which everything is served, without a slash at its end; `/` unless declared.
    pub base_path: String,
    /// The URL that clients use, without a slash at its end.
    pub public_url: Option<String>,
    /// How the names of fields are spelled on the wire.
    pub case: Case,
    /// The `x-…` keys, also those of the top level, of `server`, `types` and `resources`.
    pub extensions: Vec<Extension>,
}

/// Whom to ask about an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// A person or a team.
    pub name: Option<String>,
    /// A page about them.
    pub url: Option<String>,
    /// Their address.
    pub email: Option<String>,
    /// The `x-…` keys.
    pub extensions: Vec<Extension>,
}

/// A licence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct License {
    /// Its name.
    pub name: String,
    /// Its SPDX expression.
    pub identifier: Option<String>,
    /// The `x-…` keys.
    pub extensions: Vec<Extension>,
}

/// A type that the author named.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedType {
    /// Its name.
    pub name: String,
    /// The named type that it builds on, if it is not a built-in one.
    pub base: Option<String>,
    /// What its values are, with everything that its base says.
    pub domain: Domain,
    /// What it is.
    pub description: Option<String>,
    /// A value, to show what it looks like.
    pub example: Option<Literal>,
    /// The `x-…` keys.
    pub extensions: Vec<Extension>,
}
