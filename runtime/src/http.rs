//! The parts that know HTTP alone: they parse and write its header fields, and compress, cut and
//! digest content.
//!
//! Nothing here depends on a resource.

pub(crate) mod answer;
pub(crate) mod audience;
pub mod body;
pub(crate) mod client;
pub(crate) mod coding;
pub(crate) mod digest;
pub(crate) mod forwarded;
pub mod http_date;
pub(crate) mod idempotency_key;
pub mod negotiate;
pub(crate) mod prefer;
pub(crate) mod range;
pub(crate) mod request_id;
pub(crate) mod single;
