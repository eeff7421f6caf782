//! The fields of every representation of a resource, made once: its answers begin with a copy of
//! them.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::Caching;
use crate::http::negotiate::Format;

/// How many fields an answer usually has at most.
pub(crate) const FIELDS_USUAL: usize = 14;

/// Who answers (RFC 9110 §10.2.4).
pub(crate) const SERVER: HeaderValue = HeaderValue::from_static("nouns");

/// What a representation that is read depends on (RFC 9110 §12.5.5).
pub(crate) const VARY: HeaderValue = HeaderValue::from_static("accept, accept-encoding");

/// No script, no style, no frame, no request: what JSON and errors need (CSP 3).
pub(crate) const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The type is what we say it is (Fetch §3.6).
pub(crate) const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Nobody is told where a link was followed (Referrer Policy §3).
pub(crate) const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// Fetch §3.7; it has no constant of its own.
pub(crate) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// Who may embed an answer: everybody where other origins may read some.
pub(crate) const fn resource_policy(has_origins: bool) -> HeaderValue {
    HeaderValue::from_static(if has_origins { "cross-origin" } else { "same-origin" })
}

/// What stands for a validator until the answer has it: a copy of a header has no room for more
/// fields than it had.
const LATER: HeaderValue = HeaderValue::from_static("");

/// The fields of answers to anybody who reads members, with places for the validators.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    /// Of one that shows them.
    pub(crate) with_content: HeaderMap,
    /// Of one that says that they are unchanged.
    pub(crate) unchanged: HeaderMap,
}

impl Headers {
    pub(super) fn new(caching: &Caching, has_origins: bool) -> Self {
        let of = |has_content: bool| {
            let mut fields = HeaderMap::with_capacity(FIELDS_USUAL);
            fields.insert(header::SERVER, SERVER);
            fields.insert(header::VARY, VARY);
            if has_content {
                fields.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
                fields.insert(header::CONTENT_SECURITY_POLICY, NOTHING);
            }
            fields.insert(header::REFERRER_POLICY, NO_REFERRER);
            fields.insert(RESOURCE_POLICY, resource_policy(has_origins));
            fields.insert(header::CACHE_CONTROL, caching.shared.clone());
            fields.insert(header::ETAG, LATER);
            if has_content {
                fields.insert(header::LAST_MODIFIED, LATER);
                fields.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
                fields.insert(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static(Format::Json.media_type()),
                );
            }
            fields
        };
        Self { with_content: of(true), unchanged: of(false) }
    }
}
