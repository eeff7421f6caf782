//! Error responses: `application/problem+json` (RFC 9457).

mod page;

use std::borrow::Cow;

use http::{HeaderValue, Method, header, request::Parts};
use serde::Serialize;

pub(super) use self::page::{kind, kinds};
use super::{
    FRAMING, Reply,
    browse::{form_address, sign_in_address},
    reason::reason,
    vary,
};
use crate::{
    base::{
        error::{Error, Fault, FaultAt, Kind},
        language::Language,
    },
    http::{
        audience::Audience,
        negotiate::{self, Format},
        request_id::{self, REQUEST_ID},
    },
    model::{Model, def::Operation, reference},
    request::{
        form::SubmittedForm,
        identify::bearer_challenge,
        route::{Target, has_sessions},
    },
};

/// The JSON members of a problem in the order of RFC 9457 §3.1, and the list of its single errors.
#[derive(Serialize)]
struct Problem<'error> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: Cow<'error, str>,
    instance: String,
    request_id: &'error str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FaultEntry<'error>>,
}

/// A single error of a problem, as in the validation example of RFC 9457 §3.
#[derive(Serialize)]
struct FaultEntry<'error> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'error str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'error str>,
    code: &'static str,
    detail: Cow<'error, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Cow<'error, str>>,
}

impl Reply {
    /// Builds the response to a request that failed: a problem in JSON, or an HTML page if the
    /// client prefers HTML.
    #[must_use]
    pub fn problem(model: &Model, error: &Error, head: &Parts) -> Self {
        let id = request_id::of(head);
        let (kind, path) = (error.kind(), head.uri.path());
        let language = error.language(negotiate::language(&head.headers));
        let text_language = language.unwrap_or_default();
        let problem = Problem {
            r#type: address(model, kind),
            title: title(model, kind, text_language),
            status: kind.status.as_u16(),
            detail: error.detail().in_language(text_language),
            instance: model
                .urls
                .below(path)
                .map_or_else(|| reference(path), |path| reference(&model.urls.link(path))),
            request_id: id.to_str().unwrap_or_default(),
            errors: error.faults().iter().map(|fault| entry(fault, text_language)).collect(),
        };
        let audience = Audience { language: text_language, ..Audience::of(head) };
        let is_shown = audience.for_people;
        let mut reply = if is_shown {
            let sign_in = (kind == Kind::UNAUTHENTICATED && has_sessions(model))
                .then(|| sign_in_address(model, &shown_after_sign_in(model, head)));
            page::error(model, kind, (&problem, sign_in.as_deref()), audience)
        } else {
            let mut reply = Self::document(kind.status, &problem);
            reply.headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
            reply
        };
        reply.statements = error.statements();
        reply.headers.insert(REQUEST_ID, id);
        reply.add_fields_of(model, error, is_shown);
        reply.in_language(language)
    }
}

impl Reply {
    /// Adds the header fields of an error. `is_shown` says whether a person sees the response.
    pub(crate) fn add_fields_of(&mut self, model: &Model, error: &Error, is_shown: bool) {
        let fields = error.headers().iter().filter(|(name, _)| !FRAMING.contains(name));
        self.headers.extend(fields.cloned());
        if is_shown && error.kind() == Kind::UNAUTHENTICATED && has_sessions(model) {
            self.ask_on_page(model);
        }
    }

    /// Removes the challenge for which a browser asks for a password by itself, in place of the
    /// page with the link to the form.
    fn ask_on_page(&mut self, model: &Model) {
        let name = header::WWW_AUTHENTICATE;
        let challenges = self.headers.get_all(&name).iter().cloned();
        let mut others: Vec<_> =
            challenges.filter(|one| !one.as_bytes().starts_with(b"Basic")).collect();
        if others.is_empty() {
            others.push(bearer_challenge(model));
        }
        self.headers.remove(&name);
        for challenge in others {
            self.headers.append(&name, challenge);
        }
    }

    /// Adds `Content-Language` if the language is known. Adds `Vary`, because a client with other
    /// preferences could get another response.
    fn in_language(mut self, language: Option<Language>) -> Self {
        if let Some(language) = language {
            self.headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.tag()));
        }
        vary(&mut self.headers, "accept, accept-language");
        self
    }
}

/// The path that a person sees after the sign-in: that of the request, or of the form that was
/// refused without it.
fn shown_after_sign_in(model: &Model, head: &Parts) -> String {
    let Some(form) = SubmittedForm::of(head) else { return model.urls.external(&head.uri) };
    match (form.next(), Target::find(model, &head.uri)) {
        (Some(next), _) => next.to_owned(),
        (None, Ok(Target::Collection(chain))) => form_address(model, &chain, None),
        (None, Ok(Target::Member(chain, id)))
            if head.method != Method::DELETE
                && model[chain.resource].def.methods.contains(Operation::Get) =>
        {
            form_address(model, &chain, Some(&id))
        }
        _ => model.urls.external(&head.uri),
    }
}

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static(Format::Problem.media_type());

/// Returns the URL of a kind's documentation page. Returns `about:blank` for a kind without a page.
/// It means that the problem says no more than its status (RFC 9457 §4.2.1).
pub(super) fn address(model: &Model, kind: Kind) -> String {
    if model.kind(kind.slug) != Some(kind) {
        return "about:blank".into();
    }
    model.urls.link(&format!("/-/problems/{}", kind.slug))
}

fn title(model: &Model, kind: Kind, language: Language) -> &'static str {
    match model.kind(kind.slug) {
        Some(declared) if declared == kind => kind.title_in(language),
        _ => reason(kind.status).unwrap_or(kind.title),
    }
}

fn entry(fault: &Fault, language: Language) -> FaultEntry<'_> {
    let (pointer, parameter) = match &fault.at {
        FaultAt::Pointer(pointer) => (Some(&**pointer), None),
        FaultAt::Parameter(name) => (None, Some(&**name)),
    };
    let hint = fault.hint.as_ref().map(|hint| hint.in_language(language));
    FaultEntry {
        pointer,
        parameter,
        code: fault.code,
        detail: fault.detail.in_language(language),
        hint,
    }
}
