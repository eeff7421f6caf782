//! The JSON Schemas of field values, from the kinds and constraints of fields.

use nouns_declaration::constraint::Constraint;
use serde_json::Value as Json;

use super::{
    names::Names,
    node::{JsonNode, JsonObject, component},
};
use crate::{
    base::limits,
    model::{
        FieldModel, Model, Role,
        def::{ExtensionDef, FieldDef, FieldKind, Format, TypeDef},
    },
    reply::describe::rules::literal,
};

/// A time of day, as JSON has it. The format `time` of JSON Schema needs an offset.
const TIME: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?$";

/// Lower-case words of letters and digits, joined by hyphens.
const SLUG: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

/// A text without control characters, such as an id that clients choose. (`.` and `..` are no ids,
/// which no pattern that every library supports can say.)
pub(super) const LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";

/// Returns the schema of the values of a field, without null. A field of a named type refers to the
/// component of the type.
pub(super) fn of_field(model: &Model, names: &Names, field: &FieldModel) -> JsonObject {
    let plain = of_kind(field.kind, field.def);
    if let Some(named) = named_type(model, field)
        && plain == of_type(named)
    {
        return component("schemas", &names.type_name(named.name));
    }
    match field.role {
        Role::Id => of_id(field.kind),
        Role::Parent => of_id(field.kind),
        _ if field.target.is_some() => of_id(field.kind),
        _ => plain,
    }
}

/// The named type of a field, if it has one.
fn named_type(model: &Model, field: &FieldModel) -> Option<&'static TypeDef> {
    let name = field.def?.type_name?;
    model.api.types.iter().copied().find(|named| named.name == name)
}

/// Returns the schema of a named type, without its description.
pub(super) fn of_type(named: &TypeDef) -> JsonObject {
    of_kind(named.kind, Some(&FieldDef::typed("", named)))
}

/// Returns the schema of an id.
pub(super) fn of_id(kind: FieldKind) -> JsonObject {
    match kind {
        FieldKind::Integer | FieldKind::Reference => typed("integer")
            .with("format", "int64")
            .with("minimum", 1)
            .with("maximum", limits::INTEGER_ID_MAX),
        FieldKind::Uuid => typed("string").with("format", "uuid"),
        _ => typed("string")
            .with("minLength", 1)
            .with("maxLength", limits::STRING_ID_CHARS_MAX)
            .with("pattern", LINE),
    }
}

fn typed(name: &str) -> JsonObject {
    JsonObject::new().with("type", name)
}

/// Returns the schema of a kind with the constraints of a field.
fn of_kind(kind: FieldKind, def: Option<&FieldDef>) -> JsonObject {
    let mut schema = base(kind);
    for constraint in def.into_iter().flat_map(FieldDef::constraints) {
        constrain(&mut schema, kind, constraint);
    }
    schema
}

/// Returns the schema of all values of a kind.
pub(super) fn base(kind: FieldKind) -> JsonObject {
    match kind {
        FieldKind::String => typed("string"),
        FieldKind::Integer | FieldKind::Reference => typed("integer")
            .with("format", "int64")
            .with("minimum", i64::MIN)
            .with("maximum", i64::MAX),
        FieldKind::Number => typed("number").with("format", "double"),
        FieldKind::Decimal { scale } => {
            typed("string").with("format", "decimal").with("pattern", decimal(scale))
        }
        FieldKind::Boolean => typed("boolean"),
        FieldKind::Date => typed("string").with("format", "date"),
        FieldKind::Time => typed("string").with("pattern", TIME),
        FieldKind::DateTime => typed("string").with("format", "date-time"),
        FieldKind::Uuid => typed("string").with("format", "uuid"),
        FieldKind::Json => JsonObject::new(),
        FieldKind::Password => typed("string").with("format", "password"),
    }
}

/// The pattern of a decimal. It has fewer digits before the point than the largest decimal, since a
/// pattern cannot compare numbers.
fn decimal(scale: u8) -> String {
    let whole = 17 - scale.min(17);
    let whole = format!("^-?(0|[1-9][0-9]{{0,{whole}}})");
    if scale == 0 { format!("{whole}$") } else { format!("{whole}(\\.[0-9]{{1,{scale}}})?$") }
}

