//! Modules that every other module of the crate may use: errors and the languages of their texts,
//! limits, and small helpers.

pub(crate) mod apart;
pub(crate) mod clock;
pub(crate) mod counter;
pub mod error;
pub(crate) mod grant_secret;
pub(crate) mod hash;
pub(crate) mod interner;
pub(crate) mod json;
pub(crate) mod language;
pub mod limits;
pub(crate) mod nearest;
pub(crate) mod password_hash;
pub(crate) mod per_thread;
pub(crate) mod precis;
pub(crate) mod priority;
pub(crate) mod repeated_lines;
pub(crate) mod secret;
pub(crate) mod unwind;
pub(crate) mod visible;
pub(crate) mod watched_file;
pub(crate) mod within;
pub(crate) mod work_time;
