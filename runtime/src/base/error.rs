//! [`Error`], the one error type of a request. It has the parts that the client receives, and a
//! cause that is only logged.

mod fault;
mod text;

use std::fmt;

use http::{HeaderName, HeaderValue, StatusCode};

pub(crate) use self::{
    fault::excerpt,
    text::{quoted, text},
};
pub use self::{
    fault::{Fault, FaultAt},
    text::Text,
};
use crate::base::language::Language;

/// A kind of problem (RFC 9457): the type, status, title and meaning that its problems share.
///
/// Each kind has a page at `/-/problems/{slug}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The last segment of the URI in the JSON member `type` of a problem.
    pub slug: &'static str,
    /// The HTTP status of the response.
    pub status: StatusCode,
    /// The text of the JSON member `title` of a problem.
    pub title: &'static str,
    /// The text of the kind's page: the meaning of the problem, and what the client should do.
    pub meaning: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $status:ident $slug:literal $title:literal $meaning:literal;)*) => {
        impl Kind {
            $(#[doc = $meaning] pub const $name: Self = Self {
                slug: $slug, status: StatusCode::$status, title: $title, meaning: $meaning,
            };)*
            /// All built-in kinds. User code can declare more.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

kinds! {
    MALFORMED_REQUEST = BAD_REQUEST "malformed-request" "Malformed request"
        "The request line or a header field violates the syntax of HTTP. The detail names the part.";
    INVALID_PARAMETER = BAD_REQUEST "invalid-parameter" "Invalid query parameter"
        "A query parameter is unknown, repeated, ill-typed or out of range. Each error names the parameter and what was expected.";
    MALFORMED_BODY = BAD_REQUEST "malformed-body" "Malformed body"
        "The body is not valid JSON. The detail names the position.";
    DIGEST_MISMATCH = BAD_REQUEST "digest-mismatch" "Digest mismatch"
        "The body does not match its Content-Digest or Repr-Digest: it was changed in transit. Send it again.";
    UNAUTHENTICATED = UNAUTHORIZED "unauthenticated" "Unauthenticated"
        "The request needs credentials, or those that it has are wrong. WWW-Authenticate names the schemes.";
    FORBIDDEN = FORBIDDEN "forbidden" "Forbidden"
        "An access rule does not let the caller do this. Other credentials may.";
    CROSS_SITE_REQUEST = FORBIDDEN "cross-site-request" "Cross-site request"
        "A page of another site has made the browser send its credentials. Nothing was done. Pages of declared origins may send such requests.";
    NOT_FOUND = NOT_FOUND "not-found" "Not found"
        "This URL does not exist. The detail names the segment of the path that does not exist.";
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The resource does not allow this method. The Allow field lists the allowed ones.";
    NOT_ACCEPTABLE = NOT_ACCEPTABLE "not-acceptable" "Not acceptable"
        "The request accepts none of the available formats. The detail lists them; without Accept, the response is JSON.";
    REQUEST_TIMEOUT = REQUEST_TIMEOUT "request-timeout" "Request timeout"
        "The body did not arrive in time. Send it again, faster.";
    ALREADY_EXISTS = CONFLICT "already-exists" "Already exists"
        "Another member has the same value in a field, or in a set of fields, that is unique. Each error names a field.";
    REQUEST_IN_PROGRESS = CONFLICT "request-in-progress" "Request in progress"
        "A request with the same Idempotency-Key is still being answered. Send it again after the time in Retry-After.";
    DANGLING_REFERENCE = CONFLICT "dangling-reference" "Dangling reference"
        "A reference points at a member that does not exist. Each error names a field.";
    STILL_REFERENCED = CONFLICT "still-referenced" "Still referenced"
        "Other members refer to the one that was to be deleted. Delete or change them first.";
    DELETION_TOO_LARGE = CONFLICT "deletion-too-large" "Deletion too large"
        "The deletion would change more rows than one write may change, including rows that refer to deleted rows. Use a narrower filter, or first delete the members that refer to the deleted one.";
    TEST_FAILED = CONFLICT "patch-test-failed" "Patch test failed"
        "A `test` operation of a JSON Patch found a different value. Nothing was changed; GET the member and build the patch again.";
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition-failed" "Precondition failed"
        "The member or the collection has changed since the ETag in If-Match, or the member exists although If-None-Match forbids that. GET it again.";
    PRECONDITION_REQUIRED = PRECONDITION_REQUIRED "precondition-required" "Precondition required"
        "A change of this resource needs If-Match, so that no client overwrites a change that it has not seen. GET the member or the collection, and send its ETag in If-Match.";
    CONTENT_TOO_LARGE = PAYLOAD_TOO_LARGE "content-too-large" "Content too large"
        "The body is larger than the server accepts. The detail says how much that is.";
    URI_TOO_LONG = URI_TOO_LONG "uri-too-long" "URI too long"
        "The target of the request is longer than the server accepts.";
    FIELDS_TOO_LARGE = REQUEST_HEADER_FIELDS_TOO_LARGE "fields-too-large" "Header fields too large"
        "The fields of the request together are larger than the server accepts.";
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "The body has a media type that this method does not accept here. Accept-Post or Accept-Patch lists the accepted ones.";
    RANGE_NOT_SATISFIABLE = RANGE_NOT_SATISFIABLE "range-not-satisfiable" "Range not satisfiable"
        "The requested range has no byte of the representation. Content-Range has its length in bytes.";
    INVALID_CONTENT = UNPROCESSABLE_ENTITY "invalid-content" "Invalid content"
        "The body is JSON, but its values violate the schema. Each error has a JSON Pointer to its place.";
    IDEMPOTENCY_KEY_REUSED = UNPROCESSABLE_ENTITY "idempotency-key-reused" "Idempotency key reused"
        "The Idempotency-Key was already used for a request with another body. Use a new key.";
    TOO_MANY_ATTEMPTS = TOO_MANY_REQUESTS "too-many-attempts" "Too many attempts"
        "Too many wrong passwords came for this login or from this address. Try again after the time in Retry-After.";
    INTERNAL = INTERNAL_SERVER_ERROR "internal" "Internal error"
        "The server failed. The failure is in its log; nothing was changed.";
    NOT_IMPLEMENTED = NOT_IMPLEMENTED "not-implemented" "Not implemented"
        "The server does not implement this method.";
    UNAVAILABLE = SERVICE_UNAVAILABLE "unavailable" "Unavailable"
        "The server cannot do this now. Try again after the time in Retry-After.";
}

impl Kind {
    /// Whether the kind is built in. The texts of a built-in kind exist in every language.
    pub(crate) fn is_ours(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// The title in a language. A custom kind has its title in one language only.
    #[must_use]
    pub fn title_in(self, language: Language) -> &'static str {
        if self.is_ours() { language.says(self.title) } else { self.title }
    }

    /// The meaning in a language. A custom kind has its meaning in one language only.
    #[must_use]
    pub fn meaning_in(self, language: Language) -> &'static str {
        if self.is_ours() { language.says(self.meaning) } else { self.meaning }
    }
}

