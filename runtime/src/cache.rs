//! Answers that are kept: pages of collections, and members, each with the state that its tables had.
//!
//! An answer is given again only where the same is asked by the same caller in the same form, and the state of the tables is still
//! the same, which is made from what the database says: so a change by another program counts as one of ours does, and
//! nothing has an age. What is compared is the whole request, and not a hash of it, which a client could choose.
//!
//! Only what is asked for a second time is kept, so that what is asked for once, or changes all the time, costs next to nothing.

use std::{
    hash::{BuildHasher as _, Hash as _, Hasher as _},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use ahash::{AHashMap, RandomState};
use http::{HeaderMap, StatusCode};

use crate::{
    action::{Action, ActionKind, Wanted},
    body::Body,
    identify::CallerKey,
    model::{Model, ResourceIx},
    reply::Reply,
    route::Chain,
    validator,
    value::Value,
};

/// How many requests are remembered that were made once: as many answers as there is room for, and 32 KiB.
const ASKED_MAX: usize = 4096;
/// About how many octets an answer takes beside its content and its query.
const ANSWER_BYTES: usize = 2048;

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

/// An answer, and what it answers.
#[derive(Debug)]
pub(crate) struct Kept {
    caller: CallerKey,
    kind: ActionKind,
    wanted: Wanted,
    /// What the answer depends on.
    pub(crate) sources: Sources,
    /// The state that they had.
    pub(crate) state: u64,
    headers: HeaderMap,
    body: Body,
    is_dressed: bool,
}

/// What an answer depends on.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Stands for everything but the database.
    pub(crate) seed: u64,
    /// The tables.
    pub(crate) reads: Vec<ResourceIx>,
}

impl Sources {
    /// What the answer to an action depends on, if it is one that may be kept.
    pub(crate) fn of(model: &Model, action: &Action) -> Option<Self> {
        let (chain, given) = asked(action)?;
        Some(Self {
            seed: validator::seed(model, chain, given, action.caller.key()),
            reads: model.lineage(chain.resource, chain.ids.len()).collect(),
        })
    }
}

