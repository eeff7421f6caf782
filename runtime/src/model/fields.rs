//! The header fields of responses to GET for a resource. They are created once, and each response
//! starts with a copy.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{Caching, caching::Sender};
use crate::http::negotiate::Format;

/// The maximum number of header fields that an ordinary response has.
pub(crate) const FIELDS_USUAL: usize = 14;

/// The value of `Server` (RFC 9110 §10.2.4).
pub(crate) const SERVER: HeaderValue = HeaderValue::from_static("nouns");

/// The value of `Vary`: the request fields that a representation depends on (RFC 9110 §12.5.5).
pub(crate) const VARY: HeaderValue = HeaderValue::from_static("accept, accept-encoding");

/// The value of `Vary` if access rules decide which rows or fields a client gets, too.
pub(crate) const VARY_OF_RULED: HeaderValue =
    HeaderValue::from_static("accept, accept-encoding, cookie, authorization");

/// The value of `Content-Security-Policy` for JSON and errors. It forbids scripts, styles, frames
/// and requests (CSP 3).
pub(crate) const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The value of `X-Content-Type-Options`: browsers must not guess a media type (Fetch §3.6).
pub(crate) const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// The value of `Referrer-Policy`: browsers do not send the URL of the page that has the link
/// (Referrer Policy §3).
pub(crate) const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// The header field `Cross-Origin-Resource-Policy` (Fetch §3.7), for which the crate `http` has no
/// constant.
pub(crate) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// The value of `Cross-Origin-Resource-Policy`: `cross-origin` if CORS is declared, else
/// `same-origin`.
pub(crate) const fn resource_policy(has_origins: bool) -> HeaderValue {
    HeaderValue::from_static(if has_origins { "cross-origin" } else { "same-origin" })
}

/// A placeholder for the value of `ETag` or `Last-Modified`. The header map contains the field
/// already, because a copy of the map has no capacity for more fields.
const LATER: HeaderValue = HeaderValue::from_static("");

/// The header fields of responses to GET, with placeholders for the validators.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    /// The header fields of a response with content.
    pub(crate) with_content: HeaderMap,
    /// The header fields of a 304 (Not Modified).
    pub(crate) unchanged: HeaderMap,
}

impl Headers {
    pub(super) fn new(caching: &Caching, has_origins: bool) -> Self {
        let of = |has_content: bool| {
            let mut fields = HeaderMap::with_capacity(FIELDS_USUAL);
            fields.insert(header::SERVER, SERVER);
            fields.insert(header::VARY, if caching.is_ruled { VARY_OF_RULED } else { VARY });
            if has_content {
                fields.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
                fields.insert(header::CONTENT_SECURITY_POLICY, NOTHING);
            }
            fields.insert(header::REFERRER_POLICY, NO_REFERRER);
            fields.insert(RESOURCE_POLICY, resource_policy(has_origins));
            fields.insert(header::CACHE_CONTROL, caching.value(Sender::Unknown).clone());
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
