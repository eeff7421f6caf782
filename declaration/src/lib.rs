//! What a declaration of Nouns is, as plain data: what a schema file, a derive and a program that serves have in common.
//!
//! It has no dependencies, so that whoever derives compiles nothing for it.

#![forbid(unsafe_code)]

pub mod def;
mod words;
