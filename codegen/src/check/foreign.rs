//! Words of other schema languages, in which authors think before they know ours.

use super::context::Context;
use super::level::Level;
use super::links;
use crate::diagnostic::advice;
use crate::diagnostic::problem::{Nearest, Problem, Words};
use crate::draft::{Entry, Node, Value, excerpt};
use crate::name;

/// Types as databases, programming languages and JSON Schema call them, with ours.
const TYPES: &[(&str, &[&str])] = &[
    ("string", &["str", "text", "varchar", "char", "character", "nvarchar", "clob"]),
    (
        "string",
        &["editor", "textarea", "text_area", "longtext", "mediumtext", "markdown", "richtext"],
    ),
    (
        "integer",
        &[
            "int", "int2", "int4", "int8", "int16", "int32", "int64", "i32", "i64", "uint", "u32",
            "u64",
        ],
    ),
    ("integer", &["smallint", "tinyint", "bigint", "long", "short", "serial", "bigserial"]),
    ("number", &["float", "double", "real", "float32", "float64", "f32", "f64"]),
    ("decimal", &["numeric", "money", "currency", "bigdecimal"]),
    ("boolean", &["bool", "bit", "flag"]),
    ("date", &["day"]),
    ("datetime", &["timestamp", "timestamptz", "date_time", "date-time", "instant", "moment"]),
    ("uuid", &["guid"]),
    ("json", &["jsonb", "object", "array", "list", "map", "dict", "any"]),
];

/// Keys of other languages, with ours.
const KEYS: &[(&str, &[&str])] = &[
    ("maximum", &["max", "max_value", "le", "lte"]),
    ("minimum", &["min", "min_value", "ge", "gte"]),
    ("max_length", &["maxlen", "max_len", "length", "size"]),
    ("min_length", &["minlen", "min_len"]),
    ("enum", &["values", "choices", "options", "one_of"]),
    ("pattern", &["regex", "regexp", "match"]),
    (
        "references",
        &[
            "ref",
            "fk",
            "foreign_key",
            "belongs_to",
            "has_one",
            "relation",
            "target",
            "to",
            "resource",
            "model",
        ],
    ),
    ("required", &["not_null", "notnull", "mandatory", "non_null"]),
    ("scale", &["precision", "digits"]),
    ("default", &["default_value", "initial"]),
    ("column", &["db_column", "column_name"]),
    ("table", &["table_name", "db_table"]),
    ("collection", &["plural", "path", "url", "route"]),
    ("fields", &["columns", "properties", "attributes"]),
    ("resources", &["models", "tables", "entities", "schemas"]),
    ("description", &["comment", "doc", "docs", "help", "help_text"]),
];

/// Keys that have no twin here, with what to do.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["null", "nullable", "optional", "allow_null", "blank"],
        "remove it: a field may be null unless it says `required: true`",
    ),
    (
        &["pk", "primary_key", "primary", "auto_increment", "autoincrement"],
        "remove it: every member has an `id`, and the key `id` of the resource says of which type",
    ),
];

/// Keys of a field for several values in it.
const LISTS: &[&str] = &["items", "array", "list", "many", "multiple", "repeated", "collection"];

/// Keys for the members that refer to this one, which say it themselves.
const REVERSE: &[&str] = &[
    "has_many",
    "has_one",
    "hasmany",
    "hasone",
    "children",
    "one_to_many",
    "nested",
    "resources",
    "references",
];

/// Keys of a reference that stand beside it.
const OF_REFERENCES: &[&str] = &["as", "on_delete", "children", "cascade"];

/// Our type for a word of another language; `VARCHAR(80)` counts as `varchar`.
pub(super) fn type_word(word: &str) -> Option<&'static str> {
    let word = word.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    ours(TYPES, &word)
}

fn ours(table: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    table.iter().find(|(_, foreign)| foreign.contains(&word)).map(|(ours, _)| *ours)
}

/// What is wrong with a key that its level does not know; `beside` are the entries of its mapping,
/// which declares `owner`.
pub(super) fn unknown_key(
    entry: &Entry,
    beside: &[&Entry],
    owner: &str,
    level: &Level,
    context: &mut Context,
) -> Problem {
    let key = entry.key.value.as_str();
    let advice = match level.name {
        "a field" => of_field(entry, beside, context),
        "a resource" => of_resource(entry, owner, context),
        _ => None,
    };
    if let Some(advice) = advice {
        return Problem::ForeignKey { key: excerpt(key), level: level.name, advice };
    }
    let nearest = meant(key, level, context);
    Problem::UnknownKey {
        key: excerpt(key),
        level: level.name,
        known: Words(level.keys.to_vec()),
        nearest,
    }
}

