//! Idempotent requests (`Idempotency-Key`): their identity, and their registration while they are
//! answered.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ahash::AHashSet;
use sha2::{Digest, Sha256};

use crate::{
    base::error::{Error, Kind, text},
    model::{Chain, FieldIx, Model, ResourceIx, encoded},
    plan::Caller,
};

/// The seconds after which a client should retry if its first request is still being answered.
const RETRY_SECONDS: u16 = 1;

/// A request that runs once, however often it is sent.
#[derive(Debug)]
pub struct IdempotentRequest {
    /// Its sender and URL: the same key elsewhere is a different request.
    pub(crate) scope: String,
    /// The key that the client chose.
    pub(crate) key: String,
    /// The resource of the members that it creates.
    pub(crate) resource: ResourceIx,
    /// A digest of its body.
    pub(crate) request: [u8; 32],
    /// Its registration among the requests in progress. It ends with the last owner of this value,
    /// which may be the writer.
    place: OnceLock<InProgressGuard>,
}

impl IdempotentRequest {
    /// Builds the request that creates members of a collection with this key and this body.
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
        let mut scope = format!("{} POST", caller.identity());
        for (above, id) in above.into_iter().zip(&chain.ids) {
            let id = id.spell(model[above][FieldIx::ID].kind);
            scope.push_str(&format!(" {}/{}", model[above].def.name, encoded(&id)));
        }
        scope.extend([" ", resource.def.name]);
        Self {
            scope,
            key,
            resource: chain.resource,
            request: Sha256::digest(body).into(),
            place: OnceLock::new(),
        }
    }
}

impl PartialEq for IdempotentRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.scope, &self.key, &self.request) == (&other.scope, &other.key, &other.request)
    }
}

/// The requests that are being answered, by scope and key.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestsInProgress(Arc<Mutex<AHashSet<(String, String)>>>);

/// The registration of a request in progress, which ends when it is dropped.
#[derive(Debug)]
struct InProgressGuard {
    all: RequestsInProgress,
    name: (String, String),
}

impl RequestsInProgress {
    /// Registers a request.
    ///
    /// # Errors
    /// 409 if a request with the same key is registered.
    pub(crate) fn enter(&self, once: &IdempotentRequest) -> Result<(), Error> {
        let name = (once.scope.clone(), once.key.clone());
        if !self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone()) {
            let detail = text!(
                "A request with the same `Idempotency-Key` is still being answered; send it again later."
            );
            return Err(Error::new(Kind::REQUEST_IN_PROGRESS, detail)
                .with_header(http::header::RETRY_AFTER, RETRY_SECONDS.into()));
        }
        // A request is registered once: if it already is, this registration ends here.
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
            key: key.into(),
            resource,
            request: [0; 32],
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
