//! Replaces the passwords of an action by their hashes, before the action becomes a plan. So no
//! plain password reaches the store.

use crate::{
    base::{
        error::{Error, Fault, Kind, text},
        limits,
        secret::Secret,
    },
    model::value::Value,
    request::action::{Action, ActionKind, Assignments},
    store::Store,
};

/// Whether an action sets a password that is not hashed yet.
pub(crate) fn has_any(kind: &ActionKind) -> bool {
    let has = |one: &Assignments| one.columns.iter().any(|(_, value)| is_plain(value));
    match kind {
        ActionKind::Create { members, .. } => members.iter().any(has),
        ActionKind::Write { change, create, .. } => has(change) || create.as_ref().is_ok_and(has),
        _ => false,
    }
}

const fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Password(_))
}

/// Hashes the passwords of an action, one after the other.
///
/// # Errors
/// 422 if there are too many, 503 if too many passwords of all requests wait.
pub(super) async fn hash(store: &Store, action: &mut Action) -> Result<(), Error> {
    let client = action.client;
    let mut passwords: Vec<&mut Value> = match &mut action.kind {
        ActionKind::Create { members, .. } => members.iter_mut().flat_map(plain).collect(),
        ActionKind::Write { change, create, .. } => {
            plain(change).chain(create.iter_mut().flat_map(plain)).collect()
        }
        _ => vec![],
    };
    if passwords.len() > limits::REQUEST_PASSWORDS_MAX {
        return Err(too_many());
    }
    // PUT may have the same password twice: for the change, and for a new member.
    let mut known: Option<(Secret, String)> = None;
    for value in &mut passwords {
        let Value::Password(plain) = &**value else { continue };
        let hash = match known.take().filter(|(known, _)| known == plain) {
            Some((_, hash)) => hash,
            None => store.hash(client, plain).await?,
        };
        known = Some((plain.clone(), hash.clone()));
        **value = Value::Text(hash);
    }
    Ok(())
}

fn plain(assignments: &mut Assignments) -> impl Iterator<Item = &mut Value> {
    assignments.columns.iter_mut().map(|(_, value)| value).filter(|value| is_plain(value))
}

fn too_many() -> Error {
    let detail =
        text!("A request has at most {most} passwords.", most = limits::REQUEST_PASSWORDS_MAX);
    Error::from_faults(Kind::INVALID_CONTENT, vec![Fault::body("", "max_items", detail)])
}
