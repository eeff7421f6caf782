//! Reason phrases: the names of status codes in RFC 9110 §15.

use http::StatusCode;
use hyper::ext::ReasonPhrase;

use super::Reply;

impl Reply {
    /// Returns the reason phrase of the reply's status, or `None` if no phrase is registered.
    ///
    /// ```
    /// use nouns_runtime::reply::Reply;
    /// fn status_line(reply: &Reply) -> String {
    ///     format!("{} {}", reply.status.as_u16(), reply.reason().unwrap_or_default())
    /// }
    /// ```
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        reason(self.status)
    }
}

/// Returns the reason phrase of a status, or `None` if no phrase is registered.
pub(super) fn reason(status: StatusCode) -> Option<&'static str> {
    renamed(status).or_else(|| status.canonical_reason())
}

/// Returns the phrase to pass to hyper if it differs from that of the `http` crate, which hyper
/// would write.
pub(super) fn extension(status: StatusCode) -> Option<ReasonPhrase> {
    renamed(status).map(|phrase| ReasonPhrase::from_static(phrase.as_bytes()))
}

/// Returns the phrase of RFC 9110 if the `http` crate has the phrase of an earlier RFC.
const fn renamed(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::NON_AUTHORITATIVE_INFORMATION => Some("Non-Authoritative Information"),
        StatusCode::PAYLOAD_TOO_LARGE => Some("Content Too Large"),
        StatusCode::UNPROCESSABLE_ENTITY => Some("Unprocessable Content"),
        _ => None,
    }
}
