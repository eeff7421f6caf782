//! The derives: what they write is what the same declaration in YAML gives, and what they refuse
//! they refuse well.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod attributes;
mod bed;
mod dependencies;
pub mod door;
pub mod goldens;
mod hygiene;
mod ids;
mod league;
mod mistakes;
mod parents;
mod school;
mod sentences;
mod twins;
mod values;
