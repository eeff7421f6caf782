//! A named type where it is used: its own constraints may be tightened, never loosened.

use super::context::Context;
use super::literal::{self, order};
use super::map::Map;
use crate::diagnostic::Problem;
use crate::draft::Value;
use crate::schema::{Domain, FieldKind, Literal};
use std::cmp::Ordering;
use std::collections::HashSet;

/// The values of a named type that the constraints of `map` leave.
pub(super) fn tighten(
    map: &Map<'_>,
    name: &str,
    base: &Domain,
    own: Domain,
    context: &mut Context,
) -> Domain {
    let kind = base.kind;
    let mut say = |key: &'static str, value: String, limit: String| {
        let problem = Problem::Looser { key, value, type_name: name.to_owned(), limit };
        context.say(map.place(key), problem);
    };
    if let (Some(own), Some(base)) = (&own.minimum, &base.minimum)
        && order(own, base, kind) == Ordering::Less
    {
        say("minimum", own.to_string(), base.to_string());
    }
    if let (Some(own), Some(base)) = (&own.maximum, &base.maximum)
        && order(own, base, kind) == Ordering::Greater
    {
        say("maximum", own.to_string(), base.to_string());
    }
    if let (Some(own), Some(base)) = (own.min_length, base.min_length)
        && own < base
    {
        say("min_length", own.to_string(), base.to_string());
    }
    if let (Some(own), Some(base)) = (own.max_length, base.max_length)
        && own > base
    {
        say("max_length", own.to_string(), base.to_string());
    }
    if let Some((own, base)) = different(own.pattern.as_deref(), base.pattern.as_deref()) {
        say("pattern", crate::draft::excerpt(own), crate::draft::excerpt(base));
    }
    if let Some((own, base)) = different(own.format, base.format) {
        say("format", own.word().to_owned(), base.word().to_owned());
    }
    refuse_unlisted(map, name, base, context);
    refuse_looser_flags(map, name, base, &own, context);
    Domain {
        kind,
        ignore_case: own.ignore_case || base.ignore_case,
        minimum: own.minimum.or_else(|| base.minimum.clone()),
        maximum: own.maximum.or_else(|| base.maximum.clone()),
        min_length: own.min_length.or(base.min_length),
        max_length: own.max_length.or(base.max_length),
        pattern: own.pattern.or_else(|| base.pattern.clone()),
        choices: if own.choices.is_empty() { base.choices.clone() } else { own.choices },
        format: own.format.or(base.format),
    }
}

fn refuse_looser_flags(map: &Map<'_>, name: &str, base: &Domain, own: &Domain, context: &mut Context) {
    let type_name = || name.to_owned();
    if base.ignore_case && map.has("ignore_case") && !own.ignore_case {
        let (value, limit) = ("false".to_owned(), "true".to_owned());
        context.say(
            map.place("ignore_case"),
            Problem::Looser { key: "ignore_case", value, type_name: type_name(), limit },
        );
    }
    let Some(FieldKind::Decimal { scale }) = base.kind else { return };
    if let Some(own) = map.count("scale", 0, 18, context).filter(|own| *own != u32::from(scale)) {
        let (value, limit) = (own.to_string(), scale.to_string());
        context
            .say(map.place("scale"), Problem::Looser { key: "scale", value, type_name: type_name(), limit });
    }
}

/// A field cannot list a value that its type does not.
fn refuse_unlisted(map: &Map<'_>, name: &str, base: &Domain, context: &mut Context) {
    let Some(Value::List(items)) = map.entry("enum").map(|entry| &entry.value.value) else { return };
    if base.choices.is_empty() {
        return;
    }
    let listed: HashSet<Choice<'_>> = base.choices.iter().map(choice).collect();
    for item in items {
        let Ok(own) = literal::read(&item.value, base.kind) else { continue };
        if !listed.contains(&choice(&own)) {
            let rule = format!("which type `{name}` does not list");
            context
                .say(item.at, Problem::BreaksRule { key: "enum".to_owned(), value: own.to_string(), rule });
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

/// Two things that cannot be compared, where both are there and differ.
fn different<T: PartialEq>(own: Option<T>, base: Option<T>) -> Option<(T, T)> {
    own.zip(base).filter(|(own, base)| own != base)
}
