//! Keys and type names of databases and other schema languages, with their equivalents in the
//! schema language of Nouns.

use super::context::Context;
use super::links;
use crate::diagnostic::advice;
use crate::diagnostic::problem::{Owner, Problem, Suggestion, Words};
use crate::draft::{Entry, Node, Value, excerpt};
use crate::language::{FIELD, Level, RESOURCE};
use crate::name;

/// The built-in types, each with its names in databases, programming languages and JSON Schema.
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
    ("password", &["passwd", "secret", "hash", "bcrypt", "argon2"]),
    ("json", &["jsonb", "object", "array", "list", "map", "dict", "any"]),
];

/// The keys of the schema language, each with its names in other schema languages.
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
    ("indexes", &["index", "indices"]),
    ("collection", &["plural", "path", "url", "route"]),
    ("fields", &["columns", "properties", "attributes"]),
    ("resources", &["models", "tables", "entities", "schemas"]),
    ("description", &["comment", "doc", "docs", "help", "help_text"]),
];

/// Keys of other schema languages that have no equivalent in this one, each with advice for a
/// message.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["null", "nullable", "optional", "allow_null", "blank"],
        "remove it: a field may be null unless it has `required: true`",
    ),
    (
        &["pk", "primary_key", "primary", "auto_increment", "autoincrement"],
        "remove it: every member has an `id`, and the key `id` of the resource sets its type",
    ),
];

/// Keys for custom code and conditions, which a schema does not have. Each has advice for a
/// message, with the page of the documentation that helps.
const CODE: &[(&[&str], &str)] = &[
    (
        &[
            "hook",
            "hooks",
            "trigger",
            "triggers",
            "before_create",
            "after_create",
            "before_update",
            "after_update",
            "before_delete",
            "after_delete",
            "validate",
            "validator",
            "validators",
            "validation",
        ],
        "code of your own is a hook in a Rust program, see docs/hooks.md",
    ),
    (
        &["check", "checks", "constraint", "constraints", "assert"],
        "a field has keys such as `minimum`, `pattern` and `enum`, see docs/schema.md; a condition \
         on several fields is a hook in a Rust program, see docs/hooks.md",
    ),
    (
        &["computed", "compute", "virtual", "generated", "formula", "expression", "derived"],
        "a hook in a Rust program sets a field before it is stored, see docs/hooks.md",
    ),
    (
        &["webhook", "webhooks", "callback", "callbacks", "notify", "events"],
        "a hook in a Rust program calls other servers after a commit, see docs/hooks.md",
    ),
];

/// Keys of other schema languages that declare a field with several values.
const LISTS: &[&str] = &["items", "array", "list", "many", "multiple", "repeated", "collection"];

/// Keys of other schema languages that declare a reference in its target, such as `has_many`.
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

/// Keys that belong inside `references`, but are often written beside it.
const OF_REFERENCES: &[&str] = &["as", "on_delete", "children", "cascade"];

/// The built-in type for a type name of a database or programming language. `VARCHAR(80)` counts as
/// `varchar`.
pub(super) fn type_word(word: &str) -> Option<&'static str> {
    let word = word.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    ours(TYPES, &word)
}

fn ours(table: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    table.iter().find(|(_, foreign)| foreign.contains(&word)).map(|(ours, _)| *ours)
}

/// The problem of an unknown key. `beside` has all entries of the same mapping, and `owner` is the
/// item that the mapping declares.
pub(super) fn unknown_key(
    entry: &Entry,
    beside: &[&Entry],
    owner: &Owner,
    level: &Level,
    context: &mut Context,
) -> Problem {
    let key = entry.key.value.as_str();
    let advice = match level {
        _ if std::ptr::eq(level, &FIELD) => of_field(entry, beside, context),
        _ if std::ptr::eq(level, &RESOURCE) => of_resource(entry, owner, context),
        _ => None,
    };
    let advice = advice.or_else(|| of_code(key));
    if let Some(advice) = advice {
        return Problem::ForeignKey { key: excerpt(key), level: level.name, advice };
    }
    let nearest = likely_key(key, level, context);
    Problem::UnknownKey {
        key: excerpt(key),
        level: level.name,
        known: Words(level.names().collect()),
        nearest,
    }
}

