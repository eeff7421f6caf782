//! [`Error`], the one error type of a request. It has the parts that the client receives, and a
//! cause that is only logged.

mod fault;
mod kind;
mod text;

use std::fmt;

use http::{HeaderName, HeaderValue, StatusCode};

pub(crate) use self::{
    fault::excerpt,
    text::{quoted, text},
};
pub use self::{
    fault::{BODY_CODES, Fault, FaultAt, PARAMETER_CODES},
    kind::Kind,
    text::Text,
};
use crate::base::language::Language;

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

    /// The number of statements that the store ran before the error.
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
}

/// The sentence of the first fault, with the number of further faults.
fn summary(faults: &[Fault]) -> Text {
    match (faults.first().map(Fault::placed), faults.len()) {
        (None, _) => Text::from(""),
        (Some(first), count) => and_more(first, count - 1),
    }
}

/// Adds to a sentence how many more of its kind there are.
pub(crate) fn and_more(first: Text, more: usize) -> Text {
    match (first.is_ours(), more) {
        (_, 0) => first,
        (ours, more) => text!("{first}; and {more} more.", first, more).ours_if(ours),
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
