//! Applies the constraints of a field to its named type. A field may tighten the constraints of its
//! type, but not loosen them.

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

/// Returns the domain of a field or type that builds on the named type `name`. `own` has the
/// constraints of `map`, and `base` is the domain of the named type.
pub(super) fn tighten(
    map: &Map<'_>,
    name: &str,
    base: &Domain,
    own: Domain,
    context: &mut Context,
) -> Domain {
    let ignore_case = if map.has("ignore_case") { own.ignore_case } else { base.ignore_case };
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
    let own = Bounds { ignore_case, ..bounds(&tightened) };
    for Fault { at: key, problem } in own.looser(&bounds(base), name) {
        context.report(map.place(key), problem);
    }
    refuse_unlisted(map, name, base, context);
    refuse_other_scale(map, name, base, context);
    tightened
}

fn refuse_other_scale(map: &Map<'_>, name: &str, base: &Domain, context: &mut Context) {
    let Some(FieldKind::Decimal { scale }) = base.kind else { return };
    if let Some(own) = map.count("scale", context).filter(|own| *own != u32::from(scale)) {
        let (value, limit) = (own.to_string(), scale.to_string());
        context.report(
            map.place("scale"),
            Problem::Looser { key: "scale", value, type_name: name.to_owned(), limit },
        );
    }
}

/// Reports values of `enum` that the named type does not list.
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
            context.report(
                item.at,
                Problem::BreaksRule { key: "enum".to_owned(), value: own.to_string(), rule },
            );
        }
    }
}

/// A value of `enum` as a key of a hash set. Values of `enum` are integers or texts.
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
