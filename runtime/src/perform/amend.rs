//! JSON Patch (RFC 6902). The member is read and patched, and the result is written as a change. If
//! another write changes the member in between, the patch is tried again.
//!
//! The first attempt does not wait. After a conflict, requests that patch the same member take
//! turns, including requests that arrive later.

use http::request::Parts;

use super::generated;
use crate::{
    base::{error::Error, limits},
    model::{Chain, Layout, MemberPath, RowChange, View, value::Value},
    plan::{Outcome, Plan, Refusal},
    reply::{self, Reply},
    request::action::{Action, ActionKind, Assignments, JsonPatch},
    store::{
        PlanResult, Store,
        sink::{JsonSink, Sink},
    },
};

/// Applies the patch of a request to its member.
pub(super) async fn answer(
    store: &Store,
    action: &mut Action,
    head: &Parts,
) -> Result<PlanResult, Error> {
    let ActionKind::Amend { chain, id, patch } = action.kind.clone() else {
        return Err(Error::internal(
            "an action that is not a JSON Patch reached the JSON Patch code",
        ));
    };
    let path = MemberPath { chain: &chain, id: &id };
    let mut turn = None;
    for _ in 0..limits::PATCH_TRIES_MAX {
        let readable = action.preferences.fields.as_deref();
        let layout = Layout::of(store.model(), chain.resource, readable);
        let document = Sink::Json(JsonSink::new(layout, ""));
        let found = read(store, action, path, View::Shown, document).await?;
        let change = match apply_patch(store, action, path, &patch, &found)? {
            AmendResult::Change(..)
                if turn.is_none() && store.is_waited_for(chain.resource, &id) =>
            {
                turn = Some(store.turn(chain.resource, &id).await.ok_or_else(reply::overtaken)?);
                continue;
            }
            AmendResult::Change(revision, change) => {
                action.preconditions.revision = Some(revision);
                change
            }
            AmendResult::Nothing => {
                let sink = Reply::sink(store.model(), action);
                return read(store, action, path, View::Shown, sink).await;
            }
            AmendResult::Missing => return Ok(found),
        };
        action.kind = written(&chain, &id, change);
        let mut result = generated(store, action, head).await?;
        if result.outcome != Outcome::Refused(Refusal::Overtaken) {
            result.statements += found.statements;
            return Ok(result);
        }
        if turn.is_none() {
            turn = Some(store.turn(chain.resource, &id).await.ok_or_else(reply::overtaken)?);
        }
    }
    Err(reply::overtaken())
}

/// Returns the action that writes a patched member.
pub(super) fn written(chain: &Chain, id: &Value, change: Assignments) -> ActionKind {
    let (chain, id) = (chain.clone(), id.clone());
    ActionKind::Write { chain, id, change, create: Err(vec![]), complete: false }
}

/// Reads the current member if the caller may change it, and if the preconditions of the request
/// hold. Otherwise the outcome is a refusal.
pub(super) async fn read(
    store: &Store,
    action: &Action,
    path: MemberPath<'_>,
    view: View,
    sink: Sink,
) -> Result<PlanResult, Error> {
    let kind = ActionKind::Get { chain: path.chain.clone(), id: path.id.clone() };
    let preconditions = action.preconditions.clone();
    let get =
        Action { client: action.client, preconditions, ..Action::of(action.caller.clone(), kind) };
    let plan = Plan::of(store.model(), &get, view).reading_to(RowChange::Update);
    let mut found = store.read(&plan, sink).await?;
    let is_failed = matches!(
        found.outcome,
        Outcome::Unchanged { .. } | Outcome::Refused(Refusal::Precondition)
    );
    if action.preconditions.lacking
        && (is_failed || matches!(found.outcome, Outcome::Members { .. }))
    {
        found.outcome = Outcome::Refused(Refusal::Unconditional);
    } else if is_failed {
        found.outcome = Outcome::Refused(Refusal::Precondition);
    }
    Ok(found)
}

/// The result of applying a patch to a member.
enum AmendResult {
    /// New values for the member, and the revision that was patched.
    Change(u64, Assignments),
    /// The patch does not change the member.
    Nothing,
    /// The member cannot be changed: it does not exist, or a precondition fails.
    Missing,
}

fn apply_patch(
    store: &Store,
    action: &Action,
    path: MemberPath<'_>,
    patch: &JsonPatch,
    found: &PlanResult,
) -> Result<AmendResult, Error> {
    let (written, document) = match (&found.outcome, &found.sink) {
        (Outcome::Members { written, .. }, Sink::Json(document)) => (written, document),
        _ => return Ok(AmendResult::Missing),
    };
    let model = store.model();
    let resource = model.seen(action.caller.rules(model)).resource(path.chain.resource);
    let change = patch.change(resource, &action.caller, path, document.bytes())?;
    let revision = written.first().map_or(0, |(_, revision)| *revision);
    Ok(change.map_or(AmendResult::Nothing, |change| AmendResult::Change(revision, change)))
}
