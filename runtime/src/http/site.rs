//! [`RequestSite`]: whether a browser sends a request for a page of this server, or for a page of
//! somebody else (cross-site request forgery).

use http::{
    HeaderMap, HeaderName, HeaderValue, header,
    uri::{Authority, Scheme},
};

use super::single::{essence, only};

/// The field in which browsers say how the page that causes a request relates to the server (Fetch
/// Metadata §2.4).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The pages that a request may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestSite {
    /// A page of this server, an allowed page, or the user.
    Own,
    /// A page of somebody else.
    Foreign,
    /// The client does not tell. It is no browser, or a very old one.
    Unknown,
}

/// The origin of this server, as clients know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnOrigin<'a> {
    /// The host and port.
    pub(crate) authority: &'a Authority,
    /// The scheme, if it is known. A proxy that is not declared may have removed TLS.
    pub(crate) scheme: Option<&'a Scheme>,
}

/// The pages that may act for their users.
#[derive(Clone, Copy)]
pub(crate) struct AllowedPages<'a> {
    pub(crate) own: Option<OwnOrigin<'a>>,
    /// Whether a value of `Origin` was declared as allowed.
    pub(crate) is_declared: &'a dyn Fn(&HeaderValue) -> bool,
    /// Whether a declared origin may belong to another site, since the cookie is sent to it.
    pub(crate) cross_site: bool,
}

impl RequestSite {
    /// Finds where a request comes from. `Sec-Fetch-Site` decides if it is present, because pages
    /// with the policy `no-referrer` send `Origin: null` to their own server. No page can set
    /// either field.
    pub(crate) fn of(headers: &HeaderMap, pages: AllowedPages<'_>) -> Self {
        let origin = headers.get(header::ORIGIN);
        let is_declared = || {
            let origin = only(headers, &header::ORIGIN);
            if origin.is_some_and(|origin| (pages.is_declared)(origin)) {
                Self::Own
            } else {
                Self::Foreign
            }
        };
        if headers.contains_key(SEC_FETCH_SITE) {
            let site = only(headers, &SEC_FETCH_SITE).map(HeaderValue::as_bytes);
            return match site {
                Some(b"same-origin" | b"none") => Self::Own,
                Some(b"same-site") => is_declared(),
                Some(b"cross-site") if pages.cross_site => is_declared(),
                _ => Self::Foreign,
            };
        }
        match origin {
            None => Self::Unknown,
            Some(_) if pages.own.is_some_and(|own| own.is_of(headers)) => Self::Own,
            Some(_) => is_declared(),
        }
    }
}

impl OwnOrigin<'_> {
    /// Whether `Origin` has the host and the port of this server, and its scheme if that is known.
    fn is_of(self, headers: &HeaderMap) -> bool {
        let origin = only(headers, &header::ORIGIN).and_then(|origin| origin.to_str().ok());
        let Some((scheme, authority)) = origin.and_then(|origin| origin.split_once("://")) else {
            return false;
        };
        let port = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => return false,
        };
        let own = self.authority.as_str();
        let own = own.strip_suffix(port).unwrap_or(own);
        self.scheme.is_none_or(|known| known == scheme)
            && !own.is_empty()
            && own.eq_ignore_ascii_case(authority.strip_suffix(port).unwrap_or(authority))
    }
}

