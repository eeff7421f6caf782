//! The response cache. It holds pages and members, each with the state of the tables that it was
//! made from.
//!
//! A response is found as in an HTTP cache (RFC 9111 §4.1): by the URL and by the request's `Vary`
//! fields, as they were sent. If a response depends on its caller, the caller's response key must
//! be equal too. The key is made from the sources of the response. What it passes besides its place
//! is known only when its query is parsed. So the cache remembers that for each request and set of
//! rules, as a *signpost* to the key of the caller. A cached response is returned only if the state
//! of its tables is unchanged. The state is read from the database, so changes by other programs
//! count, and nothing expires by age. The URL and the fields are compared completely, since a
//! client could choose texts with equal hashes. Other parts of the request, such as a range, are
//! applied to the response afterwards.
//!
//! Only the response to a repeated request is stored. A request that is sent once therefore costs
//! almost nothing.

mod lookup;

use std::{
    hash::{BuildHasher as _, Hasher as _},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use foldhash::{HashMap, quality::RandomState};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

pub(crate) use self::lookup::Lookup;
use super::metrics::RouteIx;
use crate::{
    http::{body::Body, negotiate::Format},
    model::{Model, ResourceIx, RuleSet},
    plan::{ResponseKey, SourcesState},
    reply::{References, Reply},
    request::{
        action::{Action, ActionKind},
        route::Scope,
    },
};

/// The number of remembered requests whose response is not stored. It is about the number of
/// responses that fit into the cache. The requests take 32 KiB.
const REQUESTS_MAX: usize = 4096;
/// The maximum number of signposts. They take about 400 KiB. When there are more, all are
/// forgotten, and those of requests that come again are recorded again.
const SIGNPOSTS_MAX: usize = 4096;
/// The approximate size of a cached response in bytes, without its texts.
const RESPONSE_BYTES: usize = 512;

/// The request fields that select a cached response (`Vary`), each with a prefix. The text of a
/// request that the cache compares contains the prefix before each value. No value and no URL
/// contains a line feed.
static VARIED: [(HeaderName, &[u8]); 3] =
    [(header::ACCEPT, b"\na"), (header::ACCEPT_ENCODING, b"\ne"), (header::IF_NONE_MATCH, b"\nn")];

/// Preconditions that are rare. A request with one of them does not use the cache.
static UNUSUAL: [HeaderName; 3] =
    [header::IF_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE];

/// The response cache. Its size is limited in bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    bytes_max: usize,
    hasher: RandomState,
    generations: Mutex<Generations>,
    /// The bytes of the entries of all caches of the service.
    bytes: Arc<AtomicUsize>,
}

/// The cached responses in two generations: those that were stored or used recently, and older
/// ones. When the young generation fills half of the cache, the old one is discarded and the young
/// one becomes the old one. So unused responses are evicted without a list in order of use.
#[derive(Debug, Default)]
struct Generations {
    /// The hashes of requests whose response is not cached. Requests whose hashes are equal modulo
    /// the length share a slot.
    requests: Box<[u64]>,
    young: HashMap<u64, Arc<CachedResponse>>,
    old: HashMap<u64, Arc<CachedResponse>>,
    young_bytes: usize,
    /// For the hash of a request, and the rules of its callers: the resources whose rows the
    /// response passes besides those of its place.
    signposts: HashMap<(u64, RuleSet), Arc<[ResourceIx]>>,
}

/// The entry that was found for a request.
#[derive(Debug)]
enum CacheEntry {
    /// There is no entry: the request was not seen before, or its response is never cached.
    Nothing,
    /// The request was seen before, but no response to it is cached.
    Request,
    /// A response to the request is cached. It may no longer be valid.
    Response(Arc<CachedResponse>),
}

