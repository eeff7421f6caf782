//! What becomes a change of a member once the member has been read: a JSON Patch, or a large merge patch of JSON.
//!
//! The change is written under the condition that the member still has the revision it was made of. The first try waits for
//! nobody. Those that were overtaken take turns, and whoever comes meanwhile takes one too.

use http::request::Parts;

use super::{generated, merge};
use crate::{
    base::{error::Error, limits},
    model::{Chain, Model, View, value::Value},
    plan::{Outcome, Plan, Refusal},
    reply::{self, Reply},
    request::action::{Action, ActionKind, Assignments, JsonPatch},
    store::{
        Ran, Store,
        sink::{JsonSink, Sink, ValueSink},
    },
};

/// What is made of a member.
enum Patch {
    /// What these operations make of it.
    Operations(JsonPatch),
    /// These values, some of which are merged into those that it has.
    Merge(Assignments),
}

/// Whether an action is a merge that would take the writer long: it is done where the request is read, so that the writer
/// has only to write. A hook before the write is shown the patch, and not what it makes.
pub(super) fn merges_much(model: &Model, kind: &ActionKind) -> bool {
    let ActionKind::Write { chain, change, complete: false, .. } = kind else { return false };
    let is_merged = |(ix, _): &&(_, Value)| change.merged.contains(ix);
    let merged = change.columns.iter().filter(is_merged);
    let octets = merged.map(|(_, value)| if let Value::Text(patch) = value { patch.len() } else { 0 });
    model[chain.resource].hooks.is_none() && octets.sum::<usize>() > limits::WORKER_BODY_BYTES_MAX
}

/// Applies the patch of a request.
pub(super) async fn answer(store: &Store, action: &mut Action, head: &Parts) -> Result<Ran, Error> {
    let (chain, id, patch) = match action.kind.clone() {
        ActionKind::Amend { chain, id, patch } => (chain, id, Patch::Operations(patch)),
        ActionKind::Write { chain, id, change, .. } => (chain, id, Patch::Merge(change)),
        _ => return Err(Error::internal("what is no patch was taken for one")),
    };
    let mut turn = None;
    for _ in 0..limits::PATCH_TRIES_MAX {
        let found = patch.read(store, action, (&chain, &id)).await?;
        let statements = found.statements;
        let change = match made(store, action, (&chain, &id, &patch), found)? {
            Made::Change(..) if turn.is_none() && store.is_waited_for(chain.resource, &id) => {
                turn = Some(store.turn(chain.resource, &id).await.ok_or_else(reply::overtaken)?);
                continue;
            }
            Made::Change(revision, change) => {
                action.preconditions.revision = Some(revision);
                change
            }
            Made::Nothing => {
                let sink = Reply::sink(store.model(), action);
                return read(store, action, (&chain, &id), (View::Shown, sink)).await;
            }
            Made::Missing(found) => return Ok(found),
        };
        action.kind = written(&chain, &id, change);
        let mut ran = generated(store, action, head).await?;
        if ran.outcome != Outcome::Refused(Refusal::Overtaken) {
            ran.statements += statements;
            return Ok(ran);
        }
        if turn.is_none() {
            turn = Some(store.turn(chain.resource, &id).await.ok_or_else(reply::overtaken)?);
        }
    }
    Err(reply::overtaken())
}

/// The write of what a patch has made.
fn written(chain: &Chain, id: &Value, change: Assignments) -> ActionKind {
    let (chain, id) = (chain.clone(), id.clone());
    ActionKind::Write { chain, id, change, create: Err(vec![]), complete: false }
}

impl Patch {
    /// Reads of the member what it is made of.
    async fn read(
        &self,
        store: &Store,
        action: &Action,
        (chain, id): (&Chain, &Value),
    ) -> Result<Ran, Error> {
        let shown = match self {
            Self::Operations(_) => (View::Shown, Sink::Json(JsonSink::new(chain.resource, ""))),
            Self::Merge(_) => (View::Whole, Sink::Values(ValueSink::new(chain.resource))),
        };
        read(store, action, (chain, id), shown).await
    }
}

/// The member as it is now, where the preconditions of the request hold.
async fn read(
    store: &Store,
    action: &Action,
    (chain, id): (&Chain, &Value),
    (view, sink): (View, Sink),
) -> Result<Ran, Error> {
    let kind = ActionKind::Get { chain: chain.clone(), id: id.clone() };
    let preconditions = action.preconditions.clone();
    let get = Action { client: action.client, preconditions, ..Action::of(action.caller.clone(), kind) };
    store.read(&Plan::of(store.model(), &get, view), sink).await
}

/// What a patch makes of a member that was read.
enum Made {
    /// Other values for it, and the revision they were made of.
    Change(u64, Assignments),
    /// What it is already.
    Nothing,
    /// Nothing, for there is no member, or it must not be changed.
    Missing(Ran),
}

fn made(
    store: &Store,
    action: &Action,
    (chain, id, patch): (&Chain, &Value, &Patch),
    found: Ran,
) -> Result<Made, Error> {
    let revision = match &found.outcome {
        Outcome::Members { .. } if action.preconditions.lacking => Err(Refusal::Unconditional),
        Outcome::Members { written, .. } => Ok(written.first().map_or(0, |(_, revision)| *revision)),
        Outcome::Unchanged { .. } => Err(Refusal::Precondition),
        _ => return Ok(Made::Missing(found)),
    };
    let revision = match revision {
        Ok(revision) => revision,
        Err(refusal) => return Ok(Made::Missing(Ran { outcome: Outcome::Refused(refusal), ..found })),
    };
    let change = match (patch, found.sink) {
        (Patch::Operations(operations), Sink::Json(document)) => {
            let resource = &store.model()[chain.resource];
            operations.change(resource, &action.caller, (chain, id), document.bytes())?
        }
        (Patch::Merge(change), Sink::Values(member)) => match member.into_rows().pop() {
            Some((_, stored)) => Some(merge::applied(change, &stored)?),
            None => None,
        },
        _ => None,
    };
    Ok(change.map_or(Made::Nothing, |change| Made::Change(revision, change)))
}
