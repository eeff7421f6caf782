//! Answers that are kept: pages of collections, each with the validator that it had.
//!
//! An answer is given again only where the same is asked by the same caller in the same form, and the validator of the
//! collection is still the same, which is made from what the database says: so a change by another program counts as one of
//! ours does, and nothing has an age. What is compared is the whole request, and not a hash of it, which a client could choose.

use std::{
    hash::{BuildHasher as _, Hash as _, Hasher as _},
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ahash::{AHashMap, RandomState};
use http::{HeaderMap, StatusCode};

use crate::{
    action::{Action, ActionKind, Wanted},
    body::Body,
    identify::CallerKey,
    model::{Model, ResourceIx},
    reply::Reply,
    validator,
    value::Value,
};

/// What is made faster than this is made anew: to keep it costs as much.
pub(crate) const WORTH: Duration = Duration::from_micros(10);
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
    young: AHashMap<u64, Arc<Kept>>,
    old: AHashMap<u64, Arc<Kept>>,
    young_bytes: usize,
}

/// An answer, and what it answers.
#[derive(Debug)]
pub(crate) struct Kept {
    caller: CallerKey,
    kind: ActionKind,
    wanted: Wanted,
    /// What the validator of the collection is made of.
    pub(crate) seed: u64,
    /// The tables that the answer depends on.
    pub(crate) reads: Vec<ResourceIx>,
    /// The validator that the collection had.
    pub(crate) tag: u64,
    headers: HeaderMap,
    body: Body,
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

    /// Whether the answer to an action may be kept: a page without conditions, of rows and nothing else.
    pub(crate) fn takes(&self, model: &Model, action: &Action) -> bool {
        let ActionKind::List { chain, .. } = &action.kind else { return false };
        self.bytes_max > 0
            && action.preconditions.is_empty()
            && action.left.is_empty()
            && !action.wanted.bare
            && !action.exports()
            && model[chain.resource].hooks.is_none()
    }

    /// What is kept for an action, be it still true or not.
    pub(crate) fn find(&self, action: &Action) -> Option<Arc<Kept>> {
        let key = self.key(action)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.young.get(&key) {
            return found.answers(action).then(|| Arc::clone(found));
        }
        let found = kept.old.remove(&key)?;
        if !found.answers(action) {
            return None;
        }
        self.add(&mut kept, key, Arc::clone(&found));
        Some(found)
    }

    /// Keeps an answer whose content is all there.
    pub(crate) fn keep(&self, model: &Model, action: &Action, tag: u64, reply: &Reply) {
        let ActionKind::List { chain, query } = &action.kind else { return };
        let body = match &reply.body {
            Body::Full(content) => Body::Full(content.clone()),
            _ => return,
        };
        let Some(key) = self.key(action).filter(|_| reply.status == StatusCode::OK) else { return };
        let kept = Kept {
            caller: action.caller.key(),
            kind: action.kind.clone(),
            wanted: action.wanted.clone(),
            seed: validator::seed(model, chain, &query.given, action.caller.key()),
            reads: model.lineage(chain.resource, chain.ids.len()).collect(),
            tag,
            headers: reply.headers.clone(),
            body,
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
        let ActionKind::List { chain, query } = &action.kind else { return None };
        let mut hash = self.hasher.build_hasher();
        let Wanted { format, codings, .. } = &action.wanted;
        (action.caller.key(), chain.resource, &query.given, format.word(), codings).hash(&mut hash);
        for id in &chain.ids {
            match id {
                Value::Integer(id) => id.hash(&mut hash),
                Value::Text(id) => id.hash(&mut hash),
                _ => {}
            }
        }
        Some(hash.finish())
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
        Reply { status: StatusCode::OK, headers: self.headers.clone(), body, statements: 0 }
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
        Reply { status: StatusCode::OK, headers: HeaderMap::new(), body, statements: 1 }
    }

    #[test]
    fn it_is_bounded_and_keeps_what_is_asked_for() {
        let model = Model::link(&API).unwrap();
        let cache = Cache::new(1 << 20);
        let pages: Vec<_> = (1..=1000).map(|at| page(&model, &format!("text=note {at}"))).collect();
        for one in &pages {
            assert!(cache.takes(&model, one) && cache.find(one).is_none());
            cache.keep(&model, one, 7, &reply(10_000));
            assert_eq!(cache.find(one).unwrap().tag, 7);
            assert!(cache.find(&pages[0]).is_some(), "what is asked for stays");
            let all = cache.kept.lock().unwrap();
            let bytes: usize = all.young.values().chain(all.old.values()).map(|kept| kept.bytes()).sum();
            assert!(bytes <= 1 << 20, "{bytes}");
        }
        assert!(cache.find(&pages[1]).is_none(), "what is not goes");
        cache.keep(&model, &pages[1], 7, &reply(200_000));
        assert!(cache.find(&pages[1]).is_none(), "one page does not drive out the others");
        assert!(!Cache::new(0).takes(&model, &pages[0]));
    }
}
