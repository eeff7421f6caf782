//! The confirmation of a change of the own password or login: whoever makes it knows the present
//! password, or has signed in a short time ago. So nobody takes over an account with a token or
//! with a browser that was left alone.

use std::sync::Arc;

use http::request::Parts;

use crate::{
    base::error::{Error, Fault, Kind, text},
    http::{audit::AuditEvent, client::Client, credentials::BasicCredentials},
    model::{Model, value::seconds_now},
    plan::{Account, Caller},
    request::action::{Action, OwnChange},
    store::Store,
};

/// Compares the present password in the body of a request, if it has one. From then on the caller
/// is confirmed, also for user code that acts on its behalf.
///
/// # Errors
/// 403 if the change needs a confirmation and has none, or if the password is wrong. 429 after too
/// many wrong passwords. 503 if it cannot be compared in time.
pub(super) async fn confirm(store: &Store, action: &mut Action, head: &Parts) -> Result<(), Error> {
    let model = store.model();
    let Some(OwnChange { account, change, .. }) = action.own_change(model) else { return Ok(()) };
    let id = model.accounts.as_ref().map(|accounts| store.spelled(accounts, account));
    let audit = |event: AuditEvent| event.record(head, &model.proxies, id.as_deref(), None);
    let Some(password) = change.current_password.clone() else {
        return require(model, action).inspect_err(|_| audit(AuditEvent::Refused));
    };
    let credentials = BasicCredentials { login: account.login.clone(), password };
    let address = Client::guessing_address(head, &model.proxies);
    let found = store.account(action.client, address, &credentials).await;
    let found = found.inspect_err(|error| {
        if error.kind() == Kind::TOO_MANY_ATTEMPTS {
            audit(AuditEvent::SignInDelayed);
        }
    })?;
    if found.is_none_or(|found| found.id != account.id) {
        audit(AuditEvent::SignInFailed);
        return Err(wrong(model));
    }
    let account = Account { has_password: true, ..account.clone() };
    action.caller = Caller::Account(Arc::new(account));
    Ok(())
}

/// Refuses a change of the own password or login without a confirmation.
///
/// # Errors
/// 403.
pub(crate) fn require(model: &Model, action: &Action) -> Result<(), Error> {
    let Some(own) = action.own_change(model).filter(|own| own.sets_credentials()) else {
        return Ok(());
    };
    let within = model.accounts.as_ref().map_or(0, |accounts| accounts.def.confirm_seconds);
    match own.account.is_confirmed(within, seconds_now()) {
        true => Ok(()),
        false => Err(needed(model)),
    }
}

#[cold]
fn needed(model: &Model) -> Error {
    let detail = text!("Another password or login of your own needs your present password.");
    let name = name(model);
    let fault = Fault::body(format!("/{name}"), "required", text!("`{name}` is required.", name))
        .hint(Some(text!("Send the present password, or sign in again.")));
    Error::about(Kind::FORBIDDEN, detail, vec![fault])
}

#[cold]
fn wrong(model: &Model) -> Error {
    let detail = text!("must be the present password of your account.");
    let fault = Fault::body(format!("/{}", name(model)), "wrong_password", detail);
    Error::from_faults(Kind::FORBIDDEN, vec![fault])
}

fn name(model: &Model) -> &str {
    let accounts = model.accounts.as_ref().map(|accounts| &model[accounts.resource]);
    accounts.and_then(|accounts| accounts.current_password.as_deref()).unwrap_or_default()
}
