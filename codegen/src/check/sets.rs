//! Reads lists of fields: `sort`, `unique` and `indexes`.

use super::context::Context;
use super::map::{Map, texts, wrong_shape};
use crate::diagnostic::{Problem, problem::Owner, shape};
use crate::draft::{Node, Value, excerpt};
use crate::schema::SortKey;
use std::collections::HashSet;

/// Reads `sort: [name, -weight_kg]`. A later check reports unknown fields.
pub(super) fn sort(map: &Map<'_>, context: &mut Context) -> Vec<SortKey> {
    let mut seen = HashSet::new();
    let mut keys = Vec::new();
    for text in map.texts("sort", context).unwrap_or_default() {
        let field = text.value.strip_prefix('-').unwrap_or(text.value);
        if seen.insert(field) {
            keys.push(SortKey { field: field.to_owned(), descending: text.value.starts_with('-') });
        } else {
            context.report(
                text.at,
                Problem::Repeated { key: "sort".to_owned(), item: excerpt(field) },
            );
        }
    }
    keys
}

/// Reads `unique: [[a, b]]` or `indexes: [[a, b]]`. A later check reports unknown fields.
pub(super) fn sets(key: &str, map: &Map<'_>, context: &mut Context) -> Vec<Vec<String>> {
    let mut seen = HashSet::new();
    let mut sets = Vec::new();
    for node in map.list(key, shape::LIST_OF_LISTS, context).unwrap_or_default() {
        let Some(set) = set(key, node, context) else { break };
        if seen.insert(set.clone()) {
            sets.push(set);
        } else {
            context.report(
                node.at,
                Problem::Repeated { key: key.to_owned(), item: excerpt(&set.join(", ")) },
            );
        }
    }
    sets
}

fn set(key: &str, node: &Node, context: &mut Context) -> Option<Vec<String>> {
    match &node.value {
        Value::List(items) if items.is_empty() => {
            context.report(node.at, Problem::Nothing { key: key.to_owned() });
            None
        }
        Value::List(items) => {
            Some(texts(key, items, context).into_iter().map(|text| text.value.to_owned()).collect())
        }
        _ => wrong_shape(&Owner::Key(key.to_owned()), shape::LIST_OF_LISTS, node, context),
    }
}
