//! The identity of idempotent requests (`Idempotency-Key`), and the registration of such requests
//! while they are in progress.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use sha2::{Digest, Sha256};

use crate::{
    base::error::{Error, Kind, text},
    model::{Chain, FieldIx, Model, ResourceIx, encoded},
    plan::Caller,
};

/// The value of `Retry-After` in seconds, if the first request with the same key is still in
/// progress.
const RETRY_SECONDS: u16 = 1;

/// A request with an `Idempotency-Key`. It takes effect once, even if the client sends it several
/// times.
#[derive(Debug)]
pub struct IdempotentRequest {
    /// The caller, the method and the URL of the request. The same key with another scope belongs
    /// to another request.
    pub(crate) scope: String,
    /// The length of the caller's name at the start of the scope.
    caller_bytes: usize,
    /// The key that the client has chosen.
    pub(crate) key: String,
    /// The resource of the members that the request creates.
    pub(crate) resource: ResourceIx,
    /// The number of the caller's access rules if they decide which fields the response has.
    /// Otherwise 0.
    pub(crate) rules: u16,
    /// Whether the response has no members, since the token of the caller may not read.
    pub(crate) is_bare: bool,
    /// The SHA-256 digest of the request body.
    pub(crate) request: [u8; 32],
    /// The registration among the requests in progress. It ends when this value is dropped. The
    /// last owner of the value may be the writer thread.
    place: OnceLock<InProgressGuard>,
}

impl IdempotentRequest {
    /// Builds the identity of a request that creates members of a collection.
    pub(crate) fn new(
        model: &Model,
        caller: &Caller,
        chain: &Chain,
        key: String,
        body: &[u8],
    ) -> Self {
        let resource = &model[chain.resource];
        let mut above: Vec<_> = model.ancestors(chain.resource).take(chain.ids.len()).collect();
        above.reverse();
        let mut scope = caller.identity().into_owned();
        let caller_bytes = scope.len();
        scope.push_str(" POST");
        for (above, id) in above.into_iter().zip(&chain.ids) {
            let id = id.spell(model[above][FieldIx::ID].kind);
            scope.push_str(&format!(" {}/{}", model[above].def.name, encoded(&id)));
        }
        scope.extend([" ", resource.def.name]);
        Self {
            scope,
            caller_bytes,
            key,
            resource: chain.resource,
            rules: if resource.has_field_rules { caller.rules(model).number() } else { 0 },
            is_bare: !caller.may_read(),
            request: Sha256::digest(body).into(),
            place: OnceLock::new(),
        }
    }

    /// The name of the caller.
    pub(crate) fn caller(&self) -> &str {
        &self.scope[..self.caller_bytes]
    }

    /// The first scope of the caller, and the first scope after those of the caller.
    pub(crate) fn scopes(&self) -> (String, String) {
        let caller = self.caller();
        (format!("{caller} POST "), format!("{caller} POST!"))
    }
}

impl PartialEq for IdempotentRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.scope, &self.key, &self.request) == (&other.scope, &other.key, &other.request)
    }
}

/// The scopes and keys of the idempotent requests that are in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestsInProgress(Arc<Mutex<HashSet<(String, String)>>>);

/// The registration of a request that is in progress. Dropping this value ends the registration.
#[derive(Debug)]
struct InProgressGuard {
    all: RequestsInProgress,
    name: (String, String),
}

impl RequestsInProgress {
    /// Registers a request as in progress.
    ///
    /// # Errors
    /// 409 if a request with the same scope and key is already registered.
    pub(crate) fn enter(&self, once: &IdempotentRequest) -> Result<(), Error> {
        let name = (once.scope.clone(), once.key.clone());
        if !self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone()) {
            let detail = text!(
                "A request with the same `Idempotency-Key` is still being answered; send it again later."
            );
            return Err(Error::new(Kind::REQUEST_IN_PROGRESS, detail)
                .with_header(http::header::RETRY_AFTER, RETRY_SECONDS.into()));
        }
        // If the request already has a registration, `set` fails and the new guard is dropped.
        once.place.set(InProgressGuard { all: self.clone(), name }).ok();
        Ok(())
    }
}

impl Drop for InProgressGuard {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(key: &str) -> IdempotentRequest {
        let (scope, resource) = ("0 POST zoo".into(), ResourceIx(0));
        IdempotentRequest {
            scope,
            caller_bytes: 1,
            key: key.into(),
            resource,
            request: [0; 32],
            rules: 0,
            is_bare: false,
            place: OnceLock::new(),
        }
    }

    #[test]
    fn a_key_has_one_place_until_its_request_is_gone() {
        let under_way = RequestsInProgress::default();
        let (first, second, other) = (Arc::new(once("a")), once("a"), once("b"));
        under_way.enter(&first).unwrap();
        under_way.enter(&other).unwrap();
        let writer = Arc::clone(&first);
        drop(first);
        assert_eq!(under_way.enter(&second).unwrap_err().status(), 409);
        drop(writer);
        under_way.enter(&second).unwrap();
    }
}
