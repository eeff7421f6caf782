//! The web pages of the home document, of collections and of members. A page is a representation
//! like JSON: it is made of the same action and of the same rows, and never queries by itself.

mod collection;
mod column;
mod diagram;
mod filter;
mod frame;
mod home;
mod member;
mod parameters;

use std::sync::LazyLock;

use http::{HeaderValue, StatusCode, header};
use minijinja::{
    AutoEscape, Environment, Error as FormatError, Output, State, Value, escape_formatter,
    syntax::SyntaxConfig, value::Serde,
};
use serde::Serialize;

pub(super) use self::{collection::collection, home::home, member::member};
use super::{Reply, html::escape};
use crate::{
    base::error::Error,
    http::page_file::{PageFile, TEMPLATES},
};

/// The `Content-Security-Policy` of a page: it loads its style, its script and its icon from this
/// server, and nothing else (CSP 3).
pub(super) const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The `Cache-Control` of a file whose URL contains a hash of its content (RFC 8246).
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The compiled templates. Values in them are escaped for HTML, by the names of the templates.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual delimiters are valid"));
    environment.set_formatter(format);
    for (name, text) in TEMPLATES {
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

/// Builds the response with a file of the pages.
pub(super) fn file(file: &PageFile) -> Reply {
    let mut reply = Reply::new(StatusCode::OK);
    reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    reply.headers.insert(header::CACHE_CONTROL, FOR_EVER);
    reply.body = file.content.as_bytes().to_vec().into();
    reply
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