/// Whether a form of a foreign page could have sent this body without asking the server first
/// (Fetch §2.2.2).
pub(crate) fn may_be_form(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else {
        let length = headers.get(header::CONTENT_LENGTH);
        return headers.contains_key(header::TRANSFER_ENCODING)
            || length.is_some_and(|length| length.as_bytes() != b"0");
    };
    let kind = essence(kind).to_ascii_lowercase();
    kind == "application/x-www-form-urlencoded"
        || kind == "multipart/form-data"
        || kind.starts_with("text/")
        || kind.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fields: &[(&'static str, &'static str)], cross_site: bool) -> RequestSite {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let authority = Authority::from_static("zoo.example:8080");
        let own = Some(OwnOrigin { authority: &authority, scheme: None });
        let is_declared = &|origin: &HeaderValue| origin == "https://app.example";
        RequestSite::of(&headers, AllowedPages { own, is_declared, cross_site })
    }

    #[test]
    fn the_browser_says_where_a_request_comes_from() {
        use RequestSite::{Foreign, Own, Unknown};
        let declared = ("origin", "https://app.example");
        for (fields, expected) in [
            (&[][..], Unknown),
            (&[("sec-fetch-site", "same-origin"), ("origin", "null")], Own),
            (&[("sec-fetch-site", "none")], Own),
            (&[("sec-fetch-site", "same-site")], Foreign),
            (&[("sec-fetch-site", "same-site"), declared], Own),
            (&[("sec-fetch-site", "cross-site"), declared], Foreign),
            (&[("sec-fetch-site", "cross-site")], Foreign),
            (&[("sec-fetch-site", "anything")], Foreign),
            (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], Foreign),
            (&[("origin", "http://zoo.example:8080")], Own),
            (&[("origin", "https://ZOO.example:8080")], Own),
            (&[("origin", "http://zoo.example")], Foreign),
            (&[("origin", "http://zoo.example:8080.evil")], Foreign),
            (&[("origin", "ftp://zoo.example:8080")], Foreign),
            (&[("origin", "null")], Foreign),
            (&[("origin", "")], Foreign),
            (&[("origin", "http://zoo.example:8080"), ("origin", "null")], Foreign),
            (&[declared], Own),
        ] {
            assert_eq!(of(fields, false), expected, "{fields:?}");
        }
        assert_eq!(of(&[("sec-fetch-site", "cross-site"), declared], true), Own);
        assert_eq!(of(&[("sec-fetch-site", "cross-site")], true), Foreign);
    }

    #[test]
    fn the_default_port_may_be_left_out() {
        let mut headers = HeaderMap::new();
        headers.insert("origin", HeaderValue::from_static("https://zoo.example"));
        for (own, expected) in [
            ("zoo.example", true),
            ("zoo.example:443", true),
            ("zoo.example:80", false),
            ("zoo.example:8080", false),
        ] {
            let authority = &Authority::from_static(own);
            assert_eq!(OwnOrigin { authority, scheme: None }.is_of(&headers), expected, "{own}");
        }
    }

    #[test]
    fn a_page_of_another_scheme_is_foreign_if_the_scheme_is_known() {
        let authority = &Authority::from_static("zoo.example");
        for (scheme, http, https) in [
            (None, true, true),
            (Some(Scheme::HTTP), true, false),
            (Some(Scheme::HTTPS), false, true),
        ] {
            let own = OwnOrigin { authority, scheme: scheme.as_ref() };
            for (origin, expected) in [("http://zoo.example", http), ("https://zoo.example", https)]
            {
                let mut headers = HeaderMap::new();
                headers.insert("origin", HeaderValue::from_static(origin));
                assert_eq!(own.is_of(&headers), expected, "{scheme:?} {origin}");
            }
        }
    }

    #[test]
    fn a_form_has_one_of_three_types() {
        for (fields, expected) in [
            (&[][..], false),
            (&[("content-length", "0")], false),
            (&[("content-length", "3")], true),
            (&[("transfer-encoding", "chunked")], true),
            (&[("content-type", "application/json")], false),
            (&[("content-type", "Text/Plain; charset=utf-8")], true),
            (&[("content-type", "multipart/form-data; boundary=x")], true),
            (&[("content-type", "application/x-www-form-urlencoded")], true),
            (&[("content-type", "")], true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(*name, HeaderValue::from_static(value));
            }
            assert_eq!(may_be_form(&headers), expected, "{fields:?}");
        }
    }
}
