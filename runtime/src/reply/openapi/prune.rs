//! The removal of components that nothing refers to.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use super::node::{JsonNode, JsonObject};

/// The beginning of a reference to a component.
const PREFIX: &str = "#/components/";

/// Returns the components that a document refers to, directly or through other components. Security
/// schemes are always kept, since they are referred to by name.
pub(super) fn used(document: &JsonObject, components: JsonObject) -> JsonObject {
    let mut by_reference = HashMap::new();
    for (kind, group) in components.members() {
        let JsonNode::Object(group) = group else { continue };
        by_reference.extend(group.members().map(|(name, one)| (format!("{kind}/{name}"), one)));
    }
    let mut known = HashSet::new();
    let mut waiting = vec![];
    document.members().for_each(|(_, value)| collect(value, &mut waiting));
    while let Some(reference) = waiting.pop() {
        if known.contains(&reference) {
            continue;
        }
        if let Some(component) = by_reference.get(&reference) {
            collect(component, &mut waiting);
        }
        known.insert(reference);
    }
    let mut kept = JsonObject::new();
    for (kind, group) in components.into_members() {
        let JsonNode::Object(group) = group else { continue };
        let is_used =
            |name: &str| kind == "securitySchemes" || known.contains(&format!("{kind}/{name}"));
        let group: JsonObject = group.into_members().filter(|(name, _)| is_used(name)).collect();
        if !group.is_empty() {
            kept.push(kind, group);
        }
    }
    kept
}

/// Collects the references in a value, without their common beginning.
fn collect(node: &JsonNode, to: &mut Vec<String>) {
    match node {
        JsonNode::Json(Json::String(text)) => {
            to.extend(text.strip_prefix(PREFIX).map(str::to_owned));
        }
        JsonNode::Json(_) => {}
        JsonNode::Array(items) => items.iter().for_each(|item| collect(item, to)),
        JsonNode::Object(object) => object.members().for_each(|(_, value)| collect(value, to)),
    }
}
