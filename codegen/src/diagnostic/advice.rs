//! Advice for words of other schema languages and databases.

use super::problem::Owner;
use super::shape;
use crate::schema::FieldKind;

/// Words that are no types of the schema language, but that users may write as types. Each has
/// advice for a message.
const TYPES: &[(&[&str], &str)] = &[
    (&["email", "mail", "email_address"], "write `{ type: string, format: email }`"),
    (&["url", "uri", "link", "href", "website"], "write `{ type: string, format: uri }`"),
    (&["hostname", "domain"], "write `{ type: string, format: hostname }`"),
    (&["slug", "slug_field"], "write `{ type: string, format: slug }`"),
    (&["ip", "ipv4", "ip_address", "inet"], "write `{ type: string, format: ipv4 }`, or `ipv6`"),
    (&["ipv6"], "write `{ type: string, format: ipv6 }`"),
    (
        &[
            "relation",
            "relationship",
            "reference",
            "ref",
            "foreignkey",
            "foreign_key",
            "fk",
            "belongs_to",
        ],
        "write `{ references: … }` with the name of the resource that it refers to",
    ),
    (&["enum", "select", "choice", "choices", "radio"], "write `{ enum: […] }` with its values"),
    (
        &[
            "has_many",
            "hasmany",
            "has_one",
            "hasone",
            "one_to_many",
            "onetomany",
            "children",
            "reverse",
        ],
        "remove the field; in the other resource write `parent: …`, or a field with `references: \
         …`",
    ),
    (
        &["many_to_many", "manytomany", "belongs_to_many", "has_and_belongs_to_many"],
        "remove the field; declare a separate resource with a reference to each side",
    ),
    (
        &["autodate", "auto_date", "auto_now", "auto_now_add", "created", "updated"],
        "remove it: every member has `created_at` and `updated_at`",
    ),
];

/// Words for HTTP methods, each with its operations.
const METHODS: &[(&str, &str)] = &[
    ("get", "GET is `get` of a member, and `list` of a collection"),
    ("post", "POST is `create`"),
    ("put", "PUT is `replace`"),
    ("patch", "PATCH is `update`"),
    ("delete", "DELETE is `delete` of a member, and `delete_many` of a collection"),
    ("read", "reading is `get` of a member, and `list` of a collection"),
];

/// Words of SQL and programming languages that mean the current time.
const NOW: &[&str] =
    &["now", "now()", "current_timestamp", "current_timestamp()", "today", "utcnow"];

/// Parts of messages of the YAML parser, each with the usual cause of the error.
const SYNTAX: &[(&str, &str)] = &[
    ("tab", "indent with spaces; YAML forbids tabs there"),
    ("':' must be followed", "write a space after the colon; a tab does not do there"),
    (
        "mapping values are not allowed",
        "text that contains `: ` must be in quotes, or the line before lacks its `:`",
    ),
    ("simple key", "a key ends with `:` and a space, or the line before lacks its `:`"),
    (
        "did not find expected ',' or",
        "text with brackets, braces or a comma must be in quotes; single quotes suit a pattern",
    ),
    (
        "unknown escape character",
        "put a pattern in single quotes: in double quotes, `\\` begins an escape",
    ),
    ("unknown anchor", "an alias `*name` needs an anchor `&name` above it"),
];

/// The usual cause of a YAML syntax error.
pub(super) fn of_syntax(message: &str) -> Option<&'static str> {
    SYNTAX.iter().find(|(part, _)| message.contains(part)).map(|(_, advice)| *advice)
}

/// The advice for a field that should hold several values.
pub(crate) const LIST: &str = "a field has one value: write `json` for a list of values, or \
                               declare a separate resource that refers to this one";

/// The names of text types in databases. `DECIMALS` has the names of decimal types.
const TEXTS: &[&str] =
    &["string", "str", "text", "varchar", "char", "character", "nvarchar", "nchar"];
const DECIMALS: &[&str] = &["decimal", "numeric", "number", "dec", "money"];

