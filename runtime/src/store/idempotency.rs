//! Idempotent requests (`Idempotency-Key`). The first response to an idempotent request is stored
//! in the transaction of its write.

use std::borrow::Cow;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::answer_sizes::AnswerSizes;
use crate::{
    base::error::Error,
    http::{http_date::Second, negotiate::Format},
    model::{
        FieldIx, Model,
        def::FieldKind,
        value::{Value, seconds_now},
    },
    plan::{FirstResponse, Outcome, Refusal, idempotency::IdempotentRequest, validator::NO_TAG},
};

/// The largest number of expired responses that are deleted when a new one is stored. The limit
/// keeps each write short, and is high enough that expired responses do not accumulate.
pub(super) const SWEPT_MAX: u32 = 16;

/// A stored response to an idempotent request. In the database, the row of the response also has
/// columns for the time, the `Idempotency-Key`, and the key's scope (caller, method and URL).
#[derive(Clone, Debug)]
pub(crate) struct StoredAnswer<'a> {
    /// The digest of the body of the first request, if it is that of the new request. Else it is a
    /// MAC, which equals no digest.
    pub(super) request: Cow<'a, [u8]>,
    /// The ids and revisions of the created members, as JSON.
    pub(super) written: String,
    /// The value of `Last-Modified` in seconds since 1970, or `None` if the response has no such
    /// field.
    pub(super) modified: Option<i64>,
    /// The name of the format of the content, or `None` if there is no content.
    pub(super) format: Option<Cow<'a, str>>,
    /// The content of the response.
    pub(super) content: Cow<'a, [u8]>,
    /// The fingerprint of the declaration that the response was rendered with. Under another
    /// declaration a response may have other fields.
    pub(super) declaration: String,
}

impl<'a> StoredAnswer<'a> {
    /// Builds the stored form of the response to an idempotent request.
    pub(super) fn new(
        model: &Model,
        once: &'a IdempotentRequest,
        written: &[(Value, u64)],
        modified: Option<Second>,
        rendered: Option<(Format, &'a [u8])>,
    ) -> Self {
        let (format, content) =
            rendered.map_or((None, &[][..]), |(format, rendered)| (Some(format.word()), rendered));
        Self {
            request: Cow::Borrowed(&once.request),
            written: spell_ids(model[once.resource][FieldIx::ID].kind, written),
            modified: modified.map(|second| second.0.cast_signed()),
            format: format.map(Cow::Borrowed),
            content: Cow::Borrowed(content),
            declaration: declaration(model, once),
        }
    }

    /// The number of bytes that the stored response takes, beside its key.
    pub(super) fn bytes(&self) -> usize {
        self.content.len() + self.written.len()
    }

    /// The status and the `Location` alone, of a response that takes too much. No validator is
    /// stored, because the content is not.
    pub(super) fn reduced(&self, kind: FieldKind) -> Self {
        let written = read_ids(kind, &self.written).unwrap_or_default();
        let first = written.into_iter().take(1).map(|(id, _)| (id, NO_TAG)).collect::<Vec<_>>();
        Self {
            request: self.request.clone(),
            written: spell_ids(kind, &first),
            modified: None,
            format: None,
            content: Cow::Borrowed(&[]),
            declaration: self.declaration.clone(),
        }
    }

    /// Records that the first request had the same body as this one.
    pub(super) fn of(self, once: &IdempotentRequest) -> Self {
        Self { request: Cow::Owned(once.request.to_vec()), ..self }
    }

    /// Returns the outcome for a later request with the same key. The outcome is a refusal if the
    /// body differs from that of the first request.
    pub(super) fn outcome(self, model: &Model, once: &IdempotentRequest) -> Result<Outcome, Error> {
        if *self.request != once.request {
            return Ok(Outcome::Refused(Refusal::Reused));
        }
        let shown_now = self.declaration == declaration(model, once);
        let first = self.first(model[once.resource][FieldIx::ID].kind);
        let first = first.ok_or_else(|| {
            Error::internal("the stored response to an idempotent request cannot be parsed")
        })?;
        Ok(Outcome::Repeated(if shown_now { first } else { first.bare() }))
    }

    fn first(self, kind: FieldKind) -> Option<FirstResponse> {
        let content = match &self.format {
            Some(word) => Some((Format::from_word(word)?, self.content.into_owned())),
            None => None,
        };
        let modified =
            self.modified.map(|seconds| u64::try_from(seconds).map(Second)).transpose().ok()?;
        read_ids(kind, &self.written).map(|written| FirstResponse { written, modified, content })
    }
}

/// Returns the response to store: the whole one, or a part of it if the caller has reached its
/// limit. `count` asks the database for the size of all stored responses of the caller.
///
/// # Errors
/// Those of `count`.
pub(super) fn admitted<'a, E>(
    sizes: &AnswerSizes,
    model: &Model,
    once: &IdempotentRequest,
    answer: &'a StoredAnswer<'a>,
    count: impl FnOnce() -> Result<u64, E>,
) -> Result<Cow<'a, StoredAnswer<'a>>, E> {
    if sizes.admit(once.caller(), answer.bytes(), count)? {
        return Ok(Cow::Borrowed(answer));
    }
    Ok(Cow::Owned(answer.reduced(model[once.resource][FieldIx::ID].kind)))
}

/// Returns the time before which stored responses have expired, in seconds since 1970.
pub(super) fn oldest(model: &Model) -> i64 {
    seconds_now() - i64::from(model.api.server.idempotency_keep_seconds)
}

/// Returns what is stored of the body of a request: a MAC of its digest with the secret of the
/// database. So nobody who reads a backup can guess a body, such as one with a password.
pub(super) fn mac(secret: &[u8], once: &IdempotentRequest) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
    mac.chain_update(once.request).finalize().into_bytes().into()
}

/// The declaration, the access rules and the scopes that decide which fields a response has.
fn declaration(model: &Model, once: &IdempotentRequest) -> String {
    let bare = if once.is_bare { "-bare" } else { "" };
    match once.rules {
        0 => format!("{:016x}{bare}", model.fingerprint),
        rules => format!("{:016x}-{rules}{bare}", model.fingerprint),
    }
}

/// Formats ids and revisions as a JSON array of pairs.
fn spell_ids(kind: FieldKind, written: &[(Value, u64)]) -> String {
    let written: Vec<_> = written.iter().map(|(id, revision)| (id.spell(kind), revision)).collect();
    serde_json::to_string(&written).expect("strings and integers can always be serialized as JSON")
}

fn read_ids(kind: FieldKind, json: &str) -> Option<Vec<(Value, u64)>> {
    let written: Vec<(String, u64)> = serde_json::from_str(json).ok()?;
    written
        .into_iter()
        .map(|(id, revision)| Some((Value::parse(kind, &id).ok()?, revision)))
        .collect()
}
