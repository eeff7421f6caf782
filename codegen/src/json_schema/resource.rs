//! A resource, its parent and its limit.

use super::shape::{SYSTEM, count, flag, named, text, word};
use super::{Key, defined, http, key};
use crate::schema::{Assigned, IdKind, OnDelete, Operation, Routes};
use serde_json::{Value, json};

/// How many members a page may be declared to have at most.
const PAGE_MEMBERS_MAX: u32 = 10_000;

pub(super) fn keys() -> Vec<Key> {
    let mut keys = names();
    keys.extend(contents());
    keys.extend(http::of_resource());
    keys
}

/// What a resource is called, where it stands and what it is.
fn names() -> Vec<Key> {
    let segment = json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$", "maxLength": 63 });
    let table = json!({ "allOf": [defined("name")], "not": { "pattern": "^sqlite_" } });
    let parent = json!({ "anyOf": [defined("name"), defined("parent")] });
    let id = json!({ "anyOf": [word(IdKind::WORDS, None), defined("id")], "default": "integer" });
    vec![
        key(
            "collection",
            "The segment of its collection in a URL, by default the English plural of the name.",
            segment,
        ),
        key("table", "The table of its rows, by default named like the collection.", table),
        key("description", "What it is.", text()),
        key("parent", "The resource under whose members its collection is nested.", parent),
        key(
            "routes",
            "Where its collection is served: under its parent, at the top, or at both.",
            word(Routes::WORDS, Some("nested")),
        ),
        key(
            "id",
            "What its ids are: counted by the database, made by the server, or chosen by the client.",
            id,
        ),
        key(
            "noun",
            "Insists that the name is a singular noun although it looks like a verb or a plural.",
            flag(false),
        ),
    ]
}

/// What its members are and how its collection is shown.
fn contents() -> Vec<Key> {
    let sort = json!({
        "type": "array", "items": defined("sort_key"), "minItems": 1, "uniqueItems": true, "examples": [["name", "-opened"]],
    });
    vec![
        key("fields", "What each of its members says.", named(&defined("field"), SYSTEM)),
        key(
            "methods",
            "What may be done with it, by default everything but `delete_many`.",
            methods(),
        ),
        key(
            "sort",
            "The order of its collection where a request asks for none, with `-` before what falls.",
            sort,
        ),
        key("limit", "How many members a page has.", defined("limit")),
        key("unique", "Sets of fields whose values are unique together.", defined("sets")),
        key("indexes", "Sets of fields that are indexed together.", defined("sets")),
        key(
            "timestamps",
            "Whether its members show when they were created and changed.",
            flag(true),
        ),
    ]
}

fn methods() -> Value {
    let usual: Vec<_> = Operation::DEFAULT.iter().map(|method| method.word()).collect();
    json!({
        "type": "array", "items": word(Operation::WORDS, None), "minItems": 1, "uniqueItems": true, "default": usual,
    })
}

pub(super) fn id() -> Vec<Key> {
    vec![
        key("type", "What an id is.", word(IdKind::WORDS, Some("integer"))),
        key(
            "assigned",
            "Whether a client may bring an id that is no string, which the server assigns otherwise.",
            word(Assigned::WORDS, Some("server")),
        ),
    ]
}

pub(super) fn parent() -> Vec<Key> {
    vec![
        key("resource", "The name of the parent.", defined("name")),
        key(
            "field",
            "The field that holds the parent's id, by default its name with `_id`.",
            defined("free_name"),
        ),
        key(
            "on_delete",
            "Whether a parent with children cannot be deleted, takes them along, or leaves them without one.",
            word(OnDelete::WORDS, Some("restrict")),
        ),
        key(
            "movable",
            "Whether PUT and PATCH may give a member another parent, and so another URL.",
            flag(false),
        ),
        key(
            "required",
            "Whether every member has a parent; one without has only its flat URL.",
            flag(true),
        ),
    ]
}

pub(super) fn limit() -> Vec<Key> {
    let usual = |count: Value, usual: u32| super::with(count, "default", json!(usual));
    vec![
        key(
            "default",
            "How many members a page has where the request does not say.",
            usual(count(1, PAGE_MEMBERS_MAX), 20),
        ),
        key(
            "maximum",
            "How many members a request may ask for at most.",
            usual(count(1, PAGE_MEMBERS_MAX), 100),
        ),
    ]
}