/// The key of a level that another one probably means.
fn meant(key: &str, level: &Level, context: &mut Context) -> Nearest {
    let snake = name::snake(key);
    let ours =
        ours(KEYS, &snake).or_else(|| level.keys.iter().copied().find(|known| *known == snake));
    match ours.filter(|ours| level.keys.contains(ours)) {
        Some(ours) => Nearest(Some(ours.to_owned())),
        None => context.suggestions.nearest(key, level.keys.iter().copied()),
    }
}

/// Whether a key is probably one of a level, in other words or with a typing mistake.
pub(super) fn is_meant(key: &str, level: &Level, context: &mut Context) -> bool {
    let of_resource = level.name == "a resource" && (REVERSE.contains(&key) || key == "belongs_to");
    of_resource || meant(key, level, context).0.is_some()
}

/// Whether a key that a field does not know was to say its type, so that the lack of one is no
/// mistake of its own.
pub(super) fn says_type(problem: &Problem) -> bool {
    match problem {
        Problem::UnknownKey { nearest: Nearest(Some(near)), .. } => {
            matches!(near.as_str(), "type" | "references" | "enum")
        }
        Problem::ForeignKey { key, .. } => {
            LISTS.contains(&key.as_str()) || REVERSE.contains(&key.as_str())
        }
        _ => false,
    }
}

fn of_field(entry: &Entry, beside: &[&Entry], context: &Context) -> Option<String> {
    let key = name::snake(&entry.key.value);
    let refers =
        beside.iter().find(|entry| entry.key.value == "references").map(|entry| &entry.value);
    match key.as_str() {
        key if OF_REFERENCES.contains(&key) && refers.is_some() => Some(long_form(key, &entry.value, refers)),
        "as" | "on_delete" => Some(long_form(&key, &entry.value, None)),
        key if REVERSE.contains(&key) && key != "references" && !is_one(key, &entry.value, context) => Some(
            "remove the field; in the other resource write `parent: …`, or a field with `references: …`"
                .to_owned(),
        ),
        key if LISTS.contains(&key) => Some(advice::LIST.to_owned()),
        key => ADVICE.iter().find(|(keys, _)| keys.contains(&key)).map(|(_, advice)| (*advice).to_owned()),
    }
}

/// Whether `has_one: author` names a resource that there is, so that it can be a reference.
fn is_one(key: &str, value: &Node, context: &Context) -> bool {
    key == "has_one" && matches!(&value.value, Value::Text(name) if context.ids.contains_key(name))
}

/// The long form of a reference, with what was written in it.
fn long_form(key: &str, value: &Node, refers: Option<&Node>) -> String {
    let resource = match refers.map(|refers| &refers.value) {
        Some(Value::Text(name)) => excerpt(name),
        Some(Value::Map(entries)) => {
            let name = entries.iter().find(|entry| entry.key.value == "resource");
            name.map_or_else(|| "…".to_owned(), |name| name.value.value.excerpt())
        }
        _ => "…".to_owned(),
    };
    let (key, value) = match (key, &value.value) {
        ("cascade", _) => ("on_delete", "cascade".to_owned()),
        (key, Value::Text(value)) => (key, excerpt(value)),
        (key, _) => (key, "…".to_owned()),
    };
    format!("write the long form: `references: {{ resource: {resource}, {key}: {value} }}`")
}

fn of_resource(entry: &Entry, owner: &str, context: &Context) -> Option<String> {
    let key = name::snake(&entry.key.value);
    let this = owner.split('`').nth(1).unwrap_or("…");
    let named = match &entry.value.value {
        Value::Text(name) => Some(name.as_str()),
        Value::List(items) => items.iter().find_map(|item| match &item.value {
            Value::Text(name) => Some(name.as_str()),
            _ => None,
        }),
        Value::Map(entries) => entries.first().map(|entry| entry.key.value.as_str()),
        _ => None,
    };
    let other = named.map(|name| links::meant(name, context).unwrap_or(name));
    match key.as_str() {
        "belongs_to" => {
            let other = other.map_or_else(|| "…".to_owned(), excerpt);
            Some(format!(
                "write `parent: {other}` to nest it below `{other}`, or a field `{other}_id: {{ references: {other} }}`"
            ))
        }
        "resources" | "nested" => Some(format!(
            "move what it holds to the `resources` at the top, and write `parent: {this}` in it"
        )),
        key if REVERSE.contains(&key) => {
            let other = other.map_or_else(
                || "the other resource".to_owned(),
                |other| format!("`{}`", excerpt(other)),
            );
            Some(format!(
                "remove it; in {other} write `parent: {this}`, or a field `{this}_id: {{ references: {this} }}`"
            ))
        }
        _ => None,
    }
}