/// The reason why a request fails.
///
/// The text of [`fmt::Display`] may be sent to the client. The [source](Self::source) of the error
/// is only logged.
///
/// Any other error converts to this type with `?`. It becomes an internal error (500), which says
/// nothing about its source to the client:
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Error;
///
/// fn port(text: &str) -> Result<u16, Error> {
///     Ok(text.parse()?)
/// }
///
/// let error = port("abc").unwrap_err();
/// assert_eq!((error.status().as_u16(), error.to_string().contains("abc")), (500, false));
/// assert_eq!(error.source().unwrap().to_string(), "invalid digit found in string");
/// ```
///
/// For this conversion the type itself does not implement [`std::error::Error`], as
/// `anyhow::Error` does not. It converts to `Box<dyn std::error::Error + Send + Sync>`, which does.
pub struct Error(Box<ErrorData>);

#[derive(Debug)]
struct ErrorData {
    kind: Kind,
    detail: Text,
    faults: Vec<Fault>,
    headers: Vec<(HeaderName, HeaderValue)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    statements: u32,
}

impl Error {
    /// Creates an error of a kind; `detail` is a sentence about this case. If the status of the
    /// kind is not 4xx or 5xx, the result is an internal error whose cause says so.
    pub fn new(kind: Kind, detail: impl Into<Text>) -> Self {
        if !kind.status.is_client_error() && !kind.status.is_server_error() {
            let (slug, status) = (kind.slug, kind.status.as_u16());
            return Self::internal(format!(
                "the problem `{slug}` has the status {status}; it must be one from 400 to 599"
            ));
        }
        Self(Box::new(ErrorData {
            kind,
            detail: detail.into(),
            faults: vec![],
            headers: vec![],
            source: None,
            statements: 0,
        }))
    }

    /// Creates an error from a list of faults (single mistakes in a request). The detail of the
    /// error is the sentence of the first fault, and says how many more faults there are.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Fault, Kind};
    /// let fault = Fault::body("/weight_kg", "minimum", "must be at least 0.");
    /// let error = Error::from_faults(Kind::INVALID_CONTENT, vec![fault.clone(), fault]);
    /// assert_eq!(error.to_string(), "`weight_kg` must be at least 0; and 1 more.");
    /// ```
    #[must_use]
    pub fn from_faults(kind: Kind, faults: Vec<Fault>) -> Self {
        let detail = summary(&faults);
        Self::about(kind, detail, faults)
    }

