//! The JSON Schema of the top level, of `api` and of `server`.

use super::shape::{duration, flag, named, text, text_like, word};
use super::{KeySchema, defined, key};
use crate::check::level::LATER_TYPES;
use crate::schema::{Case, FieldKind, ProxyFields, Synchronous};
use serde_json::{Value, json};

/// The names that a type cannot have because a Rust type has them. Names of built-in types are not
/// in this list.
const RUST_TYPES: [&str; 4] = ["id", "option", "timestamp", "value"];

/// A regular expression for paths that are not allowed, because they have the segment `.`, `..` or
/// `-`. The server's own pages are below `/-/`.
const CLIMBING: &str = r"/(\.{1,2}|-)(/|$)";

pub(super) fn declaration() -> Vec<KeySchema> {
    let built_in = FieldKind::WORDS.iter().map(|(word, _)| *word);
    let reserved: Vec<_> = built_in.chain(LATER_TYPES.iter().copied()).chain(RUST_TYPES).collect();
    let mut resources = named(&defined("resource"), &[]);
    resources["minProperties"] = json!(1);
    vec![
        key("nouns", "The version of the schema language.", json!({ "const": 1 })),
        key("api", "The title, the version and other properties of the API.", defined("api")),
        key(
            "server",
            "The settings of the server; flags and environment variables override them.",
            defined("server"),
        ),
        key("auth", "The accounts, and how callers sign in.", defined("auth")),
        key(
            "types",
            "Named types, which several fields can share.",
            named(&defined("type"), &reserved),
        ),
        key("resources", "The resources, each with a collection.", resources),
    ]
}

pub(super) fn api() -> Vec<KeySchema> {
    let base_path = json!({
        "type": "string",
        "pattern": r"^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*/?)?$",
        "not": { "pattern": CLIMBING },
        "default": "/",
        "examples": ["/api/v1"],
    });
    let public_url = json!({
        "type": "string",
        "pattern": r"^https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~-]+)*/?$",
        "not": { "pattern": CLIMBING },
        "examples": ["https://zoo.example.org"],
    });
    let version = json!({ "type": "string", "minLength": 1, "default": "1.0.0" });
    vec![
        key(
            "title",
            "The title of the API.",
            json!({ "type": "string", "minLength": 1, "default": "API" }),
        ),
        key("version", "The version of the API, in quotes if it looks like a number.", version),
        key("description", "The description of the API.", text()),
        key("contact", "The contact of the API.", defined("contact")),
        key("license", "The licence of the API.", defined("license")),
        key("base_path", "The path prefix of all URLs.", base_path),
        key(
            "public_url",
            "The URL by which clients reach the server, if a proxy changes it.",
            public_url,
        ),
        key(
            "case",
            "How the names of fields are spelled in bodies and queries.",
            word(Case::WORDS, Some("snake")),
        ),
    ]
}

pub(super) fn contact() -> Vec<KeySchema> {
    let email = json!({ "type": "string", "format": "email", "pattern": "@", "examples": ["office@zoo.example.org"] });
    let url = json!({ "type": "string", "format": "uri", "pattern": ":", "examples": ["https://zoo.example.org/contact"] });
    vec![
        key("name", "A person or a team.", text_like("The zoo office")),
        key("url", "The URL of a page about the person or team.", url),
        key("email", "The email address of the person or team.", email),
    ]
}

pub(super) fn license() -> Vec<KeySchema> {
    vec![
        key("name", "The name of the licence.", text_like("CC BY 4.0")),
        key("identifier", "The SPDX expression of the licence.", text_like("CC-BY-4.0")),
    ]
}

