//! The declaration of an interface as plain data, shared by schema files, derives and the server.
//!
//! The crate also has the list of possible mistakes and the checks that the front ends share. It
//! has no dependencies, which keeps derives fast to compile.

#![forbid(unsafe_code)]

pub mod address_range;
pub mod check;
pub mod constraint;
pub mod def;
pub mod duration;
pub mod grammar;
pub mod index;
pub mod nearest;
pub mod outline;
pub mod problem;
mod words;
