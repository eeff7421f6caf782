//! Repairs keys that are a level too high, mostly because they are indented too little. Each
//! mistake is reported once. The key is moved to the right level, so that the other checks find the
//! key at its level.

use super::context::{Context, Scope};
use super::foreign;
use super::map::is_extension;
use crate::diagnostic::{Problem, problem::Owner};
use crate::draft::{Entry, Node, Origin, Spanned, Value, excerpt};
use crate::language;
use crate::language::{DECLARATION, FIELD, Level, RESOURCE};
use crate::schema::FieldKind;
use std::collections::HashSet;

/// Repairs a whole YAML declaration. Rust declarations are not changed.
pub(super) fn mend(root: &mut Node, context: &mut Context) {
    if context.scope == Scope::Item || !matches!(root.at, Origin::Yaml(_)) {
        return;
    }
    let Value::Map(entries) = &mut root.value else { return };
    let types: HashSet<String> = inner(entries, "types")
        .map(|types| types.iter().map(|entry| entry.key.value.clone()).collect())
        .unwrap_or_default();
    lower_resources(entries, context);
    let Some(resources) = inner(entries, "resources") else { return };
    lower_keys_of_resources(resources, context);
    for resource in resources.iter_mut().filter(|entry| !is_extension(&entry.key.value)) {
        let name = resource.key.value.clone();
        let Value::Map(entries) = &mut resource.value.value else { continue };
        lower_fields(&name, entries, &types, context);
        let Some(fields) = inner(entries, "fields") else { continue };
        lower_keys_of_fields(fields, &types, context);
        fields.iter_mut().for_each(|field| join_brackets(&mut field.value));
    }
}

/// The entries of the mapping that is the value of a key.
fn inner<'d>(entries: &'d mut [Entry], key: &str) -> Option<&'d mut Vec<Entry>> {
    let entry = entries.iter_mut().find(|entry| entry.key.value == key)?;
    match &mut entry.value.value {
        Value::Map(inner) => Some(inner),
        _ => None,
    }
}

fn has(value: &Value, keys: &[&str]) -> bool {
    matches!(value, Value::Map(entries) if entries.iter().any(|entry| keys.contains(&entry.key.value.as_str())))
}

fn is_unknown(key: &str, level: &Level) -> bool {
    !level.has(key) && !level.later.contains(&key) && !is_extension(key)
}

/// Moves entries to the mapping under the key `head`, and reports the first moved entry. A missing
/// key is added.
fn lower(
    entries: &mut Vec<Entry>,
    head: &'static str,
    owner: &Owner,
    belongs: impl Fn(&Entry, &mut Context) -> bool,
    context: &mut Context,
) {
    let (mut moved, mut kept) = (Vec::new(), Vec::with_capacity(entries.len()));
    for entry in entries.drain(..) {
        let list = if belongs(&entry, context) { &mut moved } else { &mut kept };
        list.push(entry);
    }
    *entries = kept;
    let Some(first) = moved.first() else { return };
    let (key, at) = (excerpt(&first.key.value), first.key.at);
    match entries.iter_mut().find(|entry| entry.key.value == head) {
        Some(entry) => {
            context.report(at, Problem::Outdented { key, above: head.to_owned() });
            match &mut entry.value.value {
                Value::Map(below) => below.extend(moved),
                value => *value = Value::Map(moved),
            }
        }
        None => {
            context.report(at, Problem::Headless { key, owner: owner.clone(), head });
            let key = Spanned { value: head.to_owned(), at };
            entries.push(Entry {
                key,
                rust: None,
                value: Spanned { value: Value::Map(moved), at },
            });
        }
    }
}

/// Moves a resource such as `book:` that is beside `resources:` into the mapping of `resources:`.
fn lower_resources(entries: &mut Vec<Entry>, context: &mut Context) {
    let none_yet = entries
        .iter()
        .any(|entry| entry.key.value == "resources" && matches!(entry.value.value, Value::Null));
    let belongs = |entry: &Entry, _: &mut Context| {
        let is_resource = has(&entry.value.value, &["fields"])
            || none_yet && matches!(entry.value.value, Value::Map(_));
        is_unknown(&entry.key.value, &DECLARATION) && is_resource
    };
    lower(entries, "resources", &Owner::Declaration, belongs, context);
}

