//! The schema language described to editors: a JSON Schema (draft 2020-12) of every key, word and
//! range.
//!
//! The keys are those of [`level`](crate::check::level); what one file alone cannot show, such as a
//! name that nothing declares, is left to [`check`](crate::check()).

mod field;
mod head;
mod http;
mod resource;
mod shape;

use serde_json::{Map, Value, json};

/// What a key means and what its value may be.
struct Key {
    name: &'static str,
    /// One sentence.
    description: &'static str,
    /// The schema of the value.
    value: Value,
}

/// A key of a level.
const fn key(name: &'static str, description: &'static str, value: Value) -> Key {
    Key { name, description, value }
}

/// The JSON Schema of the schema language.
///
/// ```
/// let schema = nouns_codegen::json_schema::schema();
/// assert_eq!(schema["properties"]["nouns"]["const"], 1);
/// ```
#[must_use]
pub fn schema() -> Value {
    let mut schema = object(head::declaration());
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("A declaration of Nouns");
    schema["description"] = json!("The resources of an interface, from which Nouns serves it.");
    schema["required"] = json!(["nouns", "resources"]);
    schema["$defs"] = Value::Object(definitions());
    schema
}

/// The JSON Schema of the schema language as the text of a file.
#[must_use]
pub fn text() -> String {
    format!("{:#}\n", schema())
}

/// The parts that other parts refer to.
fn definitions() -> Map<String, Value> {
    let objects = [
        ("api", object(head::api())),
        ("contact", object(head::contact())),
        ("license", with(object(head::license()), "required", json!(["name"]))),
        ("server", object(head::server())),
        ("cors", with(object(http::cors()), "required", json!(["origins"]))),
        ("idempotency", object(http::idempotency())),
        ("type", field::named_type()),
        ("resource", with(object(resource::keys()), "required", json!(["fields"]))),
        ("id", object(resource::id())),
        ("parent", with(object(resource::parent()), "required", json!(["resource"]))),
        ("limit", object(resource::limit())),
        ("cache", with(object(http::cache()), "minProperties", json!(1))),
        ("deprecated", object(http::deprecated())),
        ("field", field::field()),
        ("references", with(object(field::references()), "required", json!(["resource"]))),
    ];
    let definitions = objects.into_iter().chain(shape::definitions());
    definitions.map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// A mapping with these keys and the author's own.
fn object(keys: Vec<Key>) -> Value {
    let properties: Map<_, _> = keys
        .into_iter()
        .map(|key| (key.name.to_owned(), with(key.value, "description", json!(key.description))))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^x-": own_key() },
        "additionalProperties": false,
    })
}

/// A key that the author made up.
fn own_key() -> Value {
    json!({ "description": "A key of your own, kept for the OpenAPI document." })
}

/// A schema with one more keyword.
fn with(mut schema: Value, keyword: &str, value: Value) -> Value {
    schema[keyword] = value;
    schema
}

/// What is defined under a name.
fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::level::{self, Level};

    /// Each level of the language with the keys that are described here.
    fn levels() -> Vec<(&'static Level, Vec<Key>)> {
        vec![
            (&level::DECLARATION, head::declaration()),
            (&level::API, head::api()),
            (&level::CONTACT, head::contact()),
            (&level::LICENSE, head::license()),
            (&level::SERVER, head::server()),
            (&level::CORS, http::cors()),
            (&level::IDEMPOTENCY, http::idempotency()),
            (&level::TYPE, field::of_type()),
            (&level::RESOURCE, resource::keys()),
            (&level::ID, resource::id()),
            (&level::PARENT, resource::parent()),
            (&level::LIMIT, resource::limit()),
            (&level::CACHE, http::cache()),
            (&level::DEPRECATED, http::deprecated()),
            (&level::FIELD, field::of_field()),
            (&level::REFERENCES, field::references()),
        ]
    }

    #[test]
    fn each_key_of_the_language_is_described_and_no_other() {
        for (level, keys) in levels() {
            let mut described: Vec<_> = keys.iter().map(|key| key.name).collect();
            let mut known = level.keys.to_vec();
            described.sort_unstable();
            known.sort_unstable();
            assert_eq!(described, known, "{}", level.name);
        }
    }

    #[test]
    fn each_description_is_one_sentence() {
        for key in levels().into_iter().flat_map(|(_, keys)| keys) {
            let text = key.description;
            assert!(text.ends_with('.') && text.matches(". ").count() == 0, "{}: {text}", key.name);
        }
    }
}
