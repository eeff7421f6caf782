//! Cookies (RFC 6265): reading one from a request, and setting one in a response.

use std::fmt::Write as _;

use http::{HeaderMap, HeaderValue, header};

use super::http_date::Second;
use crate::base::error::Error;

/// The largest name and value of a cookie, in bytes together. Browsers ignore larger cookies
/// (RFC 6265bis §5.6).
const COOKIE_BYTES_MAX: usize = 4096;

/// Finds a cookie of a request by its name, and returns its value. Of several cookies with this
/// name, the first counts. Cookies without a name, and what is no cookie, are skipped.
pub(crate) fn find<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    pairs.find_map(|pair| {
        let pair = pair.trim_ascii();
        let at = pair.iter().position(|byte| *byte == b'=')?;
        let is_named = pair[..at].trim_ascii_end() == name.as_bytes();
        is_named.then(|| pair[at + 1..].trim_ascii_start())
    })
}

/// A cookie to set, with its attributes (RFC 6265bis §4.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetCookie<'c> {
    pub(crate) name: &'c str,
    pub(crate) value: &'c str,
    pub(crate) domain: Option<&'c str>,
    pub(crate) path: &'c str,
    /// The time for which the browser keeps the cookie, in seconds; 0 removes it. `None` keeps it
    /// until the browser's own session ends.
    pub(crate) max_age: Option<u32>,
    pub(crate) secure: bool,
    pub(crate) http_only: bool,
    /// The value of `SameSite`.
    pub(crate) same_site: &'c str,
}

impl SetCookie<'_> {
    /// Returns the value of `Set-Cookie`. `now` is the time in seconds since 1970.
    ///
    /// # Errors
    /// 500 if the cookie is too large, or has a character that no cookie can contain.
    pub(crate) fn field(&self, now: i64) -> Result<HeaderValue, Error> {
        let Self { name, value, path, same_site, .. } = self;
        if name.len() + value.len() > COOKIE_BYTES_MAX || !value.bytes().all(is_cookie_octet) {
            return Err(Error::internal("a cookie that browsers would not keep"));
        }
        let mut field = format!("{name}={value}; Path={path}");
        if let Some(domain) = self.domain {
            let _ = write!(field, "; Domain={domain}");
        }
        if let Some(seconds) = self.max_age {
            // `Max-Age` takes precedence. Only very old clients need `Expires`.
            let end = if seconds == 0 { 0 } else { now + i64::from(seconds) };
            let end = Second(end.cast_unsigned());
            let _ = write!(field, "; Expires={end}; Max-Age={seconds}");
        }
        if self.secure {
            field.push_str("; Secure");
        }
        if self.http_only {
            field.push_str("; HttpOnly");
        }
        let _ = write!(field, "; SameSite={same_site}");
        HeaderValue::from_str(&field).map_err(Error::internal)
    }
}

/// Whether a byte can stand in the value of a cookie (RFC 6265 §4.1.1).
const fn is_cookie_octet(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b',' | b';' | b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[&'static str], name: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::COOKIE, HeaderValue::from_static(line));
        }
        find(&headers, name).map(|value| String::from_utf8(value.to_vec()).unwrap())
    }

    /// Conformance 121: what is no cookie is skipped. The first of several cookies counts, also
    /// if they are in several field lines.
    #[test]
    fn a_cookie_is_found_among_anything() {
        for (lines, expected) in [
            (&["session=a"][..], Some("a")),
            (&["a; b=; =c; d=\"x\"; session=a"], Some("a")),
            (&["session=a; session=b"], Some("a")),
            (&["x=1", "session=a", "session=b"], Some("a")),
            (&["session = a "], Some("a")),
            (&["session="], Some("")),
            (&["session=\"a\""], Some("\"a\"")),
            (&["session=a=b"], Some("a=b")),
            (&["Session=a"], None),
            (&["xsession=a; sessionx=b; session"], None),
            (&["x=session=a"], None),
            (&["", ";;;", "="], None),
            (&[], None),
        ] {
            assert_eq!(found(lines, "session").as_deref(), expected, "{lines:?}");
        }
    }

    fn cookie(value: &str, max_age: Option<u32>) -> SetCookie<'_> {
        SetCookie {
            name: "session",
            value,
            domain: None,
            path: "/",
            max_age,
            secure: false,
            http_only: true,
            same_site: "Lax",
        }
    }

    /// Conformance 117, 118: a cookie with and without an end, and its removal.
    #[test]
    fn a_cookie_has_its_attributes() {
        let text = |cookie: SetCookie<'_>| {
            cookie.field(1_800_000_000).unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(text(cookie("abc", None)), "session=abc; Path=/; HttpOnly; SameSite=Lax");
        assert_eq!(
            text(SetCookie {
                domain: Some("example.org"),
                path: "/api",
                secure: true,
                http_only: false,
                same_site: "Strict",
                ..cookie("abc", Some(60))
            }),
            "session=abc; Path=/api; Domain=example.org; Expires=Fri, 15 Jan 2027 08:01:00 GMT; \
             Max-Age=60; Secure; SameSite=Strict"
        );
        assert_eq!(
            text(cookie("", Some(0))),
            "session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; HttpOnly; \
             SameSite=Lax"
        );
    }

    /// Conformance 116, 122: nothing else can reach the response.
    #[test]
    fn a_value_that_is_no_cookie_is_not_set() {
        let long = "a".repeat(COOKIE_BYTES_MAX);
        for value in ["a b", "a,b", "a;b", "a\\b", "\"a\"", "a\r\nb", "ä", &long] {
            assert!(cookie(value, None).field(0).is_err(), "{value}");
        }
    }
}
