//! The runtime of Nouns. It links declared resources at the start, and serves them over HTTP from a
//! database.
//!
//! Programs use the crate `nouns`, which has the documented names of this crate. The other names
//! are for the crates of this workspace alone, and change with any release.
//!
//! To follow a request, read the function `answer` in `service.rs`: it has a line for each stage.

// Each module uses only modules further down in the layers of ARCHITECTURE.md. A test checks the
// order.
#[doc(hidden)]
pub mod api;
mod base;
mod code;
mod http;
#[doc(hidden)]
pub mod model;
mod perform;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod reply;
mod request;
#[doc(hidden)]
pub mod server;
#[doc(hidden)]
pub mod service;
#[doc(hidden)]
pub mod store;

// The names for programs. The facade crate `nouns` has the same names.
#[cfg(feature = "tls")]
pub use self::server::{Tls, TlsError};
pub use self::{
    api::{Api, ApiError, Auth, Contact, Cors, Hsts, Jwt, License, Sessions, Settings, TlsFiles},
    base::{
        error::{Error, Fault, FaultAt, Kind, Text},
        limits,
    },
    code::{
        custom::{Answer, RouteRequest},
        hook::{Change, Hooks},
        resource::Resource,
        typed::{
            Collection, Condition, Cursor, Field, Member, MemberStream, Order, Page, Query,
            Revision, TxCollection,
        },
    },
    http::{
        body::Body,
        client::{Client, Peer},
        negotiate::Language,
    },
    model::{
        LinkError, Model,
        def::{self, Case, Limit, Operation, ProxyFields, SameSite, Scheme, SessionStore, Timeout},
        field_type::{FieldType, choice::UnknownChoice, password::Password},
        id::{Id, NoParent},
        patch::Patch,
        value,
    },
    plan::Caller,
    reply::Reply,
    server::{ListenAddress, RunningServer, Server, serve},
    service::{Nested, Service},
    store::{
        Actor, AsCaller, AsSystem, CopyError, CopyProgress, CopySummary, Difference, Location,
        NoActor, OpenError, RestoreSummary, Store, StoreOptions, Synchronous, TransferSummary,
        TransferredTable, Tx, backup,
        context::{CallFacts, Context},
        restore, transfer, unseal,
    },
};
// The names for the other crates of the workspace, independent of the modules that define them.
#[doc(hidden)]
pub use self::{
    api::v1,
    base::error,
    code::{custom, hook, resource, typed},
    http::{arriving, body, http_date, negotiate, pages},
    model::{field_type, id, patch, slots},
    plan::idempotency,
    request::{access, action, identify, route},
    store::{context, sink, sql},
};
