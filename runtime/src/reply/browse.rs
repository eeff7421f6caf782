//! The web pages of the home document, of collections and of members. A page is a representation
//! like JSON: it is made of the same action and of the same rows, and never queries by itself.

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
mod reference;
mod sign_in;
mod watch;

use std::sync::LazyLock;

use http::{HeaderValue, StatusCode, header};
use minijinja::{
    AutoEscape, Environment, Error as FormatError, Output, State, Value, escape_formatter,
    syntax::SyntaxConfig, value::Serde,
};
use serde::Serialize;

#[cfg(feature = "docs-page")]
pub(super) use self::docs::docs;
pub(super) use self::{
    collection::collection,
    file::file,
    form::{change, new},
    home::home,
    member::member,
    sign_in::{address as sign_in_address, sign_in},
    watch::{page_policy, watch_state},
};
use super::{Reply, html::escape};
use crate::{
    base::error::Error,
    http::{negotiate::Format, page_file::TEMPLATES},
    model::Model,
    request::action::Action,
};

/// The `Content-Security-Policy` of a page: it loads its style, its script and its icon from this
/// server, and nothing else (CSP 3).
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The compiled templates. Values in them are escaped for HTML, by the names of the templates.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual delimiters are valid"));
    environment.set_formatter(format);
    for &(name, text) in TEMPLATES {
        environment.add_template(name, text).expect("a test compiles every embedded template");
    }
    environment
});

/// Writes a value of a template. Texts are escaped for HTML as in all pages. The engine would
/// escape slashes, too, which a page has many of.
fn format(
    output: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), FormatError> {
    match value.as_str().filter(|_| *state.auto_escape() == AutoEscape::Html && !value.is_safe()) {
        Some(text) => escape(output, text).map_err(FormatError::from),
        None => escape_formatter(output, state, value),
    }
}

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
fn render(template: &str, view: &impl Serialize) -> Result<String, Error> {
    let failed = |error: minijinja::Error| {
        Error::internal(format!("the template `{template}` failed: {error:#}"))
    };
    ENVIRONMENT
        .get_template(template)
        .and_then(|template| template.render(Serde(view)))
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_compiles() {
        for (name, _) in TEMPLATES {
            assert!(ENVIRONMENT.get_template(name).is_ok(), "{name}");
        }
    }
}
