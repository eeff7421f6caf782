//! Digests in responses, for clients that ask for them (RFC 9530).

use http::request::Parts;

use super::Reply;
use crate::http::{
    body::Body,
    digest::{
        CONTENT_DIGEST, REPR_DIGEST, WANT_CONTENT_DIGEST, WANT_REPR_DIGEST, preferred_algorithm,
    },
};

impl Reply {
    /// Adds `Repr-Digest`, a digest of the whole representation. The response may contain only a
    /// part of the representation, or no content.
    pub(super) fn add_repr_digest(&mut self, head: &Parts) {
        if let Body::Full(whole) = &self.body
            && wants(head)
            && let Some(algorithm) = preferred_algorithm(&head.headers, &WANT_REPR_DIGEST)
        {
            self.headers.insert(REPR_DIGEST, algorithm.field(whole));
        }
    }

    /// Adds `Content-Digest`, a digest of the content that is sent.
    pub(super) fn add_content_digest(&mut self, head: &Parts) {
        if head.method != http::Method::HEAD
            && let Body::Full(sent) = &self.body
            && wants(head)
            && let Some(algorithm) = preferred_algorithm(&head.headers, &WANT_CONTENT_DIGEST)
        {
            self.headers.insert(CONTENT_DIGEST, algorithm.field(sent));
        }
    }
}

/// Whether the request asks for a digest. Reading all field names once is faster than looking up
/// each field.
fn wants(head: &Parts) -> bool {
    head.headers.keys().any(|name| name.as_str().starts_with("want-"))
}
