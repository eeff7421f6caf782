//! Requests that accept none of the available formats (406, RFC 9110 §15.5.7).

use http::request::Parts;

use crate::{
    base::error::Error,
    model::{Chain, Model, View, def::Operation, value::Value},
    plan::{Outcome, Plan},
    reply,
    request::action::{Action, ActionKind, unacceptable},
    store::{Store, sink::Sink},
};

/// Returns the error for a request that accepts none of the available formats: 404 if the URL does
/// not exist, otherwise 406. Nothing is written.
pub(super) async fn error(store: &Store, action: &Action, head: &Parts) -> Error {
    match missing(store, action).await {
        Ok(None) => unacceptable(head),
        Ok(Some(error)) | Err(error) => error,
    }
}

/// Returns the error (404) if the member or an ancestor in the URL does not exist. Returns `None`
/// if all of them exist.
async fn missing(store: &Store, action: &Action) -> Result<Option<Error>, Error> {
    let model = store.model();
    let Some((chain, id)) = needed(model, &action.kind) else { return Ok(None) };
    let kind = ActionKind::Get { chain, id };
    let get = Action { client: action.client, ..Action::of(action.caller.clone(), kind) };
    let result = store.read(&Plan::of(model, &get, View::Shown), Sink::Nothing).await?;
    let statements = result.statements;
    Ok(match result.outcome {
        Outcome::Refused(refusal) => Some(reply::refused(model, action, refusal).after(statements)),
        _ => None,
    })
}

/// Returns the member that must exist, since its absence causes a 404 instead of a 406. For a
/// collection, or a member that the request may create, it is the parent. Otherwise it is the
/// member in the URL. Returns `None` if the URL names no member.
fn needed(model: &Model, kind: &ActionKind) -> Option<(Chain, Value)> {
    match kind {
        ActionKind::List { chain, .. }
        | ActionKind::Create { chain, .. }
        | ActionKind::Write { chain, create: Ok(_), .. } => above(model, chain),
        // A handler may return members that are not in the store, and hide stored ones. Only their
        // ancestors must be in the store.
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

/// Returns the nearest ancestor in the URL, or `None` if the URL is not nested.
fn above(model: &Model, chain: &Chain) -> Option<(Chain, Value)> {
    let (id, above) = chain.ids.split_last()?;
    let (resource, _) = model[chain.resource].parent?;
    Some((Chain { resource, ids: above.to_vec() }, id.clone()))
}

/// Whether a handler of user code replaces the GET of the resource.
fn is_custom(model: &Model, chain: &Chain) -> bool {
    model[chain.resource].hooks.is_some_and(|phases| phases.replaced.contains(Operation::Get))
}
