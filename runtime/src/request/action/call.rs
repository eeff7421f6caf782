//! What a request for a route of the author's own means.

use bytes::Bytes;

/// What is left of a request for a route of the author's own once it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub(crate) shape: usize,
    pub(crate) values: Vec<String>,
    pub(crate) body: Bytes,
}
