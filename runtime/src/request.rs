//! The conversion of a head and a body to a target, a caller and an action.

pub mod access;
pub mod action;
pub mod identify;
mod plan;
pub mod route;
