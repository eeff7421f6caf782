//! The response cache: pages and members, each with the state of its tables.
//!
//! A response is found as an HTTP cache would find it (RFC 9111 §4.1): by the URL and the `Vary`
//! fields as they were sent, before any other part of the request is read. If it depends on its
//! caller, it is also found by the caller's response key. It is returned only while the state of
//! the tables is the same. That state comes from the database, so a change by another program
//! counts like one of ours, and nothing expires by age. URL and fields are compared in full, since
//! a client could choose texts with equal hashes. Other parts of the request, such as a range, are
//! applied to the response afterwards.
//!
//! Only the response to a repeated request is cached, so requests that come once cost next to
//! nothing here.

use std::{
    hash::{BuildHasher as _, Hasher as _},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ahash::{AHashMap, RandomState};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::{
    http::body::Body,
    model::Model,
    plan::{ResponseKey, SourcesState},
    reply::Reply,
    request::{
        action::{Action, ActionKind},
        route::Scope,
    },
};

/// The number of remembered requests that came once: about as many as there is room for responses,
/// in 32 KiB.
const REQUESTS_MAX: usize = 4096;
/// The approximate bytes of a cached response without its texts.
const RESPONSE_BYTES: usize = 512;

/// The fields that a cached response varies with. Each has a prefix for its value in the compared
/// text; no value and no URL contains a line feed.
static VARIED: [(HeaderName, &[u8]); 3] =
    [(header::ACCEPT, b"\na"), (header::ACCEPT_ENCODING, b"\ne"), (header::IF_NONE_MATCH, b"\nn")];

/// The rare conditions: a request with one of them is not looked up.
static UNUSUAL: [HeaderName; 3] =
    [header::IF_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE];

/// The cached responses, bounded in bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    bytes_max: usize,
    hasher: RandomState,
    generations: Mutex<Generations>,
}

/// The responses that were stored or used lately, and the older ones. When the young ones fill half
/// of the room, the old ones are discarded and the young ones become the old. So unused responses
/// are evicted without an order to maintain.
#[derive(Debug, Default)]
struct Generations {
    /// The keys of requests whose response is not cached. Several keys share a slot.
    requests: Box<[u64]>,
    young: AHashMap<u64, Arc<CachedResponse>>,
    old: AHashMap<u64, Arc<CachedResponse>>,
    young_bytes: usize,
}

/// A request and its cache entry.
#[derive(Debug)]
pub(crate) struct Lookup<'request> {
    head: &'request Parts,
    /// The key of the response, or `None` for a request whose response is never cached.
    key: Option<u64>,
    /// The callers that share the response.
    caller_key: ResponseKey,
    entry: CacheEntry,
}

/// The result of a lookup in the cache.
#[derive(Debug)]
enum CacheEntry {
    /// The request came for the first time, or its response is never cached.
    Nothing,
    /// The request came before.
    Request,
    /// A response to the request, which may no longer be valid.
    Response(Arc<CachedResponse>),
}

/// A response and the request that it answers. All its texts are slices of one buffer, and it
/// stores only the fields that not every response of its resource has. The less memory a hit reads,
/// the faster it is.
#[derive(Debug)]
pub(crate) struct CachedResponse {
    /// The properties of the caller that the response depends on.
    key: ResponseKey,
    request: Bytes,
    /// The state of its sources in the snapshot that it was read from.
    pub(crate) state: SourcesState,
    status: StatusCode,
    fields: Box<[(HeaderName, HeaderValue)]>,
    content: Bytes,
}

/// Whether the response to an action may be cached: a member or a page that is made of rows alone.
pub(crate) fn may_cache(model: &Model, action: &Action) -> bool {
    let (ActionKind::List { chain, .. } | ActionKind::Get { chain, .. }) = &action.kind else {
        return false;
    };
    !action.exports() && model[chain.resource].hooks.is_none()
}

