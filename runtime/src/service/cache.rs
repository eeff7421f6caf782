//! Answers that are kept: pages of collections, and members, each with the state that its tables had.
//!
//! An answer is found as a cache on the way would find it (RFC 9111 §4.1): by the target and the fields that it varies with, as they
//! were sent, so that it is given again before anything of the request is read. It is given only to the same caller, and only where
//! the state of the tables is still the same, which is made from what the database says: so a change by another program counts as
//! one of ours does, and nothing has an age. What is compared are all of these themselves, and not a hash of them, which a client could
//! choose. What else a request says, such as a range, is seen to after an answer was found or made.
//!
//! Only what is asked for a second time is kept, so that what is asked for once, or changes all the time, costs next to nothing.

use std::{
    hash::{BuildHasher as _, Hasher as _},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use ahash::{AHashMap, RandomState};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::{
    http::body::Body,
    model::Model,
    plan::{CallerKey, State},
    reply::{About, Reply},
    request::action::{Action, ActionKind},
};

/// How many requests are remembered that were made once: about as many as there is room for answers, and 32 KiB.
const ASKED_MAX: usize = 4096;
/// About how many octets an answer takes beside its texts.
const ANSWER_BYTES: usize = 512;

/// The fields that an answer from memory depends on, each with what stands before its value in what is compared: no value
/// and no target has a line feed.
static VARIED: [(HeaderName, &[u8]); 3] =
    [(header::ACCEPT, b"\na"), (header::ACCEPT_ENCODING, b"\ne"), (header::IF_NONE_MATCH, b"\nn")];

/// The conditions that are rare: with them, every request is read.
static UNUSUAL: [HeaderName; 3] = [header::IF_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE];

/// The answers that are kept, bounded in octets.
#[derive(Debug)]
pub(crate) struct Cache {
    bytes_max: usize,
    hasher: RandomState,
    kept: Mutex<Generations>,
}

/// Those that were kept or asked for lately, and those before. When the young are half of what there may be, the old go,
/// and the young are the old: what nobody asks for goes in the end, and nothing has to be put in order.
#[derive(Debug, Default)]
struct Generations {
    /// The keys of what was asked for and is not kept, each in a place that it shares with others.
    asked: Box<[u64]>,
    young: AHashMap<u64, Arc<Kept>>,
    old: AHashMap<u64, Arc<Kept>>,
    young_bytes: usize,
}

/// What is asked, as it was sent, and who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'request> {
    head: &'request Parts,
    caller: CallerKey,
    key: u64,
}

/// What is known of a request.
#[derive(Debug)]
pub(crate) enum Known {
    /// Nothing.
    Nothing,
    /// It was made before.
    Asked,
    /// Its answer, be it still true or not.
    Answer(Arc<Kept>),
}

/// An answer, and what it answers. All its texts are parts of one, and of its fields it has those that not every answer of its
/// resource has: what is given again is read from memory that is far away, be there as little of it as there can.
#[derive(Debug)]
pub(crate) struct Kept {
    caller: CallerKey,
    asked: Bytes,
    /// The state of what the answer depends on, as of the snapshot that it was read from.
    pub(crate) state: State,
    /// What was known of the request when it was answered.
    pub(crate) about: About,
    status: StatusCode,
    fields: Box<[(HeaderName, HeaderValue)]>,
    content: Bytes,
}

/// Whether the answer to an action may be kept: a member or a page, of rows and nothing else.
pub(crate) fn may_keep(model: &Model, action: &Action) -> bool {
    let (ActionKind::List { chain, .. } | ActionKind::Get { chain, .. }) = &action.kind else { return false };
    !action.exports() && model[chain.resource].hooks.is_none()
}

impl Asked<'_> {
    /// What is compared, piece by piece.
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let target = self.head.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let fields = self.head.headers.iter().filter_map(|(name, value)| {
            let (_, mark) = VARIED.iter().find(|(varied, _)| varied == name)?;
            Some([*mark, value.as_bytes()])
        });
        std::iter::once(target.as_bytes()).chain(fields.flatten())
    }

    fn hashed(&self, hasher: &RandomState) -> u64 {
        let mut hash = hasher.build_hasher();
        hash.write_u64(self.caller.0);
        self.pieces().for_each(|piece| hash.write(piece));
        hash.finish()
    }

    fn is(&self, kept: &Kept) -> bool {
        let rest = self.pieces().try_fold(&kept.asked[..], |rest, piece| rest.strip_prefix(piece));
        self.caller == kept.caller && rest.is_some_and(<[u8]>::is_empty)
    }
}

