//! The callers of requests: a claim becomes a caller once the store has confirmed it.

use std::sync::Arc;

use http::request::Parts;

use super::{Service, ServiceState};
use crate::{
    base::error::{Error, Kind, text},
    http::{audit::AuditEvent, client::Client},
    model::{GrantKind, value::seconds_now},
    plan::{Account, Caller, ClientKey},
    request::identify::{Claim, bad_token, challenged},
};

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
        let Some(account) = account.map(Arc::new) else {
            return match claim {
                Claim::Session(_) => Ok(Caller::Anonymous),
                Claim::Token(_) => {
                    audit(AuditEvent::TokenRefused);
                    Err(bad_token(model))
                }
                _ => {
                    audit(AuditEvent::SignInFailed);
                    Err(challenged(model, text!("The login or the password is wrong.")))
                }
            };
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
    ) -> Result<Option<Account>, Error> {
        let store = &self.0.store;
        match claim {
            Claim::Basic(credentials) => {
                let address = Client::of(head, &store.model().proxies).address;
                store.account(client, address, credentials).await
            }
            Claim::Session(secret) => {
                store.account_of_grant(client, GrantKind::Session, *secret).await
            }
            Claim::Token(secret) => store.account_of_grant(client, GrantKind::Token, *secret).await,
            Claim::Anonymous | Claim::Confirmed(_) => Ok(None),
        }
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
            _ => {}
        }
    }
}

/// The kind of grant that a claim names; `None` for a password.
const fn kind_of(claim: &Claim) -> Option<GrantKind> {
    match claim {
        Claim::Session(_) => Some(GrantKind::Session),
        Claim::Token(_) => Some(GrantKind::Token),
        Claim::Basic(_) | Claim::Anonymous | Claim::Confirmed(_) => None,
    }
}
