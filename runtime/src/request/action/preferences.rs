//! How an answer is wanted: what the client accepts and prefers (RFC 9110 §12, RFC 7240).

use std::sync::Arc;

use http::{HeaderMap, Method, header, request::Parts};

use crate::{
    base::error::{Error, Kind, text},
    http::{
        idempotency_key::IDEMPOTENCY_KEY,
        negotiate::{self, Coding, Codings, Format},
        prefer::{self, ReturnPreference},
    },
    model::{FieldIx, Model},
    plan::validator::Form,
};

use super::ActionKind;

/// How an answer is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsePreferences {
    /// In which format.
    pub format: Format,
    /// Whether the client accepts none of the formats that there are: then nothing is done.
    pub accepts_none: bool,
    /// In which codings.
    pub codings: Codings,
    /// What of each member; all of it where nothing is said.
    pub fields: Option<Arc<[FieldIx]>>,
    /// Whether without content: HEAD.
    pub bare: bool,
    /// Whether with what was written, or without; nothing where the client does not say.
    pub content: Option<ReturnPreference>,
}

impl ResponsePreferences {
    /// JSON as it is: what is wanted where nobody says more.
    pub const PLAIN: Self = Self {
        format: Format::Json,
        accepts_none: false,
        codings: Codings::IDENTITY,
        fields: None,
        bare: false,
        content: None,
    };

    /// Reads what a request for a resource accepts.
    pub(super) fn parse(Parts { headers, method, .. }: &Parts) -> Self {
        // What they answer has one form, or none.
        if [Method::DELETE, Method::OPTIONS, Method::TRACE].contains(method) {
            return Self::PLAIN;
        }
        let format = negotiate::format(headers, &Format::OF_MEMBERS);
        // What has a key may have been done already: a refusal would say that it was not.
        let may_be_done = || *method == Method::POST && headers.contains_key(IDEMPOTENCY_KEY);
        Self {
            format: format.unwrap_or(Format::Json),
            accepts_none: format.is_none() && !may_be_done(),
            codings: Codings::of(headers),
            fields: None,
            bare: *method == Method::HEAD,
            content: if method.is_safe() { None } else { prefer::content(headers) },
        }
    }
}

impl ResponsePreferences {
    /// The coding of the answer's content. Who accepts none at all gets it as it is (RFC 9110
    /// §12.5.3).
    pub(crate) fn coding(&self, is_small: bool) -> Coding {
        self.codings.best(is_small).unwrap_or(Coding::Identity)
    }
}

/// Says which formats there are (RFC 9110 §15.5.7).
pub(crate) fn unacceptable(headers: &HeaderMap) -> Error {
    // Without its parameters, which nobody asks for.
    let bare = |format: &Format| format.media_type().split(';').next().unwrap_or_default();
    let offered = Format::OF_MEMBERS.iter().map(bare).collect::<Vec<_>>().join(", ");
    let accept =
        headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let accept = crate::base::error::excerpt(accept);
    Error::new(
        Kind::NOT_ACCEPTABLE,
        text!("No representation matches `{accept}`; available are: {offered}.", accept, offered),
    )
}

impl ActionKind {
    /// Whether the answer is a document about the interface itself, which is not made of rows.
    pub(super) const fn is_document(&self) -> bool {
        matches!(self, Self::Home | Self::Problems(_) | Self::Problem { .. } | Self::Describe(_))
    }

    /// What validators say of the answer, where it is the representation of a member, a collection
    /// or a document of ours.
    pub(super) fn form(&self, model: &Model, wanted: &ResponsePreferences) -> Form {
        match self {
            Self::List { .. } => Form::collection(wanted.format),
            Self::Problems(audience) | Self::Problem { audience, .. } => {
                Form::collection(audience.format())
            }
            Self::Home => Form::collection(Format::Json),
            _ => Form::member(model, wanted.format, wanted.fields.as_deref()),
        }
    }
}
