//! You declare the nouns; HTTP brings the verbs.
//!
//! A schema file becomes a checked [`codegen::schema::Schema`], that becomes an
//! [`ApiDef`](runtime::def::ApiDef), and a [`Model`](runtime::Model) of it is served.
//!
//! ```
//! # #[cfg(feature = "yaml")] {
//! let text = "nouns: 1\nresources:\n  zoo:\n    fields:\n      name: string\n";
//! let schema = nouns::codegen::read_yaml("zoo.yaml", text).unwrap();
//! let model = nouns::runtime::Model::link(nouns::interpret::api_def(&schema)).unwrap();
//! assert_eq!(model.resources()[0].def.collection, "zoos");
//! # }
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub mod cli;
pub mod interpret;
#[cfg(feature = "snapshot")]
pub mod snapshot;

pub use jiff::{
    Timestamp,
    civil::{Date, Time},
};
pub use nouns_codegen as codegen;
#[cfg(feature = "yaml")]
pub use nouns_derive::schema;
pub use nouns_derive::{FieldType, Resource};
pub use nouns_runtime as runtime;
#[doc(hidden)]
pub use nouns_runtime::v1 as __v1;
pub use nouns_runtime::{
    Api, Context, Error, FieldType, Hooks, Id, Model, Patch, Peer, Resource, Service, Store,
    api::{Contact, License},
    def::Case,
    store::{StoreOptions, Synchronous},
    typed::{Collection, Condition, Cursor, Member, Order, Page, Query, Revision},
};
pub use rust_decimal::Decimal;
pub use serde_json::Value as Json;
pub use uuid::Uuid;