impl Cache {
    /// One of so many octets; of none, it keeps nothing.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, hasher: RandomState::new(), kept: Mutex::default() }
    }

    /// How many octets it may have.
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// What is asked, if its answer may be kept.
    pub(crate) fn asked<'request>(
        &self,
        head: &'request Parts,
        caller: CallerKey,
    ) -> Option<Asked<'request>> {
        let is_usual = |name| !UNUSUAL.contains(name);
        if self.bytes_max == 0 || head.method != Method::GET || !head.headers.keys().all(is_usual) {
            return None;
        }
        let asked = Asked { head, caller, key: 0 };
        Some(Asked { key: asked.hashed(&self.hasher), ..asked })
    }

    /// What is known of a request, which has been made now.
    pub(crate) fn find(&self, asked: &Asked<'_>) -> Known {
        let key = asked.key;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.young.get(&key) {
            return if asked.is(found) { Known::Answer(Arc::clone(found)) } else { Known::Nothing };
        }
        let Some(found) = kept.old.remove(&key).filter(|found| asked.is(found)) else {
            return kept.ask(key);
        };
        self.add(&mut kept, key, Arc::clone(&found));
        Known::Answer(found)
    }

    /// Keeps an answer no longer that was found, and is not true any more.
    pub(crate) fn forget(&self, asked: &Asked<'_>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.young.remove(&asked.key) {
            kept.young_bytes -= found.bytes();
        }
        kept.ask(asked.key);
    }

    /// Keeps an answer whose content is all there, and the state that its sources had when it was read.
    pub(crate) fn keep(
        &self,
        model: &Model,
        asked: &Asked<'_>,
        state: State,
        (about, reply): (About, &Reply),
    ) {
        let bytes_max = self.bytes_max / 8;
        if matches!(&reply.body, Body::Full(content) if content.len() > bytes_max) {
            return;
        }
        let Some(kept) = Kept::of(model, asked, state, (about, reply)) else { return };
        if kept.bytes() <= bytes_max {
            let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            all.old.remove(&asked.key);
            self.add(&mut all, asked.key, Arc::new(kept));
        }
    }

    /// Neither generation has more than half of what there may be.
    fn add(&self, kept: &mut Generations, key: u64, one: Arc<Kept>) {
        if kept.young_bytes + one.bytes() > self.bytes_max / 2 {
            kept.old = mem::take(&mut kept.young);
            kept.young_bytes = 0;
        }
        kept.young_bytes += one.bytes();
        if let Some(before) = kept.young.insert(key, one) {
            kept.young_bytes -= before.bytes();
        }
    }
}

impl Generations {
    /// Notes that something was asked for, and says whether it was before.
    fn ask(&mut self, key: u64) -> Known {
        if self.asked.is_empty() {
            self.asked = vec![0; ASKED_MAX].into();
        }
        let place = &mut self.asked[key as usize % ASKED_MAX];
        if mem::replace(place, key) == key { Known::Asked } else { Known::Nothing }
    }
}

impl Kept {
    /// An answer whose content is all there, and whose header has what those of its resource have, and more.
    fn of(model: &Model, asked: &Asked<'_>, state: State, (about, reply): (About, &Reply)) -> Option<Self> {
        let content = match (reply.status, &reply.body) {
            (StatusCode::OK, Body::Full(content)) => &content[..],
            (StatusCode::NOT_MODIFIED, Body::Empty) => &[],
            _ => return None,
        };
        let (status, headers) = (reply.status, &reply.headers);
        let shared = shared(model, state, status);
        let has_all =
            headers.len() == headers.keys_len() && shared.keys().all(|name| headers.contains_key(name));
        if !reply.is_dressed || !has_all {
            return None;
        }
        let own = || headers.iter().filter(|(name, value)| shared.get(*name) != Some(value));
        let octets = content.len()
            + asked.pieces().map(<[u8]>::len).sum::<usize>()
            + own().map(|(_, value)| value.len()).sum::<usize>();
        let mut texts = Vec::with_capacity(octets);
        asked.pieces().for_each(|piece| texts.extend_from_slice(piece));
        let question = texts.len();
        own().for_each(|(_, value)| texts.extend_from_slice(value.as_bytes()));
        texts.extend_from_slice(content);
        let mut texts = Bytes::from(texts.into_boxed_slice());
        let asked_text = texts.split_to(question);
        let fields = own().map(|(name, value)| {
            let value = HeaderValue::from_maybe_shared(texts.split_to(value.len())).ok()?;
            Some((name.clone(), value))
        });
        let fields = fields.collect::<Option<_>>()?;
        Some(Self { caller: asked.caller, asked: asked_text, state, about, status, fields, content: texts })
    }

    fn bytes(&self) -> usize {
        let fields: usize = self.fields.iter().map(|(_, value)| value.len()).sum();
        ANSWER_BYTES + self.asked.len() + fields + self.content.len()
    }

    /// The answer, once more.
    pub(crate) fn reply(&self, model: &Model) -> Reply {
        let mut headers = shared(model, self.state, self.status).clone();
        for (name, value) in &self.fields {
            headers.insert(name, value.clone());
        }
        let body = self.content.clone().into();
        Reply { status: self.status, headers, body, statements: 0, is_dressed: true }
    }
}

/// The fields that all answers have that show members of a resource, or say that they are unchanged.
fn shared(model: &Model, state: State, status: StatusCode) -> &HeaderMap {
    let headers = &model[state.sources.place.resource].headers;
    if status == StatusCode::OK { &headers.shown } else { &headers.unchanged }
}

#[cfg(test)]
mod tests;
