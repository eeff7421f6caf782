//! What only HTTP knows: how its fields are spelled and read, and what is done to bytes that are
//! sent.
//!
//! Nothing here knows a resource.

pub(crate) mod answer;
pub(crate) mod audience;
pub mod body;
pub(crate) mod client;
pub(crate) mod coding;
pub(crate) mod digest;
pub mod http_date;
pub(crate) mod idempotency_key;
pub mod negotiate;
pub(crate) mod prefer;
pub(crate) mod range;
pub(crate) mod request_id;
pub(crate) mod single;
