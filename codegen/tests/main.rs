//! The tests of the schema language: mistakes and their diagnostics, good declarations and their
//! schemas, and the promise that no text makes the reader panic.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod derive;
mod err;
mod expansion;
mod golden;
mod ok;
mod round_trip;
mod texts;
