//! The HTTP response of a custom handler.

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::{base::error::Error, http::body::Body};

/// A response of a custom handler. A whole [`http::Response`] can be turned into one.
///
/// ```
/// use http::StatusCode;
/// use nouns_runtime::custom::Answer;
/// let answer = Answer::json(StatusCode::OK, &["open", "closed"])?;
/// assert_eq!(answer.headers["content-type"], "application/json");
/// # Ok::<(), nouns_runtime::Error>(())
/// ```
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The content.
    pub body: Body,
}

impl Answer {
    /// Creates a response with a status and nothing else.
    #[must_use]
    pub fn status(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::Empty }
    }

    /// Creates a 204 (No Content).
    #[must_use]
    pub fn no_content() -> Self {
        Self::status(StatusCode::NO_CONTENT)
    }

    /// Creates a response with a value as JSON.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized as JSON.
    pub fn json(status: StatusCode, value: &impl Serialize) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value).map_err(Error::internal)?;
        Ok(Self { body: bytes.into(), ..Self::status(status) }
            .with(header::CONTENT_TYPE, HeaderValue::from_static("application/json")))
    }

    /// Creates a 303 (See Other), which redirects to another URL.
    ///
    /// # Errors
    /// 500 if the URL cannot be the value of a header field.
    pub fn see_other(location: &str) -> Result<Self, Error> {
        let location = HeaderValue::from_str(location).map_err(Error::internal)?;
        Ok(Self::status(StatusCode::SEE_OTHER).with(header::LOCATION, location))
    }

    /// Adds a header field.
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
