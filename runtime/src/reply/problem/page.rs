//! The documentation of the kinds of problems, as JSON and as HTML, and the HTML page of an error.

use http::StatusCode;
use serde::Serialize;

use super::{FaultEntry as Fault, Problem, address};
use crate::{
    base::{error::Kind, language::Language},
    http::audience::Audience,
    model::Model,
    reply::{
        Reply,
        html::{HtmlPage, ListItem},
    },
};

/// The documentation of one kind of problem.
#[derive(Serialize)]
struct KindDescription {
    r#type: String,
    title: &'static str,
    status: u16,
    meaning: &'static str,
}

/// The documentation of all kinds of problems.
#[derive(Serialize)]
struct KindDescriptions {
    items: Vec<KindDescription>,
}

impl KindDescription {
    fn of(model: &Model, kind: Kind, language: Language) -> Self {
        let (title, meaning) = (kind.title_in(language), kind.meaning_in(language));
        Self { r#type: address(model, kind), title, status: kind.status.as_u16(), meaning }
    }
}

/// Builds the response that documents one kind of problem.
pub(in crate::reply) fn kind(model: &Model, kind: Kind, audience: Audience) -> Reply {
    // The language of the texts of a custom kind is not known.
    let known_language = kind.is_ours().then_some(audience.language);
    let language = known_language.unwrap_or_default();
    let meaning = KindDescription::of(model, kind, language);
    if !audience.for_people {
        return Reply::document(StatusCode::OK, &meaning).in_language(known_language);
    }
    let page = page(model, meaning.title, Audience { language, ..audience });
    let page = page.headed(Some(meaning.status), meaning.title);
    let all = language.says("All kinds of problems");
    let page = page.paragraph(meaning.meaning).link(&model.urls.link("/-/problems"), all);
    Reply::html(StatusCode::OK, page).in_language(known_language)
}

/// Builds the response that documents all kinds of problems.
pub(in crate::reply) fn kinds(model: &Model, audience: Audience) -> Reply {
    let language = audience.language;
    let items: Vec<_> =
        model.kinds().map(|kind| KindDescription::of(model, kind, language)).collect();
    if !audience.for_people {
        return Reply::document(StatusCode::OK, &KindDescriptions { items })
            .in_language(Some(language));
    }
    let entry = |one: &KindDescription| {
        ListItem::linked(&one.r#type, &format!("{} {}", one.status, one.title), one.meaning)
    };
    let title = language.says("Problems");
    let page = page(model, title, audience).headed(None, title);
    let page =
        page.paragraph(language.says("What the errors of this interface mean, and what to do."));
    Reply::html(StatusCode::OK, page.list(items.iter().map(entry))).in_language(Some(language))
}

/// Builds the HTML page of an error.
pub(super) fn error(
    model: &Model,
    kind: Kind,
    (problem, sign_in): (&Problem<'_>, Option<&str>),
    audience: Audience,
) -> Reply {
    let language = audience.language;
    let mut page = page(model, problem.title, audience).headed(Some(problem.status), problem.title);
    page = page.paragraph(&problem.detail);
    if let Some(sign_in) = sign_in {
        page = page.link(sign_in, language.says("Sign in"));
    }
    if !problem.errors.is_empty() {
        let faults = problem.errors.iter().map(|one| fault(one, language));
        page = page.section(language.says("Faults")).list(faults);
    }
    if model.kind(kind.slug) == Some(kind) {
        page = page.section(language.says("What it means")).paragraph(kind.meaning_in(language));
        page = page.link(&problem.r#type, language.says("More about this kind of problem"));
    }
    let facts = [
        ("URL", problem.instance.clone()),
        (language.says("Request id"), problem.request_id.to_owned()),
    ];
    Reply::html(kind.status, page.facts(facts))
}

fn page(model: &Model, title: &str, audience: Audience) -> HtmlPage {
    let diagnostic = model.watch.diagnostic_for(audience.is_local);
    HtmlPage::new(title, model.api.title, &model.urls.link("/"), audience.language)
        .diagnosed(diagnostic.as_deref().map(String::as_str))
}

fn fault(fault: &Fault<'_>, language: Language) -> ListItem {
    let place = fault.pointer.or(fault.parameter).unwrap_or_default();
    // An empty JSON Pointer stands for the whole document (RFC 6901 §5).
    let place = if place.is_empty() { language.says("(the body)") } else { place };
    let hint = fault.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    ListItem::of(place, &[&fault.detail, &*hint].concat())
}
