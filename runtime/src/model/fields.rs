//! The header fields of every representation of a resource, created once: each response starts with
//! a copy.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::Caching;
use crate::http::negotiate::Format;

/// The usual maximum number of header fields in a response.
pub(crate) const FIELDS_USUAL: usize = 14;

/// The value of `Server` (RFC 9110 §10.2.4).
pub(crate) const SERVER: HeaderValue = HeaderValue::from_static("nouns");

/// The request fields that a representation depends on (RFC 9110 §12.5.5).
pub(crate) const VARY: HeaderValue = HeaderValue::from_static("accept, accept-encoding");

/// The value of `Content-Security-Policy` for JSON and errors: it forbids scripts, styles, frames
/// and requests (CSP 3).
pub(crate) const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The media type is to be trusted (Fetch §3.6).
pub(crate) const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Browsers do not send the URL of the page on which a link was followed (Referrer Policy §3).
pub(crate) const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// The field `Cross-Origin-Resource-Policy` (Fetch §3.7), for which `http` has no constant.
pub(crate) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// The origins that may embed a response: all if CORS is declared, else the same.
pub(crate) const fn resource_policy(has_origins: bool) -> HeaderValue {
    HeaderValue::from_static(if has_origins { "cross-origin" } else { "same-origin" })
}

/// The placeholder of a validator. A copy of a header map has no room for more fields than the
/// original.
const LATER: HeaderValue = HeaderValue::from_static("");

/// The header fields of responses to GET, with placeholders for the validators.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    /// Those of a response with content.
    pub(crate) with_content: HeaderMap,
    /// Those of a 304 (Not Modified).
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
