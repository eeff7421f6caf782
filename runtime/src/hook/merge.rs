//! Merge patches of JSON (RFC 7396), for handlers that set whole values.

use serde_json::Value as Json;

use crate::{exact, value::Value};

/// What is stored with a patch applied to it, both as JSON text.
pub(super) fn merged(stored: &Value, patch: &Value) -> Value {
    let Some(patch) = json(patch) else { return patch.clone() };
    let mut target = json(stored).unwrap_or(Json::Null);
    merge(&mut target, patch);
    Value::Text(exact::write(&target))
}

fn json(value: &Value) -> Option<Json> {
    let Value::Text(text) = value else { return None };
    exact::read(text).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_merged_keeps_its_numbers_as_they_are_written() {
        let stored = Value::Text(r#"{"a":12345678901234567890123,"b":1.10,"c":"\u0000"}"#.into());
        let patch = Value::Text(r#"{"b":null,"d":{"e":2.50,"f":null}}"#.into());
        let expected = r#"{"a":12345678901234567890123,"c":"\u0000","d":{"e":2.50}}"#;
        assert_eq!(merged(&stored, &patch), Value::Text(expected.into()));
    }
}
