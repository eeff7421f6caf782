//! Reads and checks declarations of Nouns, and generates code from them.
//!
//! A front end reads YAML or Rust and creates a [`Draft`], a tree of keys and values with their
//! positions. [`check()`] converts the draft to a [`Schema`], or returns [`Diagnostics`] with every
//! mistake. This crate does not depend on the runtime.

#![forbid(unsafe_code)]

#[cfg(feature = "yaml")]
pub mod build;
pub mod check;
#[cfg(feature = "yaml")]
pub mod declare;
pub mod derive;
pub mod diagnostic;
pub mod draft;
pub mod expand;
#[cfg(feature = "yaml")]
pub mod json_schema;
pub mod language;
pub mod name;
pub mod schema;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use check::{CheckedSchema, check};
#[cfg(feature = "yaml")]
pub use derive::{check_rust, read_rust};
pub use derive::{read_field_type, read_resource};
#[cfg(feature = "yaml")]
pub use diagnostic::Style;
pub use diagnostic::{Diagnostic, Diagnostics, Problem};
pub use draft::Draft;
pub use schema::Schema;
#[cfg(feature = "yaml")]
pub use yaml::{check_yaml, read_yaml};
