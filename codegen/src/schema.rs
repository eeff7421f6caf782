//! The checked declaration, with all defaults and without places, so that equal declarations
//! compare equal.
//!
//! It mirrors the definitions of the runtime, and adds what only generators need: server settings
//! and named types.

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
pub use resource::{IdAssignment, Limit, Parent, Resource, SortKey};

/// A declaration without mistakes.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The keys of `api`.
    pub api: Api,
    /// The settings of the server.
    pub server: Server,
    /// The named types, in the order of their declaration.
    pub types: Vec<NamedType>,
    /// The resources, in the order of their declaration.
    pub resources: Vec<Resource>,
}

/// An `x-…` key, which is copied to the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name, beginning with `x-`.
    pub name: String,
    /// Its value as JSON text.
    pub json: String,
}

/// The keys of `api`.
#[derive(Clone, Debug, PartialEq)]
pub struct Api {
    /// Its title; `API` unless declared.
    pub title: String,
    /// Its version; `1.0.0` unless declared.
    pub version: String,
    /// Its description.
    pub description: Option<String>,
    /// Its contact.
    pub contact: Option<Contact>,
    /// Its licence.
    pub license: Option<License>,
    /// The path below which everything is served, without a slash at its end; `/` unless declared.
    pub base_path: String,
    /// The URL that clients use, without a slash at its end.
    pub public_url: Option<String>,
    /// The spelling of field names on the wire.
    pub case: Case,
    /// The `x-…` keys, also those of the top level, of `server`, `types` and `resources`.
    pub extensions: Vec<Extension>,
}

/// The contact of an interface.
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

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedType {
    /// Its name.
    pub name: String,
    /// The named type that it builds on, if it is not a built-in one.
    pub base: Option<String>,
    /// Its domain, with all constraints of its base.
    pub domain: Domain,
    /// Its description.
    pub description: Option<String>,
    /// An example value.
    pub example: Option<Literal>,
    /// The `x-…` keys.
    pub extensions: Vec<Extension>,
}
