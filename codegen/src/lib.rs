//! Declarations of Nouns: read by a front end, checked once, and kept as a [`Schema`].
//!
//! A front end makes a [`Draft`], a tree of keys and values with their places; [`check()`] turns it
//! into a [`Schema`] or into [`Diagnostics`], which say every mistake of the declaration in one
//! run. The runtime is not known here.

#![forbid(unsafe_code)]

#[cfg(feature = "yaml")]
pub mod build;
pub mod check;
pub mod declare;
pub mod derive;
pub mod diagnostic;
pub mod draft;
pub mod expand;
pub mod json_schema;
pub mod name;
pub mod schema;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use check::{Checked, check};
pub use derive::{check_rust, read_field_type, read_resource, read_rust};
pub use diagnostic::{Diagnostic, Diagnostics, Problem, Style};
pub use draft::Draft;
pub use schema::Schema;
#[cfg(feature = "yaml")]
pub use yaml::{check_yaml, read_yaml};
