//! The JSON Schema of the values of keys.

use std::time::Duration;

use nouns_declaration::def::{Limit, LimitUnit, Timeout};
use serde_json::{Map, Value, json};

use super::{defined, mapping, own_key, with};
use crate::{
    language::{LATER_TYPES, ListShape, ReservedNames, TextShape, ValueShape},
    schema::{FieldKind, TestOp, duration, size},
};

/// A regular expression for names. It does not limit their length.
const NAME: &str = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$";

/// A regular expression for durations in whole seconds. It cannot limit how long a duration is.
const DURATION: &str = "^([0-9]+(s|m|h|d)|([0-9]+000|0+)ms)$";

/// The maximum length of a name in characters.
const NAME_CHARACTERS_MAX: usize = crate::name::NAME_CHARACTERS_MAX;

/// The names of the fields and columns that every row has.
const COLUMNS: &[&str] = &["id", "created_at", "updated_at", "revision"];

/// The names that a type cannot have because a Rust type has them. Names of built-in types are not
/// in this list.
const RUST_TYPES: [&str; 4] = ["id", "option", "timestamp", "value"];

/// The shared schemas that have a definition under `$defs`.
pub(super) fn definitions() -> [(&'static str, Value); 7] {
    [
        ("name", json!({ "type": "string", "pattern": NAME, "maxLength": NAME_CHARACTERS_MAX })),
        ("free_name", json!({ "allOf": [defined("name")], "not": { "enum": COLUMNS } })),
        ("type_name", type_name()),
        (
            "duration",
            json!({ "type": "string", "pattern": DURATION, "examples": ["30s", "5m", "24h", "14d"] }),
        ),
        ("sort_key", json!({ "type": "string", "pattern": "^-?[a-z][a-z0-9]*(_[a-z0-9]+)*$" })),
        ("names", set(&defined("name"))),
        ("sets", set(&defined("names"))),
    ]
}

/// The schema of a type name: a built-in type, or a name that a named type may have.
fn type_name() -> Value {
    let built_in: Vec<_> = FieldKind::WORDS.iter().map(|(word, _)| *word).collect();
    json!({
        "anyOf": [
            { "enum": built_in },
            { "allOf": [defined("name")], "not": { "enum": LATER_TYPES } },
        ],
    })
}

/// The schema of a list that has items, of which none occurs twice.
fn set(items: &Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1, "uniqueItems": true })
}

/// The schema of the values of a key.
pub(super) fn value(shape: &ValueShape) -> Value {
    match *shape {
        ValueShape::Any => json!({}),
        ValueShape::Version => json!({ "const": 1 }),
        ValueShape::Flag(usual) => with_default(json!({ "type": "boolean" }), usual),
        ValueShape::Count(least, most, usual) => {
            with_default(json!({ "type": "integer", "minimum": least, "maximum": most }), usual)
        }
        ValueShape::Bound => json!({ "type": ["number", "string"] }),
        ValueShape::Choices => set(&json!({ "type": ["string", "number"] })),
        ValueShape::Word(words, usual) => with_default(json!({ "enum": words }), usual),
        ValueShape::Text(ref text) => of_text(text),
        ValueShape::Duration(None) => defined("duration"),
        ValueShape::Duration(Some(usual)) => seconds(usual),
        ValueShape::SomeDuration(usual) => {
            with(seconds(usual), "not", json!({ "pattern": "^0+(ms|s|m|h|d)$" }))
        }
        ValueShape::Limit(limit) => of_limit(limit),
        ValueShape::Timeout(timeout) => of_timeout(timeout),
        ValueShape::Name(usual) => with_default(defined("name"), usual),
        ValueShape::FreeName => defined("free_name"),
        ValueShape::TableName => {
            json!({ "allOf": [defined("name")], "not": { "pattern": "^sqlite_" } })
        }
        ValueShape::TypeName => defined("type_name"),
        ValueShape::SortKey => defined("sort_key"),
        ValueShape::List(ref list) => of_list(list),
        ValueShape::Sets => defined("sets"),
        ValueShape::Either(shapes, usual) => {
            let shapes: Vec<_> = shapes.iter().map(value).collect();
            with_default(json!({ "anyOf": shapes }), usual)
        }
        ValueShape::Map(level) => match level.definition {
            "" => mapping(level),
            definition => defined(definition),
        },
        ValueShape::Named { of, reserved, is_filled } => {
            let schema = named(&defined(of.definition), reserved);
            if is_filled { with(schema, "minProperties", json!(1)) } else { schema }
        }
        ValueShape::Claims => claims(),
        ValueShape::Tests => tests(),
    }
}

/// A schema with its default, if there is one.
fn with_default(schema: Value, usual: Option<impl Into<Value>>) -> Value {
    match usual {
        Some(usual) => with(schema, "default", usual.into()),
        None => schema,
    }
}

