//! The conversion of a request to its target, its caller and the action to perform.

pub mod access;
pub mod action;
pub(crate) mod cross_site;
pub(crate) mod enclosed;
pub(crate) mod form;
pub mod identify;
pub(crate) mod lookups;
mod plan;
pub mod route;
