//! The shapes that values of several keys have: names, words, flags, lists.

use super::defined;
use crate::check::level;
use crate::schema::FieldKind;
use serde_json::{Value, json};

/// How names are spelled; their length is said apart.
pub(super) const NAME: &str = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$";

/// A duration in whole seconds; how long it is at most, a pattern cannot say.
const DURATION: &str = "^([0-9]+(s|m|h|d)|([0-9]+000|0+)ms)$";

/// The longest name.
const NAME_CHARACTERS_MAX: usize = crate::name::NAME_CHARACTERS_MAX;

/// The names that every member has fields of already.
pub(super) const SYSTEM: &[&str] = &["id", "created_at", "updated_at", "revision"];

/// The shapes that have a name of their own.
pub(super) fn definitions() -> [(&'static str, Value); 7] {
    [
        ("name", json!({ "type": "string", "pattern": NAME, "maxLength": NAME_CHARACTERS_MAX })),
        ("free_name", json!({ "allOf": [defined("name")], "not": { "enum": SYSTEM } })),
        ("type_name", type_name()),
        (
            "duration",
            json!({ "type": "string", "pattern": DURATION, "examples": ["30s", "5m", "24h", "14d"] }),
        ),
        ("sort_key", json!({ "type": "string", "pattern": "^-?[a-z][a-z0-9]*(_[a-z0-9]+)*$" })),
        (
            "names",
            json!({ "type": "array", "items": defined("name"), "minItems": 1, "uniqueItems": true }),
        ),
        (
            "sets",
            json!({ "type": "array", "items": defined("names"), "minItems": 1, "uniqueItems": true }),
        ),
    ]
}

/// A built-in type, or the name of another.
fn type_name() -> Value {
    let built_in: Vec<_> = FieldKind::WORDS.iter().map(|(word, _)| *word).collect();
    json!({
        "anyOf": [
            { "enum": built_in },
            { "allOf": [defined("name")], "not": { "enum": level::LATER_TYPES } },
        ],
    })
}

/// A description: text that is more than blanks.
pub(super) fn text() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

/// Text, with one to copy from.
pub(super) fn text_like(example: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "examples": [example] })
}

/// One of some words.
pub(super) fn word<T>(words: &[(&'static str, T)], usual: Option<&str>) -> Value {
    let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    match usual {
        Some(usual) => json!({ "enum": words, "default": usual }),
        None => json!({ "enum": words }),
    }
}

/// A span of time, with the usual one.
pub(super) fn duration(usual: &str) -> Value {
    json!({ "allOf": [defined("duration")], "default": usual })
}

/// True or false.
pub(super) fn flag(usual: bool) -> Value {
    json!({ "type": "boolean", "default": usual })
}

/// A whole number in a range.
pub(super) fn count(minimum: u32, maximum: u32) -> Value {
    json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
}

/// A mapping from names, which are not among the reserved ones, to what they declare.
pub(super) fn named(value: &Value, reserved: &[&str]) -> Value {
    json!({
        "type": "object",
        "propertyNames": {
            "anyOf": [{ "pattern": "^x-" }, { "allOf": [defined("name")], "not": { "enum": reserved } }],
        },
        "patternProperties": { "^x-": super::own_key() },
        "additionalProperties": value,
    })
}
