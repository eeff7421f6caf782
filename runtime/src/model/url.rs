//! [`Urls`]: the conversion of paths to the URLs in links.

use crate::model::def::ApiDef;

/// The declared base path and public URL of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Urls {
    base: Box<str>,
    origin: Box<str>,
    prefix: Box<str>,
}

impl Urls {
    /// Reads `base_path` and `public_url` from the declaration.
    pub(super) fn of(api: &ApiDef) -> Self {
        let base = api.base_path.trim_end_matches('/');
        let public = api.public_url.map(|url| url.trim_end_matches('/'));
        let path_at = public.and_then(|url| {
            let host = url.find("://")? + 3;
            Some(url[host..].find('/').map_or(url.len(), |slash| host + slash))
        });
        let (origin, path) = match (public, path_at) {
            (Some(url), Some(at)) => url.split_at(at),
            _ => ("", ""),
        };
        Self { base: base.into(), origin: origin.into(), prefix: [path, base].concat().into() }
    }

    /// Returns the path that clients use for a path below the base path. Links in responses contain
    /// this path.
    #[must_use]
    pub fn link(&self, path: &str) -> String {
        [&*self.prefix, path].concat()
    }

    /// The scheme and the authority of the declared public URL; `None` if none is declared.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        Some(&*self.origin).filter(|origin| !origin.is_empty())
    }

    /// Returns the URL for `Location`. With a declared public URL it is an absolute URL; otherwise
    /// it is a path.
    #[must_use]
    pub fn location(&self, path: &str) -> String {
        [&*self.origin, &*self.prefix, path].concat()
    }

    /// Returns the path at which the server itself receives requests, without a proxy.
    #[must_use]
    pub fn local(&self, path: &str) -> String {
        [&*self.base, path].concat()
    }

    /// Returns the path and the query that clients use for the URL of a request.
    pub(crate) fn external(&self, url: &http::Uri) -> String {
        let path = self.below(url.path()).map_or_else(|| url.path().into(), |path| self.link(path));
        url.query().map_or_else(|| path.clone(), |query| [&path, "?", query].concat())
    }

    /// Returns the part of a request path below the base path; `None` if the path is not below it.
    #[must_use]
    pub fn below<'path>(&self, path: &'path str) -> Option<&'path str> {
        let rest = path.strip_prefix(&*self.base)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

/// The characters that links contain without percent-encoding: the unreserved characters of RFC
/// 3986 §2.3, and `,` and `:` for readability.
const PLAIN: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',')
    .remove(b':');

/// Percent-encodes a segment of a path, or a part of a query string.
pub(crate) fn encoded(text: &str) -> percent_encoding::PercentEncode<'_> {
    percent_encoding::utf8_percent_encode(text, PLAIN)
}

/// The characters that the path of a URI may contain without percent-encoding (RFC 3986 §3.3). `%`
/// is among them, since [`reference`] handles it.
const PATH: &percent_encoding::AsciiSet = &PLAIN
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b';')
    .remove(b'=')
    .remove(b'@')
    .remove(b'/')
    .remove(b'%');

/// Converts a request path to a valid URI reference (RFC 3986 §4.1). It percent-encodes forbidden
/// bytes, and each `%` without two hexadecimal digits after it.
pub(crate) fn reference(path: &str) -> String {
    let encoded = percent_encoding::utf8_percent_encode(path, PATH).to_string();
    let mut parts = encoded.split('%');
    let mut reference = String::with_capacity(encoded.len());
    // A reference that begins with two slashes would begin with a host name.
    reference.push_str(if encoded.starts_with("//") { "/." } else { "" });
    reference.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.as_bytes().get(..2);
        let is_whole = digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        reference.push_str(if is_whole { "%" } else { "%25" });
        reference.push_str(part);
    }
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(base_path: &'static str, public_url: Option<&'static str>) -> Urls {
        Urls::of(&ApiDef { base_path, public_url, ..ApiDef::new("") })
    }

    #[test]
    fn links_know_base_path_and_public_url() {
        let plain = urls("/", None);
        assert_eq!(
            (plain.link("/zoos"), plain.location("/zoos")),
            ("/zoos".into(), "/zoos".into())
        );
        let based = urls("/api/v1", None);
        assert_eq!(based.link("/zoos"), "/api/v1/zoos");
        let public = urls("/", Some("https://zoo.example/city/"));
        assert_eq!(public.link("/zoos?limit=2"), "/city/zoos?limit=2");
        assert_eq!(public.location("/zoos/1"), "https://zoo.example/city/zoos/1");
        let bare = urls("/api", Some("https://zoo.example"));
        assert_eq!(bare.location("/zoos/1"), "https://zoo.example/api/zoos/1");
        let both = urls("/api", Some("https://zoo.example/city"));
        assert_eq!(both.link("/zoos/1"), "/city/api/zoos/1");
        assert_eq!(both.local("/zoos/1"), "/api/zoos/1");
    }

    #[test]
    fn what_is_outside_of_the_base_is_not_ours() {
        let based = urls("/api", None);
        assert_eq!(based.below("/api/zoos"), Some("/zoos"));
        assert_eq!(based.below("/api"), Some(""));
        assert_eq!(based.below("/apizoos"), None);
        assert_eq!(based.below("/zoos"), None);
        assert_eq!(urls("/", None).below("/zoos"), Some("/zoos"));
    }

    /// Conformance 143: bytes that are not allowed in a URI are percent-encoded in responses, even
    /// if a client sent them raw.
    #[test]
    fn any_path_is_a_uri_reference() {
        for (path, expected) in [
            ("/zoos/7", "/zoos/7"),
            ("/a-._~!$&'()*+,;=:@/b", "/a-._~!$&'()*+,;=:@/b"),
            ("/zo\u{f6}s/\u{1f418}", "/zo%C3%B6s/%F0%9F%90%98"),
            ("/a%20b%C3%b6", "/a%20b%C3%b6"),
            ("/%zz%4/%", "/%25zz%254/%25"),
            ("/{a}|\"b\"<c>\\^`[d]", "/%7Ba%7D%7C%22b%22%3Cc%3E%5C%5E%60%5Bd%5D"),
            ("//evil.example/x", "/.//evil.example/x"),
            ("", ""),
        ] {
            assert_eq!(reference(path), expected, "{path}");
        }
    }
}