fn constrain(schema: &mut JsonObject, kind: FieldKind, constraint: Constraint) {
    let is_number = matches!(kind, FieldKind::Integer | FieldKind::Number);
    let bound = |name: &'static str, beside: &'static str| if is_number { name } else { beside };
    match constraint {
        Constraint::Enum(choices) => {
            let choices: Vec<_> =
                choices.iter().filter_map(|choice| literal(kind, *choice)).collect();
            schema.set("enum", choices);
        }
        // JSON Schema compares numbers alone.
        Constraint::Minimum(least) => {
            if let Some(least) = literal(kind, least) {
                schema.set(bound("minimum", "x-minimum"), least);
            }
        }
        Constraint::Maximum(most) => {
            if let Some(most) = literal(kind, most) {
                schema.set(bound("maximum", "x-maximum"), most);
            }
        }
        Constraint::MinLength(least) => schema.set("minLength", least),
        Constraint::MaxLength(most) => schema.set("maxLength", most),
        Constraint::Pattern(pattern) if is_ecma(pattern) => schema.set("pattern", pattern),
        Constraint::Pattern(pattern) => schema.set("x-pattern", pattern),
        Constraint::Format(Format::Slug) if schema.get("pattern").is_none() => {
            schema.set("pattern", SLUG);
        }
        Constraint::Format(Format::Slug) => {
            schema.set("allOf", vec![JsonObject::new().with("pattern", SLUG)]);
        }
        Constraint::Format(format) => schema.set("format", format.word()),
        Constraint::Scale(_) => {}
    }
}

/// Whether a regular expression means the same in ECMA-262, which JSON Schema uses. Flags, named
/// groups, other anchors and operations on classes are written otherwise there.
fn is_ecma(pattern: &str) -> bool {
    let groups = pattern.match_indices("(?").all(|(at, _)| pattern[at + 2..].starts_with(':'));
    groups
        && !["\\A", "\\z", "\\x{", "\\<", "\\>", "\\U", "\\a", "[[", "[^[", "&&", "--", "~~"]
            .iter()
            .any(|spelling| pattern.contains(spelling))
}

/// Allows null in a schema.
pub(super) fn or_null(schema: JsonObject) -> JsonObject {
    let null = || JsonNode::from("null");
    match (schema.get("type"), schema.get("$ref")) {
        (Some(one), _) => {
            let types = JsonNode::Array(vec![one.clone(), null()]);
            let mut schema = schema;
            schema.set("type", types);
            if let Some(JsonNode::Json(Json::Array(choices))) = schema.get("enum") {
                let choices: Vec<_> = choices.iter().cloned().chain([Json::Null]).collect();
                schema.set("enum", choices);
            }
            schema
        }
        (None, Some(_)) => {
            JsonObject::new().with("anyOf", vec![schema, JsonObject::new().with("type", "null")])
        }
        // Any value may already be null.
        (None, None) => schema,
    }
}

/// Adds what people read about a field: its description, an example, its deprecation, and the
/// custom keys.
pub(super) fn described(schema: JsonObject, field: &FieldModel, usual: String) -> JsonObject {
    let Some(def) = field.def else { return schema.with("description", usual) };
    let example = def.example.and_then(|example| literal(field.kind, example));
    let schema = schema
        .with("description", def.description.map_or(usual, str::to_owned))
        .with_some("deprecated", def.deprecated.then_some(true))
        .with_some("examples", example.map(|example| Json::Array(vec![example])));
    extended(schema, def.extensions)
}

/// Adds the custom `x-…` keys of a declaration.
pub(super) fn extended(object: JsonObject, extensions: &[ExtensionDef]) -> JsonObject {
    extensions.iter().fold(object, |mut object, extension| {
        let value = serde_json::from_str(extension.json).unwrap_or(Json::Null);
        // It may have the name of a key that the document adds, such as `x-minimum`.
        object.set(extension.name, JsonNode::Json(value));
        object
    })
}
