//! The JSON Schema of resources, ids, parents and limits.

use super::shape::{SYSTEM, count, flag, named, text, word};
use super::{KeySchema, defined, http, key};
use crate::schema::{IdAssignment, IdKind, OnDelete, Operation, Routes};
use serde_json::{Value, json};

/// The largest allowed page size.
const PAGE_MEMBERS_MAX: u32 = 10_000;

pub(super) fn keys() -> Vec<KeySchema> {
    let mut keys = names();
    keys.extend(contents());
    keys.extend(http::of_resource());
    keys
}

/// The keys for the names and the URLs of a resource.
fn names() -> Vec<KeySchema> {
    let segment = json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$", "maxLength": 63 });
    let table = json!({ "allOf": [defined("name")], "not": { "pattern": "^sqlite_" } });
    let parent = json!({ "anyOf": [defined("name"), defined("parent")] });
    let id = json!({ "anyOf": [word(IdKind::WORDS, None), defined("id")], "default": "integer" });
    vec![
        key(
            "collection",
            "The path segment of the collection, by default the English plural of the name.",
            segment,
        ),
        key("table", "The database table, by default named like the collection.", table),
        key("description", "The description of the resource.", text()),
        key("parent", "The resource under whose members the collection is nested.", parent),
        key(
            "routes",
            "The URLs of the collection: below its parent, at the top level, or both.",
            word(Routes::WORDS, Some("nested")),
        ),
        key(
            "id",
            "The type of the ids: numbers from the database, UUIDs from the server, or strings \
             from the client.",
            id,
        ),
        key(
            "noun",
            "Asserts that the name is a singular noun, although it looks like a verb or a plural.",
            flag(false),
        ),
    ]
}

/// The keys for the members and the collection of a resource.
fn contents() -> Vec<KeySchema> {
    let sort = json!({
        "type": "array", "items": defined("sort_key"), "minItems": 1, "uniqueItems": true, "examples": [["name", "-opened"]],
    });
    vec![
        key("fields", "The fields of the members.", named(&defined("field"), SYSTEM)),
        key(
            "methods",
            "The operations that the resource offers, by default all but `delete_many`.",
            methods(),
        ),
        key("sort", "The default sort order of the collection; `-` means descending.", sort),
        key("limit", "The page size.", defined("limit")),
        key("unique", "Sets of fields whose combined values are unique.", defined("sets")),
        key("indexes", "Sets of fields that are indexed together.", defined("sets")),
        key("timestamps", "Whether the members have `created_at` and `updated_at`.", flag(true)),
        key(
            "label",
            "The field by which a member is shown where it is referenced, by default the first \
             required and unique string.",
            defined("free_name"),
        ),
        key(
            "access",
            "The access rules: which callers may read and write which members.",
            defined("access"),
        ),
    ]
}

fn methods() -> Value {
    let usual: Vec<_> = Operation::DEFAULT.iter().map(|method| method.word()).collect();
    json!({
        "type": "array", "items": word(Operation::WORDS, None), "minItems": 1, "uniqueItems": true, "default": usual,
    })
}

pub(super) fn id() -> Vec<KeySchema> {
    vec![
        key("type", "The type of the ids.", word(IdKind::WORDS, Some("integer"))),
        key(
            "assigned",
            "Who assigns ids of type `integer` or `uuid`: always the server, or optionally the client.",
            word(IdAssignment::WORDS, Some("server")),
        ),
    ]
}

pub(super) fn parent() -> Vec<KeySchema> {
    vec![
        key("resource", "The name of the parent.", defined("name")),
        key(
            "field",
            "The field that holds the parent's id, by default the name of the parent with `_id`.",
            defined("free_name"),
        ),
        key(
            "on_delete",
            "The effect on children when their parent is deleted: refuse it, delete them, or clear \
             the reference.",
            word(OnDelete::WORDS, Some("restrict")),
        ),
        key(
            "movable",
            "Whether PUT and PATCH may change the parent of a member, which also changes its URL.",
            flag(false),
        ),
        key(
            "required",
            "Whether every member has a parent; a member without a parent has only its top-level URL.",
            flag(true),
        ),
    ]
}

pub(super) fn limit() -> Vec<KeySchema> {
    let usual = |count: Value, usual: u32| super::with(count, "default", json!(usual));
    vec![
        key(
            "default",
            "The page size of a request without `limit`.",
            usual(count(1, PAGE_MEMBERS_MAX), 20),
        ),
        key(
            "maximum",
            "The largest page size that a request may set.",
            usual(count(1, PAGE_MEMBERS_MAX), 100),
        ),
    ]
}
