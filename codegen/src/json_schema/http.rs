//! The JSON Schema of HTTP settings: CORS, idempotency, caching, preconditions and moved URLs.

use super::shape::{duration, flag, text_like, word};
use super::{KeySchema, defined, key, with};
use crate::schema::{Precondition, Push, Visibility, duration as spelling, size};
use nouns_declaration::def::{Limit, LimitUnit, Timeout};
use serde_json::json;
use std::time::Duration;

/// A regular expression for former paths. Each segment is a literal or a placeholder.
const FORMER: &str = r"^(/([A-Za-z0-9._~-]+|\{[a-z][a-z0-9]*(_[a-z0-9]+)*\}))+$";

/// A regular expression for former paths that are not allowed: those with the segment `.`, `..` or
/// `-`, and `/openapi.json` with the paths below it.
const RESERVED: &str = r"/(\.{1,2}|-)(/|$)|^/openapi\.json(/|$)";

pub(super) fn tls() -> Vec<KeySchema> {
    let certificate = "The PEM file with the certificate, and those that have signed it.";
    vec![
        key("certificate", certificate, text_like("/etc/zoo/fullchain.pem")),
        key("key", "The PEM file with the key of the certificate.", text_like("/etc/zoo/key.pem")),
    ]
}

pub(super) fn hsts() -> Vec<KeySchema> {
    vec![
        key("max_age", "How long browsers remember it.", defined("duration")),
        key("include_subdomains", "Whether it holds for all subdomains, too.", flag(false)),
        key(
            "preload",
            "Whether browsers may be shipped with it, which needs `include_subdomains` and a year.",
            flag(false),
        ),
    ]
}

pub(super) fn cors() -> Vec<KeySchema> {
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
        key("origins", "The allowed origins, or `*` alone for any.", origins),
        key(
            "credentials",
            "Whether cross-origin requests may carry cookies and credentials.",
            flag(false),
        ),
        key(
            "headers",
            "Header fields that cross-origin requests may have, in addition to those that the server \
             reads.",
            headers,
        ),
        key(
            "max_age",
            "How long a browser may cache the response to a preflight request.",
            duration("10m"),
        ),
    ]
}

pub(super) fn idempotency() -> Vec<KeySchema> {
    let mut keep = duration(&spelling::text(crate::schema::Server::IDEMPOTENCY_KEEP_SECONDS));
    keep["not"] = json!({ "pattern": "^0+(ms|s|m|h|d)$" });
    vec![key("keep", "How long the first response is stored for retries of its request.", keep)]
}

pub(super) fn rate_limit() -> Vec<KeySchema> {
    let rate = |example: &str| json!({ "type": "string", "pattern": "^[1-9][0-9]{0,6}/[1-9][0-9]*(s|m|h|d)$", "examples": [example] });
    vec![
        key("client", "The requests of an address, or a `/64` of IPv6, in a time.", rate("600/1m")),
        key(
            "account",
            "The requests of an account in a time; if absent, they count for the client.",
            rate("6000/1m"),
        ),
    ]
}

/// The keys of a mapping of `server` that has limits and timeouts.
pub(super) fn limits(group: &str) -> Vec<KeySchema> {
    let limits = Limit::ALL.iter().filter(|limit| limit.group() == group).map(|limit| {
        let (least, most) = limit.range();
        let number = json!({ "type": "integer", "minimum": least, "maximum": most });
        let value = match limit.unit() {
            LimitUnit::Count => with(number, "default", json!(limit.default())),
            LimitUnit::Bytes => {
                let size = json!({ "type": "string", "pattern": "^(0|[0-9]+(KiB|MiB|GiB))$" });
                let usual = match size::text(limit.default()) {
                    text if text.ends_with('B') => json!(text),
                    _ => json!(limit.default()),
                };
                with(json!({ "anyOf": [size, number] }), "default", usual)
            }
        };
        key(limit.key(), limit.meaning(), with(value, "$comment", json!(limit.reason())))
    });
    let timeouts = Timeout::ALL.iter().filter(|timeout| timeout.group() == group).map(|timeout| {
        let (least, most) = timeout.range();
        let bound = |milliseconds| spelling::text_of(Duration::from_millis(milliseconds));
        // JSON Schema cannot compare durations.
        let value = json!({
            "type": "string",
            "pattern": "^[0-9]+(ms|s|m|h|d)$",
            "default": spelling::text_of(timeout.default()),
            "x-minimum": bound(least),
            "x-maximum": bound(most),
            "$comment": timeout.reason(),
        });
        key(timeout.key(), timeout.meaning(), value)
    });
    limits.chain(timeouts).collect()
}

/// The keys for the HTTP settings of a resource.
pub(super) fn of_resource() -> Vec<KeySchema> {
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
            "The deprecation of the resource: its date, and the date from which the resource may be \
             removed.",
            json!({ "anyOf": [flag(false), defined("deprecated")] }),
        ),
        key("cache", "How long responses may be cached, and by which caches.", defined("cache")),
        key(
            "precondition",
            "Whether a change must have `If-Match`.",
            word(Precondition::WORDS, Some("optional")),
        ),
        key(
            "push",
            "What is pushed with responses over HTTP/2, or named in 103 Early Hints.",
            json!({
                "type": "array", "items": word(Push::WORDS, None), "minItems": 1,
                "uniqueItems": true,
            }),
        ),
        key(
            "moved_from",
            "Former paths of the collection, which redirect permanently.",
            json!({ "anyOf": [path, paths] }),
        ),
        key(
            "moved_to",
            "The temporary location of the collection, a URL or a path; requests for the collection \
             are redirected to it.",
            place,
        ),
    ]
}

pub(super) fn cache() -> Vec<KeySchema> {
    let span = || defined("duration");
    vec![
        key("max_age", "How long a response is fresh.", span()),
        key("s_maxage", "How long a response is fresh in shared caches.", span()),
        key(
            "visibility",
            "Whether shared caches may store a response.",
            word(Visibility::WORDS, None),
        ),
        key("no_store", "Whether no cache may store a response.", flag(false)),
        key(
            "must_revalidate",
            "Whether a stale response must be revalidated before use.",
            flag(false),
        ),
        key(
            "stale_while_revalidate",
            "How long a stale response may be served during revalidation.",
            span(),
        ),
        key(
            "stale_if_error",
            "How long a stale response may be served when the server fails.",
            span(),
        ),
    ]
}

pub(super) fn deprecated() -> Vec<KeySchema> {
    let date = || json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2026-11-20"] });
    let url = json!({ "type": "string", "format": "uri", "pattern": ":", "examples": ["https://zoo.example.org/changes"] });
    vec![
        key("since", "The date of the deprecation.", date()),
        key("sunset", "The date from which the resource may be removed.", date()),
        key("link", "A page about what to use instead.", url),
    ]
}
