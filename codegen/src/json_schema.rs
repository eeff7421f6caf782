//! The JSON Schema (draft 2020-12) of the schema language, for editors. It has every key, with the
//! words or the range of numbers that the key allows.
//!
//! The keys are those of [`level`](crate::check::level). Rules that JSON Schema cannot express,
//! such as undeclared names, are only checked by [`check`](crate::check()).

mod access;
mod field;
mod head;
mod http;
mod resource;
mod shape;

use serde_json::{Map, Value, json};

/// A key of the schema language, with the JSON Schema of its value.
struct KeySchema {
    name: &'static str,
    /// The meaning of the key, in one sentence.
    description: &'static str,
    /// The JSON Schema of the value.
    value: Value,
}

/// A key of the schema language, with the JSON Schema of its value.
const fn key(name: &'static str, description: &'static str, value: Value) -> KeySchema {
    KeySchema { name, description, value }
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
    schema["description"] = json!("The declaration of an API that Nouns serves.");
    schema["required"] = json!(["nouns", "resources"]);
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
    let objects = [
        ("api", object(head::api())),
        ("contact", object(head::contact())),
        ("license", with(object(head::license()), "required", json!(["name"]))),
        ("server", object(head::server())),
        ("tls", with(object(http::tls()), "required", json!(["certificate", "key"]))),
        ("hsts", with(object(http::hsts()), "required", json!(["max_age"]))),
        ("cors", with(object(http::cors()), "required", json!(["origins"]))),
        ("idempotency", object(http::idempotency())),
        ("rate_limit", object(http::rate_limit())),
        ("keep_alive", object(http::limits("keep_alive"))),
        ("timeouts", object(http::limits("timeouts"))),
        ("limits", object(http::limits("limits"))),
        ("type", field::named_type()),
        ("resource", with(object(resource::keys()), "required", json!(["fields"]))),
        ("auth", with(object(access::auth()), "required", json!(["accounts", "login"]))),
        ("access", with(object(access::access()), "minProperties", json!(1))),
        ("rule", access::rule()),
        ("rule_of_field", access::rule_of_field()),
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

/// The schema of a mapping with these keys and with `x-…` keys.
fn object(keys: Vec<KeySchema>) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::level::{self, Level};

    /// Each level of the schema language, with its keys in this JSON Schema.
    fn levels() -> Vec<(&'static Level, Vec<KeySchema>)> {
        vec![
            (&level::DECLARATION, head::declaration()),
            (&level::API, head::api()),
            (&level::CONTACT, head::contact()),
            (&level::LICENSE, head::license()),
            (&level::SERVER, head::server()),
            (&level::TLS, http::tls()),
            (&level::HSTS, http::hsts()),
            (&level::CORS, http::cors()),
            (&level::IDEMPOTENCY, http::idempotency()),
            (&level::RATE_LIMIT, http::rate_limit()),
            (&level::KEEP_ALIVE, http::limits("keep_alive")),
            (&level::TIMEOUTS, http::limits("timeouts")),
            (&level::LIMITS, http::limits("limits")),
            (&level::TYPE, field::of_type()),
            (&level::RESOURCE, resource::keys()),
            (&level::AUTH, access::auth()),
            (&level::JWT, access::jwt()),
            (&level::SESSION, access::session()),
            (&level::ACCESS, access::access()),
            (&level::FIELD_ACCESS, access::of_field_access()),
            (&level::RULE, access::of_rule("rule")),
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
            let mut expected = level.keys.to_vec();
            described.sort_unstable();
            expected.sort_unstable();
            assert_eq!(described, expected, "{}", level.name);
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
