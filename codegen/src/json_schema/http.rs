//! What is declared of HTTP itself: other origins, caches, conditions, former URLs.

use super::shape::{duration, flag, word};
use super::{Key, defined, key};
use crate::schema::{Precondition, Visibility, duration as spelling};
use serde_json::json;

/// A segment of a former path: plain, or a placeholder.
const FORMER: &str = r"^(/([A-Za-z0-9._~-]+|\{[a-z][a-z0-9]*(_[a-z0-9]+)*\}))+$";

/// Segments that lead elsewhere, and those of the system.
const RESERVED: &str = r"/(\.{1,2}|-)(/|$)|^/openapi\.json(/|$)";

pub(super) fn cors() -> Vec<Key> {
    let origin = json!({
        "type": "string",
        "pattern": r"^(\*|[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]-]+)$",
        "not": { "pattern": "^(http://.*:80|https://.*:443)$" },
        "examples": ["https://zoo.example.org"],
    });
    let origins = json!({ "type": "array", "items": origin, "minItems": 1, "uniqueItems": true });
    let header = json!({ "type": "string", "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" });
    let headers = json!({ "type": "array", "items": header, "minItems": 1, "uniqueItems": true });
    vec![
        key("origins", "The origins that may, or `*` alone for any.", origins),
        key(
            "credentials",
            "Whether their requests may carry cookies and credentials.",
            flag(false),
        ),
        key(
            "headers",
            "Fields that their requests may have beside those that the interface reads.",
            headers,
        ),
        key("max_age", "How long a browser may remember that it may.", duration("10m")),
    ]
}

pub(super) fn idempotency() -> Vec<Key> {
    let mut keep = duration(&spelling::text(crate::schema::Server::IDEMPOTENCY_KEEP_SECONDS));
    keep["not"] = json!({ "pattern": "^0+(ms|s|m|h|d)$" });
    vec![key("keep", "How long the first answer is kept for those that repeat its request.", keep)]
}

/// What a resource says of HTTP itself.
pub(super) fn of_resource() -> Vec<Key> {
    let path = json!({ "type": "string", "pattern": FORMER, "not": { "pattern": RESERVED }, "examples": ["/old_zoos"] });
    let paths = json!({ "type": "array", "items": path, "minItems": 1, "uniqueItems": true });
    let place = json!({
        "type": "string",
        "pattern": r"^(https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~-]+)*/?|(/[A-Za-z0-9._~-]+)+/?)$",
        "not": { "pattern": r"/(\.{1,2}|-)(/|$)" },
        "examples": ["https://zoo.example.org/zoos"],
    });
    vec![
        key(
            "deprecated",
            "Says that it is on its way out, since when and until when.",
            json!({ "anyOf": [flag(false), defined("deprecated")] }),
        ),
        key(
            "cache",
            "For how long, and by whom, what is read of it may be kept.",
            defined("cache"),
        ),
        key(
            "precondition",
            "Whether a change must say by `If-Match` which state it changes.",
            word(Precondition::WORDS, Some("optional")),
        ),
        key(
            "moved_from",
            "Paths of its collection in former days, which redirect for ever.",
            json!({ "anyOf": [path, paths] }),
        ),
        key(
            "moved_to",
            "Where its collection is for the time being, a URL or a path to which all its own redirect.",
            place,
        ),
    ]
}

pub(super) fn cache() -> Vec<Key> {
    let span = || defined("duration");
    vec![
        key("max_age", "How long it is fresh.", span()),
        key("s_maxage", "How long it is fresh in caches that users share.", span()),
        key(
            "visibility",
            "Whether caches that users share may keep it.",
            word(Visibility::WORDS, None),
        ),
        key("no_store", "Whether nobody may keep it.", flag(false)),
        key(
            "must_revalidate",
            "Whether what is not fresh must never be used unasked.",
            flag(false),
        ),
        key(
            "stale_while_revalidate",
            "How long it may still be used while a cache asks for it anew.",
            span(),
        ),
        key("stale_if_error", "How long it may still be used where the server fails.", span()),
    ]
}

pub(super) fn deprecated() -> Vec<Key> {
    let date = || json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2026-11-20"] });
    let url = json!({ "type": "string", "format": "uri", "pattern": ":", "examples": ["https://zoo.example.org/changes"] });
    vec![
        key("since", "The day on which that was decided.", date()),
        key("sunset", "The day from which on it may be gone.", date()),
        key("link", "A page that says what to use instead.", url),
    ]
}
