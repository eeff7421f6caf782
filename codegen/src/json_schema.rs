//! The JSON Schema (draft 2020-12) of the schema language, for editors. It has every key, with the
//! words or the range of numbers that the key allows.
//!
//! The keys are those of [`language`]. Rules that JSON Schema cannot express, such as undeclared
//! names, are only checked by [`check`](crate::check()).

mod shape;

use serde_json::{Map, Value, json};

use crate::language::{self, LEVELS, Level};

/// The JSON Schema of the schema language.
///
/// ```
/// let schema = nouns_codegen::json_schema::schema();
/// assert_eq!(schema["properties"]["nouns"]["const"], 1);
/// ```
#[must_use]
pub fn schema() -> Value {
    let mut schema = mapping(&language::DECLARATION);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("A declaration of Nouns");
    schema["description"] = json!("The declaration of an API that Nouns serves.");
    schema["$defs"] = Value::Object(definitions());
    schema
}

/// The JSON Schema of the schema language, as the text of a file.
#[must_use]
pub fn text() -> String {
    format!("{:#}\n", schema())
}

/// The definitions under `$defs`, which other parts refer to.
fn definitions() -> Map<String, Value> {
    let levels = LEVELS.iter().filter(|level| !level.definition.is_empty());
    let levels = levels.map(|level| (level.definition, whole(level)));
    levels.chain(shape::definitions()).map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// The schema of a value of a level: its mapping, or a short form.
fn whole(level: &Level) -> Value {
    match level.definition {
        "field" => of_values(level, &["type", "references", "enum"]),
        "type" => of_values(level, &["type", "enum"]),
        "rule" | "rule_of_field" => {
            json!({ "anyOf": [{ "enum": ["public", "signed_in"] }, mapping(level)] })
        }
        _ => mapping(level),
    }
}

/// The schema of a field or a named type: the name of a type, or a mapping with one of some keys.
fn of_values(level: &Level, one_of: &[&str]) -> Value {
    let short = json!({ "allOf": [defined("type_name")], "not": { "const": "decimal" } });
    let mut long = mapping(level);
    let needed: Vec<_> = one_of.iter().map(|key| json!({ "required": [key] })).collect();
    long["anyOf"] = Value::Array(needed);
    long["if"] = json!({ "properties": { "type": { "const": "decimal" } }, "required": ["type"] });
    long["then"] = json!({ "required": ["scale"] });
    json!({ "anyOf": [short, long] })
}

/// The schema of a mapping with the keys of a level and with `x-…` keys.
fn mapping(level: &Level) -> Value {
    let properties: Map<_, _> = level
        .keys
        .iter()
        .map(|key| {
            let value = with(shape::value(&key.value), "description", json!(key.meaning));
            (key.name.to_owned(), value)
        })
        .collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^x-": own_key() },
        "additionalProperties": false,
    });
    if !level.required.is_empty() {
        schema["required"] = json!(level.required);
    }
    if level.is_filled {
        schema["minProperties"] = json!(1);
    }
    schema
}

/// The schema of an `x-…` key.
fn own_key() -> Value {
    json!({ "description": "A custom key, which is copied to the OpenAPI document." })
}

/// Adds a keyword to a schema.
fn with(mut schema: Value, keyword: &str, value: Value) -> Value {
    schema[keyword] = value;
    schema
}

/// A reference to a definition under `$defs`.
fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
