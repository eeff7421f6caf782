//! New sessions and their cookies.

use http::{HeaderValue, request::Parts};
use uuid::Uuid;

use crate::{
    base::{error::Error, grant_secret::GrantSecret},
    http::cookie::SetCookie,
    model::{GrantKind, Model, accounts::AccountModel, def::SameSite, value::seconds_now},
    plan::{
        Account,
        grant::{Grant, GrantScopes, PasswordMark},
    },
    request::{action::Action, identify::is_secure},
    store::Store,
};

/// Begins a new session for a caller that has changed its own password, and returns the value of
/// `Set-Cookie`. The other password has made the old session void. Returns `None` if the caller has
/// no session. If the new session cannot be stored, the change is still answered, and the caller
/// must sign in again.
pub(crate) async fn renew_session(
    store: &Store,
    action: &Action,
    head: &Parts,
) -> Option<HeaderValue> {
    let model = store.model();
    let accounts = model.accounts.as_ref()?;
    let account = action.caller.account()?;
    let old = session_of(account)?;
    let password = PasswordMark::of(action.own_password(model)?);
    let changed = Account { password, ..account.clone() };
    let (secret, grant) = new_session(store, accounts, &changed, old.is_persistent).ok()?;
    let cookie = session_cookie(model, accounts, head, &secret.reveal(), &grant).ok()?;
    let added = store.add_grant(secret, grant).await;
    added
        .inspect_err(|error| tracing::warn!(target: "nouns", %error, "a session was not renewed"))
        .is_ok()
        .then_some(cookie)
}

/// The session that a caller has, if it has signed in with one.
pub(super) fn session_of(account: &Account) -> Option<&Grant> {
    account.grant.as_deref().filter(|grant| grant.kind == GrantKind::Session)
}

/// Creates a session of an account, which is not stored yet.
pub(super) fn new_session(
    store: &Store,
    accounts: &AccountModel,
    account: &Account,
    is_persistent: bool,
) -> Result<(GrantSecret, Grant), Error> {
    let now = seconds_now();
    let grant = Grant {
        kind: GrantKind::Session,
        id: Uuid::new_v4().to_string(),
        account: store.spelled(accounts, account),
        password: account.password,
        name: None,
        scopes: GrantScopes::ALL,
        is_persistent,
        created_at: now,
        expires_at: Some(now + i64::from(accounts.def.session.ttl_seconds)),
        used_at: now,
    };
    Ok((GrantSecret::random()?, grant))
}

/// The value of `Set-Cookie` for a session. A session that has ended removes the cookie.
pub(super) fn session_cookie(
    model: &Model,
    accounts: &AccountModel,
    head: &Parts,
    secret: &str,
    grant: &Grant,
) -> Result<HeaderValue, Error> {
    let (session, now, is_secure) = (accounts.def.session, seconds_now(), is_secure(model, head));
    let left = grant.expires_at.map_or(0, |end| u32::try_from(end - now).unwrap_or(0));
    SetCookie {
        name: accounts.cookie(is_secure),
        value: secret,
        domain: session.domain,
        path: session.path,
        max_age: grant.is_persistent.then_some(left),
        secure: is_secure,
        http_only: session.http_only,
        same_site: match session.same_site {
            SameSite::Strict => "Strict",
            SameSite::Lax => "Lax",
            SameSite::None => "None",
        },
    }
    .field(now)
}
