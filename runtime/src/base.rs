//! What every other room may use: errors and the languages that they speak, limits, and small
//! things without a better place.

pub mod error;
pub(crate) mod hash;
pub(crate) mod interner;
pub(crate) mod json;
pub(crate) mod language;
pub mod limits;
pub(crate) mod nearest;
pub(crate) mod priority;
pub(crate) mod unwind;
