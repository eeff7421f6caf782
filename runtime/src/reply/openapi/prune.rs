//! The removal of components that nothing refers to.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::node::{Node, Object};

/// The beginning of a reference to a component.
const PREFIX: &str = "#/components/";

/// Returns the components that a document refers to, directly or through other components. Security
/// schemes are always kept, since they are referred to by name.
pub(super) fn used(document: &Object, components: Object) -> Object {
    let mut known = HashSet::new();
    let mut waiting = vec![];
    collect(&Node::Object(document.clone()), &mut waiting);
    while let Some(reference) = waiting.pop() {
        if !known.insert(reference.clone()) {
            continue;
        }
        let found =
            reference.split_once('/').and_then(|(kind, name)| match components.get(kind)? {
                Node::Object(group) => group.get(name),
                _ => None,
            });
        if let Some(component) = found {
            collect(component, &mut waiting);
        }
    }
    let mut kept = Object::new();
    for (kind, group) in components.into_members() {
        let Node::Object(group) = group else { continue };
        let is_used =
            |name: &str| kind == "securitySchemes" || known.contains(&format!("{kind}/{name}"));
        let group: Object = group.into_members().filter(|(name, _)| is_used(name)).collect();
        if !group.is_empty() {
            kept.set(kind, group);
        }
    }
    kept
}

/// Collects the references in a value, without their common beginning.
fn collect(node: &Node, to: &mut Vec<String>) {
    match node {
        Node::Json(Json::String(text)) => {
            to.extend(text.strip_prefix(PREFIX).map(str::to_owned));
        }
        Node::Json(_) => {}
        Node::Array(items) => items.iter().for_each(|item| collect(item, to)),
        Node::Object(object) => object.members().for_each(|(_, value)| collect(value, to)),
    }
}
