//! Tests of the derives. A derive generates the same interface as the equivalent YAML declaration.
//! It rejects mistakes with clear messages.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

mod attributes;
mod bed;
mod callers;
#[path = "../support/database.rs"]
mod database;
mod dependencies;
pub mod door;
pub mod goldens;
mod hidden_rows;
mod hygiene;
mod ids;
mod league;
mod leaks;
mod own_triggers;
mod parents;
mod passwords;
mod same_names;
mod school;
mod sentences;
mod twins;
mod values;
#[cfg(feature = "serde")]
mod wire;