impl Lookup<'_> {
    /// Returns the cached response. If there is one, its URL is routed.
    pub(crate) fn response(&self) -> Option<&CachedResponse> {
        match &self.entry {
            CacheEntry::Response(response) => Some(response),
            _ => None,
        }
    }

    /// Whether the request came before and no response was stored since, so the response is worth
    /// caching.
    pub(crate) const fn is_repeated(&self) -> bool {
        matches!(self.entry, CacheEntry::Request)
    }
}

/// Returns the parts of a request that are compared, piece by piece.
fn pieces(head: &Parts) -> impl Iterator<Item = &[u8]> {
    let target = head.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let fields = head.headers.iter().filter_map(|(name, value)| {
        let (_, mark) = VARIED.iter().find(|(varied, _)| varied == name)?;
        Some([*mark, value.as_bytes()])
    });
    std::iter::once(target.as_bytes()).chain(fields.flatten())
}

impl Cache {
    /// Creates a cache of this many bytes; with 0 it stores nothing.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, hasher: RandomState::new(), generations: Mutex::default() }
    }

    /// Returns the most bytes that it may hold.
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Looks a request up, and records that it came.
    pub(crate) fn find<'request>(&self, head: &'request Parts) -> Lookup<'request> {
        let is_usual = |name| !UNUSUAL.contains(name);
        if self.bytes_max == 0 || head.method != Method::GET || !head.headers.keys().all(is_usual) {
            return Lookup {
                head,
                key: None,
                caller_key: ResponseKey::default(),
                entry: CacheEntry::Nothing,
            };
        }
        let mut hash = self.hasher.build_hasher();
        pieces(head).for_each(|piece| hash.write(piece));
        self.lookup(head, hash.finish(), ResponseKey::default())
    }

    /// Looks the request up among the responses for callers with this key.
    pub(crate) fn find_own<'request>(
        &self,
        of_all: &Lookup<'request>,
        of: ResponseKey,
    ) -> Lookup<'request> {
        let Lookup { head, key, .. } = *of_all;
        match key {
            Some(key) => self.lookup(head, self.hasher.hash_one((key, of.number())), of),
            None => Lookup { head, key, caller_key: of, entry: CacheEntry::Nothing },
        }
    }

    fn lookup<'request>(
        &self,
        head: &'request Parts,
        key: u64,
        of: ResponseKey,
    ) -> Lookup<'request> {
        Lookup { head, key: Some(key), caller_key: of, entry: self.entry(head, key, of) }
    }

    fn entry(&self, head: &Parts, key: u64, of: ResponseKey) -> CacheEntry {
        let is_it = |response: &Arc<CachedResponse>| response.key == of && response.answers(head);
        let mut generations = self.generations();
        if let Some(response) = generations.young.get(&key) {
            return if is_it(response) {
                CacheEntry::Response(Arc::clone(response))
            } else {
                CacheEntry::Nothing
            };
        }
        let Some(response) = generations.old.remove(&key).filter(is_it) else {
            return generations.note(key);
        };
        self.add(&mut generations, key, Arc::clone(&response));
        CacheEntry::Response(response)
    }

    /// Discards a response that is no longer valid.
    pub(crate) fn discard(&self, lookup: &Lookup<'_>) {
        let Some(key) = lookup.key else { return };
        let mut generations = self.generations();
        if let Some(response) = generations.young.remove(&key) {
            generations.young_bytes -= response.bytes();
        }
        generations.note(key);
    }

    /// Stores the response to a request if the state of its sources is known and its content is
    /// complete.
    pub(crate) fn store(&self, model: &Model, lookup: &Lookup<'_>, reply: &Reply) {
        let bytes_max = self.bytes_max / 8;
        if matches!(&reply.body, Body::Full(content) if content.len() > bytes_max) {
            return;
        }
        let Some((key, response)) = lookup.key.zip(CachedResponse::of(model, lookup.head, reply))
        else {
            return;
        };
        if response.key == lookup.caller_key && response.bytes() <= bytes_max {
            let mut generations = self.generations();
            generations.old.remove(&key);
            self.add(&mut generations, key, Arc::new(response));
        }
    }

    /// Adds a response to the young generation. Neither generation holds more than half of the
    /// bytes.
    fn add(&self, generations: &mut Generations, key: u64, response: Arc<CachedResponse>) {
        if generations.young_bytes + response.bytes() > self.bytes_max / 2 {
            generations.old = mem::take(&mut generations.young);
            generations.young_bytes = 0;
        }
        generations.young_bytes += response.bytes();
        if let Some(before) = generations.young.insert(key, response) {
            generations.young_bytes -= before.bytes();
        }
    }

    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    /// Records a request, and returns whether it came before.
    fn note(&mut self, key: u64) -> CacheEntry {
        if self.requests.is_empty() {
            self.requests = vec![0; REQUESTS_MAX].into();
        }
        let slot = &mut self.requests[key as usize % REQUESTS_MAX];
        if mem::replace(slot, key) == key { CacheEntry::Request } else { CacheEntry::Nothing }
    }
}

