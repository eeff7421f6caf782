//! The common parts of the responses to forms: a redirect after success, and otherwise a page that
//! is not stored.

use http::{HeaderValue, StatusCode, header};

use super::Reply;
use crate::model::caching::NEVER;

impl Reply {
    /// Removes what lets a cache store the response.
    pub(crate) fn make_unstored(&mut self) {
        for name in [header::ETAG, header::LAST_MODIFIED, header::ACCEPT_RANGES] {
            self.headers.remove(name);
        }
        self.headers.insert(header::CACHE_CONTROL, NEVER);
        self.has_headers = false;
    }

    /// Builds a redirect to the result of a write (303, RFC 9110 §15.4.4).
    pub(crate) fn see(location: HeaderValue) -> Self {
        let mut reply = Self::new(StatusCode::SEE_OTHER);
        reply.headers.insert(header::LOCATION, location);
        reply
    }
}