/// A cached response and the request that it belongs to. An entry is kept small, because it is then
/// read from memory faster. All texts are slices of one buffer. Header fields that all responses of
/// the resource share are not stored.
#[derive(Debug)]
pub(crate) struct CachedResponse {
    /// The response key of the callers that share the response.
    key: ResponseKey,
    request: Bytes,
    /// The state of the tables in the snapshot that the response was made from.
    pub(crate) state: SourcesState,
    /// The route of the request.
    pub(super) route: RouteIx,
    /// The bytes of the entries of all caches, of which this entry is one.
    bytes_of_all: Arc<AtomicUsize>,
    status: StatusCode,
    fields: Box<[(HeaderName, HeaderValue)]>,
    content: Bytes,
    /// The members that the response refers to, if they are to be pushed.
    references: Option<References>,
}

/// Whether the response to an action may be cached. It must be a member or a page, and its resource
/// must have no hooks or handlers.
pub(crate) fn may_cache(model: &Model, action: &Action) -> bool {
    let (ActionKind::List { chain, .. } | ActionKind::Get { chain, .. }) = &action.kind else {
        return false;
    };
    // A page repeats the host of its URL, which does not select a cached response.
    let is_page = action.preferences.format == Format::Html;
    !is_page && !action.exports() && model[chain.resource].hooks.is_none()
}

/// Returns the texts of a request that must equal those of a cached request: the URL and the `Vary`
/// fields.
fn pieces(head: &Parts) -> impl Iterator<Item = &[u8]> {
    let target = head.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let fields = head.headers.iter().filter_map(|(name, value)| {
        let (_, mark) = VARIED.iter().find(|(varied, _)| varied == name)?;
        Some([*mark, value.as_bytes()])
    });
    std::iter::once(target.as_bytes()).chain(fields.flatten())
}

impl Cache {
    /// Creates a cache with this limit in bytes. With 0, it stores nothing. The bytes of its
    /// entries are added to `bytes`.
    pub(crate) fn new(bytes_max: usize, bytes: Arc<AtomicUsize>) -> Self {
        Self { bytes_max, hasher: RandomState::default(), generations: Mutex::default(), bytes }
    }

    /// Returns the limit of the cache in bytes.
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Looks up a request, and records that it was seen.
    pub(crate) fn find<'r>(&'r self, head: &'r Parts) -> Lookup<'r> {
        let is_usual = |name| !UNUSUAL.contains(name);
        if self.bytes_max == 0 || head.method != Method::GET || !head.headers.keys().all(is_usual) {
            let (request, caller_key) = (None, ResponseKey::default());
            let entry = CacheEntry::Nothing;
            return Lookup { cache: self, head, request, key: request, caller_key, entry };
        }
        let mut hash = self.hasher.build_hasher();
        pieces(head).for_each(|piece| hash.write(piece));
        let (key, caller_key) = (hash.finish(), ResponseKey::default());
        let (request, entry) = (Some(key), self.entry(head, key, (&caller_key, None)));
        Lookup { cache: self, head, request, key: request, caller_key, entry }
    }

    /// Returns the hash under which the response to a request is cached for callers with a key.
    fn own_hash(&self, request: u64, of: &ResponseKey) -> u64 {
        self.hasher.hash_one((request, of.number()))
    }

    /// Returns the resources whose rows the response to a request passes for callers with these
    /// rules, if that is known and there are any.
    fn signpost(&self, request: u64, rules: RuleSet) -> Option<Arc<[ResourceIx]>> {
        self.generations().signposts.get(&(request, rules)).cloned()
    }

    fn entry(
        &self,
        head: &Parts,
        key: u64,
        (of, passed): (&ResponseKey, Option<&[ResourceIx]>),
    ) -> CacheEntry {
        // A signpost is found by a hash alone.
        let is_of = |response: &CachedResponse| {
            passed.is_none() || response.state.sources.passed.as_deref() == passed
        };
        let is_match = |response: &Arc<CachedResponse>| {
            response.key == *of && is_of(response) && response.answers(head)
        };
        let mut generations = self.generations();
        if let Some(response) = generations.young.get(&key) {
            return if is_match(response) {
                CacheEntry::Response(Arc::clone(response))
            } else {
                CacheEntry::Nothing
            };
        }
        let Some(response) = generations.old.remove(&key).filter(is_match) else {
            return generations.note(key);
        };
        self.add(&mut generations, key, Arc::clone(&response));
        CacheEntry::Response(response)
    }

