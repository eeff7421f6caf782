//! Merge patches of JSON (RFC 7396) into what is stored, where the store does not do it: for handlers that set whole values,
//! and for patches that would take the writer long.

use crate::{
    base::{error::Error, limits},
    model::{merge_patch, value::Value},
    request::action::{Assignments, too_large},
};

/// A change with its merge patches applied to the values that a member has.
///
/// # Errors
/// 422 where they make more than a body may have.
pub(super) fn applied(change: &Assignments, stored: &[Value]) -> Result<Assignments, Error> {
    let mut room = limits::BODY_BYTES_MAX;
    let mut made = Assignments { merged: vec![], ..change.clone() };
    for (ix, value) in made.columns.iter_mut().filter(|(ix, _)| change.merged.contains(ix)) {
        *value = merged(&stored[usize::from(ix.0)], value);
        let octets = if let Value::Text(json) = value { json.len() } else { 0 };
        room = room.checked_sub(octets).ok_or_else(too_large)?;
    }
    Ok(made)
}

/// What is stored with a patch applied to it, both as JSON text.
fn merged(stored: &Value, patch: &Value) -> Value {
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
