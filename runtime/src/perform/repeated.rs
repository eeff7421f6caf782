//! A request that is sent again, before anything of it is done.

use crate::{
    base::error::Error,
    plan::Outcome,
    request::action::{Action, ActionKind},
    store::Store,
};

/// Gives a request with a key its place, and finds the first answer to it. Where no hook is asked before, that is left to
/// the write, which looks for it in its own transaction.
pub(super) async fn answer(store: &Store, action: &Action) -> Result<Option<Outcome>, Error> {
    let ActionKind::Create { chain, once: Some(once), .. } = &action.kind else { return Ok(None) };
    store.enter(once)?;
    if store.model()[chain.resource].hooks.is_none() {
        return Ok(None);
    }
    store.first_answer(once).await
}