/// The advice for a key that wants code, on any level.
fn of_code(key: &str) -> Option<String> {
    let key = name::snake(key);
    let (_, advice) = CODE.iter().find(|(keys, _)| keys.contains(&key.as_str()))?;
    Some((*advice).to_owned())
}

/// The key of this level (kind of mapping) that an unknown key probably means.
fn likely_key(key: &str, level: &Level, context: &mut Context) -> Suggestion {
    let snake = name::snake(key);
    let ours = ours(KEYS, &snake).or_else(|| level.names().find(|known| *known == snake));
    match ours.filter(|ours| level.has(ours)) {
        Some(ours) => Suggestion(Some(ours.to_owned())),
        None => context.suggestions.nearest(key, level.names()),
    }
}

/// Whether an unknown key is probably a key of this level: under another name, or mistyped.
pub(super) fn is_likely_key(key: &str, level: &Level, context: &mut Context) -> bool {
    let of_resource =
        std::ptr::eq(level, &RESOURCE) && (REVERSE.contains(&key) || key == "belongs_to");
    of_resource || likely_key(key, level, context).0.is_some()
}

/// Whether an unknown key of a field was probably meant as the type of the field. If so, the
/// missing type is not reported in addition.
pub(super) fn says_type(problem: &Problem) -> bool {
    match problem {
        Problem::UnknownKey { nearest: Suggestion(Some(near)), .. } => {
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
        key if OF_REFERENCES.contains(&key) && refers.is_some() => {
            Some(long_form(key, &entry.value, refers))
        }
        "as" | "on_delete" => Some(long_form(&key, &entry.value, None)),
        key if REVERSE.contains(&key)
            && key != "references"
            && !is_one(key, &entry.value, context) =>
        {
            Some(
                "remove the field; in the other resource write `parent: …`, or a field with \
             `references: …`"
                    .to_owned(),
            )
        }
        key if LISTS.contains(&key) => Some(advice::LIST.to_owned()),
        key => ADVICE
            .iter()
            .find(|(keys, _)| keys.contains(&key))
            .map(|(_, advice)| (*advice).to_owned()),
    }
}

/// Whether the key is `has_one` and its value is a declared resource, so that the key means a
/// reference.
fn is_one(key: &str, value: &Node, context: &Context) -> bool {
    key == "has_one" && matches!(&value.value, Value::Text(name) if context.ids.contains_key(name))
}

/// The advice to write a reference in its long form, with the values from the schema file.
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

fn of_resource(entry: &Entry, owner: &Owner, context: &Context) -> Option<String> {
    let key = name::snake(&entry.key.value);
    let Owner::Resource(this) = owner else { return None };
    let named = match &entry.value.value {
        Value::Text(name) => Some(name.as_str()),
        Value::List(items) => items.iter().find_map(|item| match &item.value {
            Value::Text(name) => Some(name.as_str()),
            _ => None,
        }),
        Value::Map(entries) => entries.first().map(|entry| entry.key.value.as_str()),
        _ => None,
    };
    let other = named.map(|name| links::likely_resource(name, context).unwrap_or(name));
    match key.as_str() {
        "belongs_to" => {
            let other = other.map_or_else(|| "…".to_owned(), excerpt);
            Some(format!(
                "write `parent: {other}` to nest it below `{other}`, or a field `{other}_id: {{ \
                 references: {other} }}`"
            ))
        }
        "resources" | "nested" => Some(format!(
            "move its content to the top-level `resources`, and write `parent: {this}` in it"
        )),
        key if REVERSE.contains(&key) => {
            let other = other.map_or_else(
                || "the other resource".to_owned(),
                |other| format!("`{}`", excerpt(other)),
            );
            Some(format!(
                "remove it; in {other} write `parent: {this}`, or a field `{this}_id: {{ \
                 references: {this} }}`"
            ))
        }
        _ => None,
    }
}
