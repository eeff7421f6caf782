//! The one place where paths become links.

use crate::model::def::ApiDef;

/// The base path and the public URL, which clients see in place of the server's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Urls {
    base: Box<str>,
    origin: Box<str>,
    prefix: Box<str>,
}

impl Urls {
    /// Reads the declared `base_path` and `public_url`.
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

    /// Returns an absolute path with query for links: the path below the base, as clients see it.
    #[must_use]
    pub fn link(&self, path: &str) -> String {
        [&*self.prefix, path].concat()
    }

    /// Returns the same for `Location`, with the public origin if one is declared.
    #[must_use]
    pub fn location(&self, path: &str) -> String {
        [&*self.origin, &*self.prefix, path].concat()
    }

    /// Returns the path at which the server itself has it, without a proxy.
    #[must_use]
    pub fn local(&self, path: &str) -> String {
        [&*self.base, path].concat()
    }

    /// Returns the part of a requested path below the base; `None` if it is outside.
    #[must_use]
    pub fn below<'path>(&self, path: &'path str) -> Option<&'path str> {
        let rest = path.strip_prefix(&*self.base)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

/// Characters that links have unencoded: the unreserved ones of RFC 3986 §2.3, and three that read
/// better that way.
const PLAIN: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',')
    .remove(b':');

/// Percent-encodes a segment of a path, or a part of a query.
pub(crate) fn encoded(text: &str) -> percent_encoding::PercentEncode<'_> {
    percent_encoding::utf8_percent_encode(text, PLAIN)
}

/// Characters that the path of a URI may have unencoded (RFC 3986 §3.3), and `%`, which is handled
/// separately.
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

/// Turns a requested path into a URI reference (RFC 3986 §4.1). It percent-encodes forbidden bytes,
/// and each `%` that encodes nothing.
pub(crate) fn reference(path: &str) -> String {
    let encoded = percent_encoding::utf8_percent_encode(path, PATH).to_string();
    let mut parts = encoded.split('%');
    let mut reference = String::with_capacity(encoded.len());
    // Two slashes at the beginning would introduce a host.
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

    /// HTTP 143: bytes that clients may send raw are encoded in what the server sends.
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
