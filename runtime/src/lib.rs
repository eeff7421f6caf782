//! The runtime of Nouns: declared resources, linked once, served over hyper on a store.
//!
//! A request walks through one function, `Service::answer` in [`service`], whose lines are its stages.

#![doc(html_no_source)]

pub mod action;
pub mod body;
pub mod def;
pub mod error;
mod hash;
pub mod identify;
pub mod limits;
pub mod model;
mod nearest;
pub mod plan;
pub mod reply;
pub mod route;
pub mod server;
pub mod service;
pub mod sink;
pub mod sql;
pub mod store;
mod validator;
pub mod value;

pub use self::{body::Body, error::Error, model::Model, service::Service, store::Store};
