//! Requests that accept none of the available formats (RFC 9110 §15.5.7).

use http::request::Parts;

use crate::{
    base::error::Error,
    model::{Chain, Model, View, def::Operation, value::Value},
    plan::{Outcome, Plan},
    reply,
    request::action::{Action, ActionKind, unacceptable},
    store::{Store, sink::Sink},
};

/// Returns 404 if there is nothing at the URL, whatever the client accepts; otherwise 406. Nothing
/// is written.
pub(super) async fn error(store: &Store, action: &Action, head: &Parts) -> Error {
    match missing(store, action).await {
        Ok(None) => unacceptable(&head.headers),
        Ok(Some(error)) | Err(error) => error,
    }
}

/// Returns the 404 of a URL where something is missing.
async fn missing(store: &Store, action: &Action) -> Result<Option<Error>, Error> {
    let model = store.model();
    let Some((chain, id)) = needed(model, &action.kind) else { return Ok(None) };
    let kind = ActionKind::Get { chain, id };
    let get = Action { client: action.client, ..Action::of(action.caller.clone(), kind) };
    let ran = store.read(&Plan::of(model, &get, View::Shown), Sink::Nothing).await?;
    let statements = ran.statements;
    Ok(match ran.outcome {
        Outcome::Refused(refusal) => Some(reply::refused(model, action, refusal).after(statements)),
        _ => None,
    })
}

/// Returns the member that must exist: that of the URL, or the one above a collection or above a
/// member that may be created.
fn needed(model: &Model, kind: &ActionKind) -> Option<(Chain, Value)> {
    match kind {
        ActionKind::List { chain, .. }
        | ActionKind::Create { chain, .. }
        | ActionKind::Write { chain, create: Ok(_), .. } => above(model, chain),
        // Members that a handler returns need not be in the store, and it may hide stored ones. But
        // their chain must exist.
        ActionKind::Get { chain, .. }
        | ActionKind::Write { chain, .. }
        | ActionKind::Amend { chain, .. }
            if is_custom(model, chain) =>
        {
            above(model, chain)
        }
        ActionKind::Get { chain, id }
        | ActionKind::Write { chain, id, .. }
        | ActionKind::Amend { chain, id, .. } => Some((chain.clone(), id.clone())),
        _ => None,
    }
}

/// Returns the nearest ancestor that the URL names, if it names one.
fn above(model: &Model, chain: &Chain) -> Option<(Chain, Value)> {
    let (id, above) = chain.ids.split_last()?;
    let (resource, _) = model[chain.resource].parent?;
    Some((Chain { resource, ids: above.to_vec() }, id.clone()))
}

/// Whether a handler returns the members.
fn is_custom(model: &Model, chain: &Chain) -> bool {
    model[chain.resource].hooks.is_some_and(|phases| phases.replaced.contains(Operation::Get))
}
