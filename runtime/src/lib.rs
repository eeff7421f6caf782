//! The runtime of Nouns: declared resources, linked once, served over hyper on a store.
//!
//! A request walks through one function, `Service::answer` in [`service`], whose lines are its stages.

#![doc(html_no_source)]

pub mod action;
pub mod api;
pub mod body;
mod cache;
mod coding;
pub mod context;
pub mod custom;
pub mod def;
mod digest;
pub mod error;
mod exact;
pub mod field_type;
mod hash;
pub mod hook;
pub mod http_date;
mod idempotency_key;
pub mod identify;
mod language;
pub mod limits;
mod merge_patch;
pub mod model;
mod nearest;
pub mod negotiate;
pub mod once;
pub mod patch;
mod perform;
pub mod plan;
mod prefer;
mod priority;
mod range;
pub mod reply;
mod request_id;
pub mod resource;
mod response_memory;
pub mod route;
pub mod server;
pub mod service;
mod single;
pub mod sink;
pub mod slots;
pub mod sql;
pub mod store;
pub mod typed;
#[doc(hidden)]
pub mod v1;
mod validator;
pub mod value;

pub use self::{
    api::Api,
    body::Body,
    context::{Context, Peer},
    error::Error,
    field_type::FieldType,
    hook::Hooks,
    model::Model,
    patch::Patch,
    resource::{Id, Resource},
    server::serve,
    service::Service,
    store::Store,
};
