//! HTTP without resources: parsers and writers of header fields, compression, byte ranges and
//! digests.
//!
//! No module in this folder depends on a declared resource.

pub(crate) mod answer;
pub mod arriving;
pub(crate) mod audience;
pub(crate) mod audit;
pub mod body;
pub(crate) mod client;
pub(crate) mod coding;
pub(crate) mod cookie;
pub(crate) mod credentials;
pub(crate) mod digest;
pub(crate) mod escape;
pub(crate) mod forwarded;
pub(crate) mod hosts;
pub mod http_date;
pub(crate) mod idempotency_key;
pub(crate) mod jwt;
pub mod negotiate;
pub(crate) mod page_file;
pub mod pages;
pub(crate) mod prefer;
pub(crate) mod range;
pub(crate) mod request_head;
pub(crate) mod request_id;
pub(crate) mod request_scope;
pub(crate) mod single;
pub(crate) mod site;
pub(crate) mod stored_document;
pub(crate) mod trace_context;
