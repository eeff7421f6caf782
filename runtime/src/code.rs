//! User code and what it calls: resources as Rust types, typed calls, hooks, custom routes.

pub(crate) mod context;
pub mod custom;
pub mod hook;
pub mod resource;
pub mod typed;