    /// Creates an error from a list of faults, with one detail for all of them.
    pub(crate) fn about(kind: Kind, detail: Text, faults: Vec<Fault>) -> Self {
        let mut error = Self::new(kind, detail);
        error.0.faults = faults;
        error
    }

    /// Creates an internal error: status 500, a detail that tells the client nothing, and a source
    /// that is logged.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let mut error = Self::new(Kind::INTERNAL, text!("The failure is in the server's log."));
        error.0.source = Some(source.into());
        error
    }

    /// Creates an error for a temporary failure: status 503, and `Retry-After` in seconds.
    pub fn unavailable(detail: impl Into<Text>, retry_after_seconds: u16) -> Self {
        Self::new(Kind::UNAVAILABLE, detail)
            .with_header(http::header::RETRY_AFTER, retry_after_seconds.into())
    }

    /// Sets the source of the error, which is only logged.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Places the error at an element of a posted array, whose JSON Pointer is `element`. Each
    /// fault in the body gets a pointer below it. An error without faults gets one at the element.
    /// An internal error is not changed.
    #[must_use]
    pub(crate) fn at_element(mut self, element: &str) -> Self {
        let ErrorData { kind, detail, faults, .. } = &mut *self.0;
        if kind.status.is_server_error() {
            return self;
        }
        let is_derived = !faults.is_empty() && *detail == summary(faults);
        for fault in &mut *faults {
            if let FaultAt::Pointer(pointer) = &mut fault.at {
                pointer.insert_str(0, element);
            }
        }
        if is_derived {
            *detail = summary(faults);
        }
        if faults.is_empty() {
            faults.push(Fault::body(element, kind.slug, detail.clone()));
        }
        self
    }

    /// Sets how many statements ran before the error. The number is only logged.
    #[must_use]
    #[doc(hidden)]
    pub fn after(mut self, statements: u32) -> Self {
        self.0.statements = statements;
        self
    }

    /// How many statements the store ran before the error.
    #[must_use]
    #[doc(hidden)]
    pub fn statements(&self) -> u32 {
        self.0.statements
    }

    /// Adds a header field to the response of this error.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// The kind of problem that the error is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The HTTP status of the response to the failed request.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.kind.status
    }

    /// The sentence about this case, for the client.
    #[must_use]
    pub fn detail(&self) -> &Text {
        &self.0.detail
    }

    /// The language to render the error in: `wished`, or `None` if the kind, the detail or a fault
    /// has custom text, which is never translated.
    pub(crate) fn language(&self, wished: Language) -> Option<Language> {
        let ErrorData { kind, detail, faults, .. } = &*self.0;
        (kind.is_ours() && detail.is_ours() && faults.iter().all(Fault::is_ours)).then_some(wished)
    }

    /// Whether a member or a path does not exist (404).
    ///
    /// ```
    /// use nouns_runtime::error::{Error, Kind};
    /// assert!(Error::new(Kind::NOT_FOUND, "There is no room 7.").is_not_found());
    /// ```
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.status() == StatusCode::NOT_FOUND
    }

    /// The faults of the error; empty if the error has none.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// The header fields that the error adds to its response.
    #[must_use]
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.headers
    }

    /// The source of the error, which is logged and never sent to the client.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// Whether the source of the error has the type `T`.
    pub(crate) fn is_caused_by<T: std::error::Error + 'static>(&self) -> bool {
        self.0.source.as_ref().is_some_and(|source| source.is::<T>())
    }
}

/// The sentence of the first fault, with the number of further faults.
fn summary(faults: &[Fault]) -> Text {
    match (faults.first().map(Fault::placed), faults.len()) {
        (None, _) => Text::from(""),
        (Some(first), 1) => first,
        (Some(first), count) => {
            let ours = first.is_ours();
            text!("{first}; and {more} more.", first, more = count - 1).ours_if(ours)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.detail.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(source: E) -> Self {
        Self::internal(source)
    }
}

impl From<Error> for Box<dyn std::error::Error + Send + Sync> {
    fn from(error: Error) -> Self {
        Box::new(StandardError(error))
    }
}

impl From<Error> for Box<dyn std::error::Error> {
    fn from(error: Error) -> Self {
        Box::new(StandardError(error))
    }
}

/// An error as an implementation of [`std::error::Error`].
struct StandardError(Error);

impl fmt::Display for StandardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for StandardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for StandardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_not_shown() {
        let error = Error::internal("no such table: secrets");
        assert!(!error.to_string().contains("secrets"));
        let boxed: Box<dyn std::error::Error> = error.into();
        assert_eq!(boxed.to_string(), "The failure is in the server's log.");
        let source = boxed.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("no such table: secrets"));
    }

    #[test]
    fn slugs_are_distinct() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            assert!(Kind::ALL[..at].iter().all(|other| other.slug != kind.slug), "{}", kind.slug);
        }
    }
}
