//! [`Origins`]: the foreign origins that may use an interface from a browser, and the CORS header
//! fields for them (Fetch §3.2).

use http::HeaderValue;

use crate::{base::interner, model::def::CorsDef};

/// The request fields that a preflight response always allows (`Access-Control-Allow-Headers`).
/// Browsers send some of them without permission, but only with certain values (Fetch §2.2.2).
const READ: [&str; 20] = [
    "Accept",
    "Accept-Language",
    "Authorization",
    "Content-Digest",
    "Content-Encoding",
    "Content-Language",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "If-Unmodified-Since",
    "Prefer",
    "Range",
    "Repr-Digest",
    "Request-Id",
    "Want-Content-Digest",
    "Want-Repr-Digest",
    "X-Request-Id",
];

/// The value of `Access-Control-Expose-Headers`: the response fields that a page of a foreign
/// origin may read. Browsers also let the page read a few fields that are not in this list.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Accept-Patch, Accept-Post, Accept-Query, Accept-Ranges, Allow, Content-Digest, Content-Encoding, Content-Language, \
     Content-Location, Content-Range, Deprecation, ETag, Last-Modified, Link, Location, Preference-Applied, \
     RateLimit, RateLimit-Policy, Repr-Digest, Request-Id, Retry-After, Sunset, Vary, X-Total-Count",
);

/// The declared CORS settings, and the values of the CORS response fields.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    listed: OriginList,
    /// Whether requests may carry credentials. It is false if every origin is allowed.
    pub(crate) credentials: bool,
    /// The value of `Access-Control-Allow-Headers`.
    pub(crate) allow_headers: HeaderValue,
    /// The value of `Access-Control-Expose-Headers`.
    pub(crate) expose_headers: HeaderValue,
    /// The value of `Access-Control-Max-Age`, in seconds.
    pub(crate) max_age: HeaderValue,
}

/// The origins that are allowed.
#[derive(Clone, Debug, PartialEq)]
enum OriginList {
    Any,
    These(&'static [&'static str]),
}

impl Origins {
    /// Creates the settings from the declaration. The linker refuses the origin `null`, because
    /// browsers send it for many different pages.
    pub(crate) fn of(def: &CorsDef) -> Self {
        let any = def.origins.contains(&"*");
        let mut fields: Vec<&str> = READ.to_vec();
        for name in def.headers {
            if !fields.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                fields.push(name);
            }
        }
        Self {
            listed: if any { OriginList::Any } else { OriginList::These(def.origins) },
            credentials: def.credentials && !any,
            allow_headers: interner::field(&fields.join(", ")),
            expose_headers: EXPOSED,
            max_age: interner::field(&def.max_age_seconds.to_string()),
        }
    }

    /// Whether every origin is allowed. Then no response depends on the field `Origin`.
    pub(crate) fn are_any(&self) -> bool {
        self.listed == OriginList::Any
    }

    /// The value of `Access-Control-Allow-Origin` for a request with this `Origin`; `None` if the
    /// response must not have the field.
    pub(crate) fn allowed(&self, origin: Option<&HeaderValue>) -> Option<HeaderValue> {
        match &self.listed {
            OriginList::Any => Some(HeaderValue::from_static("*")),
            OriginList::These(known) => {
                let origin = origin?;
                known
                    .iter()
                    .any(|known| known.as_bytes() == origin.as_bytes())
                    .then(|| origin.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origins: &'static [&'static str], origin: &'static str) -> Option<String> {
        let def = CorsDef { origins, credentials: true, headers: &[], max_age_seconds: 600 };
        let value = Origins::of(&def).allowed(Some(&HeaderValue::from_static(origin)));
        value.map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn an_origin_is_allowed_that_is_listed_letter_by_letter() {
        let origins = &["https://zoo.example", "http://localhost:3000"];
        assert_eq!(allowed(origins, "https://zoo.example").as_deref(), Some("https://zoo.example"));
        assert_eq!(
            allowed(origins, "http://localhost:3000").as_deref(),
            Some("http://localhost:3000")
        );
        for other in [
            "null",
            "",
            "*",
            "https://zoo.example.evil",
            "https://zoo.example:444",
            "http://zoo.example",
            "https://evil.zoo.example",
            "https://zoo.example, https://evil",
        ] {
            assert_eq!(allowed(origins, other), None, "{other}");
        }
    }

    #[test]
    fn any_origin_gets_a_star_and_no_credentials() {
        assert_eq!(allowed(&["*"], "https://zoo.example").as_deref(), Some("*"));
        let def =
            CorsDef { origins: &["*"], credentials: true, headers: &[], max_age_seconds: 600 };
        assert!(!Origins::of(&def).credentials);
    }

    #[test]
    fn declared_fields_join_those_that_the_interface_reads() {
        let headers = &["X-Trace", "prefer"];
        let def = CorsDef { origins: &["*"], credentials: false, headers, max_age_seconds: 600 };
        let fields = Origins::of(&def).allow_headers;
        let fields = fields.to_str().unwrap();
        assert!(
            fields.ends_with("X-Request-Id, X-Trace") && fields.contains("If-None-Match"),
            "{fields}"
        );
    }
}
