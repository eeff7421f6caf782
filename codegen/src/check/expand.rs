//! Expands short forms: `opened: date` becomes `opened: { type: date }`. Later checks only handle
//! the long form.

use super::map::is_extension;
use crate::draft::{Entry, Node, Spanned, Value};

/// Expands the short forms in `types`, `parent`, `id`, `fields` and `references`.
pub(super) fn short_forms(root: &mut Node) {
    each(root, "types", |named| lengthen(named, "type"));
    each(root, "resources", |resource| {
        inside(resource, "parent", |parent| lengthen(parent, "resource"));
        inside(resource, "id", |id| lengthen(id, "type"));
        each(resource, "fields", |field| {
            lengthen(field, "type");
            inside(field, "references", |reference| lengthen(reference, "resource"));
        });
    });
}

/// Replaces a text by a mapping with one key, whose value is the text.
fn lengthen(node: &mut Node, key: &str) {
    if matches!(node.value, Value::Text(_)) {
        let key = Spanned { value: key.to_owned(), at: node.at };
        let value = Spanned { at: node.at, value: std::mem::replace(&mut node.value, Value::Null) };
        node.value = Value::Map(vec![Entry { key, rust: None, value }]);
    }
}

fn inside(node: &mut Node, key: &str, mut change: impl FnMut(&mut Node)) {
    if let Value::Map(entries) = &mut node.value {
        entries
            .iter_mut()
            .filter(|entry| entry.key.value == key)
            .for_each(|entry| change(&mut entry.value));
    }
}

fn each(node: &mut Node, key: &str, mut change: impl FnMut(&mut Node)) {
    inside(node, key, |inner| {
        if let Value::Map(entries) = &mut inner.value {
            let named = entries.iter_mut().filter(|entry| !is_extension(&entry.key.value));
            named.for_each(|entry| change(&mut entry.value));
        }
    });
}
