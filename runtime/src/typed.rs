//! Resources as Rust types: queries, members and writes that run the same plans as HTTP does.

mod field;

pub use self::field::Field;
