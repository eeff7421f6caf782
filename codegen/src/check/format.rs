//! The well-known forms of strings.

use crate::schema::Format;

/// Whether a text has a form.
pub(super) fn matches(format: Format, text: &str) -> bool {
    match format {
        Format::Email => is_email(text),
        Format::Uri => is_uri(text),
        Format::Hostname => is_hostname(text),
        Format::Slug => text
            .split('-')
            .all(|word| is_made_of(word, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())),
        Format::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
    }
}

fn is_made_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

/// What the WHATWG standard of HTML calls a valid e-mail address.
fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    is_made_of(name, |byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte))
        && is_hostname(host)
}

/// A scheme, a colon and something of the characters of a URI (RFC 3986 §2).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && is_made_of(scheme, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        && is_made_of(rest, |byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte))
}

/// Labels of letters, digits and inner hyphens (RFC 1123 §2.1).
fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        label.len() <= 63
            && is_made_of(label, |byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognised() {
        let cases = [
            (Format::Email, "zoo@example.org", "zoo@"),
            (Format::Uri, "https://example.org/a?b#c", "example.org"),
            (Format::Hostname, "zoo.example.org", "-zoo"),
            (Format::Slug, "city-zoo-2", "city--zoo"),
            (Format::Ipv4, "127.0.0.1", "127.0.0"),
            (Format::Ipv6, "::1", "1"),
        ];
        for (format, good, bad) in cases {
            assert!(matches(format, good), "{good}");
            assert!(!matches(format, bad), "{bad}");
        }
    }
}