impl CachedResponse {
    /// Builds a cached response if the content is complete and the header contains all fields that
    /// those of its resource share.
    fn of(model: &Model, head: &Parts, reply: &Reply) -> Option<Self> {
        let state = reply.state?;
        let key = ResponseKey::of(model, state.sources.place);
        let content = match (reply.status, &reply.body) {
            (StatusCode::OK, Body::Full(content)) => &content[..],
            (StatusCode::NOT_MODIFIED, Body::Empty) => &[],
            _ => return None,
        };
        let (status, headers) = (reply.status, &reply.headers);
        let shared = shared(model, state, status);
        let has_all = headers.len() == headers.keys_len()
            && shared.keys().all(|name| headers.contains_key(name));
        if !reply.has_headers || !has_all {
            return None;
        }
        let own = || headers.iter().filter(|(name, value)| shared.get(*name) != Some(value));
        let bytes = content.len()
            + pieces(head).map(<[u8]>::len).sum::<usize>()
            + own().map(|(_, value)| value.len()).sum::<usize>();
        let mut texts = Vec::with_capacity(bytes);
        pieces(head).for_each(|piece| texts.extend_from_slice(piece));
        let request_bytes = texts.len();
        own().for_each(|(_, value)| texts.extend_from_slice(value.as_bytes()));
        texts.extend_from_slice(content);
        let mut texts = Bytes::from(texts.into_boxed_slice());
        let request = texts.split_to(request_bytes);
        let fields = own().map(|(name, value)| {
            let value = HeaderValue::from_maybe_shared(texts.split_to(value.len())).ok()?;
            Some((name.clone(), value))
        });
        let fields = fields.collect::<Option<_>>()?;
        Some(Self { key, request, state, status, fields, content: texts })
    }

    /// Whether it answers a request with this head.
    fn answers(&self, head: &Parts) -> bool {
        let rest = pieces(head).try_fold(&self.request[..], |rest, piece| rest.strip_prefix(piece));
        rest.is_some_and(<[u8]>::is_empty)
    }

    fn bytes(&self) -> usize {
        let fields: usize = self.fields.iter().map(|(_, value)| value.len()).sum();
        RESPONSE_BYTES + self.request.len() + fields + self.content.len()
    }

    /// Rebuilds the reply.
    pub(crate) fn reply(&self, model: &Model) -> Reply {
        let mut headers = shared(model, self.state, self.status).clone();
        for (name, value) in &self.fields {
            headers.insert(name, value.clone());
        }
        let mut reply = Reply::with_header(self.status, headers);
        reply.body = self.content.clone().into();
        reply.has_headers = true;
        reply.scope = Some(Scope::Resource(self.state.sources.place.resource));
        reply
    }
}

/// Returns the fields that all 200 or all 304 responses of a resource share.
fn shared(model: &Model, state: SourcesState, status: StatusCode) -> &HeaderMap {
    let headers = &model[state.sources.place.resource].headers;
    if status == StatusCode::OK { &headers.with_content } else { &headers.unchanged }
}

#[cfg(test)]
mod tests;
