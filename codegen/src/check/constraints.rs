//! Checks that constraints allow some value, and that values satisfy the constraints.

use super::context::Context;
use super::literal;
use super::literal::LiteralOfKind;
use super::map::Map;
use crate::diagnostic::Problem;
use crate::draft::{Node, Value};
use crate::schema::{Domain, Literal};
use nouns_declaration::check::Fault;
use nouns_declaration::check::bounds::{Bounds, broken, is_text, unlisted};
use nouns_declaration::format::has_format;
use std::cmp::Ordering;
use std::sync::Arc;

/// The constraints of a domain (a kind with constraints), to be compared with those of another
/// domain.
pub(super) fn bounds(domain: &Domain) -> Bounds<'_, LiteralOfKind<'_>> {
    let bound = |literal| LiteralOfKind(literal, domain.kind);
    Bounds {
        minimum: domain.minimum.as_ref().map(bound),
        maximum: domain.maximum.as_ref().map(bound),
        min_length: domain.min_length,
        max_length: domain.max_length,
        pattern: domain.pattern.as_deref(),
        format: domain.format,
        ignore_case: domain.ignore_case,
    }
}

/// Checks that no lower bound is above its upper bound.
pub(super) fn check_ranges(map: &Map<'_>, domain: &Domain, context: &mut Context) {
    for Fault { at: [low, high], problem } in bounds(domain).empty() {
        context.report(map.place(if map.has(low) { low } else { high }), problem);
    }
}

/// A bound of a range, as the declaration spells it.
pub(super) struct Bound {
    pub(super) key: &'static str,
    pub(super) value: String,
}

/// Reports that a lower bound is above its upper bound.
pub(super) fn report_empty_range(map: &Map<'_>, low: Bound, high: Bound, context: &mut Context) {
    let at = map.place(if map.has(low.key) { low.key } else { high.key });
    let problem = Problem::EmptyRange {
        low_key: low.key,
        low: low.value,
        high_key: high.key,
        high: high.value,
    };
    context.report(at, problem);
}

/// Checks the values of `enum` against the other constraints of the field.
pub(super) fn check_choices(map: &Map<'_>, domain: &Domain, context: &mut Context) {
    let Some(Value::List(items)) = map.entry("enum").map(|entry| &entry.value.value) else {
        return;
    };
    let rest = Domain { choices: Arc::default(), ..domain.clone() };
    for item in items {
        if let Ok(choice) = literal::read(&item.value, domain.kind) {
            check_value("enum", item, &choice, &rest, context);
        }
    }
}

/// Checks that a value satisfies every constraint of a domain.
pub(super) fn check_value(
    key: &str,
    node: &Node,
    value: &Literal,
    domain: &Domain,
    context: &mut Context,
) {
    if let Some(rule) = broken_rule(value, domain, context) {
        context.report(
            node.at,
            Problem::BreaksRule { key: key.to_owned(), value: value.to_string(), rule },
        );
    }
}

/// The part of a message about the first constraint that a value breaks; `None` if the value breaks
/// no constraint.
fn broken_rule(value: &Literal, domain: &Domain, context: &mut Context) -> Option<String> {
    let order = |bound: &Literal| literal::order(value, bound, domain.kind);
    if !domain.choices.is_empty() && !domain.choices.contains(value) {
        let listed: Vec<_> = domain.choices.iter().map(Literal::to_string).collect();
        let nearest = &mut |name: &str, known: &[&str]| context.nearest(name, known);
        return Some(unlisted(&value.to_string(), &listed, nearest));
    }
    if let Some(minimum) =
        domain.minimum.as_ref().filter(|minimum| order(minimum) == Ordering::Less)
    {
        return Some(broken("minimum", &minimum.to_string()));
    }
    if let Some(maximum) =
        domain.maximum.as_ref().filter(|maximum| order(maximum) == Ordering::Greater)
    {
        return Some(broken("maximum", &maximum.to_string()));
    }
    match value {
        Literal::String(text) if domain.kind.is_some_and(is_text) => {
            broken_text_rule(text, domain, context)
        }
        _ => None,
    }
}

fn broken_text_rule(text: &str, domain: &Domain, context: &mut Context) -> Option<String> {
    let length = text.chars().count();
    let exceeds = |limit: u32| u32::try_from(length).is_ok_and(|length| length > limit);
    if let Some(minimum) = domain.min_length.filter(|minimum| length < *minimum as usize) {
        return Some(broken("min_length", &minimum.to_string()));
    }
    if let Some(maximum) = domain.max_length.filter(|maximum| exceeds(*maximum)) {
        return Some(broken("max_length", &maximum.to_string()));
    }
    if let Some(format) = domain.format.filter(|format| !has_format(*format, text)) {
        return Some(broken("format", format.word()));
    }
    let pattern = domain.pattern.as_deref()?;
    let matches = context.pattern(pattern).is_ok_and(|regex| regex.is_match(text));
    (!matches).then(|| broken("pattern", pattern))
}
