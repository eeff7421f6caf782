//! The JSON Schema of fields, references and named types.

use super::shape::{count, flag, text, word};
use super::{KeySchema, access, defined, key, object, with};
use crate::schema::{Format, OnDelete};
use nouns_declaration::constraint::ConstraintKey;
use serde_json::{Value, json};

/// The largest allowed `max_length`.
const LENGTH_MAX: u32 = 1 << 30;

/// The largest allowed `scale`.
const SCALE_MAX: u32 = 18;

/// The schema of a field: the name of a type, or a mapping.
pub(super) fn field() -> Value {
    let says_its_type = ["type", "references", "enum"].map(|key| json!({ "required": [key] }));
    let long = with(decimal_has_a_scale(object(of_field())), "anyOf", json!(says_its_type));
    json!({ "anyOf": [short(), long] })
}

/// The schema of a named type: the name of the type that it builds on, or a mapping.
pub(super) fn named_type() -> Value {
    let says_its_type = ["type", "enum"].map(|key| json!({ "required": [key] }));
    let long = with(decimal_has_a_scale(object(of_type())), "anyOf", json!(says_its_type));
    json!({ "anyOf": [short(), long] })
}

/// The schema of the short form: the name of a type.
fn short() -> Value {
    json!({ "allOf": [defined("type_name")], "not": { "const": "decimal" } })
}

fn decimal_has_a_scale(mut schema: Value) -> Value {
    schema["if"] =
        json!({ "properties": { "type": { "const": "decimal" } }, "required": ["type"] });
    schema["then"] = json!({ "required": ["scale"] });
    schema
}

pub(super) fn of_type() -> Vec<KeySchema> {
    let mut keys = constraints();
    keys.push(key(
        "type",
        "The type that this type builds on: built in, or declared above.",
        defined("type_name"),
    ));
    keys.push(key("description", "The description of the type.", text()));
    keys.push(key("example", "An example value.", json!({})));
    keys
}

pub(super) fn of_field() -> Vec<KeySchema> {
    let mut keys = constraints();
    keys.extend(storage());
    keys.extend(visibility());
    keys
}

/// The keys that constrain values.
fn constraints() -> Vec<KeySchema> {
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

/// The keys for the values of a field and for their storage.
fn storage() -> Vec<KeySchema> {
    let references = json!({ "anyOf": [defined("name"), defined("references")] });
    vec![
        key(
            "type",
            "The type of the values: built in, or declared under `types`.",
            defined("type_name"),
        ),
        key("references", "The resource that the field refers to.", references),
        key("required", "Whether null is refused.", flag(false)),
        key(
            "default",
            "The value of a new member that has none in the request; `$now` is the time of the \
             request, `$account.id` the account of the caller.",
            json!({}),
        ),
        key("unique", "Whether no two members have the same value.", flag(false)),
        key("index", "Whether the field has its own index.", flag(false)),
        key(
            "column",
            "The database column, by default named like the field.",
            defined("free_name"),
        ),
    ]
}

/// The keys for the visibility and the documentation of a field.
fn visibility() -> Vec<KeySchema> {
    vec![
        key("read_only", "Whether the field is returned, and set only by the server.", flag(false)),
        key("write_only", "Whether the field is accepted, and never returned.", flag(false)),
        key(
            "create_only",
            "Whether the field is accepted only when a member is created.",
            flag(false),
        ),
        key("hidden", "Whether the field is neither accepted nor returned.", flag(false)),
        key("filterable", "Whether a request may filter by the field.", flag(true)),
        key("sortable", "Whether a request may sort by the field.", flag(true)),
        key("description", "The description of the field.", text()),
        key("example", "An example value.", json!({})),
        key("deprecated", "Whether the field is deprecated.", flag(false)),
        key("access", "Which callers may read and set the field.", access::access_of_field()),
    ]
}

pub(super) fn references() -> Vec<KeySchema> {
    vec![
        key("resource", "The name of the target resource.", defined("name")),
        key(
            "as",
            "The name of the target member in this resource, by default the field without `_id`.",
            defined("free_name"),
        ),
        key(
            "on_delete",
            "The effect on this member when the target member is deleted.",
            word(OnDelete::WORDS, Some("restrict")),
        ),
        key("children", "The name of these members in the target resource.", defined("free_name")),
    ]
}
