//! What to write instead, for those who think in the words of another product.

use crate::schema::FieldKind;

/// Types of other products that are no type here, with what to write.
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
        "write `{ references: … }` with the name of the resource that it points at",
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
        "remove the field; in the other resource write `parent: …`, or a field with `references: …`",
    ),
    (
        &["many_to_many", "manytomany", "belongs_to_many", "has_and_belongs_to_many"],
        "remove the field; declare a resource of its own with a reference to either side",
    ),
    (
        &["autodate", "auto_date", "auto_now", "auto_now_add", "created", "updated"],
        "remove it: `created_at` and `updated_at` are there already",
    ),
];

/// The methods of HTTP, with the operations that they are.
const METHODS: &[(&str, &str)] = &[
    ("get", "GET is `get` of a member, and `list` of a collection"),
    ("post", "POST is `create`"),
    ("put", "PUT is `replace`"),
    ("patch", "PATCH is `update`"),
    ("delete", "DELETE is `delete` of a member, and `delete_many` of a collection"),
    ("read", "to read is `get` of a member, and `list` of a collection"),
];

/// What other languages call the time of a request.
const NOW: &[&str] =
    &["now", "now()", "current_timestamp", "current_timestamp()", "today", "utcnow"];

/// Parts of what the parser of YAML says, with the usual cause.
const SYNTAX: &[(&str, &str)] = &[
    ("tab", "indent with spaces, YAML forbids tabs there"),
    (
        "mapping values are not allowed",
        "text that contains `: ` must be in quotes, or the line before lacks its `:`",
    ),
    ("simple key", "a key ends with `:` and a blank, or the line before lacks its `:`"),
    ("unknown anchor", "an alias `*name` needs an anchor `&name` above it"),
];

/// The usual cause of a fault of syntax.
pub(super) fn of_syntax(message: &str) -> Option<&'static str> {
    SYNTAX.iter().find(|(part, _)| message.contains(part)).map(|(_, advice)| *advice)
}

/// What to write where somebody wants several values in one field.
pub(crate) const LIST: &str = "a field has one value: write `json` for a list of values, or declare a resource of its own that refers to this one";

/// Types that are texts, and those that are decimals, as databases call them.
const TEXTS: &[&str] =
    &["string", "str", "text", "varchar", "char", "character", "nvarchar", "nchar"];
const DECIMALS: &[&str] = &["decimal", "numeric", "number", "dec", "money"];

/// What to write for a type of another product.
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

/// What to write for `decimal(10,2)`, `varchar(80)` and `enum(a, b)`.
fn of_brackets(name: &str) -> Option<String> {
    let (word, rest) = name.split_once('(')?;
    let inside: Vec<&str> = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
    let is_number = |text: &&str| {
        !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    match (word.trim().to_ascii_lowercase().as_str(), inside.as_slice()) {
        (word, [_, scale]) if DECIMALS.contains(&word) && inside.iter().all(is_number) => {
            Some(format!(
                "write `{{ type: decimal, scale: {scale} }}`: the scale is the count of fraction digits"
            ))
        }
        (word, [digits]) if DECIMALS.contains(&word) && is_number(digits) => Some(
            "write `{ type: decimal, scale: 0 }`: the scale is the count of fraction digits"
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

/// What to write for `string required unique`: the type, and each key with its value.
fn of_words(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let (kind, flags) = words.split_first().filter(|(_, flags)| !flags.is_empty())?;
    let known = ["required", "unique", "index", "read_only", "write_only", "create_only", "hidden"];
    let is_type = FieldKind::WORDS.iter().any(|(word, _)| word == kind);
    let all: String = flags.iter().map(|flag| format!(", {flag}: true")).collect();
    (is_type && flags.iter().all(|flag| known.contains(flag)))
        .then(|| format!("write `{{ type: {kind}{all} }}`"))
}

/// What to write for a method of HTTP.
pub(super) fn of_method(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    METHODS.iter().find(|(method, _)| *method == word).map(|(_, advice)| *advice)
}

/// Whether a default is the time of a request in the words of another language.
pub(super) fn is_now(value: &str) -> bool {
    NOW.contains(&value.to_ascii_lowercase().as_str())
}

/// How something looks that was written in another shape.
pub(super) fn of_shape(what: &str, found: &str) -> Option<&'static str> {
    match (what, found) {
        ("`limit`", "a number") => {
            Some("write `limit: { default: 20, maximum: 100 }` with your numbers")
        }
        ("`nouns`", "text") => Some("write `nouns: 1`, without quotes"),
        ("`fields`", "text") => Some("write a blank after the colon: `name: string`"),
        ("`resources`" | "`types`" | "the declaration", "text") => {
            Some("write a blank, or a new line, after the colon")
        }
        ("`references`", "a list") => {
            Some("a field refers to one resource: write `references: …` with its name alone")
        }
        ("`parent`", "a list") => Some(
            "a resource has one parent: write its name alone, and refer to others by fields with `references`",
        ),
        ("`sort`", _) => {
            Some("write a list of fields, with `-` before each that descends: `[name, -opened]`")
        }
        ("`type`", "a list") => Some(LIST),
        (what, "a list") if what.starts_with("field `") => Some(LIST),
        _ => None,
    }
}
