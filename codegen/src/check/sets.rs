//! Lists of fields: the default order, what is unique together, what is indexed together.

use super::context::Context;
use super::map::{Map, texts, wrong_shape};
use super::resource::ResourceDraft;
use crate::diagnostic::problem::{Nearest, Problem};
use crate::draft::{Node, Origin, Value, excerpt};
use crate::schema::SortKey;
use std::collections::{HashMap, HashSet};

/// Reads `sort: [name, -weight_kg]`; which fields there are is checked later.
pub(super) fn sort(map: &Map<'_>, context: &mut Context) -> Vec<SortKey> {
    let mut seen = HashSet::new();
    let mut keys = Vec::new();
    for text in map.texts("sort", context).unwrap_or_default() {
        let field = text.value.strip_prefix('-').unwrap_or(text.value);
        if seen.insert(field) {
            keys.push(SortKey { field: field.to_owned(), descending: text.value.starts_with('-') });
        } else {
            context.say(text.at, Problem::Repeated { key: "sort".to_owned(), item: excerpt(field) });
        }
    }
    keys
}

/// Reads `unique: [[a, b]]` or `indexes: [[a, b]]`; which fields there are is checked later.
pub(super) fn sets(key: &str, map: &Map<'_>, context: &mut Context) -> Vec<Vec<String>> {
    let mut seen = HashSet::new();
    let mut sets = Vec::new();
    for node in map.list(key, "a list of lists", context).unwrap_or_default() {
        let Some(set) = set(key, node, context) else { break };
        if seen.insert(set.clone()) {
            sets.push(set);
        } else {
            context.say(node.at, Problem::Repeated { key: key.to_owned(), item: excerpt(&set.join(", ")) });
        }
    }
    sets
}

fn set(key: &str, node: &Node, context: &mut Context) -> Option<Vec<String>> {
    match &node.value {
        Value::List(items) if items.is_empty() => {
            context.say(node.at, Problem::Nothing { key: key.to_owned() });
            None
        }
        Value::List(items) => {
            Some(texts(key, items, context).into_iter().map(|text| text.value.to_owned()).collect())
        }
        _ => wrong_shape(&format!("`{key}`"), "a list of lists", node, context),
    }
}

/// Checks that every field in a list is one that its resource has, and has an order.
pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    for draft in drafts {
        let known = Known::of(draft);
        for (key, name, at) in mentions(draft) {
            known.check(key, name, at, context);
        }
    }
}

/// Every field that a list of a resource names.
fn mentions<'d>(draft: &ResourceDraft<'d>) -> Vec<(&'static str, &'d str, Origin)> {
    let mut mentions = Vec::new();
    for key in ["sort", "unique", "indexes"] {
        for item in draft.map.entry(key).map(|entry| items(&entry.value)).unwrap_or_default() {
            let named = if key == "sort" { std::slice::from_ref(item) } else { items(item) };
            mentions.extend(named.iter().filter_map(|node| match &node.value {
                Value::Text(text) if key == "sort" => {
                    Some((key, text.strip_prefix('-').unwrap_or(text), node.at))
                }
                Value::Text(text) => Some((key, text.as_str(), node.at)),
                _ => None,
            }));
        }
    }
    mentions
}

/// The sign and the field of a key of an order in the words of SQL: `title desc` is `-title`.
fn directed(key: &str) -> Option<(&'static str, &str)> {
    let (field, direction) = key.split_once([' ', ':'])?;
    match direction.trim().to_ascii_lowercase().as_str() {
        "desc" | "descending" => Some(("-", field)),
        "asc" | "ascending" => Some(("", field)),
        _ => None,
    }
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// The fields of a resource, with the kinds that have no order; the system's own are among them.
struct Known<'a> {
    resource: &'a str,
    names: Vec<&'a str>,
    ordered: HashMap<&'a str, bool>,
}

impl<'a> Known<'a> {
    fn of(draft: &'a ResourceDraft<'_>) -> Self {
        let resource = &draft.resource;
        let system =
            ["id", "created_at", "updated_at"].into_iter().take(if resource.timestamps { 3 } else { 1 });
        let parent = resource.parent.iter().map(|parent| parent.field.as_str());
        let mut ordered: HashMap<&str, bool> = system.chain(parent).map(|name| (name, true)).collect();
        let mut names: Vec<&str> = ordered.keys().copied().collect();
        for field in &draft.fields {
            let is_json = field.field.as_ref().is_some_and(|field| !field.domain.is_ordered());
            ordered.insert(field.name(), !is_json);
            names.push(field.name());
        }
        Self { resource: draft.name(), names, ordered }
    }

    fn check(&self, key: &str, name: &str, at: Origin, context: &mut Context) {
        match self.ordered.get(name) {
            Some(true) => {}
            Some(false) => {
                context.say(
                    at,
                    Problem::Unordered { key: key.to_owned(), field: excerpt(name), kind: "`json`" },
                );
            }
            None if name.is_empty() => {}
            None => {
                let nearest = match directed(name).filter(|_| key == "sort") {
                    Some((sign, field)) if self.ordered.contains_key(field) => {
                        Nearest(Some(format!("{sign}{field}")))
                    }
                    _ => context.suggestions.nearest(name, self.names.iter().copied()),
                };
                let (name, resource) = (excerpt(name), excerpt(self.resource));
                context.say(at, Problem::UnknownField { name, resource, nearest });
            }
        }
    }
}
