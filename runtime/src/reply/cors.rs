//! CORS: the responses to preflight requests, and the header fields for pages of other origins
//! (Fetch §3.2).

use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};

use super::{Reply, vary};
use crate::{
    model::{Model, Origins},
    request::{access::allow, route::Target},
};

/// The request fields on which the response to a preflight depends.
const ASKED: &str = "origin, access-control-request-method, access-control-request-headers";

/// The values of `Access-Control-Allow-Methods` for a URL that does not exist, so that a page can
/// read the 404. The first value is without QUERY, the second with QUERY.
const METHODS: [&str; 2] = [
    "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS",
];

impl Reply {
    /// Builds the response to a preflight request. Returns `None` if the model declares no other
    /// origins, or if the request is a plain OPTIONS. Browsers send preflights without credentials,
    /// so the client is not identified first. The response does not depend on whether the actual
    /// request would succeed.
    pub(crate) fn preflight(model: &Model, head: &Parts) -> Option<Self> {
        let origins = model.origins.as_ref().filter(|_| head.method == Method::OPTIONS)?;
        let origin = head.headers.get(header::ORIGIN)?;
        head.headers.get(header::ACCESS_CONTROL_REQUEST_METHOD)?;
        let target = Target::find(model, &head.uri).ok();
        let mut reply = Self::new(StatusCode::NO_CONTENT);
        reply.scope = target.as_ref().map(Target::scope);
        vary(&mut reply.headers, ASKED);
        if origins.allowed(Some(origin)).is_some() {
            reply
                .headers
                .insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods(model, target.as_ref()));
            reply
                .headers
                .insert(header::ACCESS_CONTROL_ALLOW_HEADERS, origins.allow_headers.clone());
            reply.headers.insert(header::ACCESS_CONTROL_MAX_AGE, origins.max_age.clone());
        }
        Some(reply)
    }
}

/// Returns the methods that a target supports, for `Access-Control-Allow-Methods`.
fn methods(model: &Model, target: Option<&Target>) -> HeaderValue {
    let offered = match target {
        Some(Target::Redirect(_)) | None => None,
        Some(target) => HeaderValue::from_str(&allow(model, target)).ok(),
    };
    offered.unwrap_or(HeaderValue::from_static(METHODS[usize::from(model.api.server.query)]))
}

/// Adds the header fields that let pages of other origins read a response, even if it is an error.
/// The status does not depend on the origin.
pub(super) fn add_headers(origins: &Origins, head: &Parts, headers: &mut HeaderMap) {
    if !origins.are_any() {
        vary(headers, "origin");
    }
    if headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        return;
    }
    let Some(origin) = origins.allowed(head.headers.get(header::ORIGIN)) else { return };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if origins.credentials {
        headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    }
    headers.entry(header::ACCESS_CONTROL_EXPOSE_HEADERS).or_insert(origins.expose_headers.clone());
}
