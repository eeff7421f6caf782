//! Replaces the passwords of an action by their hashes, before the action becomes a plan. So no
//! plain password reaches the store.

use std::borrow::Cow;

use super::CallSource;
use crate::{
    base::{
        error::{Error, Fault, Kind, text},
        limits, precis,
        secret::Secret,
    },
    http::client::Client,
    model::{Model, value::Value},
    plan::{ConflictKind, Refusal, WriteConflict},
    request::action::{Action, ActionKind, Assignments},
    store::{PasswordSource, Store},
};

/// Puts the logins that an action stores in the form in which they are compared.
pub(crate) fn unify_logins(model: &Model, kind: &mut ActionKind) {
    let Some(accounts) = &model.accounts else { return };
    let unify = |set: &mut Assignments| {
        for (field, value) in &mut set.columns {
            if let (true, Value::Text(login)) = (*field == accounts.login, value)
                && let Cow::Owned(unified) = precis::login(login)
            {
                *login = unified;
            }
        }
    };
    match kind {
        ActionKind::Create { chain, members, .. } if chain.resource == accounts.resource => {
            members.iter_mut().for_each(unify);
        }
        ActionKind::Write { chain, change, create, .. } if chain.resource == accounts.resource => {
            unify(change);
            create.iter_mut().for_each(unify);
        }
        _ => {}
    }
}

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

/// Returns the refusal of new accounts whose logins are taken. So a password is hashed only if the
/// write may succeed. `None` leaves the decision to the write itself: the access rules for a
/// change, and a rule about the values of a new account, come first.
///
/// # Errors
/// 503 if the accounts cannot be read in time.
pub(super) async fn taken(store: &Store, action: &Action) -> Result<Option<Refusal>, Error> {
    let model = store.model();
    let (Some(accounts), ActionKind::Create { chain, members, .. }) =
        (&model.accounts, &action.kind)
    else {
        return Ok(None);
    };
    // Preconditions, and parents in the URL, take precedence, too.
    let is_first = chain.ids.is_empty() && action.preconditions.is_empty();
    let has_rule = model.rules(action.caller.rules(model), chain.resource).create.is_some();
    if chain.resource != accounts.resource || !is_first || has_rule {
        return Ok(None);
    }
    let mut conflicts = vec![];
    for (step, member) in members.iter().take(limits::REQUEST_PASSWORDS_MAX).enumerate() {
        let mut set = member.columns.iter().filter(|(field, _)| *field == accounts.login);
        let Some((_, Value::Text(login))) = set.next() else { continue };
        let found = store.account_row(accounts, action.client, login).await?;
        if found.is_some() {
            let (kind, fields) = (ConflictKind::Taken, vec![accounts.login]);
            conflicts.push(WriteConflict { step, kind, fields });
        }
    }
    Ok((!conflicts.is_empty()).then_some(Refusal::Conflicts(conflicts)))
}

/// Hashes the passwords of an action, one after the other.
///
/// # Errors
/// 422 if there are too many, 503 if too many passwords of all requests wait.
pub(super) async fn hash(
    store: &Store,
    action: &mut Action,
    asked: CallSource<'_>,
) -> Result<(), Error> {
    let model = store.model();
    let address = asked.head().and_then(|head| Client::guessing_address(head, &model.proxies));
    let account = model.accounts.as_ref().zip(action.caller.account());
    let account = account.map(|(accounts, account)| store.spelled(accounts, account).into());
    let source = PasswordSource::new(action.client, address, account);
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
            None => store.hash(source.clone(), plain).await?,
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
