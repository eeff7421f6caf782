//! What a kind of problem means, and an error, each as JSON and as a page for people.

use http::StatusCode;
use serde::Serialize;

use super::{Entry as Fault, Problem, address};
use crate::{
    error::Kind,
    model::Model,
    reply::{
        Reply,
        html::{Entry, Page},
        vary,
    },
};

/// A kind of problem.
#[derive(Serialize)]
struct Meaning {
    r#type: String,
    title: &'static str,
    status: u16,
    meaning: &'static str,
}

/// Every kind of problem.
#[derive(Serialize)]
struct Meanings {
    items: Vec<Meaning>,
}

impl Meaning {
    fn of(model: &Model, kind: Kind) -> Self {
        let status = kind.status.as_u16();
        Self { r#type: address(model, kind), title: kind.title, status, meaning: kind.meaning }
    }
}

/// What a kind of problem means.
pub(in crate::reply) fn kind(model: &Model, kind: Kind, for_people: bool) -> Reply {
    let meaning = Meaning::of(model, kind);
    if !for_people {
        return negotiated(Reply::document(StatusCode::OK, &meaning));
    }
    let page = page(model, meaning.title).headed(Some(meaning.status), meaning.title);
    let page = page.paragraph(meaning.meaning).link(&model.urls.link("/-/problems"), "All kinds of problems");
    negotiated(Reply::html(StatusCode::OK, page))
}

/// What every kind of problem means.
pub(in crate::reply) fn kinds(model: &Model, for_people: bool) -> Reply {
    let items: Vec<_> = model.kinds().map(|kind| Meaning::of(model, kind)).collect();
    if !for_people {
        return negotiated(Reply::document(StatusCode::OK, &Meanings { items }));
    }
    let entry =
        |one: &Meaning| Entry::linked(&one.r#type, &format!("{} {}", one.status, one.title), one.meaning);
    let page = page(model, "Problems").headed(None, "Problems");
    let page = page.paragraph("What an error of this interface can mean, and what to do.");
    negotiated(Reply::html(StatusCode::OK, page.list(items.iter().map(entry))))
}

/// An error, for people.
pub(super) fn error(model: &Model, kind: Kind, problem: &Problem<'_>) -> Reply {
    let mut page = page(model, problem.title).headed(Some(problem.status), problem.title);
    page = page.paragraph(&problem.detail);
    if !problem.errors.is_empty() {
        page = page.section("Faults").list(problem.errors.iter().map(fault));
    }
    if model.kind(kind.slug) == Some(kind) {
        page = page.section("What it means").paragraph(kind.meaning);
        page = page.link(&problem.r#type, "More about this kind of problem");
    }
    let facts = [("URL", problem.instance.clone()), ("Request id", problem.request_id.to_owned())];
    Reply::html(kind.status, page.facts(facts))
}

fn page(model: &Model, title: &str) -> Page {
    Page::new(title, model.api.title, &model.urls.link("/"))
}

fn fault(fault: &Fault<'_>) -> Entry {
    let place = fault.pointer.or(fault.parameter).unwrap_or_default();
    // The pointer of a whole document is empty (RFC 6901 §5).
    let place = if place.is_empty() { "(the body)" } else { place };
    let hint = fault.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
    Entry::of(place, &[fault.detail, &hint].concat())
}

/// Says that another `Accept` could have had another answer.
fn negotiated(mut reply: Reply) -> Reply {
    vary(&mut reply.headers, "accept");
    reply
}
