//! What a declaration of Nouns is, as plain data: what a schema file, a derive and a program that serves have in common.
//!
//! What can be wrong with one, and the checks across resources, stand beside it. It has no dependencies, so that whoever derives compiles nothing for it.

#![forbid(unsafe_code)]

pub mod check;
pub mod def;
pub mod duration;
pub mod grammar;
pub mod outline;
pub mod problem;
mod words;
