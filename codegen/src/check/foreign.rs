//! Words of other schema languages, in which authors think before they know ours.

use super::context::Context;
use super::level::Level;
use crate::diagnostic::problem::{Nearest, Problem, Words};
use crate::draft::excerpt;

/// Types as databases, programming languages and JSON Schema call them, with ours.
const TYPES: &[(&str, &[&str])] = &[
    ("string", &["str", "text", "varchar", "char", "character", "nvarchar", "clob"]),
    ("string", &["editor", "textarea", "text_area", "longtext", "mediumtext", "markdown", "richtext"]),
    (
        "integer",
        &["int", "int2", "int4", "int8", "int16", "int32", "int64", "i32", "i64", "uint", "u32", "u64"],
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
    ("references", &["ref", "fk", "foreign_key", "belongs_to", "relation", "target"]),
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

/// Keys of a reference that stand beside it.
const OF_REFERENCES: &[(&str, &str)] = &[
    ("as", "write the long form: `references: { resource: …, as: … }`"),
    ("on_delete", "write the long form: `references: { resource: …, on_delete: … }`"),
    ("children", "write the long form: `references: { resource: …, children: … }`"),
];

/// Our type for a word of another language; `VARCHAR(80)` counts as `varchar`.
pub(super) fn type_word(word: &str) -> Option<&'static str> {
    let word = word.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    ours(TYPES, &word)
}

fn ours(table: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    table.iter().find(|(_, foreign)| foreign.contains(&word)).map(|(ours, _)| *ours)
}

/// What is wrong with a key that its level does not know.
pub(super) fn unknown_key(key: &str, level: &Level, context: &mut Context) -> Problem {
    if let Some(advice) = advice(key, level) {
        return Problem::ForeignKey { key: key.to_owned(), level: level.name, advice };
    }
    let meant = ours(KEYS, key).filter(|ours| level.keys.contains(ours));
    let nearest = match meant {
        Some(ours) => Nearest(Some(ours.to_owned())),
        None => context.suggestions.nearest(key, level.keys.iter().copied()),
    };
    Problem::UnknownKey { key: excerpt(key), level: level.name, known: Words(level.keys.to_vec()), nearest }
}

fn advice(key: &str, level: &Level) -> Option<&'static str> {
    if !level.keys.contains(&"references") {
        return None;
    }
    let of_references = OF_REFERENCES.iter().find(|(known, _)| *known == key).map(|(_, advice)| *advice);
    of_references.or_else(|| ADVICE.iter().find(|(keys, _)| keys.contains(&key)).map(|(_, advice)| *advice))
}
