//! The header fields of requests.

use super::{
    node::{JsonNode, JsonObject, component},
    system::typed,
};
use crate::base::limits;

/// `*`, or a list of entity tags, which may have empty elements (RFC 9110 §13.1.1).
const TAGS: &str =
    concat!(r"^(\*|[ \t,]*((W/)?", r#""[!#-~]*"([ \t]*,[ \t,]*(W/)?"[!#-~]*")*[ \t,]*)?)$"#,);

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
                "A name for this request, which the client makes, such as a UUID. A repeated \
                 request with it gets the first response and is not executed again."
            }
        }
    }

    fn schema(self) -> JsonObject {
        let text = typed("string");
        match self {
            Self::IfMatch | Self::IfNoneMatch => text.with("pattern", TAGS),
            Self::IdempotencyKey => text
                .with("pattern", "^[A-Za-z0-9_-]+$")
                .with("maxLength", limits::IDEMPOTENCY_KEY_CHARS_MAX),
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
