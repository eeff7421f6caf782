//! The checked declaration, with all defaults and without positions. So equal declarations compare
//! equal.
//!
//! The types are similar to the definitions that the runtime uses, such as `ResourceDef`. They also
//! have settings that no definition has, such as the address to listen on.

mod access;
mod auth;
mod condition;
pub mod duration;
mod field;
mod http;
mod jwt;
mod resource;
mod session;
pub mod size;

pub use nouns_declaration::def::{
    Case, FieldKind, FieldMode, Format, IdKind, OnDelete, Operation, Precondition, ProxyFields,
    Push, Routes, SameSite, Scheme, SessionStore, TestOp, Visibility,
};

pub use nouns_declaration::grammar::{RATE, rate};

pub use access::{Access, FieldAccess, Operand, Rule, Test};
pub use auth::Auth;
pub use condition::{CallerClass, Condition};
pub use field::{DefaultValue, Domain, Field, Literal, Reference};
pub use http::{Cache, Cors, Deprecation, Server, Synchronous, Tls};
pub use jwt::Jwt;
pub use nouns_declaration::def::{HstsDef, LimitDef as Limit};
pub use resource::{IdAssignment, Parent, Resource, SortKey};
pub use session::Session;

/// A declaration without mistakes.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The keys of `api`.
    pub api: Api,
    /// The settings of the server.
    pub server: Server,
    /// The accounts, if the API has any.
    pub auth: Option<Auth>,
    /// The named types, in the order of declaration.
    pub types: Vec<NamedType>,
    /// The resources, in the order of declaration.
    pub resources: Vec<Resource>,
}

/// A custom `x-…` key, which is copied to the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The name of the key, beginning with `x-`.
    pub name: String,
    /// The value of the key, as JSON text.
    pub json: String,
}

/// The keys of `api`.
#[derive(Clone, Debug, PartialEq)]
pub struct Api {
    /// The title of the API; `API` unless declared.
    pub title: String,
    /// The version of the API; `1.0.0` unless declared.
    pub version: String,
    /// The description of the API.
    pub description: Option<String>,
    /// The contact of the API.
    pub contact: Option<Contact>,
    /// The licence of the API.
    pub license: Option<License>,
    /// The path prefix of all URLs, without a slash at its end. `/` means that there is no prefix.
    pub base_path: String,
    /// The base URL that clients use, without a slash at its end.
    pub public_url: Option<String>,
    /// The spelling of field names in JSON and in query parameters.
    pub case: Case,
    /// The `x-…` keys of `api`, of the top level, and of `server`, `types` and `resources`.
    pub extensions: Vec<Extension>,
}

/// The contact of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The name of a person or a team.
    pub name: Option<String>,
    /// The URL of a page about the person or team.
    pub url: Option<String>,
    /// The email address of the person or team.
    pub email: Option<String>,
    /// The custom `x-…` keys of the contact.
    pub extensions: Vec<Extension>,
}

/// The licence of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct License {
    /// The name of the licence.
    pub name: String,
    /// The SPDX expression of the licence.
    pub identifier: Option<String>,
    /// The custom `x-…` keys of the licence.
    pub extensions: Vec<Extension>,
}

/// A named type, which fields can have instead of a built-in type.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedType {
    /// The name of the type.
    pub name: String,
    /// The named type that this type builds on; `None` if it builds on a built-in type.
    pub base: Option<String>,
    /// The kind and the constraints of the values, including the constraints of `base`.
    pub domain: Domain,
    /// The description of the type.
    pub description: Option<String>,
    /// An example value.
    pub example: Option<Literal>,
    /// The custom `x-…` keys of the type.
    pub extensions: Vec<Extension>,
}
