//! The runtime of Nouns: declared resources, linked once, served over hyper on a store.
//!
//! The path of a request is `answer` in [`service`], with a line for each stage.

#![doc(html_no_source)]

// The rooms. Each uses only those below it: ARCHITECTURE.md shows their order, and what each is
// for; a test holds it.
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

// What programs name, wherever it stands.
#[doc(hidden)]
pub use self::api::v1;
pub use self::{
    api::Api,
    base::{
        error::{self, Error},
        limits,
    },
    code::{
        custom,
        hook::{self, Hooks},
        resource::{self, Resource},
        typed,
    },
    http::{
        body::{self, Body},
        client::{Client, Peer},
        http_date, negotiate,
    },
    model::{
        Model, def,
        field_type::{self, FieldType},
        id::Id,
        patch::{self, Patch},
        slots, value,
    },
    plan::idempotency,
    request::{access, action, identify, route},
    server::serve,
    service::Service,
    store::{
        Store,
        context::{self, Context},
        sink, sql,
    },
};
