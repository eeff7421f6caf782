//! The declaration of an API as plain data, shared by schema files, derives and the server.
//!
//! The crate also has the list of all mistakes, and the checks that schema files and derives share.
//! Its only dependencies parse email addresses and URIs, so derives compile fast.

#![forbid(unsafe_code)]

pub mod address_range;
pub mod check;
pub mod constraint;
pub mod def;
pub mod duration;
pub mod format;
pub mod grammar;
pub mod index;
pub mod nearest;
pub mod outline;
pub mod pattern;
pub mod problem;
mod words;
