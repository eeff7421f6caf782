//! A field, what it refers to, and a named type.

use super::shape::{count, flag, text, word};
use super::{Key, defined, key, object, with};
use crate::schema::{Format, OnDelete};
use nouns_declaration::constraint::ConstraintKey;
use serde_json::{Value, json};

/// How long a string may be declared to be at most.
const LENGTH_MAX: u32 = 1 << 30;

/// How many fraction digits a decimal has at most.
const SCALE_MAX: u32 = 18;

/// A field: the name of a type, or a mapping.
pub(super) fn field() -> Value {
    let says_its_type = ["type", "references", "enum"].map(|key| json!({ "required": [key] }));
    let long = with(decimal_has_a_scale(object(of_field())), "anyOf", json!(says_its_type));
    json!({ "anyOf": [short(), long] })
}

/// A named type: the name of the one it builds on, or a mapping.
pub(super) fn named_type() -> Value {
    let says_its_type = ["type", "enum"].map(|key| json!({ "required": [key] }));
    let long = with(decimal_has_a_scale(object(of_type())), "anyOf", json!(says_its_type));
    json!({ "anyOf": [short(), long] })
}

/// The name of a type that says everything.
fn short() -> Value {
    json!({ "allOf": [defined("type_name")], "not": { "const": "decimal" } })
}

fn decimal_has_a_scale(mut schema: Value) -> Value {
    schema["if"] =
        json!({ "properties": { "type": { "const": "decimal" } }, "required": ["type"] });
    schema["then"] = json!({ "required": ["scale"] });
    schema
}

pub(super) fn of_type() -> Vec<Key> {
    let mut keys = constraints();
    keys.push(key(
        "type",
        "The type that it builds on, built in or named above.",
        defined("type_name"),
    ));
    keys.push(key("description", "What it is.", text()));
    keys.push(key("example", "A value of it, to show what it looks like.", json!({})));
    keys
}

pub(super) fn of_field() -> Vec<Key> {
    let mut keys = constraints();
    keys.extend(storage());
    keys.extend(visibility());
    keys
}

/// What values there are.
fn constraints() -> Vec<Key> {
    let bound = || json!({ "type": ["number", "string"] });
    let choices = json!({ "type": "array", "items": { "type": ["string", "number"] }, "minItems": 1, "uniqueItems": true });
    let pattern = json!({ "type": "string", "format": "regex", "minLength": 1, "examples": ["^[A-Z]{3}-[0-9]+$"] });
    let shape = |constraint| match constraint {
        ConstraintKey::Enum => choices.clone(),
        ConstraintKey::Minimum | ConstraintKey::Maximum => bound(),
        ConstraintKey::MinLength | ConstraintKey::MaxLength => count(0, LENGTH_MAX),
        ConstraintKey::Pattern => pattern.clone(),
        ConstraintKey::Format => word(Format::WORDS, None),
        ConstraintKey::Scale => count(0, SCALE_MAX),
        ConstraintKey::IgnoreCase => flag(false),
    };
    let keys = ConstraintKey::WORDS.iter();
    keys.map(|(name, constraint)| key(name, constraint.meaning(), shape(*constraint))).collect()
}

/// What a field holds and how it is kept.
fn storage() -> Vec<Key> {
    let references = json!({ "anyOf": [defined("name"), defined("references")] });
    vec![
        key(
            "type",
            "The type of its values, built in or named under `types`.",
            defined("type_name"),
        ),
        key("references", "The resource whose member it points at.", references),
        key("required", "Whether null is refused.", flag(false)),
        key(
            "default",
            "The value of a new member that says none; `$now` is the time of the request.",
            json!({}),
        ),
        key("unique", "Whether no two members have the same value.", flag(false)),
        key("index", "Whether it has an index of its own.", flag(false)),
        key(
            "column",
            "The column that holds it, by default named like the field.",
            defined("free_name"),
        ),
    ]
}

/// Who sees a field and what is said about it.
fn visibility() -> Vec<Key> {
    vec![
        key("read_only", "Whether it is shown, and set by the server alone.", flag(false)),
        key("write_only", "Whether it is accepted, and never shown.", flag(false)),
        key(
            "create_only",
            "Whether it is accepted when a member is created, and never after.",
            flag(false),
        ),
        key("hidden", "Whether it is neither accepted nor shown.", flag(false)),
        key("filterable", "Whether a request may filter by it.", flag(true)),
        key("sortable", "Whether a request may sort by it.", flag(true)),
        key("description", "What it is.", text()),
        key("example", "A value of it, to show what it looks like.", json!({})),
        key("deprecated", "Says that it is on its way out.", flag(false)),
    ]
}

pub(super) fn references() -> Vec<Key> {
    vec![
        key("resource", "The name of the other resource.", defined("name")),
        key(
            "as",
            "What the other member is called here, by default the field without `_id`.",
            defined("free_name"),
        ),
        key(
            "on_delete",
            "What the deletion of the other member does to this one.",
            word(OnDelete::WORDS, Some("restrict")),
        ),
        key(
            "children",
            "What the members here are called as seen from there.",
            defined("free_name"),
        ),
    ]
}
