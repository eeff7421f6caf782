//! A named type where it is used: its own constraints may be tightened, never loosened.

use super::constraints::bounds;
use super::context::Context;
use super::literal;
use super::map::Map;
use crate::diagnostic::Problem;
use crate::draft::Value;
use crate::schema::{Domain, FieldKind, Literal};
use nouns_declaration::check::Fault;
use nouns_declaration::check::bounds::{Bounds, unlisted_by_type};
use std::collections::HashSet;

/// The values of a named type that the constraints of `map` leave.
pub(super) fn tighten(
    map: &Map<'_>,
    name: &str,
    base: &Domain,
    own: Domain,
    context: &mut Context,
) -> Domain {
    let said_case = if map.has("ignore_case") { own.ignore_case } else { base.ignore_case };
    let tightened = Domain {
        kind: base.kind,
        ignore_case: own.ignore_case || base.ignore_case,
        minimum: own.minimum.or_else(|| base.minimum.clone()),
        maximum: own.maximum.or_else(|| base.maximum.clone()),
        min_length: own.min_length.or(base.min_length),
        max_length: own.max_length.or(base.max_length),
        pattern: own.pattern.or_else(|| base.pattern.clone()),
        choices: if own.choices.is_empty() { base.choices.clone() } else { own.choices },
        format: own.format.or(base.format),
    };
    let said = Bounds { ignore_case: said_case, ..bounds(&tightened) };
    for Fault { at: key, problem } in said.looser(&bounds(base), name) {
        context.say(map.place(key), problem);
    }
    refuse_unlisted(map, name, base, context);
    refuse_other_scale(map, name, base, context);
    tightened
}

fn refuse_other_scale(map: &Map<'_>, name: &str, base: &Domain, context: &mut Context) {
    let Some(FieldKind::Decimal { scale }) = base.kind else { return };
    if let Some(own) = map.count("scale", 0, 18, context).filter(|own| *own != u32::from(scale)) {
        let (value, limit) = (own.to_string(), scale.to_string());
        context.say(
            map.place("scale"),
            Problem::Looser { key: "scale", value, type_name: name.to_owned(), limit },
        );
    }
}

/// A field cannot list a value that its type does not.
fn refuse_unlisted(map: &Map<'_>, name: &str, base: &Domain, context: &mut Context) {
    let Some(Value::List(items)) = map.entry("enum").map(|entry| &entry.value.value) else {
        return;
    };
    if base.choices.is_empty() {
        return;
    }
    let listed: HashSet<Choice<'_>> = base.choices.iter().map(choice).collect();
    for item in items {
        let Ok(own) = literal::read(&item.value, base.kind) else { continue };
        if !listed.contains(&choice(&own)) {
            let rule = unlisted_by_type(name);
            context.say(
                item.at,
                Problem::BreaksRule { key: "enum".to_owned(), value: own.to_string(), rule },
            );
        }
    }
}

/// A choice that can be looked up; only whole numbers and texts are choices.
#[derive(PartialEq, Eq, Hash)]
enum Choice<'a> {
    Integer(i64),
    Text(&'a str),
    Other,
}

fn choice(literal: &Literal) -> Choice<'_> {
    match literal {
        Literal::Integer(value) => Choice::Integer(*value),
        Literal::String(text) => Choice::Text(text),
        _ => Choice::Other,
    }
}
