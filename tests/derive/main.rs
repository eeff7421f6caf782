//! The derives: they generate what the same declaration in YAML gives, and they refuse mistakes
//! with clear messages.

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
