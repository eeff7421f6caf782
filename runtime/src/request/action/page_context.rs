//! [`PageContext`]: what a web page is made of, beside the action and its rows.

use std::fmt;

use http::{StatusCode, header, request::Parts};

use super::{
    ActionKind, ResponsePreferences,
    form_body::{Inputs, inputs},
};
use crate::{
    base::error::{Error, Fault, FaultAt},
    http::{
        client::{Client, OverLoopback},
        request_head::authority,
    },
    model::Model,
    plan::Caller,
    request::{form::SubmittedForm, lookups::PageLookups},
};

/// The parameter of a form that says that a member was created.
pub(crate) const CREATED: &str = "created=true";

/// The information for a web page, beside the action and its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageContext {
    /// The scheme and the authority of the request, such as `http://localhost:8080`. No field of a
    /// proxy names the authority: a shared cache knows the URL alone, so a client that sends
    /// `X-Forwarded-Host` would set it for others, too.
    pub origin: Option<Box<str>>,
    /// The path and the query of the request.
    pub address: Box<str>,
    /// Whether the reader is on this machine. It is looked at only if the schema file is watched.
    pub is_local: bool,
    /// Whether the page of a member is the form that changes it.
    pub is_form: bool,
    /// Whether the form says that a member was created, whose page its reader may not see.
    pub is_after_creation: bool,
    /// The form that was refused, if the page shows it again.
    pub refused: Option<RefusedForm>,
    /// The labels and look-ups that the page adds to the read of the action.
    pub(crate) lookups: PageLookups,
}

/// A form that was refused: what was entered, and what is wrong.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusedForm {
    /// The status of the response.
    pub status: StatusCode,
    /// The general error message.
    pub detail: String,
    /// The messages about fields with a mistake.
    pub messages: Vec<FormMessage>,
    /// The inputs as they were entered.
    pub(crate) inputs: Inputs,
    /// The entity tag of the state that the form was made for.
    pub if_match: Option<String>,
}

/// The message about a field of a refused form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormMessage {
    /// The name of the field.
    pub field: String,
    /// A sentence about the field.
    pub text: String,
    /// Whether the sentence is about several fields together, each of which has it: those of a
    /// unique set.
    pub is_joint: bool,
}

/// The inputs may be secrets, so they are not printed.
impl fmt::Debug for RefusedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefusedForm")
            .field("status", &self.status)
            .field("detail", &self.detail)
            .finish_non_exhaustive()
    }
}

impl RefusedForm {
    /// Whether the member has changed since the form was made.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.status == StatusCode::PRECONDITION_FAILED
    }
}

impl PageContext {
    /// Finds what the page of an action adds, and asks for the labels of its rows.
    pub(crate) fn look_up(
        &mut self,
        model: &Model,
        (kind, caller): (&ActionKind, &Caller),
        wanted: &mut ResponsePreferences,
    ) {
        let rows = (self.is_form, wanted.fields.as_deref());
        self.lookups = PageLookups::of(model, kind, caller, rows);
        let labels = std::mem::take(&mut self.lookups.labels);
        wanted.related = (!labels.is_empty()).then(|| Box::new(labels.into()));
    }

    /// Returns the context of a request for a page.
    pub(super) fn of(model: &Model, head: &Parts) -> Self {
        let scheme = Client::of(head, &model.proxies).scheme;
        let authority = authority(&head.uri, &head.headers);
        let origin = authority.map(|authority| format!("{scheme}://{authority}").into());
        let address = model.urls.external(&head.uri).into();
        let is_local = OverLoopback::is_local(head);
        let mut parameters = head.uri.query().unwrap_or_default().split('&');
        let is_after_creation = parameters.any(|one| one == CREATED);
        Self { origin, address, is_local, is_after_creation, ..Self::default() }
    }

    /// Returns the context of the page that shows a refused form again.
    pub(crate) fn of_refused(
        model: &Model,
        head: &Parts,
        form: &SubmittedForm,
        error: &Error,
    ) -> Self {
        let message = |fault: &Fault| {
            let hint = fault.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
            let FaultAt::Pointer(pointer) = &fault.at else { return None };
            let name = pointer.strip_prefix('/')?.split('/').next()?;
            let field = name.replace("~1", "/").replace("~0", "~");
            let text = plain(&format!("{}{hint}", fault.detail));
            Some(FormMessage { field, text, is_joint: fault.code == "unique" })
        };
        let if_match = head.headers.get(header::IF_MATCH).and_then(|tag| tag.to_str().ok());
        let refused = RefusedForm {
            status: error.status(),
            detail: plain(&error.detail().to_string()),
            messages: error.faults().iter().filter_map(message).collect(),
            inputs: inputs(form.content()).unwrap_or_default(),
            if_match: if_match.map(str::to_owned),
        };
        Self { refused: Some(refused), ..Self::of(model, head) }
    }
}

/// Returns a text for people: without the quotes around names of the interface, and without the
/// types of JSON, which an input does not have.
fn plain(text: &str) -> String {
    text.replace('`', "").replace(", not a string", "")
}
