//! Whether constraints leave anything, and whether a value keeps them.

use super::context::Context;
use super::domain::is_string;
use super::map::Map;
use super::{format, literal};
use crate::diagnostic::Problem;
use crate::draft::{Node, Value};
use crate::schema::{Domain, Literal};
use std::cmp::Ordering;
use std::sync::Arc;

/// How many values of a list stand in a message.
const LISTED_MAX: usize = 8;

/// Checks that no lower bound lies above the upper one.
pub(super) fn check_ranges(map: &Map<'_>, domain: &Domain, context: &mut Context) {
    if let (Some(low), Some(high)) = (&domain.minimum, &domain.maximum)
        && literal::order(low, high, domain.kind) == Ordering::Greater
    {
        say_empty(map, ("minimum", low.to_string()), ("maximum", high.to_string()), context);
    }
    if let (Some(low), Some(high)) = (domain.min_length, domain.max_length)
        && low > high
    {
        say_empty(map, ("min_length", low.to_string()), ("max_length", high.to_string()), context);
    }
}

/// Says that a lower bound lies above the upper one.
pub(super) fn say_empty(
    map: &Map<'_>,
    low: (&'static str, String),
    high: (&'static str, String),
    context: &mut Context,
) {
    let at = map.place(if map.has(low.0) { low.0 } else { high.0 });
    let problem = Problem::EmptyRange { low_key: low.0, low: low.1, high_key: high.0, high: high.1 };
    context.say(at, problem);
}

/// Checks the values of `enum` against the other constraints.
pub(super) fn check_choices(map: &Map<'_>, domain: &Domain, context: &mut Context) {
    let Some(Value::List(items)) = map.entry("enum").map(|entry| &entry.value.value) else { return };
    let rest = Domain { choices: Arc::default(), ..domain.clone() };
    for item in items {
        if let Ok(choice) = literal::read(&item.value, domain.kind) {
            check_value("enum", item, &choice, &rest, context);
        }
    }
}

/// Checks that a value keeps every constraint.
pub(super) fn check_value(key: &str, node: &Node, value: &Literal, domain: &Domain, context: &mut Context) {
    if let Some(rule) = broken_rule(value, domain, context) {
        context.say(node.at, Problem::BreaksRule { key: key.to_owned(), value: value.to_string(), rule });
    }
}

/// The constraint that a value breaks, as a clause.
fn broken_rule(value: &Literal, domain: &Domain, context: &mut Context) -> Option<String> {
    let order = |bound: &Literal| literal::order(value, bound, domain.kind);
    if !domain.choices.is_empty() && !domain.choices.contains(value) {
        return Some(unlisted(value, domain, context));
    }
    if let Some(minimum) = domain.minimum.as_ref().filter(|minimum| order(minimum) == Ordering::Less) {
        return Some(format!("below `minimum`, which is `{minimum}`"));
    }
    if let Some(maximum) = domain.maximum.as_ref().filter(|maximum| order(maximum) == Ordering::Greater) {
        return Some(format!("above `maximum`, which is `{maximum}`"));
    }
    match value {
        Literal::String(text) if domain.kind.is_some_and(is_string) => {
            broken_text_rule(text, domain, context)
        }
        _ => None,
    }
}

/// What is said of a value that is none of the listed: those that are, as far as a line has room for them.
fn unlisted(value: &Literal, domain: &Domain, context: &mut Context) -> String {
    let listed: Vec<String> = domain.choices.iter().map(Literal::to_string).collect();
    let nearest =
        context.suggestions.nearest(&value.to_string().to_lowercase(), listed.iter().map(String::as_str));
    let near = nearest.0.map(|near| format!("; `{near}` is near")).unwrap_or_default();
    let rest = if listed.len() > LISTED_MAX { ", …" } else { "" };
    let listed = listed[..listed.len().min(LISTED_MAX)].join("`, `");
    format!("which `enum` does not list (it has `{listed}`{rest}{near})")
}

fn broken_text_rule(text: &str, domain: &Domain, context: &mut Context) -> Option<String> {
    let length = text.chars().count();
    let exceeds = |limit: u32| u32::try_from(length).is_ok_and(|length| length > limit);
    if let Some(minimum) = domain.min_length.filter(|minimum| length < *minimum as usize) {
        return Some(format!("shorter than `min_length`, which is `{minimum}`"));
    }
    if let Some(maximum) = domain.max_length.filter(|maximum| exceeds(*maximum)) {
        return Some(format!("longer than `max_length`, which is `{maximum}`"));
    }
    if let Some(format) = domain.format.filter(|format| !format::matches(*format, text)) {
        return Some(format!("not of the format `{}`", format.word()));
    }
    let pattern = domain.pattern.as_deref()?;
    let matches = context.pattern(pattern).is_ok_and(|regex| regex.is_match(text));
    (!matches).then(|| format!("which does not match `pattern`, `{}`", crate::draft::excerpt(pattern)))
}
