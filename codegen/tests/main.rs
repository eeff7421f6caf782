//! Tests of the schema language: mistakes with their diagnostics, valid declarations with their
//! schemas, and texts that must not make the reader panic.

#![expect(clippy::unwrap_used, reason = "a failed `unwrap` fails the test")]

mod defaults;
mod derive;
mod err;
mod expansion;
mod golden;
mod ok;
mod round_trip;
mod texts;
