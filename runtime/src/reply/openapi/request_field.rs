//! The header fields of requests.

use super::{
    node::{JsonNode, JsonObject, component},
    system::typed,
};
use crate::base::limits;

/// `*`, or a list of entity tags, which may have empty elements (RFC 9110 §13.1.1).
const TAGS: &str =
    concat!(r"^(\*|[ \t,]*((W/)?", r#""[!#-~]*"([ \t]*,[ \t,]*(W/)?"[!#-~]*")*[ \t,]*)?)$"#,);

/// A key: letters, digits, `-` and `_`, or a String of RFC 9651 §3.3.3, which is in quotes.
const KEY: &str = concat!("^([A-Za-z0-9_-]{1,MOST}", r#"|"([ !#-\[\]-~]|\\["\\]){1,MOST}")$"#,);

/// A header field of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestField {
    IfMatch,
    IfNoneMatch,
    IfModifiedSince,
    IfUnmodifiedSince,
    Range,
    IfRange,
    Prefer,
    IdempotencyKey,
}

impl RequestField {
    const ALL: [Self; 8] = [
        Self::IfMatch,
        Self::IfNoneMatch,
        Self::IfModifiedSince,
        Self::IfUnmodifiedSince,
        Self::Range,
        Self::IfRange,
        Self::Prefer,
        Self::IdempotencyKey,
    ];

    /// The fields that any read of a resource may have.
    pub(super) const OF_READS: [Self; 6] = [
        Self::IfNoneMatch,
        Self::IfModifiedSince,
        Self::IfMatch,
        Self::IfUnmodifiedSince,
        Self::Range,
        Self::IfRange,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::IfMatch => "If-Match",
            Self::IfNoneMatch => "If-None-Match",
            Self::IfModifiedSince => "If-Modified-Since",
            Self::IfUnmodifiedSince => "If-Unmodified-Since",
            Self::Range => "Range",
            Self::IfRange => "If-Range",
            Self::Prefer => "Prefer",
            Self::IdempotencyKey => "Idempotency-Key",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::IfMatch => {
                "The ETags of the states that the request is for. Another state is 412 (RFC 9110 \
                 §13.1.1)."
            }
            Self::IfNoneMatch => {
                "The ETags of the states that the client has: a read of one of them is 304, a \
                 write 412. `*` is any state (RFC 9110 §13.1.2)."
            }
            Self::IfModifiedSince => {
                "A read is 304 if nothing has changed since this time. Ignored beside \
                 `If-None-Match`."
            }
            Self::IfUnmodifiedSince => {
                "The request is 412 if something has changed since this time. Ignored beside \
                 `If-Match`."
            }
            Self::Range => "The bytes of the representation to send (RFC 9110 §14.2).",
            Self::IfRange => {
                "The ETag for which `Range` applies. Otherwise the whole representation is sent."
            }
            Self::Prefer => {
                "`return=minimal` makes the response to a write have no content (RFC 7240)."
            }
            Self::IdempotencyKey => {
                "A name for this request, which the client makes, such as a UUID. It is a text in \
                 quotes; letters, digits, `-` and `_` need none. A repeated request with it gets \
                 the first response and is not executed again."
            }
        }
    }

    fn schema(self) -> JsonObject {
        let text = typed("string");
        match self {
            Self::IfMatch | Self::IfNoneMatch => text.with("pattern", TAGS),
            Self::IdempotencyKey => {
                let most = limits::IDEMPOTENCY_KEY_CHARS_MAX;
                text.with("pattern", KEY.replace("MOST", &most.to_string()))
            }
            // A field that cannot be read is ignored.
            Self::Prefer
            | Self::Range
            | Self::IfRange
            | Self::IfModifiedSince
            | Self::IfUnmodifiedSince => text,
        }
    }

    const fn example(self) -> &'static str {
        match self {
            Self::IfMatch | Self::IfNoneMatch | Self::IfRange => "\"900115021793-json-c4c36fc6\"",
            Self::IfModifiedSince | Self::IfUnmodifiedSince => "Fri, 20 Nov 2026 08:30:00 GMT",
            Self::Range => "bytes=0-499",
            Self::Prefer => "return=minimal",
            Self::IdempotencyKey => "4f1c6b3a-9d2e-4c57-8a10-6e5b7c2d9f01",
        }
    }

    /// A reference to the component, or the field itself if the operation requires it.
    pub(super) fn parameter(self, is_required: bool) -> JsonObject {
        if is_required {
            self.whole().with("required", true)
        } else {
            component("parameters", self.name())
        }
    }

    fn whole(self) -> JsonObject {
        JsonObject::new()
            .with("name", self.name())
            .with("in", "header")
            .with("description", self.text())
            .with("schema", self.schema())
            .with("example", self.example())
    }

    /// All components.
    pub(super) fn components() -> impl Iterator<Item = (String, JsonNode)> {
        Self::ALL
            .into_iter()
            .map(|field| (field.name().to_owned(), JsonNode::Object(field.whole())))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use regex::Regex;

    use super::*;
    use crate::http::idempotency_key::{IDEMPOTENCY_KEY, parse};

    /// The schema admits the keys that the server takes, in quotes or without (RFC 9651 §3.3.3).
    #[test]
    fn the_pattern_of_keys_is_that_of_the_server() {
        let most = limits::IDEMPOTENCY_KEY_CHARS_MAX;
        let pattern = Regex::new(&KEY.replace("MOST", &most.to_string())).unwrap();
        let long = |more: usize| "k".repeat(most + more);
        let good = [
            "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"".to_owned(),
            "8e03978e-40d5".to_owned(),
            r#""a \"quoted\" key with \\ and ]""#.to_owned(),
            "\" \"".to_owned(),
            format!("\"{}\"", long(0)),
            long(0),
        ];
        let bad = [
            format!("\"{}\"", long(1)),
            long(1),
            "\"\"".to_owned(),
            "\"".to_owned(),
            r#""a"b""#.to_owned(),
            r#""a\b""#.to_owned(),
            "a key".to_owned(),
            "a.b".to_owned(),
            "'a'".to_owned(),
            "\"é\"".to_owned(),
        ];
        for (keys, is_good) in [(&good[..], true), (&bad[..], false)] {
            for key in keys {
                let value = HeaderValue::from_bytes(key.as_bytes()).unwrap();
                let fields: HeaderMap = [(IDEMPOTENCY_KEY, value)].into_iter().collect();
                assert_eq!(parse(&fields).is_ok(), is_good, "the server: {key}");
                assert_eq!(pattern.is_match(key), is_good, "the document: {key}");
            }
        }
    }
}
