//! You declare the nouns; HTTP brings the verbs.
//!
//! Nouns serves an HTTP API on SQLite from a declaration of resources, fields and parents. The API
//! has collections and members, filters, sort orders and pages, ETags and preconditions. The
//! response to an invalid body lists all its errors. A declaration is a schema file or Rust code.
//!
//! # In a schema file
//!
//! ```yaml
//! nouns: 1
//! api: { title: City zoos }
//! resources:
//!   zoo:                                  # served at /zoos
//!     fields:
//!       name: { type: string, required: true, unique: true }
//!       city: string
//!   animal:
//!     parent: zoo                         # served at /zoos/{zoo_id}/animals
//!     fields:
//!       name: { type: string, required: true }
//!       weight_kg: { type: number, minimum: 0 }
//!     sort: [name]
//! ```
//!
//! `nouns serve zoo.yaml` serves this file without compilation. The macro `schema!` compiles the
//! same declaration into a program.
//!
//! # In Rust
//!
//! A struct with [`#[derive(Resource)]`](derive@Resource) is a resource. Every key of a schema file
//! is a key of `#[resource(…)]`, and an `Option` is an optional field:
//!
//! ```
//! use nouns::{Api, FieldType, Id, Resource};
//!
//! #[derive(Clone, Debug, Resource)]
//! struct Zoo {
//!     id: Id<Self>,
//!     #[resource(unique)]
//!     name: String,
//!     city: Option<String>,
//! }
//!
//! #[derive(Clone, Debug, Resource)]
//! #[resource(parent = Zoo, sort = [name])]
//! struct Animal {
//!     id: Id<Self>,
//!     zoo_id: Id<Zoo>,
//!     name: String,
//!     #[resource(minimum = 0)]
//!     weight_kg: Option<f64>,
//!     diet: Option<Diet>,
//! }
//!
//! #[derive(Clone, Debug, FieldType)]
//! enum Diet {
//!     Plants,
//!     Meat,
//! }
//!
//! fn api() -> Api {
//!     Api::new("City zoos").field_type::<Diet>().resource::<Zoo>().resource::<Animal>()
//! }
//!
//! let model = api().build()?;
//! assert_eq!(model.resources()[1].def.collection, "animals");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mistake is a compiler error at the wrong key or value, with the same code and message as in a
//! schema file. For each resource, the derive generates three types: `NewAnimal` for a new member,
//! `AnimalPatch` for a change, and `AnimalFields` for the conditions and sort keys of queries.
//!
//! # Used from a program
//!
//! A program uses a [`Store`] with the same checks and the same errors as HTTP requests:
//!
//! ```
//! use nouns::{Api, Id, Patch, Resource, Store, StoreOptions};
//!
//! # #[derive(Clone, Debug, Resource)]
//! # struct Zoo {
//! #     id: Id<Self>,
//! #     name: String,
//! # }
//! # #[derive(Clone, Debug, Resource)]
//! # #[resource(parent = Zoo)]
//! # struct Animal {
//! #     id: Id<Self>,
//! #     zoo_id: Id<Zoo>,
//! #     name: String,
//! #     #[resource(minimum = 0)]
//! #     weight_kg: Option<f64>,
//! # }
//! async fn feed(store: &Store) -> Result<(), nouns::Error> {
//!     let zoo = store.of::<Zoo>().create(NewZoo::new("City Zoo".into())).await?;
//!     let animals = store.of::<Animal>().within(zoo.id);
//!     animals.create(NewAnimal { weight_kg: Some(4.5), ..NewAnimal::new("Bella".into()) }).await?;
//!
//!     let light = Animal::query()
//!         .filter(|a| a.weight_kg.lt(10.0) & a.name.contains("ell"))
//!         .sort(|a| a.name.asc());
//!     for animal in animals.list(&light).await? {
//!         let patch = AnimalPatch { weight_kg: Patch::Set(Some(5.0)), ..AnimalPatch::default() };
//!         let fed = animals.update(animal.id, patch).if_match(animal.revision).await?;
//!         assert_eq!(fed.weight_kg, Some(5.0));
//!     }
//!     Ok(())
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let model = Api::new("City zoos").resource::<Zoo>().resource::<Animal>().build()?;
//! let options = StoreOptions::new(folder.path().join("zoo.db"));
//! let (store, _) = Store::open(&model, &options)?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(feed(&store))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Service::new(store)`](Service) responds to requests, and [`serve`] listens for connections.
//! [`Hooks`] run user code before, within and after a write, and [`Api::route`] adds custom routes.

