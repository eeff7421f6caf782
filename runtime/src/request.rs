//! From a head and a body to what is meant and by whom: a caller, a target, an action.

pub mod action;
pub mod identify;
mod plan;
pub mod route;
