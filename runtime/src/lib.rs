//! The runtime of Nouns: declared resources, linked once, served over hyper on a store.
//!
//! A request walks through one function, `Service::answer` in [`service`], whose lines are its stages.

#![doc(html_no_source)]

pub mod action;
pub mod body;
pub mod def;
pub mod error;
pub mod field_type;
mod hash;
pub mod identify;
pub mod limits;
pub mod model;
mod nearest;
pub mod patch;
pub mod plan;
pub mod reply;
pub mod resource;
pub mod route;
pub mod server;
pub mod service;
pub mod sink;
pub mod slots;
pub mod sql;
pub mod store;
pub mod typed;
mod validator;
#[doc(hidden)]
pub mod v1;
pub mod value;

pub use self::{
    body::Body,
    error::Error,
    field_type::FieldType,
    model::Model,
    patch::Patch,
    resource::{Id, Resource},
    service::Service,
    store::Store,
};
