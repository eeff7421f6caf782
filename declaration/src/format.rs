//! The formats of strings, such as `email`. Schema files and the server check them alike.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{
    def::Format,
    grammar::{is_host_label, is_hostname, is_slug},
};
use email_address::{EmailAddress, Options};
use fluent_uri::Uri;

/// Whether a text has a format.
///
/// ```
/// use nouns_declaration::{def::Format, format::has_format};
/// assert!(has_format(Format::Email, "bella@zoo.example"));
/// assert!(!has_format(Format::Email, "bella"));
/// ```
#[must_use]
pub fn has_format(format: Format, text: &str) -> bool {
    match format {
        Format::Email => is_email(text),
        Format::Uri => is_uri(text),
        Format::Hostname => is_hostname(text),
        Format::Slug => is_slug(text),
        Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Whether a text is an e-mail address: RFC 5321 with the characters of RFC 6531, at most 254 bytes
/// (§4.5.3.1.3). The domain must have a dot, unlike in an HTML form. A display name or an address
/// in brackets is not accepted.
fn is_email(text: &str) -> bool {
    let rules = Options::default()
        .with_minimum_sub_domains(2)
        .without_domain_literal()
        .without_display_text();
    text.len() <= 254
        && EmailAddress::parse_with_options(text, rules)
            .is_ok_and(|address| address.email() == text && is_mail_domain(address.domain()))
}

/// Whether a text is a host name. Its labels may have letters beyond ASCII (RFC 6531 §3.3).
fn is_mail_domain(domain: &str) -> bool {
    let is_letter =
        |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric() || letter == '-';
    let is_label = |label: &str| !label.is_ascii() && label.chars().all(is_letter);
    match domain.is_ascii() {
        true => is_hostname(domain),
        false => domain.split('.').all(|label| is_label(label) || is_host_label(label)),
    }
}

/// Whether a text is a URI with a scheme (RFC 3986). A URI with `http` or `https` must have a host
/// (RFC 9110 §4.2).
fn is_uri(text: &str) -> bool {
    let is_web =
        |scheme: &str| ["http", "https"].iter().any(|web| web.eq_ignore_ascii_case(scheme));
    Uri::parse(text).is_ok_and(|uri| {
        let host = uri.authority().is_some_and(|authority| !authority.host().is_empty());
        host || !is_web(uri.scheme().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that have a format, and texts that do not.
    const CASES: [(Format, &[&str], &[&str]); 6] = [
        (
            Format::Email,
            &[
                "bella@zoo.example",
                "stanisław.wójcik@wp.pl",
                "a@b.c",
                "用户@例子.广告",
                "o'hara+x@zoo.example",
                r#""a b"@zoo.example"#,
            ],
            &[
                "",
                "bella",
                "bella@",
                "@zoo.example",
                "bella@@zoo.example",
                "a@b",
                "a b@zoo.example",
                "a.@zoo.example",
                "a@zoo_1.example",
                "a@[192.0.2.1]",
                "a@192.0.2.1",
                "a@-zoo.example",
                "Bella <bella@zoo.example>",
                " <bella@zoo.example>",
                "<bella@zoo.example>",
                "a@zoo.example\n",
                "a@zoo.example.",
            ],
        ),
        (
            Format::Uri,
            &[
                "https://zoo.example/?a=b#c",
                "http://[::1]:8080/",
                "urn:x",
                "mailto:bella@zoo.example",
                "file:///zoo",
                "HTTP://user@zoo.example:80",
            ],
            &[
                "",
                "zoo.example",
                "/zoo",
                "//zoo.example",
                "http://[::1",
                "http://",
                "https:///zoo",
                "http:zoo",
                "://x",
                "https://a b/",
                "https://zoo.example/%zz",
                "https://zoo.example/größe",
                "https://zoo.example:port/",
                "https://a#b#c",
            ],
        ),
        (
            Format::Hostname,
            &["zoo.example", "localhost", "3com.example", "xn--p1ai", "a-b"],
            &[
                "",
                "-a.example",
                "a-.example",
                "a..b",
                "a_b",
                "zoo.example.",
                "192.0.2.1",
                "zoo.1",
                "zoo.example:80",
                "größe.example",
            ],
        ),
        (
            Format::Slug,
            &["city-zoo-2", "2"],
            &["", "City", "city--zoo", "-a", "a-", "a_b", "größe"],
        ),
        (Format::Ipv4, &["192.0.2.1"], &["", "192.0.2", "192.0.2.256", "192.0.2.01", "0x7f.1"]),
        (
            Format::Ipv6,
            &["2001:db8::1", "::", "::ffff:192.0.2.1"],
            &["", "2001:db8", "[::1]", "::1%eth0"],
        ),
    ];

    #[test]
    fn forms_are_told_apart() {
        for (format, right, wrong) in CASES {
            for text in right {
                assert!(has_format(format, text), "{text:?}");
            }
            for text in wrong {
                assert!(!has_format(format, text), "{text:?}");
            }
        }
        let long = |letters: usize| {
            format!("bella@{}.example", ["a"; 120].join(".") + &"b".repeat(letters))
        };
        assert!(has_format(Format::Email, &long(1)) && !has_format(Format::Email, &long(2)));
        assert!(
            has_format(Format::Hostname, &"a".repeat(63))
                && !has_format(Format::Hostname, &"a".repeat(64))
        );
    }
}
