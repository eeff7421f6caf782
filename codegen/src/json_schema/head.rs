//! The top of a declaration, the facts about its interface and the settings of its server.

use super::shape::{flag, named, text, text_like, word};
use super::{Key, defined, key};
use crate::check::level::LATER_TYPES;
use crate::schema::{Case, FieldKind, Synchronous};
use serde_json::json;

/// The names that no type can have because a Rust type is called so; the others are built-in types
/// themselves.
const RUST_TYPES: [&str; 4] = ["id", "option", "timestamp", "value"];

/// Segments of a path that lead elsewhere, and the one of system pages.
const CLIMBING: &str = r"/(\.{1,2}|-)(/|$)";

pub(super) fn declaration() -> Vec<Key> {
    let built_in = FieldKind::WORDS.iter().map(|(word, _)| *word);
    let reserved: Vec<_> = built_in.chain(LATER_TYPES.iter().copied()).chain(RUST_TYPES).collect();
    let mut resources = named(&defined("resource"), &[]);
    resources["minProperties"] = json!(1);
    vec![
        key(
            "nouns",
            "The version of the language that the file is written in.",
            json!({ "const": 1 }),
        ),
        key("api", "Facts about the interface as a whole.", defined("api")),
        key(
            "server",
            "Where and how it is served, unless a flag or a variable says otherwise.",
            defined("server"),
        ),
        key(
            "types",
            "Types with names, for what several fields have in common.",
            named(&defined("type"), &reserved),
        ),
        key(
            "resources",
            "The nouns: each is a kind of thing with a collection of its own.",
            resources,
        ),
    ]
}

pub(super) fn api() -> Vec<Key> {
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
            "What people call the interface.",
            json!({ "type": "string", "minLength": 1, "default": "API" }),
        ),
        key(
            "version",
            "The version of the interface as its authors count, in quotes if it looks like a number.",
            version,
        ),
        key("description", "What the interface is for.", text()),
        key("contact", "Whom to ask about it.", defined("contact")),
        key("license", "Under which licence it may be used.", defined("license")),
        key("base_path", "The path below which everything is served.", base_path),
        key(
            "public_url",
            "The URL by which clients reach the server, where a proxy makes it differ.",
            public_url,
        ),
        key(
            "case",
            "How the names of fields are spelled in bodies and queries.",
            word(Case::WORDS, Some("snake")),
        ),
    ]
}

pub(super) fn contact() -> Vec<Key> {
    let email = json!({ "type": "string", "format": "email", "pattern": "@", "examples": ["office@zoo.example.org"] });
    let url = json!({ "type": "string", "format": "uri", "pattern": ":", "examples": ["https://zoo.example.org/contact"] });
    vec![
        key("name", "A person or a team.", text_like("The zoo office")),
        key("url", "A page about them.", url),
        key("email", "Their address.", email),
    ]
}

pub(super) fn license() -> Vec<Key> {
    vec![
        key("name", "What the licence is called.", text_like("CC BY 4.0")),
        key("identifier", "Its SPDX expression.", text_like("CC-BY-4.0")),
    ]
}

pub(super) fn server() -> Vec<Key> {
    let listen =
        json!({ "type": "string", "pattern": "^.+:[0-9]{1,5}$", "default": "127.0.0.1:8080" });
    vec![
        key("listen", "The address to listen on, a host and a port.", listen),
        key(
            "database",
            "The SQLite file, by default named like the schema file with `.db`.",
            text_like("zoo.db"),
        ),
        key(
            "synchronous",
            "Whether a write counts when the disk has it or already when the system has it.",
            word(Synchronous::WORDS, Some("full")),
        ),
        key("trace", "Whether TRACE is answered.", flag(false)),
        key(
            "query",
            "Whether QUERY, a GET whose query stands in the body, is answered.",
            flag(false),
        ),
        key("cors", "Which other origins may use the interface from a browser.", defined("cors")),
        key(
            "idempotency",
            "How an `Idempotency-Key` keeps a repeated request from creating twice.",
            defined("idempotency"),
        ),
    ]
}
