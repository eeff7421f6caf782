//! The header fields of responses.

use super::node::{JsonNode, JsonObject, component};

/// The header fields of responses, each with a sentence.
const FIELDS: [(&str, &str); 13] = [
    ("Accept-Ranges", "`bytes`: parts of the representation can be requested."),
    ("Allow", "The methods of the URL."),
    ("Cache-Control", "How caches may use the response (RFC 9111)."),
    ("Content-Location", "The URL of the member, if the change has moved it."),
    ("Content-Range", "The range of the content, or its whole length."),
    ("ETag", "The validator of the representation, for `If-None-Match` and `If-Match`."),
    ("Last-Modified", "The time of the last change."),
    ("Link", "The links to other pages (RFC 8288)."),
    ("Location", "The URL of the new member, or the one to request in place of this one."),
    ("Preference-Applied", "The preference of `Prefer` that the response follows."),
    ("Retry-After", "The seconds until the request may succeed."),
    ("WWW-Authenticate", "The schemes with which a caller can identify itself."),
    ("X-Total-Count", "The number of all matching members, with `count=true`, in NDJSON and CSV."),
];

/// The components of all header fields.
pub(super) fn components() -> impl Iterator<Item = (&'static str, JsonNode)> {
    FIELDS.into_iter().map(|(name, text)| {
        let kind =
            if name == "X-Total-Count" || name == "Retry-After" { "integer" } else { "string" };
        let schema = JsonObject::new().with("type", kind);
        (name, JsonObject::new().with("description", text).with("schema", schema).into())
    })
}

/// References to header fields.
pub(super) fn references(names: &[&'static str]) -> JsonObject {
    names.iter().map(|name| (*name, component("headers", name))).collect()
}
