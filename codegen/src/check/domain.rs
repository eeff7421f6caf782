//! The domain of a type or field: its kind and its constraints. The constraints must fit the kind.

use super::context::{Context, Scope};
use super::json::json;
use super::map::Map;
use super::types::TypeDomain;
use super::{constraints, foreign, literal, tighten};
use crate::diagnostic::problem::{Problem, Suggestion};
use crate::diagnostic::{advice, shape};
use crate::draft::{Entry, Node, Value};
use crate::language;
use crate::schema::{Domain, FieldKind, Format, Literal};
use nouns_declaration::check::Fault;
use nouns_declaration::check::bounds::{self, is_listed, is_measured, is_string, is_text};
use std::collections::HashSet;
use std::sync::Arc;

/// Reads the domain of a mapping and the name of its named type, if it has one. Returns `None` if
/// the kind of the values is unknown.
pub(super) fn read(map: &Map<'_>, context: &mut Context) -> Option<(Domain, Option<String>)> {
    let Some(base) = base(map, context) else {
        // The constraints of texts can be checked even if the kind is unknown.
        let mut unused = Domain::of(FieldKind::String);
        read_text_rules(map, &mut unused, context);
        read_string_rules(map, &mut unused, context);
        return None;
    };
    refuse_unfit(map, base.0.kind, context);
    let own = own(map, base.0.kind, context);
    let domain = match &base.1 {
        Some(name) => tighten::tighten(map, name, &base.0, own, context),
        None => bounded(own),
    };
    constraints::check_ranges(map, &domain, context);
    constraints::check_choices(map, &domain, context);
    Some((domain, base.1))
}

/// The domain to which the constraints of this mapping are added. It is the domain of a named type,
/// with its name, or all values of a built-in type, without a name.
fn base(map: &Map<'_>, context: &mut Context) -> Option<(Domain, Option<String>)> {
    if map.has("references") {
        return Some((Domain::of(FieldKind::Reference), None));
    }
    let Some(entry) = map.entry("type") else {
        return implied_kind(map, context).map(|kind| (Domain::of(kind), None));
    };
    let name = map.text("type", context)?;
    if let Some((_, kind)) = FieldKind::WORDS.iter().find(|(word, _)| *word == name) {
        let kind =
            if matches!(kind, FieldKind::Decimal { .. }) { scaled(map, context)? } else { *kind };
        return Some((Domain::of(kind), None));
    }
    let domain = named(name, entry, context)?;
    Some((domain, Some(name.to_owned())))
}

/// The domain of a named type. It has no kind if the type is declared outside of the checked item.
fn named(name: &str, entry: &Entry, context: &mut Context) -> Option<Domain> {
    if language::LATER_TYPES.contains(&name) {
        context.report(entry.value.at, Problem::NotSupported { what: name.to_owned() });
        return None;
    }
    match context.types.domain(name) {
        TypeDomain::Known(domain) => return Some(domain.clone()),
        TypeDomain::Broken => return None,
        TypeDomain::Unread => {}
    }
    if context.scope == Scope::Item {
        return Some(Domain::of(None));
    }
    let problem = if context.types.is_declared(name) {
        Problem::DeclaredBelow { name: name.to_owned() }
    } else if context.ids.contains_key(name) {
        Problem::ResourceAsType { name: crate::draft::excerpt(name) }
    } else {
        let nearest = nearest_type(name, context);
        Problem::UnknownType { name: crate::draft::excerpt(name), nearest }
    };
    context.report(entry.value.at, problem);
    None
}

/// The type that an unknown name probably means: the equivalent of a name such as `varchar`, or the
/// type with the most similar name.
fn nearest_type(name: &str, context: &mut Context) -> Suggestion {
    if advice::of_type(name).is_some() {
        return Suggestion(None);
    }
    if let Some(ours) = foreign::type_word(name) {
        return Suggestion(Some(ours.to_owned()));
    }
    let names = FieldKind::WORDS.iter().map(|(word, _)| *word).chain(context.types.names());
    context.suggestions.nearest(name, names)
}

/// The kind that the values of `enum` imply: `integer` if all values are whole numbers, otherwise
/// `string`.
fn implied_kind(map: &Map<'_>, context: &mut Context) -> Option<FieldKind> {
    let Some(entry) = map.entry("enum") else {
        if !map.lost_type {
            context.report(map.at, Problem::MissingType { owner: map.owner.clone() });
        }
        return None;
    };
    let Value::List(items) = &entry.value.value else { return Some(FieldKind::String) };
    let whole =
        items.iter().all(|item| literal::read(&item.value, Some(FieldKind::Integer)).is_ok());
    Some(if whole && !items.is_empty() { FieldKind::Integer } else { FieldKind::String })
}