//! # Features
//!
//! | feature | for |
//! |---|---|
//! | `brotli` | the content coding `br` |
//! | `zstd` | the content coding `zstd` |
//! | `docs-page` | the page `/-/docs`, with Swagger UI |
//! | `jwt` | tokens of another issuer |
//! | `tls` | TLS in the server |
//! | `postgres` | PostgreSQL beside SQLite |
//! | `schema` | the macro `schema!` |
//! | `yaml` | schema files at run time: the modules `codegen` and `interpret` |
//! | `snapshot` | the module `snapshot`, for tests |
//! | `serde` (default) | `Serialize` and `Deserialize` for field types, new members and patches |
//! | `cli` (default) | the program `nouns`, with all of the above but `schema` and `serde` |
//!
//! A library says `default-features = false` and names what it needs. The content coding `gzip` is
//! always there.

#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "yaml")]
pub mod interpret;
#[cfg(feature = "snapshot")]
pub mod snapshot;

/// Reads schema files, and generates Rust and JSON Schema from them.
#[cfg(feature = "yaml")]
pub mod codegen {
    pub use nouns_codegen::{
        Diagnostic, Diagnostics, Schema, Style, build, check_rust, check_yaml, declare, diagnostic,
        expand, json_schema, read_field_type, read_resource, read_rust, read_yaml, schema,
    };
}

/// Types of typed calls that programs rarely name.
pub mod typed {
    pub use nouns_runtime::typed::{
        AllMembers, Creates, Delete, IntoOrder, MembersOfParent, Replace, SqlParameter, SqlQuery,
        SqlRow, Update,
    };
}

/// The URLs of a model.
pub mod routes {
    pub use nouns_runtime::route::{Meaning, Route, table};
}

pub use http;
pub use jiff::{
    Timestamp,
    civil::{Date, Time},
};
#[doc = include_str!("derive_field_type.md")]
#[doc(inline)]
pub use nouns_derive::FieldType;
#[doc = include_str!("derive_resource.md")]
#[doc(inline)]
pub use nouns_derive::Resource;
#[cfg(feature = "schema")]
pub use nouns_derive::schema;
#[doc(hidden)]
pub use nouns_runtime as __runtime;
#[doc(hidden)]
pub use nouns_runtime::v1 as __v1;
#[doc(inline)]
pub use nouns_runtime::{
    Actor, Answer, Api, ApiError, AsCaller, AsSystem, Auth, Body, CallFacts, Caller, Case, Change,
    Client, Collection, Condition, Contact, Context, CopyError, CopyProgress, CopySummary, Cors,
    Cursor, Difference, Error, Fault, FaultAt, Field, FieldType, Hooks, Hsts, Id, Jwt, Kind,
    Language, License, Limit, LinkError, ListenAddress, Location, Member, MemberStream, Model,
    Nested, NoActor, NoParent, OpenError, Operation, Order, Page, Password, Patch, Peer,
    ProxyFields, Query, Reply, Resource, RestoreSummary, Revision, RouteRequest, RunningServer,
    SameSite, Scheme, Server, Service, SessionStore, Sessions, Settings, Store, StoreOptions,
    Synchronous, Text, Timeout, TlsFiles, TransferSummary, TransferredTable, Tx, TxCollection,
    UnknownChoice, backup, def, limits, restore, serve, transfer, unseal, value,
};
#[cfg(feature = "tls")]
#[doc(inline)]
pub use nouns_runtime::{Tls, TlsError};
pub use rust_decimal::Decimal;
pub use serde_json::Value as Json;
pub use uuid::Uuid;

/// The Markdown pages whose examples are compiled and run as documentation tests.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../README.md")]
    struct ReadmeBlocks;
    #[doc = include_str!("../docs/rust.md")]
    struct RustGuide;
    #[doc = include_str!("../docs/filters.md")]
    struct FiltersGuide;
    #[doc = include_str!("../docs/hooks.md")]
    struct HooksGuide;
    #[doc = include_str!("../docs/routes.md")]
    struct RoutesGuide;
    #[doc = include_str!("../docs/embedding.md")]
    struct EmbeddingGuide;
    #[doc = include_str!("../docs/transactions.md")]
    struct TransactionsGuide;
    #[doc = include_str!("../docs/testing.md")]
    struct TestingGuide;
    #[doc = include_str!("../docs/access.md")]
    struct AccessGuide;
    #[doc = include_str!("../docs/tls.md")]
    struct TlsGuide;
    #[doc = include_str!("../docs/jwt.md")]
    struct JwtGuide;
}
