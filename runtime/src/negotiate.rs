//! What a client can take, of what there is (RFC 9110 §12): each part reads the fields of one kind.

pub(crate) mod coding;
pub(crate) mod format;
pub(crate) mod language;
mod weighted;
