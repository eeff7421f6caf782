//! What to write instead, for those who think in the words of another product.

/// Types of other products that are no type here, with what to write.
const TYPES: &[(&[&str], &str)] = &[
    (&["email", "mail", "email_address"], "write `{ type: string, format: email }`"),
    (&["url", "uri", "link", "href", "website"], "write `{ type: string, format: uri }`"),
    (&["hostname", "domain"], "write `{ type: string, format: hostname }`"),
    (&["slug", "slug_field"], "write `{ type: string, format: slug }`"),
    (&["ip", "ipv4", "ip_address", "inet"], "write `{ type: string, format: ipv4 }`, or `ipv6`"),
    (&["ipv6"], "write `{ type: string, format: ipv6 }`"),
    (
        &["relation", "relationship", "reference", "ref", "foreignkey", "foreign_key", "fk", "belongs_to"],
        "write `{ references: … }` with the name of the resource that it points at",
    ),
    (&["enum", "select", "choice", "choices", "radio"], "write `{ enum: […] }` with its values"),
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
const NOW: &[&str] = &["now", "now()", "current_timestamp", "current_timestamp()", "today", "utcnow"];

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

/// What to write for a type of another product.
pub(crate) fn of_type(name: &str) -> Option<&'static str> {
    let name = name.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
    TYPES.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, advice)| *advice)
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
        ("`limit`", "a number") => Some("write `limit: { default: 20, maximum: 100 }` with your numbers"),
        ("`nouns`", "text") => Some("write `nouns: 1`, without quotes"),
        ("`fields`", "text") => Some("write a blank after the colon: `name: string`"),
        ("`resources`" | "`types`" | "the declaration", "text") => {
            Some("write a blank, or a new line, after the colon")
        }
        _ => None,
    }
}