fn scaled(map: &Map<'_>, context: &mut Context) -> Option<FieldKind> {
    map.needed("scale", context)?;
    let scale = map.count("scale", context)?;
    u8::try_from(scale).ok().map(|scale| FieldKind::Decimal { scale })
}

fn refuse_unfit(map: &Map<'_>, kind: Option<FieldKind>, context: &mut Context) {
    let Some(kind) = kind else { return };
    let is_said = |key: &str| {
        map.entry(key).is_some_and(|entry| !matches!(entry.value.value, Value::Boolean(false)))
    };
    for Fault { at: key, problem } in bounds::unfit(kind, is_said) {
        context.report(map.key_place(key), problem);
    }
}

/// The domain with the lengths that a password has by default.
fn bounded(own: Domain) -> Domain {
    let usual = Domain::usual(own.kind);
    Domain {
        min_length: own.min_length.or(usual.min_length),
        max_length: own.max_length.or(usual.max_length),
        ..own
    }
}

/// The constraints in this mapping, as far as they fit the kind.
fn own(map: &Map<'_>, kind: Option<FieldKind>, context: &mut Context) -> Domain {
    let mut own = Domain::of(kind);
    if kind.is_none_or(is_measured) {
        own.minimum = value(map, "minimum", kind, context);
        own.maximum = value(map, "maximum", kind, context);
    }
    if kind.is_none_or(is_text) {
        read_text_rules(map, &mut own, context);
    }
    if kind.is_none_or(is_string) {
        read_string_rules(map, &mut own, context);
    }
    if kind.is_none_or(is_listed) {
        own.choices = choices(map, kind, context);
    }
    own
}

fn read_text_rules(map: &Map<'_>, own: &mut Domain, context: &mut Context) {
    own.min_length = map.count("min_length", context);
    own.max_length = map.count("max_length", context);
    own.pattern = pattern(map, context);
}

fn read_string_rules(map: &Map<'_>, own: &mut Domain, context: &mut Context) {
    own.format = map.word("format", Format::WORDS, context);
    own.ignore_case = map.holds("ignore_case", context);
}

fn value(
    map: &Map<'_>,
    key: &str,
    kind: Option<FieldKind>,
    context: &mut Context,
) -> Option<Literal> {
    read_literal(key, &map.entry(key)?.value, kind, context)
}

/// Reads a value as a literal of a kind. The parameter `kind` is `None` if another item declares
/// the type.
pub(super) fn read_literal(
    key: &str,
    node: &Node,
    kind: Option<FieldKind>,
    context: &mut Context,
) -> Option<Literal> {
    if kind == Some(FieldKind::Json) {
        return json(key, node, context).map(Literal::Json);
    }
    let result = literal::read(&node.value, kind);
    ok_or_report(key, node, result, context)
}

/// Returns the literal, or reports that the value is not valid.
pub(super) fn ok_or_report(
    key: &str,
    node: &Node,
    result: Result<Literal, String>,
    context: &mut Context,
) -> Option<Literal> {
    let wrong = |expected| Problem::WrongValue {
        key: key.to_owned(),
        value: node.value.excerpt(),
        expected,
    };
    result.map_err(|expected| context.report(node.at, wrong(expected))).ok()
}

fn pattern(map: &Map<'_>, context: &mut Context) -> Option<Arc<str>> {
    let pattern = map.text("pattern", context)?;
    let reason = match context.pattern(pattern) {
        Ok(_) => return Some(pattern.into()),
        Err(reason) => reason.to_owned(),
    };
    let problem = Problem::BadPattern { pattern: crate::draft::excerpt(pattern), reason };
    context.report(map.place("pattern"), problem);
    None
}

fn choices(map: &Map<'_>, kind: Option<FieldKind>, context: &mut Context) -> Arc<[Literal]> {
    let mut seen = HashSet::new();
    let mut choices = Vec::new();
    for item in map.list("enum", shape::LIST, context).unwrap_or_default() {
        let Some(choice) = read_literal("enum", item, kind, context) else { continue };
        if seen.insert(choice.to_string()) {
            choices.push(choice);
        } else {
            context.report(
                item.at,
                Problem::Repeated { key: "enum".to_owned(), item: choice.to_string() },
            );
        }
    }
    choices.into()
}
