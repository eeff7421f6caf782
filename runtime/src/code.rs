//! User code and the functions that it calls: resources as Rust types, typed calls, hooks and
//! custom routes.

pub(crate) mod account;
pub(crate) mod context;
pub mod custom;
pub mod hook;
pub mod resource;
pub mod typed;
#[cfg(feature = "serde")]
pub mod wire;
