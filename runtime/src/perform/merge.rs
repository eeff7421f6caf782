//! Merge patches of JSON (RFC 7396), for handlers that set whole values.

use crate::model::{merge_patch, value::Value};

/// What is stored with a patch applied to it, both as JSON text.
pub(super) fn merged(stored: &Value, patch: &Value) -> Value {
    let Value::Text(patch_text) = patch else { return patch.clone() };
    let stored = match stored {
        Value::Text(stored) => stored,
        _ => "null",
    };
    merge_patch::merged(stored, patch_text).map_or_else(|| patch.clone(), Value::Text)
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
