//! [`Lookup`]: a request in the response cache, from its look-up to the response that is stored.

use std::sync::Arc;

use http::request::Parts;

use super::{Cache, CacheEntry, CachedResponse};
use crate::{
    base::error::Error,
    http::body::Body,
    model::{Model, Place, RuleSet},
    plan::{Caller, ResponseKey, Sources},
    reply::Reply,
    service::{destination::Destination, metrics::RouteIx},
    store::Store,
};

/// The result of looking up a request in the cache.
#[derive(Debug)]
pub(crate) struct Lookup<'r> {
    pub(super) cache: &'r Cache,
    pub(super) head: &'r Parts,
    /// The hash of the request, or `None` if its response is never cached.
    pub(super) request: Option<u64>,
    /// The hash under which the response is cached, or `None` if it is never cached.
    pub(super) key: Option<u64>,
    /// The response key of the callers that share the response.
    pub(super) caller_key: ResponseKey,
    pub(super) entry: CacheEntry,
}

impl Lookup<'_> {
    /// Returns the cached response, or `None` if there is none. A cached response proves that the
    /// URL of the request is routed.
    pub(crate) fn response(&self) -> Option<&CachedResponse> {
        match &self.entry {
            CacheEntry::Response(response) => Some(response),
            _ => None,
        }
    }

    /// Returns the cached response for a caller, if there is one and it is still valid. `route` is
    /// where the request leads.
    ///
    /// # Errors
    /// 503 or 500 if the state of its tables cannot be read.
    pub(in crate::service) async fn hit(
        &mut self,
        store: &Store,
        route: &Destination,
        caller: &Caller,
    ) -> Result<Option<Reply>, Error> {
        let model = store.model();
        if let Some(place) = route.place(self, caller.rules(model)) {
            self.look_up_own(model, place, caller);
        }
        // A token that may not read is refused later.
        let Some(response) = self.response().filter(|_| caller.may_use(&self.head.method)) else {
            return Ok(None);
        };
        let state = &response.state;
        if store.state_number(&state.sources).await? == Some(state.number) {
            return Ok(Some(response.reply(model)));
        }
        self.discard();
        Ok(None)
    }

    /// Looks up the request again, among the responses for callers with the response key of this
    /// caller. If all callers share the response, it stays.
    fn look_up_own(&mut self, model: &Model, place: Place, caller: &Caller) {
        let Some(request) = self.request.filter(|_| place.rules != RuleSet::NONE) else { return };
        let passed = self.cache.signpost(request, place.rules);
        let sources = Sources { passed, ..Sources::of(place) };
        let of = ResponseKey::of(model, &sources, &caller.values(model));
        if of.is_shared() {
            return;
        }
        self.key = (!of.is_momentary()).then(|| self.cache.own_hash(request, &of));
        self.entry = match self.key {
            Some(key) => self.cache.entry(self.head, key, (&of, sources.passed.as_deref())),
            None => CacheEntry::Nothing,
        };
        self.caller_key = of;
    }

    /// Removes a response that is no longer valid.
    pub(super) fn discard(&self) {
        let Some(key) = self.key else { return };
        let mut generations = self.cache.generations();
        if let Some(response) = generations.young.remove(&key) {
            generations.young_bytes -= response.bytes();
        }
        generations.note(key);
    }

    /// Stores the response to a request of this caller. The state of its tables must be known, and
    /// its content must be complete and at most an eighth of the cache. Otherwise nothing is
    /// stored.
    ///
    /// The response is stored for callers with the key that its sources have for this caller,
    /// whatever the request was looked up by.
    pub(crate) fn store(&self, model: &Model, caller: &Caller, reply: &Reply, route: RouteIx) {
        let (Some(request), Some(found), Some(state)) = (self.request, self.key, &reply.state)
        else {
            return;
        };
        let (cache, sources) = (self.cache, &state.sources);
        let bytes_max = cache.bytes_max / 8;
        if matches!(&reply.body, Body::Full(content) if content.len() > bytes_max) {
            return;
        }
        let of = ResponseKey::of(model, sources, &caller.values(model));
        // What rules may decide for others is never stored for all callers.
        let is_ruled = sources.passed.is_some() && model.has_rules();
        if of.is_momentary() || is_ruled && of.is_shared() {
            return;
        }
        let key = if of == self.caller_key { found } else { cache.own_hash(request, &of) };
        let Some(response) =
            CachedResponse::of(model, (self.head, of), reply, (route, &cache.bytes))
        else {
            return;
        };
        if response.bytes() <= bytes_max {
            let mut generations = cache.generations();
            if let Some(passed) = sources.passed.as_ref().filter(|_| is_ruled) {
                generations.record_signpost(request, sources.place.rules, passed);
            }
            generations.old.remove(&key);
            cache.add(&mut generations, key, Arc::new(response));
        }
    }

    /// Whether the response to the request may be cached, as far as its head tells.
    pub(crate) const fn is_cacheable(&self) -> bool {
        self.key.is_some()
    }

    /// Whether the request was seen before and no response is cached, so that the response should
    /// be stored.
    pub(crate) const fn is_repeated(&self) -> bool {
        matches!(self.entry, CacheEntry::Request)
    }
}
