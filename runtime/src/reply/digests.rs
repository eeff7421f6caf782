//! Digests of what is sent, for who wants them (RFC 9530).

use http::request::Parts;

use super::Reply;
use crate::http::{
    body::Body,
    digest::{
        CONTENT_DIGEST, REPR_DIGEST, WANT_CONTENT_DIGEST, WANT_REPR_DIGEST, preferred_algorithm,
    },
};

impl Reply {
    /// Adds a digest of the whole, of which a part may be sent, or nothing.
    pub(super) fn add_repr_digest(&mut self, head: &Parts) {
        if let Body::Full(whole) = &self.body
            && wants(head)
            && let Some(algorithm) = preferred_algorithm(&head.headers, &WANT_REPR_DIGEST)
        {
            self.headers.insert(REPR_DIGEST, algorithm.field(whole));
        }
    }

    /// Adds a digest of what is sent.
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

/// Whether any digest is wanted: one walk over the names costs less than a look for each.
fn wants(head: &Parts) -> bool {
    head.headers.keys().any(|name| name.as_str().starts_with("want-"))
}
