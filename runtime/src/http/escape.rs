//! [`escape`]: makes a text safe in HTML.

use std::fmt;

/// Writes a text, escaped for HTML: between tags, or in an attribute with quotation marks.
pub(crate) fn escape(to: &mut impl fmt::Write, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        to.write_str(&rest[..at])?;
        to.write_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        })?;
        rest = &rest[at + 1..];
    }
    to.write_str(rest)
}
