//! The callers of requests: a claim becomes a caller once the store has confirmed it.

use std::sync::Arc;

use http::request::Parts;
use sha2::{Digest as _, Sha256};

use super::{Service, ServiceState};
use crate::{
    base::error::{Error, Kind, text},
    http::{audit::AuditEvent, client::Client, jwt::TokenFault},
    model::{GrantKind, value::seconds_now},
    plan::{Account, Caller, ClientKey},
    request::identify::{Claim, bad_jwt, bad_token, challenged},
};

/// The credentials of a claim that the store does not confirm.
enum Unconfirmed {
    Password,
    Session,
    Token,
    Jwt(TokenFault),
}

impl Service {
    /// Returns the caller that a claim (the credentials in a request) names, after the store has
    /// confirmed it. A session that does not exist is nobody's.
    ///
    /// # Errors
    /// 401 for a wrong password, and for a token that does not exist. 503 if they cannot be checked
    /// in time.
    #[inline]
    #[doc(hidden)]
    pub async fn confirm(
        &self,
        client: ClientKey,
        claim: Claim,
        head: &Parts,
    ) -> Result<Caller, Error> {
        match claim {
            Claim::Anonymous => Ok(Caller::Anonymous),
            Claim::Confirmed(caller) => Ok(caller),
            claim => Box::pin(self.confirm_account(client, claim, head)).await,
        }
    }

    async fn confirm_account(
        &self,
        client: ClientKey,
        claim: Claim,
        head: &Parts,
    ) -> Result<Caller, Error> {
        let ServiceState { model, store, identities, .. } = &*self.0;
        let Some(accounts) = &model.accounts else { return Ok(Caller::Anonymous) };
        let key = match &claim {
            Claim::Basic(credentials) => credentials.fingerprint(),
            Claim::Session(secret) | Claim::Token(secret) => secret.digest().0,
            Claim::Jwt(token) => Sha256::digest(token.reveal()).into(),
            Claim::Anonymous | Claim::Confirmed(_) => return Ok(Caller::Anonymous),
        };
        let state = store.identity_state(accounts).await?;
        let now = seconds_now();
        if let Some(state) = state
            && let Some(known) =
                identities.find(&key, state, now, accounts.def.session.idle_seconds)
            && known.account.grant.as_ref().map(|grant| grant.kind) == kind_of(&claim)
        {
            if known.is_noteworthy {
                self.note_use(&claim, &known.account, head, now);
            }
            return Ok(Caller::Account(known.account));
        }
        let account = self.account(client, &claim, head).await;
        let audit = |event: AuditEvent| event.record(head, &model.proxies, None, None);
        let account = account.inspect_err(|error| {
            if error.kind() == Kind::TOO_MANY_ATTEMPTS {
                audit(AuditEvent::SignInDelayed);
            }
        })?;
        let account = match account {
            Ok(account) => Arc::new(account),
            Err(Unconfirmed::Session) => return Ok(Caller::Anonymous),
            Err(Unconfirmed::Token) => {
                audit(AuditEvent::TokenRefused);
                return Err(bad_token(model));
            }
            Err(Unconfirmed::Jwt(fault)) => {
                audit(AuditEvent::TokenRefused);
                return Err(bad_jwt(model, fault));
            }
            Err(Unconfirmed::Password) => {
                audit(AuditEvent::SignInFailed);
                return Err(challenged(model, text!("The login or the password is wrong.")));
            }
        };
        self.note_use(&claim, &account, head, now);
        if let Some(state) = state {
            identities.add(key, state, Arc::clone(&account), now);
        }
        Ok(Caller::Account(account))
    }

    /// Reads the account that a claim names.
    async fn account(
        &self,
        client: ClientKey,
        claim: &Claim,
        head: &Parts,
    ) -> Result<Result<Account, Unconfirmed>, Error> {
        let store = &self.0.store;
        Ok(match claim {
            Claim::Basic(credentials) => {
                let address = Client::guessing_address(head, &store.model().proxies);
                let found = store.account(client, address, credentials).await?;
                found.ok_or(Unconfirmed::Password)
            }
            Claim::Session(secret) => {
                let found = store.account_of_grant(client, GrantKind::Session, *secret).await?;
                found.ok_or(Unconfirmed::Session)
            }
            Claim::Token(secret) => {
                let found = store.account_of_grant(client, GrantKind::Token, *secret).await?;
                found.ok_or(Unconfirmed::Token)
            }
            Claim::Jwt(token) => {
                let found = store.account_of_jwt(client, token.reveal()).await?;
                found.map_err(Unconfirmed::Jwt)
            }
            Claim::Anonymous | Claim::Confirmed(_) => Err(Unconfirmed::Session),
        })
    }

    fn note_use(&self, claim: &Claim, account: &Account, head: &Parts, now: i64) {
        let ServiceState { model, store, .. } = &*self.0;
        match claim {
            Claim::Session(secret) => store.note_use(GrantKind::Session, secret.digest(), now),
            Claim::Token(secret) => {
                store.note_use(GrantKind::Token, secret.digest(), now);
                let grant = account.grant.as_deref();
                let (of, id) = (grant.map(|one| &*one.account), grant.map(|one| &*one.id));
                AuditEvent::TokenUsed.record(head, &model.proxies, of, id);
            }
            Claim::Jwt(_) => {
                let of = model.accounts.as_ref().map(|accounts| store.spelled(accounts, account));
                AuditEvent::TokenUsed.record(head, &model.proxies, of.as_deref(), None);
            }
            _ => {}
        }
    }
}

/// The kind of grant that a claim names; `None` for a password.
const fn kind_of(claim: &Claim) -> Option<GrantKind> {
    match claim {
        Claim::Session(_) => Some(GrantKind::Session),
        Claim::Token(_) => Some(GrantKind::Token),
        Claim::Basic(_) | Claim::Jwt(_) | Claim::Anonymous | Claim::Confirmed(_) => None,
    }
}
