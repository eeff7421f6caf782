//! Schemas that several keys share, such as names, words, flags and durations.

use super::defined;
use crate::check::level;
use crate::schema::FieldKind;
use serde_json::{Value, json};

/// A regular expression for names. It does not limit their length.
pub(super) const NAME: &str = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$";

/// A regular expression for durations in whole seconds. It cannot limit how long a duration is.
const DURATION: &str = "^([0-9]+(s|m|h|d)|([0-9]+000|0+)ms)$";

/// The maximum length of a name in characters.
const NAME_CHARACTERS_MAX: usize = crate::name::NAME_CHARACTERS_MAX;

/// The names of the fields and columns that every row has.
pub(super) const SYSTEM: &[&str] = &["id", "created_at", "updated_at", "revision"];

/// The shared schemas that have a definition under `$defs`.
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

/// The schema of a type name: a built-in type, or a name that a named type may have.
fn type_name() -> Value {
    let built_in: Vec<_> = FieldKind::WORDS.iter().map(|(word, _)| *word).collect();
    json!({
        "anyOf": [
            { "enum": built_in },
            { "allOf": [defined("name")], "not": { "enum": level::LATER_TYPES } },
        ],
    })
}

/// The schema of a text that has more than white space.
pub(super) fn text() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

/// The schema of a text that is not empty, with an example.
pub(super) fn text_like(example: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "examples": [example] })
}

/// The schema of a word, one of `words`. `usual` is the default, if there is one.
pub(super) fn word<T>(words: &[(&'static str, T)], usual: Option<&str>) -> Value {
    let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    match usual {
        Some(usual) => json!({ "enum": words, "default": usual }),
        None => json!({ "enum": words }),
    }
}

/// The schema of a duration with its default.
pub(super) fn duration(usual: &str) -> Value {
    json!({ "allOf": [defined("duration")], "default": usual })
}

/// The schema of a boolean with its default.
pub(super) fn flag(usual: bool) -> Value {
    json!({ "type": "boolean", "default": usual })
}

/// The schema of a whole number in a range.
pub(super) fn count(minimum: u32, maximum: u32) -> Value {
    json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
}

/// The schema of a mapping from names to values. `reserved` lists names that are not allowed.
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