/// The advice for a type that the schema language does not have, such as `varchar(80)` or
/// `string[]`. `None` if there is no advice.
pub(crate) fn of_type(name: &str) -> Option<String> {
    let lower = name.trim().to_ascii_lowercase();
    if lower.ends_with("[]")
        || ["list<", "array<", "vec<", "list[", "array(", "list("]
            .iter()
            .any(|of| lower.starts_with(of))
    {
        return Some(LIST.to_owned());
    }
    of_brackets(name).or_else(|| of_words(&lower)).or_else(|| {
        let bare = lower.split('(').next().unwrap_or_default().trim();
        TYPES
            .iter()
            .find(|(names, _)| names.contains(&bare))
            .map(|(_, advice)| (*advice).to_owned())
    })
}

/// The advice for types with arguments, such as `decimal(10,2)`, `varchar(80)` and `enum(a, b)`.
fn of_brackets(name: &str) -> Option<String> {
    let (word, rest) = name.split_once('(')?;
    let inside: Vec<&str> = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
    let is_number = |text: &&str| {
        !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    match (word.trim().to_ascii_lowercase().as_str(), inside.as_slice()) {
        (word, [_, scale]) if DECIMALS.contains(&word) && inside.iter().all(is_number) => {
            Some(format!(
                "write `{{ type: decimal, scale: {scale} }}`: the scale is the number of fraction \
                 digits"
            ))
        }
        (word, [digits]) if DECIMALS.contains(&word) && is_number(digits) => Some(
            "write `{ type: decimal, scale: 0 }`: the scale is the number of fraction digits"
                .to_owned(),
        ),
        (word, [length]) if TEXTS.contains(&word) && is_number(length) => {
            Some(format!("write `{{ type: string, max_length: {length} }}`"))
        }
        ("enum", values) => {
            let values = values
                .iter()
                .map(|value| value.trim_matches(['\'', '"']))
                .collect::<Vec<_>>()
                .join(", ");
            Some(format!("write `{{ enum: [{values}] }}`"))
        }
        _ => None,
    }
}

/// The advice for a type with flags in one text, such as `string required unique`.
fn of_words(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let (kind, flags) = words.split_first().filter(|(_, flags)| !flags.is_empty())?;
    let allowed =
        ["required", "unique", "index", "read_only", "write_only", "create_only", "hidden"];
    let is_type = FieldKind::WORDS.iter().any(|(word, _)| word == kind);
    let all: String = flags.iter().map(|flag| format!(", {flag}: true")).collect();
    (is_type && flags.iter().all(|flag| allowed.contains(flag)))
        .then(|| format!("write `{{ type: {kind}{all} }}`"))
}

/// The advice for an HTTP method where an operation is expected.
pub(super) fn of_method(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    METHODS.iter().find(|(method, _)| *method == word).map(|(_, advice)| *advice)
}

/// Whether a default value means the current time in SQL or in a programming language.
pub(super) fn is_now(value: &str) -> bool {
    NOW.contains(&value.to_ascii_lowercase().as_str())
}

/// The advice for a value of the wrong shape.
pub(super) fn of_shape(what: &Owner, found: &str) -> Option<&'static str> {
    match (what, found) {
        (Owner::Key(key), found) => of_key(key, found),
        (Owner::Declaration, shape::TEXT) => Some(AFTER_COLON),
        (Owner::Field { .. }, shape::LIST) => Some(LIST),
        _ => None,
    }
}

/// The advice for text in place of a mapping, such as `resources:zoo`.
const AFTER_COLON: &str = "write a space, or a new line, after the colon";

/// The advice for the value of a key that has the wrong shape.
fn of_key(key: &str, found: &str) -> Option<&'static str> {
    match (key, found) {
        ("limit", shape::NUMBER) => {
            Some("write `limit: { default: 20, maximum: 100 }` with your numbers")
        }
        ("nouns", shape::TEXT) => Some("write `nouns: 1`, without quotes"),
        ("fields", shape::TEXT) => Some("write a space after the colon: `name: string`"),
        ("resources" | "types", shape::TEXT) => Some(AFTER_COLON),
        ("references", shape::LIST) => {
            Some("a field refers to one resource: write `references: …` with its name alone")
        }
        ("parent", shape::LIST) => Some(
            "a resource has one parent: write its name alone, and refer to others by fields with \
             `references`",
        ),
        ("sort", _) => {
            Some("write a list of fields, with `-` before each descending one: `[name, -opened]`")
        }
        ("type", shape::LIST) => Some(LIST),
        _ => None,
    }
}
