//! Reason phrases: the names that RFC 9110 §15 gives to statuses.

use http::StatusCode;
use hyper::ext::ReasonPhrase;

use super::Reply;

impl Reply {
    /// The reason phrase of its status, if one is registered.
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

/// The reason phrase of a status, if one is registered.
pub(super) fn reason(status: StatusCode) -> Option<&'static str> {
    renamed(status).or_else(|| status.canonical_reason())
}

/// The phrases that hyper needs, since it writes those of the `http` crate otherwise.
pub(super) fn extension(status: StatusCode) -> Option<ReasonPhrase> {
    renamed(status).map(|phrase| ReasonPhrase::from_static(phrase.as_bytes()))
}

/// The phrases that the `http` crate spells as earlier RFCs did.
const fn renamed(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::NON_AUTHORITATIVE_INFORMATION => Some("Non-Authoritative Information"),
        StatusCode::PAYLOAD_TOO_LARGE => Some("Content Too Large"),
        StatusCode::UNPROCESSABLE_ENTITY => Some("Unprocessable Content"),
        _ => None,
    }
}
