//! [`Answer`]: the HTTP response of a custom handler.

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::{base::error::Error, http::body::Body};

/// The response of a custom handler. An [`http::Response`] can be converted to an `Answer`.
///
/// ```
/// # mod nouns { pub use http; pub use nouns_runtime::*; }
/// use nouns::{Answer, http::StatusCode};
/// let answer = Answer::json(StatusCode::OK, &["open", "closed"])?;
/// assert_eq!(answer.headers["content-type"], "application/json");
/// # Ok::<(), nouns::Error>(())
/// ```
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The status of the response.
    pub status: StatusCode,
    /// The header fields of the response.
    pub headers: HeaderMap,
    /// The body of the response.
    pub body: Body,
}

impl Answer {
    /// Creates a response with this status, without header fields and without a body.
    #[must_use]
    pub fn status(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::Empty }
    }

    /// Creates a response with the status 204 (No Content).
    #[must_use]
    pub fn no_content() -> Self {
        Self::status(StatusCode::NO_CONTENT)
    }

    /// Creates a response whose body is the value as JSON.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized as JSON.
    pub fn json(status: StatusCode, value: &impl Serialize) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value).map_err(Error::internal)?;
        Ok(Self { body: bytes.into(), ..Self::status(status) }
            .with(header::CONTENT_TYPE, HeaderValue::from_static("application/json")))
    }

    /// Creates a response with the status 303 (See Other), which redirects the client to
    /// `location`.
    ///
    /// # Errors
    /// 500 if `location` contains a character that a header field cannot contain.
    pub fn see_other(location: &str) -> Result<Self, Error> {
        let location = HeaderValue::from_str(location).map_err(Error::internal)?;
        Ok(Self::status(StatusCode::SEE_OTHER).with(header::LOCATION, location))
    }

    /// Adds a header field to the response.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }
}

impl From<Response<Body>> for Answer {
    fn from(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status, headers: head.headers, body }
    }
}
