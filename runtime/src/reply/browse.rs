//! The web pages of the home document, of collections and of members. A page is a representation
//! like JSON: it is made of the same action and of the same rows, and never queries by itself.

mod collection;
mod column;
mod diagram;
#[cfg(feature = "docs-page")]
mod docs;
mod file;
mod filter;
mod frame;
mod home;
mod member;
mod parameters;

use std::sync::LazyLock;

use http::HeaderValue;
use minijinja::{
    AutoEscape, Environment, Error as FormatError, Output, State, Value, escape_formatter,
    syntax::SyntaxConfig, value::Serde,
};
use serde::Serialize;

#[cfg(feature = "docs-page")]
pub(super) use self::docs::docs;
pub(super) use self::{collection::collection, file::file, home::home, member::member};
use super::html::escape;
use crate::{base::error::Error, http::page_file::TEMPLATES};

/// The `Content-Security-Policy` of a page: it loads its style, its script and its icon from this
/// server, and nothing else (CSP 3).
pub(super) const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
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
