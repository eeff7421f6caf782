//! The one error of a request: what the client is told, and what only the log is.

use std::{borrow::Cow, fmt};

use http::{HeaderName, HeaderValue, StatusCode};

/// A kind of problem (RFC 9457): a slug, a status and a title.
///
/// Each has a page at `/-/problems/{slug}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The last segment of the problem's type.
    pub slug: &'static str,
    /// The status it is answered with.
    pub status: StatusCode,
    /// What it is called.
    pub title: &'static str,
    /// What it means and what to do, for its page.
    pub meaning: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $status:ident $slug:literal $title:literal $meaning:literal;)*) => {
        impl Kind {
            $(#[doc = $meaning] pub const $name: Self = Self {
                slug: $slug, status: StatusCode::$status, title: $title, meaning: $meaning,
            };)*
            /// Every kind that a server answers with.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

kinds! {
    MALFORMED_REQUEST = BAD_REQUEST "malformed-request" "Malformed request"
        "The request line or a header field breaks the grammar of HTTP. The detail names the part.";
    INVALID_PARAMETER = BAD_REQUEST "invalid-parameter" "Invalid query parameter"
        "A query parameter is unknown, repeated, ill-typed or out of range. Each fault names the parameter and what was expected.";
    MALFORMED_BODY = BAD_REQUEST "malformed-body" "Malformed body"
        "The body is not the JSON that its media type promises. The detail names the place.";
    NOT_FOUND = NOT_FOUND "not-found" "Not found"
        "There is nothing at this URL. The detail names the segment of the path that leads nowhere.";
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The resource does not offer this method. The Allow field lists those it does.";
    REQUEST_TIMEOUT = REQUEST_TIMEOUT "request-timeout" "Request timeout"
        "The body did not arrive in time. Send it again, faster.";
    ALREADY_EXISTS = CONFLICT "already-exists" "Already exists"
        "Another member has the same value in a field, or in a set of fields, that is unique. Each fault names a field.";
    DANGLING_REFERENCE = CONFLICT "dangling-reference" "Dangling reference"
        "A reference points at a member that does not exist. Each fault names a field.";
    STILL_REFERENCED = CONFLICT "still-referenced" "Still referenced"
        "Other members refer to the one that was to be deleted. Delete or change them first.";
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition-failed" "Precondition failed"
        "The member has changed since the revision that If-Match names, or exists although If-None-Match says it must not. Fetch it again.";
    CONTENT_TOO_LARGE = PAYLOAD_TOO_LARGE "content-too-large" "Content too large"
        "The body is larger than the server accepts. The detail says how much that is.";
    URI_TOO_LONG = URI_TOO_LONG "uri-too-long" "URI too long"
        "The target of the request is longer than the server accepts.";
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "The body has a media type that this method does not accept here. Accept-Post or Accept-Patch lists those it does.";
    INVALID_CONTENT = UNPROCESSABLE_ENTITY "invalid-content" "Invalid content"
        "The body is JSON, but its values break the declaration. Each fault has a JSON Pointer to its place.";
    INTERNAL = INTERNAL_SERVER_ERROR "internal" "Internal error"
        "The server failed. The failure is in its log; nothing was changed.";
    NOT_IMPLEMENTED = NOT_IMPLEMENTED "not-implemented" "Not implemented"
        "The server does not know this method.";
    UNAVAILABLE = SERVICE_UNAVAILABLE "unavailable" "Unavailable"
        "The server cannot do this now. Try again after the time in Retry-After.";
}

/// A fault in one place of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it is.
    pub at: FaultAt,
    /// A stable word for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub detail: String,
    /// What would repair it.
    pub hint: Option<String>,
}

/// Where a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// In the body, at a JSON Pointer (RFC 6901).
    Pointer(String),
    /// In a query parameter.
    Parameter(String),
}

impl Fault {
    /// A fault in the body.
    pub fn body(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { at: FaultAt::Pointer(pointer.into()), code, detail: detail.into(), hint: None }
    }

    /// A fault in a query parameter.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { at: FaultAt::Parameter(name.into()), code, detail: detail.into(), hint: None }
    }

    /// The same with a repair.
    #[must_use]
    pub fn hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }
}

/// Why a request is not answered as it was meant.
///
/// What [`fmt::Display`] prints may leave the server; the cause goes to the log and nowhere else.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    detail: Cow<'static, str>,
    faults: Vec<Fault>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of a kind, with a sentence about this case.
    pub fn new(kind: Kind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { kind, detail: detail.into(), faults: vec![], headers: vec![], cause: None }))
    }

    /// An error that consists of faults.
    #[must_use]
    pub fn faults(kind: Kind, faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [only] => only.detail.clone(),
            many => format!("{} faults.", many.len()),
        };
        let mut error = Self::new(kind, detail);
        error.0.faults = faults;
        error
    }

    /// A failure of ours: a 500 that says nothing, and a cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let mut error = Self::new(Kind::INTERNAL, "The failure is in the server's log.");
        error.0.cause = Some(cause.into());
        error
    }

    /// A failure that passes: a 503 with `Retry-After` in seconds.
    pub fn unavailable(detail: &'static str, retry_after_seconds: u16) -> Self {
        Self::new(Kind::UNAVAILABLE, detail)
            .with_header(http::header::RETRY_AFTER, retry_after_seconds.into())
    }

    /// The same with a cause for the log.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The same with a field in the header of the answer.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// The kind of problem.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.kind.status
    }

    /// The faults it consists of, if any.
    #[must_use]
    pub fn list(&self) -> &[Fault] {
        &self.0.faults
    }

    /// The fields it adds to the header of the answer.
    #[must_use]
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.headers
    }

    /// What the log is told and the client is not.
    #[must_use]
    pub fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync)> {
        self.0.cause.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_not_shown() {
        let error = Error::internal("no such table: secrets");
        assert!(!error.to_string().contains("secrets"));
        assert!(error.cause().is_some());
    }

    #[test]
    fn slugs_are_distinct() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            assert!(Kind::ALL[..at].iter().all(|other| other.slug != kind.slug), "{}", kind.slug);
        }
    }
}
