//! A body that creates a member, made from the declaration alone and tested against it.

use nouns_runtime::{
    def::{FieldDef, FieldKind, FieldMode, Format, Literal},
    model::{Field, Resource, Role},
    value::Value,
};

/// A body with the fields that a new member must have; none where it needs another member first, or where no value
/// that we know of passes.
pub(super) fn body(resource: &Resource) -> Option<String> {
    let id = &resource.fields[0];
    let mut members: Vec<String> = vec![];
    if id.mode == FieldMode::CreateOnly {
        members.push(member(id, &Value::Text("first".into()))?);
    }
    let needed = |field: &&Field| field.role == Role::Declared && field.required && field.default.is_none();
    let open = |field: &&Field| !matches!(field.mode, FieldMode::ReadOnly | FieldMode::Hidden);
    for field in resource.fields.iter().filter(needed).filter(open) {
        members.push(member(field, &value(field)?)?);
    }
    let body = format!("{{{}}}", members.join(", "));
    // The line is for a shell, in single quotes.
    (!body.contains('\'')).then_some(body)
}

fn member(field: &Field, value: &Value) -> Option<String> {
    let spelled = value.spell(field.kind);
    let json = match field.kind {
        FieldKind::Integer | FieldKind::Number | FieldKind::Boolean | FieldKind::Json => spelled,
        _ => serde_json::to_string(&spelled).ok()?,
    };
    Some(format!("\"{}\": {json}", field.name))
}

/// The first of the values that come to mind which the field accepts.
fn value(field: &Field) -> Option<Value> {
    let def = field.def?;
    if field.target.is_some() {
        return None;
    }
    let declared = def.example.into_iter().chain(def.choices.first().copied());
    let bounds = def.minimum.into_iter().chain(def.maximum);
    let literals = declared.chain(bounds).chain(usual(field.kind));
    let literals = literals.filter_map(|literal| Value::literal(field.kind, literal).ok());
    let texts = texts(def).into_iter().filter(|_| field.kind == FieldKind::String).map(Value::Text);
    literals
        .chain(texts)
        .find(|value| field.constraints.check(field.kind, field.ignore_case, value).is_empty())
}

/// A value of each kind; texts have their own.
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
        FieldKind::String | FieldKind::Reference => return None,
    })
}

/// Texts for a field: of its format, then its own name, as long as it must be.
fn texts(def: &FieldDef) -> Vec<String> {
    let (least, most) = (def.min_length.unwrap_or(1), def.max_length.unwrap_or(u32::MAX));
    // A longer line than a terminal shows is no first line to try.
    if least > 100 {
        return vec![];
    }
    let fitted = |text: &str| {
        let wanted = text.len().clamp(least as usize, (most as usize).max(least as usize));
        text.chars().cycle().take(wanted).collect::<String>()
    };
    let formed = def.format.map(|format| match format {
        Format::Email => "bella@zoo.example",
        Format::Uri => "https://zoo.example/",
        Format::Hostname => "zoo.example",
        Format::Slug => "city-zoo",
        Format::Ipv4 => "192.0.2.1",
        Format::Ipv6 => "2001:db8::1",
    });
    let plain = ["example", "Example", "EXAMPLE", "1", "12345678"];
    let fitted = plain.iter().map(|text| fitted(text));
    formed.into_iter().map(str::to_owned).chain(fitted).collect()
}
