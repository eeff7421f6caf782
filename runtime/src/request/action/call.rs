//! A request for a custom route, after it was read.

use bytes::Bytes;

/// A request for a custom route, after it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub(crate) shape: usize,
    pub(crate) values: Vec<String>,
    pub(crate) body: Bytes,
}
