//! The runtime of Nouns: it links declared resources once and serves them with hyper from a store.
//!
//! A request passes through `answer` in [`service`], which has a line for each stage.

#![doc(html_no_source)]

// The modules. Each uses only those below it. ARCHITECTURE.md shows their order and what each is
// for; a test checks the order.
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

// The public names, wherever they are defined.
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