/// Of what is asked, and with which query.
fn asked(action: &Action) -> Option<(&Chain, &str)> {
    match &action.kind {
        ActionKind::List { chain, query } => Some((chain, &query.given)),
        ActionKind::Get { chain, .. } => Some((chain, "")),
        _ => None,
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

    /// Whether the answer to an action may be kept: a member or a page without conditions, of rows and nothing else.
    pub(crate) fn takes(&self, model: &Model, action: &Action) -> bool {
        let Some((chain, _)) = asked(action) else { return false };
        self.bytes_max > 0
            && action.preconditions.is_empty()
            && action.left.is_empty()
            && !action.wanted.bare
            && !action.exports()
            && model[chain.resource].hooks.is_none()
    }

    /// What is known of an action, which has been asked for now.
    pub(crate) fn find(&self, action: &Action) -> Known {
        let Some(key) = self.key(action) else { return Known::Nothing };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.young.get(&key) {
            return if found.answers(action) { Known::Answer(Arc::clone(found)) } else { Known::Nothing };
        }
        let Some(found) = kept.old.remove(&key).filter(|found| found.answers(action)) else {
            return kept.ask(key);
        };
        self.add(&mut kept, key, Arc::clone(&found));
        Known::Answer(found)
    }

    /// Keeps an answer no longer that was found, and is not true any more.
    pub(crate) fn forget(&self, action: &Action) {
        let Some(key) = self.key(action) else { return };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.young.remove(&key) {
            kept.young_bytes -= found.bytes();
        }
        kept.ask(key);
    }

    /// Keeps an answer whose content is all there, and the state that its sources had before it was made.
    pub(crate) fn keep(&self, action: &Action, sources: Sources, state: u64, reply: &Reply) {
        let body = match &reply.body {
            Body::Full(content) => Body::Full(content.clone()),
            _ => return,
        };
        let Some(key) = self.key(action).filter(|_| reply.status == StatusCode::OK) else { return };
        let kept = Kept {
            caller: action.caller.key(),
            kind: action.kind.clone(),
            wanted: action.wanted.clone(),
            sources,
            state,
            headers: reply.headers.clone(),
            body,
            is_dressed: reply.is_dressed,
        };
        if kept.bytes() <= self.bytes_max / 8 {
            let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            all.old.remove(&key);
            self.add(&mut all, key, Arc::new(kept));
        }
    }

    fn add(&self, kept: &mut Generations, key: u64, one: Arc<Kept>) {
        kept.young_bytes += one.bytes();
        if let Some(before) = kept.young.insert(key, one) {
            kept.young_bytes -= before.bytes();
        }
        if kept.young_bytes > self.bytes_max / 2 {
            kept.old = mem::take(&mut kept.young);
            kept.young_bytes = 0;
        }
    }

    fn key(&self, action: &Action) -> Option<u64> {
        let (chain, given) = asked(action)?;
        let member = match &action.kind {
            ActionKind::Get { id, .. } => Some(id),
            _ => None,
        };
        let mut hash = self.hasher.build_hasher();
        let Wanted { format, codings, fields, .. } = &action.wanted;
        (action.caller.key(), chain.resource, given, member.is_some()).hash(&mut hash);
        (format.word(), codings, fields).hash(&mut hash);
        for id in chain.ids.iter().chain(member) {
            match id {
                Value::Integer(id) => id.hash(&mut hash),
                Value::Text(id) => id.hash(&mut hash),
                _ => {}
            }
        }
        Some(hash.finish())
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
    fn answers(&self, action: &Action) -> bool {
        self.caller == action.caller.key() && self.kind == action.kind && self.wanted == action.wanted
    }

    fn bytes(&self) -> usize {
        let (content, given) = match (&self.body, &self.kind) {
            (Body::Full(content), ActionKind::List { query, .. }) => (content.len(), query.given.len()),
            _ => (0, 0),
        };
        // The query is kept as it came, and as what it means.
        ANSWER_BYTES + content + 8 * given
    }

    /// The answer, once more.
    pub(crate) fn reply(&self) -> Reply {
        let body = match &self.body {
            Body::Full(content) => Body::Full(content.clone()),
            _ => Body::Empty,
        };
        let (headers, is_dressed) = (self.headers.clone(), self.is_dressed);
        Reply { status: StatusCode::OK, headers, body, statements: 0, is_dressed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{action::Query, identify::Caller, route::Chain, store::bed::API};

    /// The action of a page of notes.
    fn page(model: &Model, query: &str) -> Action {
        let chain = Chain { resource: ResourceIx(0), ids: vec![] };
        let query = Query::parse(&model[chain.resource], &chain.ids, Some(query)).unwrap();
        Action::of(Caller::Anonymous, ActionKind::List { chain, query })
    }

    fn reply(octets: usize) -> Reply {
        let body = Body::from(vec![b'x'; octets]);
        Reply { status: StatusCode::OK, headers: HeaderMap::new(), body, statements: 1, is_dressed: false }
    }

    #[test]
    fn it_is_bounded_and_keeps_what_is_asked_for() {
        let model = Model::link(&API).unwrap();
        let cache = Cache::new(1 << 20);
        let keep = |one: &Action, octets| {
            cache.keep(one, Sources::of(&model, one).unwrap(), 7, &reply(octets));
        };
        let answer = |one: &Action| match cache.find(one) {
            Known::Answer(kept) => Some(kept.state),
            _ => None,
        };
        let pages: Vec<_> = (1..=1000).map(|at| page(&model, &format!("text=note {at}"))).collect();
        for one in &pages {
            assert!(cache.takes(&model, one) && answer(one).is_none());
            keep(one, 10_000);
            assert_eq!(answer(one), Some(7));
            assert!(answer(&pages[0]).is_some(), "what is asked for stays");
            let all = cache.kept.lock().unwrap();
            let bytes: usize = all.young.values().chain(all.old.values()).map(|kept| kept.bytes()).sum();
            assert!(bytes <= 1 << 20, "{bytes}");
        }
        assert!(answer(&pages[1]).is_none(), "what is not goes");
        keep(&pages[1], 200_000);
        assert!(answer(&pages[1]).is_none(), "one page does not drive out the others");
        assert!(!Cache::new(0).takes(&model, &pages[0]));
    }

    #[test]
    fn what_is_asked_for_again_is_known() {
        let model = Model::link(&API).unwrap();
        let cache = Cache::new(1 << 20);
        let member = |id| {
            let chain = Chain { resource: ResourceIx(0), ids: vec![] };
            Action::of(Caller::Anonymous, ActionKind::Get { chain, id: Value::Integer(id) })
        };
        for one in [member(1), member(2), page(&model, "")] {
            assert!(cache.takes(&model, &one));
            assert!(matches!(cache.find(&one), Known::Nothing));
            assert!(matches!(cache.find(&one), Known::Asked));
            cache.keep(&one, Sources::of(&model, &one).unwrap(), 7, &reply(10));
            assert!(matches!(cache.find(&one), Known::Answer(_)));
            let young = cache.kept.lock().unwrap().young_bytes;
            cache.forget(&one);
            assert!(cache.kept.lock().unwrap().young_bytes < young);
            assert!(matches!(cache.find(&one), Known::Asked), "it was asked for before");
        }
    }
}
