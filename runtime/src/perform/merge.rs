//! JSON merge patches (RFC 7396) that are applied outside SQL. A handler receives whole values, so
//! patches for a handler are applied here. Large patches are applied here too, so that they do not
//! occupy the writer thread.

use http::request::Parts;

use super::{
    amend::{read, written},
    generated,
};
use crate::{
    base::{error::Error, limits},
    model::{
        MemberPath, Model, View,
        def::{Limit, Limits},
        merge_patch,
        value::Value,
    },
    plan::{Outcome, Refusal},
    request::action::{Action, ActionKind, Assignments, too_large},
    store::{
        PlanResult, Store,
        behaviour::MemberValues,
        sink::{Sink, ValueSink},
    },
};

/// The number of attempts to apply a patch outside the writer thread, while other requests change
/// the member. After the last attempt the writer applies the patch.
const TRIES_MAX: usize = 3;

/// Whether an action has a merge patch that would occupy the writer for long. If the resource has
/// hooks, the result is false: hooks before the write receive the patch, not the merged value.
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

/// Applies a large patch on the thread that handles the request. The writer then only writes the
/// result, if the member still has the revision that was patched.
pub(super) async fn answer(
    store: &Store,
    action: &mut Action,
    head: &Parts,
) -> Result<PlanResult, Error> {
    let original = action.kind.clone();
    let ActionKind::Write { chain, id, change, .. } = &original else {
        return Err(Error::internal(
            "an action that is not a merge patch reached the merge patch code",
        ));
    };
    for _ in 0..TRIES_MAX {
        let sink = Sink::Values(ValueSink::new(chain.resource));
        let mut found = read(store, action, MemberPath { chain, id }, View::Whole, sink).await?;
        let member = match &mut found.sink {
            Sink::Values(sink) if matches!(found.outcome, Outcome::Members { .. }) => sink.take(),
            _ => return Ok(found),
        };
        let is_text = |member: &MemberValues| is_text(change, &member.values);
        let Some(MemberValues { revision, values: stored, .. }) = member.filter(is_text) else {
            break;
        };
        action.preconditions.revision = Some(store.tag_of(revision));
        action.kind = written(chain, id, applied(change, &stored, store.model().limits())?);
        let mut result = generated(store, action, head).await?;
        if result.outcome != Outcome::Refused(Refusal::Overtaken) {
            result.statements += found.statements;
            return Ok(result);
        }
    }
    action.preconditions.revision = None;
    action.kind = original;
    generated(store, action, head).await
}

/// Whether the stored values that are merged were read unchanged. Another program may have stored
/// bytes that are not UTF-8, which reading replaces by U+FFFD.
fn is_text(change: &Assignments, stored: &[Value]) -> bool {
    let is_repaired = |value: &Value| matches!(value, Value::Text(json) if json.contains(char::REPLACEMENT_CHARACTER));
    !change.merged.iter().any(|ix| is_repaired(&stored[usize::from(ix.0)]))
}

/// Returns a change in which each merge patch is replaced by the merged value.
///
/// # Errors
/// 422 if the merged values are larger than a request body may be. 500 if a stored value is not
/// JSON.
pub(super) fn applied(
    change: &Assignments,
    stored: &[Value],
    limits: &Limits,
) -> Result<Assignments, Error> {
    let mut room = limits.size(Limit::BodyBytes);
    let mut result = Assignments { merged: vec![], ..change.clone() };
    for (ix, value) in result.columns.iter_mut().filter(|(ix, _)| change.merged.contains(ix)) {
        *value = merged(&stored[usize::from(ix.0)], value)?;
        let bytes = if let Value::Text(json) = value { json.len() } else { 0 };
        room = room.checked_sub(bytes).ok_or_else(|| too_large(limits))?;
    }
    Ok(result)
}

/// Returns a stored JSON text with a merge patch applied to it. NULL is treated as `null`.
fn merged(stored: &Value, patch: &Value) -> Result<Value, Error> {
    let Value::Text(patch_text) = patch else { return Ok(patch.clone()) };
    let stored = match stored {
        Value::Text(stored) => stored,
        _ => "null",
    };
    let merged = merge_patch::merged(stored, patch_text);
    merged.map(Value::Text).ok_or_else(|| {
        Error::internal("a merge patch cannot be applied: the stored value is not JSON")
    })
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