fn of_text(text: &TextShape) -> Value {
    let mut schema = json!({ "type": "string" });
    let mut say = |keyword: &str, value: Option<Value>| {
        if let Some(value) = value {
            schema[keyword] = value;
        }
    };
    say("pattern", text.pattern.map(Value::from));
    say("not", text.except.map(|pattern| json!({ "pattern": pattern })));
    say("not", (!text.reserved.is_empty()).then(|| json!({ "enum": text.reserved })));
    say("format", text.format.map(Value::from));
    say("minLength", text.min.map(Value::from));
    say("maxLength", text.max.map(Value::from));
    say("default", text.usual.map(Value::from));
    say("examples", (!text.examples.is_empty()).then(|| json!(text.examples)));
    schema
}

fn seconds(usual: u32) -> Value {
    json!({ "allOf": [defined("duration")], "default": duration::text(usual) })
}

fn of_list(list: &ListShape) -> Value {
    let mut schema = json!({ "type": "array", "items": value(list.items), "minItems": 1 });
    if list.is_set {
        schema["uniqueItems"] = json!(true);
    }
    if !list.usual.is_empty() {
        schema["default"] = json!(list.usual);
    }
    if !list.example.is_empty() {
        schema["examples"] = json!([list.example]);
    }
    schema
}

fn of_limit(limit: Limit) -> Value {
    let (least, most) = limit.range();
    let number = json!({ "type": "integer", "minimum": least, "maximum": most });
    let schema = match limit.unit() {
        LimitUnit::Count => with(number, "default", json!(limit.default())),
        LimitUnit::Bytes => {
            let size = json!({ "type": "string", "pattern": "^(0|[0-9]+(KiB|MiB|GiB))$" });
            let usual = match size::text(limit.default()) {
                text if text.ends_with('B') => json!(text),
                _ => json!(limit.default()),
            };
            with(json!({ "anyOf": [size, number] }), "default", usual)
        }
    };
    with(schema, "$comment", json!(limit.reason()))
}

fn of_timeout(timeout: Timeout) -> Value {
    let (least, most) = timeout.range();
    let bound = |milliseconds| duration::text_of(Duration::from_millis(milliseconds));
    // JSON Schema cannot compare durations.
    json!({
        "type": "string",
        "pattern": "^[0-9]+(ms|s|m|h|d)$",
        "default": duration::text_of(timeout.default()),
        "x-minimum": bound(least),
        "x-maximum": bound(most),
        "$comment": timeout.reason(),
    })
}

/// The schema of a mapping from names to values.
fn named(value: &Value, reserved: ReservedNames) -> Value {
    let reserved: Vec<_> = match reserved {
        ReservedNames::Nothing => vec![],
        ReservedNames::Columns => COLUMNS.to_vec(),
        ReservedNames::Types => {
            let built_in = FieldKind::WORDS.iter().map(|(word, _)| *word);
            built_in.chain(LATER_TYPES.iter().copied()).chain(RUST_TYPES).collect()
        }
    };
    json!({
        "type": "object",
        "propertyNames": {
            "anyOf": [{ "pattern": "^x-" }, { "allOf": [defined("name")], "not": { "enum": reserved } }],
        },
        "patternProperties": { "^x-": own_key() },
        "additionalProperties": value,
    })
}

fn claims() -> Value {
    json!({
        "type": "object",
        "properties": {},
        "patternProperties": { "^x-": true },
        "additionalProperties": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "pattern": r"^([^/\p{Cc}][^\p{Cc}]*|/([^~\p{Cc}]|~[01])*)$",
            "examples": ["role"],
        },
    })
}

fn tests() -> Value {
    json!({
        "type": "object",
        "propertyNames": { "pattern": "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$" },
        "additionalProperties": test(),
        "minProperties": 1,
        "examples": [{ "author_id": "$account.id", "status": "draft" }],
    })
}

/// The schema of a test: a value, a list of values, or operators with their values.
fn test() -> Value {
    let value = || json!({ "type": ["string", "number", "boolean"] });
    let values = || json!({ "type": "array", "items": value(), "minItems": 1 });
    let operators: Map<_, _> = TestOp::WORDS
        .iter()
        .map(|(word, op)| {
            let operand = match op {
                TestOp::In | TestOp::NotIn => values(),
                TestOp::Eq | TestOp::Ne => {
                    json!({ "type": ["string", "number", "boolean", "null"] })
                }
                _ => value(),
            };
            ((*word).to_owned(), operand)
        })
        .collect();
    let operators = json!({
        "type": "object", "properties": operators, "additionalProperties": false, "minProperties": 1,
    });
    json!({ "anyOf": [value(), { "type": "null" }, values(), operators] })
}