pub(super) fn server() -> Vec<KeySchema> {
    let mut keys = listening();
    keys.extend(vec![
        key(
            "database",
            "The SQLite file, by default the name of the schema file with `.db`.",
            text_like("zoo.db"),
        ),
        key(
            "synchronous",
            "Whether a write is acknowledged once it is on disk, or once the operating system has \
             it.",
            word(Synchronous::WORDS, Some("full")),
        ),
        key("trace", "Whether TRACE is supported.", flag(false)),
        key("query", "Whether QUERY, a GET with its query in the body, is supported.", flag(false)),
        key(
            "cors",
            "The other origins that may use the API from a browser (CORS).",
            defined("cors"),
        ),
        key(
            "idempotency",
            "How long the response for an `Idempotency-Key` is stored, so that a retried request is not \
             executed twice.",
            defined("idempotency"),
        ),
        key(
            "trusted_proxies",
            "The proxies whose fields name the client: IP addresses and ranges like `10.0.0.0/8`, and \
             `unix` for those on a Unix socket.",
            json!({
                "type": "array",
                "items": { "type": "string", "pattern": "^([0-9A-Fa-f:.]+(/[0-9]{1,3})?|unix)$" },
                "uniqueItems": true,
                "examples": [["10.0.0.0/8", "::1"]]
            }),
        ),
        key(
            "proxy_fields",
            "The fields that the trusted proxies set: `X-Forwarded-For`, `-Proto` and `-Host`, or \
             `Forwarded`.",
            word(ProxyFields::WORDS, Some(ProxyFields::default().word())),
        ),
    ]);
    keys.extend(bounds());
    keys.extend(monitoring());
    keys
}

/// An address to listen on, with an example.
fn address(example: &str) -> Value {
    json!({
        "type": "string",
        "pattern": "^(.+:[0-9]{1,5}|unix:.+)$",
        "examples": [example, "unix:/run/nouns.sock"]
    })
}

/// The keys of `server` about its listeners.
fn listening() -> Vec<KeySchema> {
    let mut listen = address("127.0.0.1:8080");
    listen["default"] = json!("127.0.0.1:8080");
    vec![
        key(
            "listen",
            "The address to listen on: a host and a port, or a Unix socket like \
             `unix:/run/nouns.sock`.",
            listen,
        ),
        key("listen_plain", "A second address to listen on, without TLS.", address("0.0.0.0:80")),
        key("tls", "The certificate and its key: the server uses TLS.", defined("tls")),
        key(
            "hsts",
            "How long browsers use TLS alone for this host (Strict-Transport-Security).",
            json!({ "anyOf": [defined("duration"), defined("hsts")] }),
        ),
        key(
            "drain_delay",
            "How long a stopping server still serves, while `/-/ready` is 503.",
            duration("0s"),
        ),
    ]
}

/// The keys of `server` about what one client may take from the others.
fn bounds() -> Vec<KeySchema> {
    vec![
        key(
            "keep_alive",
            "How long a connection waits for its next request, and how many requests it has.",
            defined("keep_alive"),
        ),
        key(
            "timeouts",
            "The times within which requests and responses must come.",
            defined("timeouts"),
        ),
        key("limits", "The sizes and numbers that requests must keep to.", defined("limits")),
        key(
            "early_hints",
            "Whether clients of HTTP/2 that accept no server push get 103 Early Hints.",
            flag(false),
        ),
        key(
            "hosts",
            "The hosts that are served; others get 421.",
            json!({
                "type": "array",
                "items": { "type": "string", "pattern": "^([*]|([*][.])?[A-Za-z0-9:._-]+)$" },
                "minItems": 1,
                "uniqueItems": true,
                "examples": [["zoo.example.org", "*.zoo.example.org"]]
            }),
        ),
        key(
            "rate_limit",
            "How many requests a client and an account may send.",
            defined("rate_limit"),
        ),
    ]
}

/// The keys of `server` about metrics and times.
fn monitoring() -> Vec<KeySchema> {
    vec![
        key(
            "metrics",
            "Whether `/-/metrics` is served, by default only to clients on the same machine.",
            json!({ "type": "boolean" }),
        ),
        key(
            "server_timing",
            "Whether clients may ask for `Server-Timing`, by default only those on the same \
             machine.",
            json!({ "type": "boolean" }),
        ),
        key(
            "admin_listen",
            "The address of a listener of its own for health, readiness and metrics.",
            address("127.0.0.1:9090"),
        ),
        key(
            "templates",
            "The directory whose files replace those of the web pages.",
            text_like("templates"),
        ),
    ]
}
