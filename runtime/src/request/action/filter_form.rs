//! The query string of the filter form of a web page. A form sends each of its inputs, also those
//! that were left empty.

use std::borrow::Cow;

use http::{Method, request::Parts};

use super::{
    ActionKind,
    parameter::{Parameter, decode},
};
use crate::{
    http::negotiate::Format,
    model::{Model, Op, ResourceModel},
    request::route::Redirect,
};

/// Returns the query string without the filters that were left empty. Returns `None` if there are
/// none, or if the response is not a web page. `accepted` is the format by `Accept`.
pub(super) fn without_empty(
    resource: &ResourceModel,
    head: &Parts,
    accepted: Format,
) -> Option<String> {
    let query = head.uri.query().filter(|_| [Method::GET, Method::HEAD].contains(&head.method))?;
    // Few queries have an empty parameter, so that the others are not parsed here.
    if !query.ends_with('=') && !query.contains("=&") {
        return None;
    }
    let is_page = query
        .split('&')
        .find_map(format_of)
        .map_or(accepted == Format::Html, |word| word == Format::Html.word());
    let (empty, rest): (Vec<_>, Vec<_>) =
        query.split('&').partition(|part| is_page && is_left_empty(resource, part));
    (!empty.is_empty()).then(|| rest.join("&"))
}

/// Redirects a request to another query of its path.
pub(super) fn redirect(model: &Model, head: &Parts, query: &str) -> ActionKind {
    let path = model.urls.below(head.uri.path()).unwrap_or_default();
    let query = Some(query).filter(|query| !query.is_empty());
    super::redirect(Redirect::with_query(model, path, query), &head.method)
}

/// The value of a parameter `format`, which may be percent-encoded.
fn format_of(part: &str) -> Option<Cow<'_, str>> {
    let (name, value) = part.split_once('=')?;
    decode(name).filter(|name| name == "format").and_then(|_| decode(value))
}

/// Whether a parameter is an input for a filter that was left empty. With another operator, such as
/// `eq` and `ne`, the empty string is a value, which the form keeps.
fn is_left_empty(resource: &ResourceModel, part: &str) -> bool {
    let Some((name, "")) = part.split_once('=') else { return false };
    let Some(whole) = decode(name) else { return false };
    let parameter = Parameter { whole, value: "".into(), has_plus: false };
    let Some((field, op)) = parameter.filter() else { return false };
    let Some(field) = resource.field(field).map(|ix| &resource[ix]) else { return false };
    let is_input = match op.map(Op::from_name) {
        None => true,
        Some(Some(op @ (Op::Contains | Op::Gte | Op::Lte))) => op.fits(field.kind),
        Some(_) => false,
    };
    is_input && field.visible() && field.filterable
}
