//! Errors as clients see them: `application/problem+json` (RFC 9457).

mod page;

use http::{HeaderMap, HeaderValue, header, request::Parts};
use serde::Serialize;

pub(super) use self::page::{kind, kinds};
use super::{FRAMING, Reply, vary};
use crate::{
    error::{Error, Fault, FaultAt, Kind},
    model::Model,
    negotiate::{self, Format},
    request_id::{self, REQUEST_ID},
};

/// The members of RFC 9457 §3.1 in its order, and our list of faults.
#[derive(Serialize)]
struct Problem<'error> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    instance: String,
    request_id: &'error str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Entry<'error>>,
}

/// A fault in the form of RFC 9457 §3 (the example of its validation problem).
#[derive(Serialize)]
struct Entry<'error> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'error str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'error str>,
    code: &'static str,
    detail: &'error str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'error str>,
}

impl Reply {
    /// The answer to a request that failed: JSON, or a page for people where they are who asks.
    #[must_use]
    pub fn problem(model: &Model, error: &Error, head: &Parts) -> Self {
        let id = request_id::of(head);
        let (kind, path) = (error.kind(), head.uri.path());
        let problem = Problem {
            r#type: address(model, kind),
            title: title(model, kind),
            status: kind.status.as_u16(),
            detail: error.to_string(),
            instance: model.urls.below(path).map_or_else(|| path.to_owned(), |path| model.urls.link(path)),
            request_id: id.to_str().unwrap_or_default(),
            errors: error.list().iter().map(entry).collect(),
        };
        let mut reply = if is_for_people(&head.headers) {
            page::error(model, kind, &problem)
        } else {
            let mut reply = Self::document(kind.status, &problem);
            reply.headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
            reply
        };
        reply.statements = error.statements();
        reply.headers.insert(REQUEST_ID, id);
        let fields = error.headers().iter().filter(|(name, _)| !FRAMING.contains(name));
        reply.headers.extend(fields.cloned());
        vary(&mut reply.headers, "accept");
        reply
    }
}

/// Whether HTML is asked for before JSON. An error is never refused for what is asked for (RFC 9457 §3), and who names
/// its media type is a program.
pub(crate) fn is_for_people(headers: &HeaderMap) -> bool {
    let names = |accept: &HeaderValue| accept.to_str().is_ok_and(|accept| accept.contains("problem+json"));
    negotiate::format(headers, &[Format::Json, Format::Html]) == Some(Format::Html)
        && !headers.get_all(header::ACCEPT).iter().any(names)
}

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The page of a kind; one that has none says no more than its status (RFC 9457 §4.2.1).
fn address(model: &Model, kind: Kind) -> String {
    if model.kind(kind.slug) != Some(kind) {
        return "about:blank".into();
    }
    model.urls.link(&format!("/-/problems/{}", kind.slug))
}

fn title(model: &Model, kind: Kind) -> &'static str {
    match model.kind(kind.slug) {
        Some(known) if known == kind => kind.title,
        _ => kind.status.canonical_reason().unwrap_or(kind.title),
    }
}

fn entry(fault: &Fault) -> Entry<'_> {
    let (pointer, parameter) = match &fault.at {
        FaultAt::Pointer(pointer) => (Some(&**pointer), None),
        FaultAt::Parameter(name) => (None, Some(&**name)),
    };
    Entry { pointer, parameter, code: fault.code, detail: &fault.detail, hint: fault.hint.as_deref() }
}
