//! The callers of requests: a claim becomes a caller once the store has confirmed it.

use std::sync::Arc;

use super::{Service, ServiceState};
use crate::{
    base::error::{Error, text},
    http::credentials::BasicCredentials,
    plan::{Caller, ClientKey},
    request::identify::{Claim, challenged},
};

impl Service {
    /// Returns the caller that a claim (the credentials in a request) names, after the store has
    /// confirmed it.
    ///
    /// # Errors
    /// 401 for wrong credentials. 503 if they cannot be checked in time.
    #[inline]
    #[doc(hidden)]
    pub async fn confirm(&self, client: ClientKey, claim: Claim) -> Result<Caller, Error> {
        match claim {
            Claim::Anonymous => Ok(Caller::Anonymous),
            Claim::Confirmed(caller) => Ok(caller),
            Claim::Basic(credentials) => Box::pin(self.sign_in(client, credentials)).await,
        }
    }

    async fn sign_in(
        &self,
        client: ClientKey,
        credentials: BasicCredentials,
    ) -> Result<Caller, Error> {
        let ServiceState { model, store, .. } = &*self.0;
        let account = store.account(client, &credentials).await?;
        let wrong = || challenged(model, text!("The login or the password is wrong."));
        account.map(|account| Caller::Account(Arc::new(account))).ok_or_else(wrong)
    }
}
