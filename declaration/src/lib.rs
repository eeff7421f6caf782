//! What a declaration of Nouns is, as plain data: what a schema file, a derive and a program that
//! serves have in common.
//!
//! What can be wrong with one, and the checks that its front ends share, stand beside it. The crate
//! has no dependencies, so a derive compiles nothing more for it.

#![forbid(unsafe_code)]

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
