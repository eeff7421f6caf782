//! Redirects to TLS, for browsers that prefer it (Upgrade Insecure Requests §3.2).

use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts, uri::Authority,
};
use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::{Reply, is_read, vary::vary};
use crate::{
    http::{
        client::{Client, SecurePort},
        request_head::authority,
    },
    model::Model,
};

static UPGRADE: HeaderName = HeaderName::from_static("upgrade-insecure-requests");

/// The usual port of `https`, which URLs leave out.
const HTTPS_PORT: u16 = 443;

impl Reply {
    /// Returns the redirect to the same URL with TLS. `None` if the client does not ask for it, or
    /// this listener is the only one.
    pub(crate) fn upgrade(model: &Model, head: &Parts) -> Option<Self> {
        let SecurePort(port) = *head.extensions.get()?;
        let wants = is_read(&head.method) && head.headers.get(&UPGRADE)? == "1";
        if !wants || Client::is_encrypted(head, &model.proxies) {
            return None;
        }
        let location = HeaderValue::try_from(location(model, head, port)?).ok()?;
        let mut reply = Self::new(StatusCode::TEMPORARY_REDIRECT);
        reply.headers.insert(header::LOCATION, location);
        Some(reply)
    }
}

/// Adds to the response of a listener without TLS that it depends on the wish for TLS.
pub(super) fn add_vary(head: &Parts, headers: &mut HeaderMap) {
    if head.extensions.get::<SecurePort>().is_some() && is_read(&head.method) {
        vary(headers, "upgrade-insecure-requests");
    }
}

/// The URL with TLS: below the public URL if it has TLS, else on the host of the request.
fn location(model: &Model, head: &Parts, port: u16) -> Option<String> {
    let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    // The whole server, `*`, has no URL.
    let path = Some(head.uri.path()).filter(|path| path.starts_with('/'))?;
    let url = match model.api.public_url.filter(|url| url.starts_with("https:")) {
        Some(_) => model.urls.location(model.urls.below(path)?),
        None => {
            let authority: Authority = authority(&head.uri, &head.headers)?.parse().ok()?;
            let port = if port == HTTPS_PORT { String::new() } else { format!(":{port}") };
            format!("https://{}{port}{path}", authority.host())
        }
    };
    // A URL may have bytes in the request that are not ASCII.
    Some(utf8_percent_encode(&(url + &query), CONTROLS).to_string())
}
