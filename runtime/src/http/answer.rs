//! An HTTP response as a program makes it.

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::{base::error::Error, http::body::Body};

/// What a handler of the author's answers. A whole [`http::Response`] is one too.
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
    /// The fields of the header.
    pub headers: HeaderMap,
    /// The content.
    pub body: Body,
}

impl Answer {
    /// A status and nothing else.
    #[must_use]
    pub fn status(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::Empty }
    }

    /// 204: done, and nothing to show.
    #[must_use]
    pub fn no_content() -> Self {
        Self::status(StatusCode::NO_CONTENT)
    }

    /// A value as JSON.
    ///
    /// # Errors
    /// 500 where the value cannot be written as JSON.
    pub fn json(status: StatusCode, value: &impl Serialize) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value).map_err(Error::internal)?;
        Ok(Self { body: bytes.into(), ..Self::status(status) }
            .with(header::CONTENT_TYPE, HeaderValue::from_static("application/json")))
    }

    /// 303: what there is to see is at another URL.
    ///
    /// # Errors
    /// 500 where the URL cannot stand in a header.
    pub fn see_other(location: &str) -> Result<Self, Error> {
        let location = HeaderValue::from_str(location).map_err(Error::internal)?;
        Ok(Self::status(StatusCode::SEE_OTHER).with(header::LOCATION, location))
    }

    /// The same with a field in its header.
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
