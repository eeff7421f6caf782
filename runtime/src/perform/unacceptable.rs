//! A request that accepts none of the formats there are (RFC 9110 §15.5.7).

use http::request::Parts;

use crate::{
    base::error::Error,
    model::{Chain, Model, View, def::Operation, value::Value},
    plan::{Outcome, Plan},
    reply,
    request::action::{Action, ActionKind, unacceptable},
    store::{Store, sink::Sink},
};

/// 404 where nothing is at the URL, whatever the client accepts; else 406, and nothing is done.
pub(super) async fn error(store: &Store, action: &Action, head: &Parts) -> Error {
    match missing(store, action).await {
        Ok(None) => unacceptable(&head.headers),
        Ok(Some(error)) | Err(error) => error,
    }
}

/// Says what is missing at the URL, if anything is.
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

/// The member that must be there: that of the URL, or the one above what is a collection or may be
/// created.
fn needed(model: &Model, kind: &ActionKind) -> Option<(Chain, Value)> {
    match kind {
        ActionKind::List { chain, .. }
        | ActionKind::Create { chain, .. }
        | ActionKind::Write { chain, create: Ok(_), .. } => above(model, chain),
        // What a handler shows need not be in the store, and what is there it may hide; but its
        // chain must be there.
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

/// The nearest ancestor that the URL names, if it names one.
fn above(model: &Model, chain: &Chain) -> Option<(Chain, Value)> {
    let (id, above) = chain.ids.split_last()?;
    let (resource, _) = model[chain.resource].parent?;
    Some((Chain { resource, ids: above.to_vec() }, id.clone()))
}

/// Whether a handler shows the members.
fn is_custom(model: &Model, chain: &Chain) -> bool {
    model[chain.resource].hooks.is_some_and(|phases| phases.replaced.contains(Operation::Get))
}
