//! A sample body for POST that creates a member. The body is made from the declaration, and its
//! values are valid.

use nouns_runtime::{
    def::{FieldDef, FieldKind, FieldMode, Format, Literal},
    model::{FieldModel, ResourceModel, Role},
    value::Value,
};

/// The size in bytes up to which a body also has optional fields, so that the command fits a line
/// of a terminal.
const USUAL_BYTES: usize = 120;

/// The largest `min_length` for which a sample text is made, in characters.
const LENGTH_MAX: u32 = 100;

/// The largest number of optional fields in a body that would be empty without them.
const OPTIONAL_MAX: usize = 2;

/// A realistic body for a new member: the required fields, and the fields with an example. A body
/// without any of these has the first optional fields. `None` if the member needs an existing
/// member of another resource, if no sample is valid, or if there is nothing to say.
pub(super) fn body(resource: &ResourceModel) -> Option<String> {
    let refers_by_default = |field: &FieldModel| field.target.is_some() && field.default.is_some();
    if resource.fields.iter().any(refers_by_default) {
        return None;
    }
    let (mut parts, mut bytes) = (vec![], 0);
    for field in resource.fields.iter().filter(|field| is_open(field)) {
        let is_needed = field.required && field.default.is_none();
        let value = if is_needed { Some(value(resource, field)?) } else { example(field) };
        let Some(part) = value.and_then(|value| member(field, &value)) else { continue };
        if is_needed || bytes + part.len() <= USUAL_BYTES {
            bytes += part.len();
            parts.push(part);
        }
    }
    if parts.is_empty() {
        parts = optional(resource);
    }
    let members: Vec<_> = id(resource).into_iter().chain(parts).collect();
    if members.is_empty() {
        return None;
    }
    let body = members.join(", ");
    // The command has the body in single quotes for a shell, so a single quote becomes its JSON
    // escape.
    Some(format!("{{{body}}}").replace('\'', r"\u0027"))
}

/// The first optional fields as JSON members.
fn optional(resource: &ResourceModel) -> Vec<String> {
    let fields = resource.fields.iter().filter(|field| is_open(field));
    let parts = fields.filter_map(|field| member(field, &value(resource, field)?));
    parts.take(OPTIONAL_MAX).collect()
}

/// Whether the field is declared and a client can set it.
fn is_open(field: &FieldModel) -> bool {
    field.role == Role::Declared && !matches!(field.mode, FieldMode::ReadOnly | FieldMode::Hidden)
}

/// The id as a JSON member, made of the sample for the first text field. `None` if the server can
/// assign the id.
fn id(resource: &ResourceModel) -> Option<String> {
    let id = &resource.fields[0];
    if id.mode != FieldMode::CreateOnly || id.kind != FieldKind::String {
        return None;
    }
    let texts =
        resource.fields.iter().filter(|field| is_open(field) && field.kind == FieldKind::String);
    let first =
        texts.filter_map(|field| value(resource, field)).map(|value| value.spell(id.kind)).next();
    let words = first.unwrap_or_default().to_ascii_lowercase();
    let words =
        words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.take(4).collect::<Vec<_>>().join("-");
    member(id, &Value::Text(if slug.is_empty() { "first".to_owned() } else { slug }))
}

fn member(field: &FieldModel, value: &Value) -> Option<String> {
    let spelled = match value {
        Value::Password(_) => PASSWORD.to_owned(),
        value => value.spell(field.kind),
    };
    let json = match field.kind {
        FieldKind::Integer | FieldKind::Number | FieldKind::Boolean | FieldKind::Json => spelled,
        _ => serde_json::to_string(&spelled).ok()?,
    };
    Some(format!("\"{}\": {json}", field.name))
}

/// The declared example of a field, if it is valid.
fn example(field: &FieldModel) -> Option<Value> {
    let example = field.def?.example.filter(|_| field.target.is_none())?;
    Value::literal(field.kind, example).ok().filter(|value| accepts(field, value))
}

fn accepts(field: &FieldModel, value: &Value) -> bool {
    field.constraints.check(field.kind, field.ignore_case, value).is_empty()
}