/// Moves keys such as `fields:` or `sort: [name]` that are beside a resource into this resource.
fn lower_keys_of_resources(resources: &mut Vec<Entry>, context: &mut Context) {
    let mut kept: Vec<Entry> = Vec::with_capacity(resources.len());
    let mut reported = None;
    for entry in resources.drain(..) {
        let is_key = match (entry.key.value.as_str(), &entry.value.value) {
            ("fields", Value::Map(_)) => !has(&entry.value.value, &["fields"]),
            (_, Value::Map(_) | Value::Null) => false,
            (key, _) => RESOURCE.has(key),
        };
        let owner = kept.last_mut().filter(|_| is_key).filter(|owner| {
            matches!(owner.value.value, Value::Null | Value::Map(_))
                && !has(&owner.value.value, &[&entry.key.value])
        });
        let Some(owner) = owner else {
            kept.push(entry);
            continue;
        };
        if reported.replace(owner.key.value.clone()).as_ref() != Some(&owner.key.value) {
            let (key, above) = (excerpt(&entry.key.value), excerpt(&owner.key.value));
            context.report(entry.key.at, Problem::Outdented { key, above });
        }
        match &mut owner.value.value {
            Value::Map(entries) => entries.push(entry),
            value => *value = Value::Map(vec![entry]),
        }
    }
    *resources = kept;
}

/// Moves fields such as `title: string` that are beside `fields:` into the mapping of `fields:`. If
/// `fields:` is missing, it is added.
fn lower_fields(
    resource: &str,
    entries: &mut Vec<Entry>,
    types: &HashSet<String>,
    context: &mut Context,
) {
    let fields =
        entries.iter().find(|entry| entry.key.value == "fields").map(|entry| &entry.value.value);
    if !matches!(fields, None | Some(Value::Null | Value::Map(_))) {
        return;
    }
    let none_yet = matches!(fields, Some(Value::Null));
    let belongs = |entry: &Entry, context: &mut Context| {
        let key = entry.key.value.as_str();
        is_unknown(key, &RESOURCE)
            && match &entry.value.value {
                Value::Text(text) => is_type(text, types),
                Value::Map(_) => {
                    has(&entry.value.value, &["type", "references", "enum"])
                        && !foreign::is_likely_key(key, &RESOURCE, context)
                }
                Value::Null => none_yet,
                _ => false,
            }
    };
    lower(entries, "fields", &Owner::Resource(excerpt(resource)), belongs, context);
}

/// Whether a text can only be the type of a field.
fn is_type(text: &str, types: &HashSet<String>) -> bool {
    FieldKind::WORDS.iter().any(|(word, _)| *word == text)
        || language::LATER_TYPES.contains(&text)
        || foreign::type_word(text).is_some()
        || types.contains(text)
}

/// Moves keys such as `type: string` that are beside a field into this field.
fn lower_keys_of_fields(fields: &mut Vec<Entry>, types: &HashSet<String>, context: &mut Context) {
    let mut kept: Vec<Entry> = Vec::with_capacity(fields.len());
    let mut is_open = false;
    for entry in fields.drain(..) {
        let key = entry.key.value.as_str();
        let owner = kept.last_mut().filter(|owner| match &owner.value.value {
            Value::Null => matches!(key, "type" | "references" | "enum"),
            Value::Map(_) => is_open && FIELD.has(key) && !has(&owner.value.value, &[key]),
            _ => false,
        });
        // Except for `type`, no key of a field has the name of a type as its value.
        let is_field = matches!(&entry.value.value, Value::Text(text) if key != "type" && is_type(text, types));
        let Some(owner) = owner.filter(|_| !is_field) else {
            is_open = false;
            kept.push(entry);
            continue;
        };
        match &mut owner.value.value {
            Value::Map(entries) => entries.push(entry),
            value => {
                let above = excerpt(&owner.key.value);
                context.report(entry.key.at, Problem::Outdented { key: key.to_owned(), above });
                *value = Value::Map(vec![entry]);
                is_open = true;
            }
        }
    }
    *fields = kept;
}

/// Joins the parts of `type: decimal(10, 2)`. YAML splits this text at the comma if it is inside
/// braces.
fn join_brackets(field: &mut Node) {
    let Value::Map(entries) = &mut field.value else { return };
    let Some(at) = entries.iter().position(|entry| entry.key.value == "type") else { return };
    let Value::Text(text) = &entries[at].value.value else { return };
    if !text.contains('(') || text.contains(')') {
        return;
    }
    let rest = &entries[at + 1..];
    let is_part = |entry: &&Entry| matches!(entry.value.value, Value::Null);
    let end = rest.iter().take_while(is_part).position(|entry| entry.key.value.ends_with(')'));
    let Some(end) = end else { return };
    let parts = entries.drain(at + 1..=at + 1 + end).map(|entry| entry.key.value);
    let joined = parts.collect::<Vec<_>>().join(", ");
    if let Value::Text(text) = &mut entries[at].value.value {
        *text = format!("{text}, {joined}");
    }
}
