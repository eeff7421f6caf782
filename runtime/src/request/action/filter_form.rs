//! Requests that the filter form of a web page sends. A form sends each of its inputs, also those
//! that were left empty.

use http::{Method, request::Parts};

use super::ActionKind;
use crate::{http::negotiate::Format, model::Model, request::route::Redirect};

/// Returns a redirect to the URL without its empty parameters. Returns `None` if there are none, or
/// if the response is not a web page. `format` is the format by `Accept`.
pub(super) fn redirect(model: &Model, head: &Parts, format: Format) -> Option<ActionKind> {
    let query = head.uri.query().filter(|_| [Method::GET, Method::HEAD].contains(&head.method))?;
    // Few queries have an empty parameter, so that the others are not parsed here.
    if !query.ends_with('=') && !query.contains("=&") {
        return None;
    }
    let mut chosen = query.split('&').filter_map(|part| part.strip_prefix("format="));
    let is_page = chosen.next().map_or(format == Format::Html, |word| word == Format::Html.word());
    let is_empty = |part: &&str| part.find('=').is_some_and(|at| at > 0 && at + 1 == part.len());
    if !is_page || !query.split('&').any(|part| is_empty(&part)) {
        return None;
    }
    let rest: Vec<_> = query.split('&').filter(|part| !is_empty(part)).collect();
    let rest = Some(rest.join("&")).filter(|rest| !rest.is_empty());
    let to = Redirect::with_query(model, model.urls.below(head.uri.path())?, rest.as_deref());
    Some(super::redirect(to, &head.method))
}