/// The first valid value of these: the example of the field, its first choice, sample texts, a
/// typical value, and its bounds. `None` for a reference, or if none of them is valid.
fn value(resource: &ResourceModel, field: &FieldModel) -> Option<Value> {
    let def = field.def?;
    if field.target.is_some() {
        return None;
    }
    let of = |literal| Value::literal(field.kind, literal).ok();
    let declared = def.example.into_iter().chain(def.choices.first().copied()).filter_map(of);
    let texts =
        texts(def, resource.def.name).into_iter().filter(|_| field.kind == FieldKind::String);
    let plain = usual(field.kind).into_iter().chain(def.minimum).chain(def.maximum).filter_map(of);
    declared.chain(texts.map(Value::Text)).chain(plain).find(|value| accepts(field, value))
}

/// A password that nobody would use.
const PASSWORD: &str = "correct horse battery staple";

/// A typical value of a kind. Texts and references have none.
fn usual(kind: FieldKind) -> Option<Literal> {
    Some(match kind {
        FieldKind::Integer => Literal::Integer(1),
        FieldKind::Number => Literal::Number(1.0),
        FieldKind::Boolean => Literal::Boolean(true),
        FieldKind::Json => Literal::Json("{}"),
        FieldKind::Decimal { .. } => Literal::String("1"),
        FieldKind::Date => Literal::String("2026-01-31"),
        FieldKind::Time => Literal::String("12:00:00"),
        FieldKind::DateTime => Literal::String("2026-01-31T12:00:00Z"),
        FieldKind::Uuid => Literal::String("01890a5d-ac96-774b-bcce-b302099a8057"),
        FieldKind::Password => Literal::String(PASSWORD),
        FieldKind::String | FieldKind::Reference => return None,
    })
}

/// Sample texts for fields by the last word of the field name.
const USUAL_TEXTS: [(&[&str], &str); 10] = [
    (&["email", "mail"], "kim@example.org"),
    (&["url", "uri", "link", "website", "homepage"], "https://example.org/"),
    (&["phone", "telephone", "mobile"], "+49 30 123456"),
    (&["city", "town"], "Berlin"),
    (&["country"], "Germany"),
    (&["street", "address"], "Main Street 1"),
    (&["user", "username", "login", "nickname", "author"], "kim"),
    (&["firstname", "forename"], "Kim"),
    (&["lastname", "surname"], "Lee"),
    (&["body", "text", "content", "message", "description", "comment", "note"], "Hello, world"),
];

/// Sample texts for a field: one for its format, one for its name, and some of the required length.
fn texts(def: &FieldDef, resource: &str) -> Vec<String> {
    let (least, most) = (def.min_length.unwrap_or(1), def.max_length.unwrap_or(u32::MAX));
    if least > LENGTH_MAX {
        return vec![];
    }
    let fitted = |text: &str| {
        let wanted = text.len().clamp(least as usize, (most as usize).max(least as usize));
        text.chars().cycle().take(wanted).collect::<String>()
    };
    let formed = def.format.map(|format| match format {
        Format::Email => "kim@example.org",
        Format::Uri => "https://example.org/",
        Format::Hostname => "www.example.org",
        Format::Slug => "first-one",
        Format::Ipv4 => "192.0.2.1",
        Format::Ipv6 => "2001:db8::1",
    });
    let plain = ["Example", "example", "EXAMPLE", "1", "12345678"].iter().map(|text| fitted(text));
    formed.into_iter().map(str::to_owned).chain([named(def.name, resource)]).chain(plain).collect()
}

/// A sample text for a field by its name, in the first member of a resource.
fn named(field: &str, resource: &str) -> String {
    let last = field.rsplit('_').next().unwrap_or_default();
    if matches!(last, "name" | "title" | "label" | "subject" | "headline") {
        return match field {
            "first_name" | "given_name" => "Kim".to_owned(),
            "last_name" | "family_name" => "Lee".to_owned(),
            "user_name" => "kim".to_owned(),
            _ => format!("First {}", resource.replace('_', " ")),
        };
    }
    let usual = USUAL_TEXTS.iter().find(|(words, _)| words.contains(&last));
    usual.map_or_else(|| capitalised(field), |(_, text)| (*text).to_owned())
}

/// A name as words: `Password hint` for `password_hint`.
fn capitalised(name: &str) -> String {
    let words = name.replace('_', " ");
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}