    /// Adds a response to the young generation. Each generation holds at most half of the cache's
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
    /// Records a request, and returns whether it was seen before.
    fn note(&mut self, key: u64) -> CacheEntry {
        if self.requests.is_empty() {
            self.requests = vec![0; REQUESTS_MAX].into();
        }
        let slot = &mut self.requests[key as usize % REQUESTS_MAX];
        if mem::replace(slot, key) == key { CacheEntry::Request } else { CacheEntry::Nothing }
    }

    /// Records what the response to a request passes for callers with these rules.
    fn record_signpost(&mut self, request: u64, rules: RuleSet, passed: &Arc<[ResourceIx]>) {
        if self.signposts.len() >= SIGNPOSTS_MAX {
            self.signposts.clear();
        }
        self.signposts.insert((request, rules), Arc::clone(passed));
    }
}

impl CachedResponse {
    /// Builds the cache entry for a reply. Returns `None` if the content is incomplete. Also
    /// returns `None` if the reply lacks a header field that the responses of the resource have in
    /// common.
    fn of(
        model: &Model,
        (head, key): (&Parts, ResponseKey),
        reply: &Reply,
        (route, bytes_of_all): (RouteIx, &Arc<AtomicUsize>),
    ) -> Option<Self> {
        let state = reply.state.clone()?;
        let content = match (reply.status, &reply.body) {
            (StatusCode::OK, Body::Full(content)) => &content[..],
            (StatusCode::NOT_MODIFIED, Body::Empty) => &[],
            _ => return None,
        };
        let (status, headers) = (reply.status, &reply.headers);
        let shared = shared(model, &state, status);
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
        let (references, bytes_of_all) = (reply.references.clone(), Arc::clone(bytes_of_all));
        let response = Self {
            key,
            request,
            state,
            route,
            bytes_of_all,
            status,
            fields,
            content: texts,
            references,
        };
        response.bytes_of_all.fetch_add(response.bytes(), Ordering::Relaxed);
        Some(response)
    }

    /// Whether the entry belongs to a request with this head.
    fn answers(&self, head: &Parts) -> bool {
        let rest = pieces(head).try_fold(&self.request[..], |rest, piece| rest.strip_prefix(piece));
        rest.is_some_and(<[u8]>::is_empty)
    }

    fn bytes(&self) -> usize {
        let fields: usize = self.fields.iter().map(|(_, value)| value.len()).sum();
        let references = self.references.as_ref().map_or(0, References::bytes);
        RESPONSE_BYTES + self.request.len() + fields + self.content.len() + references
    }

    /// Rebuilds the reply from the entry.
    pub(crate) fn reply(&self, model: &Model) -> Reply {
        let mut headers = shared(model, &self.state, self.status).clone();
        for (name, value) in &self.fields {
            headers.insert(name, value.clone());
        }
        let mut reply = Reply::with_header(self.status, headers);
        reply.body = self.content.clone().into();
        reply.has_headers = true;
        reply.references = self.references.clone();
        reply.passed.clone_from(&self.state.sources.passed);
        reply.scope = Some(Scope::Resource(self.state.sources.place.resource));
        reply
    }
}

impl Drop for CachedResponse {
    fn drop(&mut self) {
        self.bytes_of_all.fetch_sub(self.bytes(), Ordering::Relaxed);
    }
}

/// Returns the header fields that the responses of a resource have in common: either those with
/// status 200, or those with status 304.
fn shared<'m>(model: &'m Model, state: &SourcesState, status: StatusCode) -> &'m HeaderMap {
    let headers = &model[state.sources.place.resource].headers;
    if status == StatusCode::OK { &headers.with_content } else { &headers.unchanged }
}

#[cfg(test)]
mod tests;
