//! Header fields that may occur only once, and media types without their parameters.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The value of a header field that occurs exactly once. A repeated field is ambiguous and counts
/// as absent (RFC 9110 §5.3).
pub(crate) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Returns a media type without its parameters; empty if the value is not ASCII.
pub(crate) fn essence(given: &HeaderValue) -> &str {
    given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim()
}
