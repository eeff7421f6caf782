//! The runtime of Nouns. It links declared resources at the start, and serves them over HTTP from a
//! database.
//!
//! To follow a request, read the function `answer` in [`service`]: it has a line for each stage.

#![doc(html_no_source)]

// Each module uses only modules further down in the layers of ARCHITECTURE.md. A test checks the
// order.
pub mod api;
mod base;
mod code;
mod http;
pub mod model;
mod perform;
pub mod plan;
pub mod reply;
mod request;
pub mod server;
pub mod service;
pub mod store;

// The public names of the crate, independent of the private modules that define them.
#[doc(hidden)]
pub use self::api::v1;
pub use self::{
    api::{Api, Contact, Cors, License},
    base::{
        error::{self, Error, Fault, Kind},
        limits,
    },
    code::{
        custom::{self, Answer, RouteRequest},
        hook::{self, Change, Hooks},
        resource::{self, Resource},
        typed::{
            self, Collection, Condition, Cursor, Member, Members, Order, Page, Query, Revision,
        },
    },
    http::{
        body::{self, Body},
        client::{Client, Peer},
        http_date, negotiate,
    },
    model::{
        Model,
        def::{self, Case},
        field_type::{self, FieldType},
        id::Id,
        patch::{self, Patch},
        slots, value,
    },
    plan::{Caller, idempotency},
    request::{access, action, identify, route},
    server::serve,
    service::{Nested, Service},
    store::{
        Location, Store, StoreOptions, Synchronous, Tx,
        context::{self, Context},
        sink, sql,
    },
};
