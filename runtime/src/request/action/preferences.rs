//! The formats, compression and content that a client accepts and prefers (RFC 9110 §12, RFC 7240).

use std::sync::Arc;

use http::{Method, header, request::Parts};

use crate::{
    base::error::{Error, Kind, text},
    http::{
        idempotency_key::IDEMPOTENCY_KEY,
        negotiate::{self, Coding, Codings, Format},
        prefer::{self, ReturnPreference},
    },
    model::{FieldIx, Model, RelatedRequest},
    plan::{Caller, validator::Form},
    request::form::SubmittedForm,
};

use super::{ActionKind, format};

/// The client's preferences for a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponsePreferences {
    /// The format of the response.
    pub format: Format,
    /// Whether the URL chooses the format, so that it does not depend on `Accept`.
    pub is_format_chosen: bool,
    /// Whether the client accepts none of the available formats. Then the request is not executed.
    pub accepts_none: bool,
    /// The content codings that the client accepts.
    pub codings: Codings,
    /// The fields that the response contains for each member; `None` means all fields.
    pub fields: Option<Arc<[FieldIx]>>,
    /// The related rows that the response contains with each member, if there are any.
    pub related: Option<Box<RelatedRequest>>,
    /// Whether the response must have no content, because the method is HEAD.
    pub bare: bool,
    /// Whether the response to a write contains the written member; `None` if the client has no
    /// preference.
    pub content: Option<ReturnPreference>,
}

impl ResponsePreferences {
    /// The default preferences: uncompressed JSON with all fields.
    pub const PLAIN: Self = Self {
        format: Format::Json,
        is_format_chosen: false,
        accepts_none: false,
        codings: Codings::IDENTITY,
        fields: None,
        related: None,
        bare: false,
        content: None,
    };

    /// Reads the preferences from the head of a request for a resource.
    pub(super) fn parse(head: &Parts) -> Self {
        let Parts { headers, method, .. } = head;
        // Responses to these methods have only one format, or no content.
        if [Method::DELETE, Method::OPTIONS, Method::TRACE].contains(method) {
            return Self::PLAIN;
        }
        // The response to a form that a person has submitted is a redirect.
        if SubmittedForm::of(head).is_some() {
            return Self { content: Some(ReturnPreference::Minimal), ..Self::PLAIN };
        }
        let format = negotiate::format(headers, offered(method));
        // A request with an `Idempotency-Key` may have been executed before. A 406 would wrongly
        // say that it was not.
        let may_be_done = || *method == Method::POST && headers.contains_key(IDEMPOTENCY_KEY);
        Self {
            format: format.unwrap_or(Format::Json),
            is_format_chosen: false,
            accepts_none: format.is_none() && !may_be_done(),
            codings: Codings::of(headers),
            fields: None,
            related: None,
            bare: *method == Method::HEAD,
            content: if method.is_safe() { None } else { prefer::content(headers) },
        }
    }
}

impl ResponsePreferences {
    /// Reads the preferences from the head of a request for a form, which is a page.
    pub(super) fn of_page(head: &Parts) -> Self {
        let mut wanted = Self::parse(head);
        wanted.choose(Some(Format::Html));
        wanted
    }

    /// Reads the preferences from the head of a request for the home document. It is sent in JSON
    /// if the client accepts neither format.
    pub(super) fn of_home(head: &Parts) -> Result<Self, Error> {
        let accepted = negotiate::format(&head.headers, &Format::OF_HOME);
        let mut wanted = Self { format: accepted.unwrap_or(Format::Json), ..Self::PLAIN };
        wanted.choose(format::of_home(head.uri.query())?);
        Ok(wanted)
    }

    /// Sets the format to the one that the query string chooses, if it does. `Accept` then does not
    /// matter.
    pub(crate) const fn choose(&mut self, format: Option<Format>) {
        if let Some(format) = format {
            (self.format, self.is_format_chosen, self.accepts_none) = (format, true, false);
        }
    }

    /// Whether the response to a write has no member.
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self.content, Some(ReturnPreference::Minimal | ReturnPreference::Withheld))
    }

    /// Removes what a caller without the scope `read` may not have from the response to a write.
    /// Only the ids of a posted array are left.
    pub(super) fn withhold(&mut self, kind: &ActionKind) {
        match kind {
            ActionKind::Create { many: true, .. } => {
                (self.content, self.fields) = (None, Some([FieldIx::ID].into()));
            }
            _ => self.content = Some(ReturnPreference::Withheld),
        }
    }

    /// The content coding of the response. If the client refuses every coding, the content is not
    /// compressed (RFC 9110 §12.5.3).
    pub(crate) fn coding(&self, is_small: bool) -> Coding {
        self.codings.best(is_small).unwrap_or(Coding::Identity)
    }
}

/// The formats of responses to a method on members and collections.
fn offered(method: &Method) -> &'static [Format] {
    let is_write = [Method::POST, Method::PUT, Method::PATCH].contains(method);
    if is_write { &Format::OF_WRITES } else { &Format::OF_MEMBERS }
}

/// The error 406, which lists the available formats (RFC 9110 §15.5.7).
pub(crate) fn unacceptable(Parts { headers, method, .. }: &Parts) -> Error {
    // The list has no media type parameters, because clients do not send them.
    let bare = |format: &Format| format.media_type().split(';').next().unwrap_or_default();
    let offered = offered(method).iter().map(bare).collect::<Vec<_>>().join(", ");
    let accept =
        headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let accept = crate::base::error::excerpt(accept);
    Error::new(
        Kind::NOT_ACCEPTABLE,
        text!("No representation matches `{accept}`; available are: {offered}.", accept, offered),
    )
}

impl ActionKind {
    /// Whether the response is a built-in document, which contains no rows.
    pub(super) const fn is_document(&self) -> bool {
        matches!(
            self,
            Self::Home
                | Self::OpenApi
                | Self::Docs
                | Self::Metrics
                | Self::Problems(_)
                | Self::Problem { .. }
                | Self::PageFile(_)
                | Self::Describe(_)
        )
    }

    /// The form of the response's validators. For a member it depends on the format, the selected
    /// fields and the related rows, otherwise only on the format. `passes` says whether the
    /// response passes rows besides those of its place.
    pub(super) fn form(
        &self,
        model: &Model,
        (wanted, passes): (&ResponsePreferences, bool),
        caller: &Caller,
    ) -> Form {
        match self {
            Self::List { .. } => Form::collection(wanted.format),
            Self::Problems(audience) | Self::Problem { audience, .. } => {
                Form::collection(audience.format())
            }
            Self::Home => Form::collection(wanted.format),
            Self::OpenApi => Form::collection(Format::Json),
            Self::Docs | Self::PageFile(_) => Form::collection(Format::Html),
            _ => {
                let form = Form::member(model, wanted.format, wanted.fields.as_deref());
                // The links of a page lead to what its reader may read.
                let form = match wanted.format {
                    Format::Html => form.of_reader(caller.rules(model), caller.page_number()),
                    _ => form,
                };
                if passes { form.passing(wanted.related.as_deref()) } else { form }
            }
        }
    }
}
