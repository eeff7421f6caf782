//! The web pages of the home document, of collections and of members. A page is a representation
//! like JSON: it is made of the same action and of the same rows, and never queries by itself.

mod browser_value;
mod collection;
mod column;
mod counts;
mod diagram;
#[cfg(feature = "docs-page")]
mod docs;
mod file;
mod filter;
mod form;
mod frame;
mod home;
mod input;
mod member;
mod parameters;
mod reader;
mod reference;
mod sign_in;
mod watch;

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

#[cfg(feature = "docs-page")]
pub(super) use self::docs::docs;
pub(super) use self::{
    collection::collection,
    file::file,
    form::{change, new},
    home::home,
    member::member,
    sign_in::sign_in,
    watch::{page_policy, watch_state},
};
pub(crate) use self::{form::address as form_address, sign_in::address as sign_in_address};
use super::Reply;
use crate::{base::error::Error, http::negotiate::Format, model::Model, request::action::Action};

/// The `Content-Security-Policy` of a page: it loads its style, its script, its images and its
/// fonts from this server, and nothing else (CSP 3).
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The `Referrer-Policy` of pages with forms. Without a referrer, a form of this server would have
/// the origin `null` (Fetch §3.1).
pub(super) const FORM_REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// The `Cache-Control` of a form, which may contain what a person has entered.
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// Builds the response with a form. It has the status of the error that it shows, if any.
fn page(model: &Model, action: &Action, content: String) -> Reply {
    let refused = action.page.as_ref().and_then(|page| page.refused.as_ref());
    let mut reply = Reply::new(refused.map_or(StatusCode::OK, |refused| refused.status));
    let media_type = HeaderValue::from_static(Format::Html.media_type());
    reply.headers.insert(header::CONTENT_TYPE, media_type);
    reply.headers.insert(header::CONTENT_SECURITY_POLICY, page_policy(model));
    reply.headers.insert(header::REFERRER_POLICY, FORM_REFERRER);
    reply.headers.insert(header::CACHE_CONTROL, NEVER);
    reply.body = content.into_bytes().into();
    reply.compressed(action).0
}

/// Renders a template.
fn render(model: &Model, template: &str, view: &impl Serialize) -> Result<String, Error> {
    model
        .pages
        .render(template, view)
        .map_err(|error| Error::internal(format!("the template `{template}` failed: {error:#}")))
}
