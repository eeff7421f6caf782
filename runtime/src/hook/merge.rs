//! Merge patches of JSON (RFC 7396), for handlers that set whole values.

use serde_json::Value as Json;

use crate::value::Value;

/// What is stored with a patch applied to it, both as JSON text.
pub(super) fn merged(stored: &Value, patch: &Value) -> Value {
    let Some(patch) = json(patch) else { return patch.clone() };
    let mut target = json(stored).unwrap_or(Json::Null);
    merge(&mut target, patch);
    Value::Text(target.to_string())
}

fn json(value: &Value) -> Option<Json> {
    let Value::Text(text) = value else { return None };
    serde_json::from_str(text).ok()
}

/// The function of RFC 7396 §2.
fn merge(target: &mut Json, patch: Json) {
    let Json::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Json::Object(serde_json::Map::new());
    }
    let Json::Object(members) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(&name);
        } else {
            merge(members.entry(name).or_insert(Json::Null), value);
        }
    }
}
