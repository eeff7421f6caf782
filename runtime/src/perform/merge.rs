//! JSON merge patches (RFC 7396) that the store does not apply: those for handlers, which set whole
//! values, and those that would take the writer long.

use http::request::Parts;

use super::{
    amend::{read, written},
    generated,
};
use crate::{
    base::{error::Error, limits},
    model::{MemberPath, Model, View, merge_patch, value::Value},
    plan::{Outcome, Refusal},
    request::action::{Action, ActionKind, Assignments, too_large},
    store::{
        PlanResult, Store,
        sink::{Sink, ValueSink},
    },
};

/// The number of attempts to merge a patch beside the writer, where others write the member
/// meanwhile. After that the writer merges it.
const TRIES_MAX: usize = 3;

/// Whether an action is a merge that would take the writer long. A hook before the write receives
/// the patch and not the merged value, so patches of its resource are left to the writer.
pub(super) fn is_large(model: &Model, kind: &ActionKind) -> bool {
    let ActionKind::Write { chain, change, complete: false, .. } = kind else { return false };
    if change.merged.is_empty() || model[chain.resource].hooks.is_some() {
        return false;
    }
    let merged = change.columns.iter().filter(|(ix, _)| change.merged.contains(ix));
    let bytes =
        merged.map(|(_, value)| if let Value::Text(patch) = value { patch.len() } else { 0 });
    bytes.sum::<usize>() > limits::WORKER_BODY_BYTES_MAX
}

/// Merges a large patch on the thread that reads the request. The writer only writes the result,
/// provided that the member still has the revision that was merged.
pub(super) async fn answer(
    store: &Store,
    action: &mut Action,
    head: &Parts,
) -> Result<PlanResult, Error> {
    let original = action.kind.clone();
    let ActionKind::Write { chain, id, change, .. } = &original else {
        return Err(Error::internal("what is no merge was taken for one"));
    };
    for _ in 0..TRIES_MAX {
        let sink = Sink::Values(ValueSink::new(chain.resource));
        let mut found = read(store, action, MemberPath { chain, id }, View::Whole, sink).await?;
        let member = match &mut found.sink {
            Sink::Values(sink) if matches!(found.outcome, Outcome::Members { .. }) => sink.take(),
            _ => return Ok(found),
        };
        let Some((revision, stored)) = member.filter(|(_, stored)| is_text(change, stored)) else {
            break;
        };
        action.preconditions.revision = Some(revision);
        action.kind = written(chain, id, applied(change, &stored)?);
        let mut ran = generated(store, action, head).await?;
        if ran.outcome != Outcome::Refused(Refusal::Overtaken) {
            ran.statements += found.statements;
            return Ok(ran);
        }
    }
    action.preconditions.revision = None;
    action.kind = original;
    generated(store, action, head).await
}

/// Whether the stored values were read unchanged: a value that another program has stored may not
/// be UTF-8.
fn is_text(change: &Assignments, stored: &[Value]) -> bool {
    let is_repaired = |value: &Value| matches!(value, Value::Text(json) if json.contains(char::REPLACEMENT_CHARACTER));
    !change.merged.iter().any(|ix| is_repaired(&stored[usize::from(ix.0)]))
}

/// Returns a change with its merge patches applied to the values of a member.
///
/// # Errors
/// 422 if the result is larger than a body may be, 500 if a stored value is not JSON.
pub(super) fn applied(change: &Assignments, stored: &[Value]) -> Result<Assignments, Error> {
    let mut room = limits::BODY_BYTES_MAX;
    let mut made = Assignments { merged: vec![], ..change.clone() };
    for (ix, value) in made.columns.iter_mut().filter(|(ix, _)| change.merged.contains(ix)) {
        *value = merged(&stored[usize::from(ix.0)], value)?;
        let bytes = if let Value::Text(json) = value { json.len() } else { 0 };
        room = room.checked_sub(bytes).ok_or_else(too_large)?;
    }
    Ok(made)
}

/// Returns a stored value with a patch applied to it, both as JSON text.
fn merged(stored: &Value, patch: &Value) -> Result<Value, Error> {
    let Value::Text(patch_text) = patch else { return Ok(patch.clone()) };
    let stored = match stored {
        Value::Text(stored) => stored,
        _ => "null",
    };
    let made = merge_patch::merged(stored, patch_text);
    made.map(Value::Text).ok_or_else(|| Error::internal("a merge patch met what is no JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_merged_keeps_its_numbers_as_they_are_written() {
        let stored = Value::Text(r#"{"a":12345678901234567890123,"b":1.10,"c":"\u0000"}"#.into());
        let patch = Value::Text(r#"{"b":null,"d":{"e":2.50,"f":null}}"#.into());
        let expected = r#"{"a":12345678901234567890123,"c":"\u0000","d":{"e":2.50}}"#;
        assert_eq!(merged(&stored, &patch).unwrap(), Value::Text(expected.into()));
        assert!(merged(&Value::Text("{".into()), &patch).is_err());
    }
}
