//! Errors as clients see them: `application/problem+json` (RFC 9457).

use serde::Serialize;

use super::{FRAMING, Reply};
use crate::{
    error::{Error, Fault, FaultAt, Kind},
    model::Model,
};

/// The members of RFC 9457 §3.1 in its order, and our list of faults.
#[derive(Serialize)]
struct Problem<'error> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    instance: String,
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
    /// The answer to a request that failed.
    #[must_use]
    pub fn problem(model: &Model, error: &Error, path: &str) -> Self {
        let kind = error.kind();
        let problem = Problem {
            r#type: address(model, kind),
            title: title(model, kind),
            status: kind.status.as_u16(),
            detail: error.to_string(),
            instance: model.urls.below(path).map_or_else(|| path.to_owned(), |path| model.urls.link(path)),
            errors: error.list().iter().map(entry).collect(),
        };
        let mut reply = Self::document(kind.status, &problem);
        reply.statements = error.statements();
        reply.headers.insert(http::header::CONTENT_TYPE, PROBLEM_JSON);
        let fields = error.headers().iter().filter(|(name, _)| !FRAMING.contains(name));
        reply.headers.extend(fields.cloned());
        reply
    }
}

const PROBLEM_JSON: http::HeaderValue = http::HeaderValue::from_static("application/problem+json");

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

/// The page of a kind of problem.
#[derive(Serialize)]
pub(super) struct Page {
    r#type: String,
    title: &'static str,
    status: u16,
    meaning: &'static str,
}

impl Page {
    pub(super) fn of(model: &Model, kind: Kind) -> Self {
        Self {
            r#type: address(model, kind),
            title: kind.title,
            status: kind.status.as_u16(),
            meaning: kind.meaning,
        }
    }
}

/// The pages of every kind of problem.
#[derive(Serialize)]
pub(super) struct Pages {
    items: Vec<Page>,
}

impl Pages {
    pub(super) fn all(model: &Model) -> Self {
        Self { items: model.kinds().map(|kind| Page::of(model, kind)).collect() }
    }
}
