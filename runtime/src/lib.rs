//! The runtime of Nouns: declared resources, linked once, served over hyper on a store.
//!
//! A request walks through one function, `Service::answer` in [`service`], whose lines are its stages.

#![doc(html_no_source)]

pub mod api;
pub mod base;
pub mod code;
pub mod http;
pub mod model;
pub mod plan;
pub mod reply;
pub mod request;
pub mod server;
pub mod service;
pub mod store;

pub use self::{api::Api, model::Model, server::serve, service::Service, store::Store};
pub use crate::{
    base::error::Error,
    code::{
        context::{Context, Peer},
        hook::Hooks,
        resource::{Id, Resource},
    },
    http::body::Body,
    model::{field_type::FieldType, patch::Patch},
};
