//! From a head and a body to what is meant and by whom: a target, a caller, an action.

pub mod access;
pub mod action;
pub mod identify;
mod plan;
pub mod route;
