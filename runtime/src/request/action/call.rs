//! [`Call`]: a request for a custom route, with its whole body.

use bytes::Bytes;

/// A request for a custom route: the index of the path's shape, the values of the placeholders and
/// the whole body.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub(crate) shape: usize,
    pub(crate) values: Vec<String>,
    pub(crate) body: Bytes,
}
