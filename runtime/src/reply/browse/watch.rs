//! The state of a watched schema file: on each page, and at `/-/watch` for the script of the pages.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::PAGE_POLICY;
use crate::{base::hash::StableHasher, model::Model, reply::Reply, request::action::Action};

/// The `Content-Security-Policy` of a page whose script asks this server for the state.
const WATCHING_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The values of the template `watch.html`.
#[derive(Serialize)]
pub(super) struct WatchView {
    href: String,
    state: String,
    diagnostic: Option<String>,
}

impl WatchView {
    /// The state of the schema file; `None` if it is not watched. Only a reader on this machine
    /// sees its mistakes.
    pub(super) fn of(model: &Model, action: &Action) -> Option<Self> {
        let href = model.urls.link("/-/watch");
        let is_local = action.page.as_ref().is_some_and(|page| page.is_local);
        let diagnostic = model.watch.diagnostic_for(is_local).map(|text| text.as_str().to_owned());
        let view = || Self { href, state: state(model), diagnostic };
        model.watch.is_watched().then(view)
    }
}

/// The `Content-Security-Policy` of a page.
pub(in crate::reply) fn page_policy(model: &Model) -> HeaderValue {
    if model.watch.is_watched() { WATCHING_POLICY } else { PAGE_POLICY }
}

/// A text that changes with the schema, the templates, and the diagnostics of the files.
fn state(model: &Model) -> String {
    let hash = StableHasher::new().number(model.fingerprint).number(model.pages.hash());
    let hash = hash.number(model.watch.number());
    format!("{:016x}", hash.finish())
}

/// Builds the response with the state.
pub(in crate::reply) fn watch_state(model: &Model) -> Reply {
    let mut reply = Reply::new(StatusCode::OK);
    reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    reply.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply.body = state(model).into_bytes().into();
    reply
}
