//! The header field `Prefer` (RFC 7240): `return=minimal`, `return=representation` and
//! `server-timing`. Further preferences are ignored.

use http::{HeaderMap, HeaderName};

use crate::http::negotiate::split;

/// The header field `Prefer` (RFC 7240 §2).
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The content that a client prefers in the response to a write (RFC 7240 §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnPreference {
    /// A response without the written member.
    Minimal,
    /// A response with the written member.
    Representation,
    /// A response without the written member, whatever the client prefers: it may not read.
    Withheld,
}

/// Returns the preferred content of the response to a write. If there are several `return`
/// preferences, the first with a valid value counts (RFC 7240 §2).
pub(crate) fn content(headers: &HeaderMap) -> Option<ReturnPreference> {
    let values = headers.get_all(PREFER).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(preferences).find_map(|(name, value)| match value {
        _ if !name.eq_ignore_ascii_case("return") => None,
        "minimal" => Some(ReturnPreference::Minimal),
        "representation" => Some(ReturnPreference::Representation),
        _ => None,
    })
}

/// Whether a request has a preference with this name, whatever its value is.
#[inline]
pub(crate) fn has(headers: &HeaderMap, wanted: &str) -> bool {
    headers.contains_key(PREFER) && {
        let values = headers.get_all(PREFER).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(preferences).any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    }
}

/// The name and the value of each preference in a list. Parameters of a preference are ignored.
fn preferences(list: &str) -> impl Iterator<Item = (&str, &str)> {
    split(list, b',').map(|preference| {
        let preference = split(preference, b';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        (name.trim(), value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<ReturnPreference> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(PREFER, line.parse().unwrap());
        }
        content(&headers)
    }

    /// Conformance 103: the first `return` with a valid value counts, in any of several fields.
    #[test]
    fn the_first_return_counts_wherever_it_stands() {
        let minimal = Some(ReturnPreference::Minimal);
        for lines in [
            &["return=minimal"][..],
            &["Return = \"minimal\" ; foo=bar"],
            &["respond-async, wait=10, return=minimal"],
            &["handling=lenient", "return=minimal, return=representation"],
            &["a=\"x, return=representation\", return=minimal"],
            &["a=\"\\\", return=representation\", return=minimal"],
        ] {
            assert_eq!(read(lines), minimal, "{lines:?}");
        }
        assert_eq!(read(&["return=representation"]), Some(ReturnPreference::Representation));
        for odd in
            ["", "return", "return=all", "return=minimal2", "x; return=minimal", "\"return=minimal"]
        {
            assert_eq!(read(&[odd]), None, "{odd}");
        }
    }
}
