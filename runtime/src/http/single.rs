//! Header fields with a single value, and media types without parameters.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The value of a field that occurs once. If it occurs several times, it is ambiguous, and there is
/// none (RFC 9110 §5.3).
pub(crate) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// A media type without its parameters.
pub(crate) fn essence(given: &HeaderValue) -> &str {
    given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim()
}
