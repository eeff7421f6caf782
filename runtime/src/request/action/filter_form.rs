//! Requests that the filter form of a web page sends. A form sends each of its inputs, also those
//! that were left empty.

use std::borrow::Cow;

use http::{Method, request::Parts};

use super::{ActionKind, parameter::decode};
use crate::{http::negotiate::Format, model::Model, request::route::Redirect};

/// Returns a redirect to the URL without its empty parameters. Returns `None` if there are none, or
/// if the response is not a web page. `format` is the format by `Accept`.
pub(super) fn redirect(model: &Model, head: &Parts, format: Format) -> Option<ActionKind> {
    let query = head.uri.query().filter(|_| [Method::GET, Method::HEAD].contains(&head.method))?;
    // Few queries have an empty parameter, so that the others are not parsed here.
    if !query.ends_with('=') && !query.contains("=&") {
        return None;
    }
    let mut chosen = query.split('&').filter_map(format_of);
    let is_page = chosen.next().map_or(format == Format::Html, |word| word == Format::Html.word());
    if !is_page || !query.split('&').any(is_left_empty) {
        return None;
    }
    let rest: Vec<_> = query.split('&').filter(|part| !is_left_empty(part)).collect();
    let rest = Some(rest.join("&")).filter(|rest| !rest.is_empty());
    let to = Redirect::with_query(model, model.urls.below(head.uri.path())?, rest.as_deref());
    Some(super::redirect(to, &head.method))
}

/// The value of a parameter `format`, which may be percent-encoded.
fn format_of(part: &str) -> Option<Cow<'_, str>> {
    let (name, value) = part.split_once('=')?;
    decode(name).filter(|name| name == "format").and_then(|_| decode(value))
}

/// Whether a parameter is an input that was left empty. The form asks for the empty string with the
/// operator `eq`, which none of its other inputs has.
fn is_left_empty(part: &str) -> bool {
    part.strip_suffix('=').is_some_and(|name| {
        !name.is_empty()
            && !name.contains('=')
            && decode(name).is_none_or(|name| !name.ends_with("[eq]"))
    })
}
