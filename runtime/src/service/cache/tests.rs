//! Tests of the response cache: which responses are found, and the limit in bytes.

mod passed;

use http::Request;

use super::*;
use crate::{
    model::{Place, ResourceIx, fields::VARY},
    plan::{Caller, Sources},
    store::bed::API,
};

fn head(target: &str) -> Parts {
    Request::builder().uri(target).body(()).unwrap().into_parts().0
}

/// Stores a response with a content of this many bytes. If the response is cached, checks that it
/// equals the original.
fn store(cache: &Cache, head: &Parts, bytes: usize) {
    let model = Model::link(&API).unwrap();
    let body = Body::from(vec![b'x'; bytes]);
    let mut headers = model[ResourceIx(0)].headers.with_content.clone();
    headers.insert(header::ETAG, HeaderValue::from_static("\"7\""));
    headers.insert(header::LINK, HeaderValue::from_static("</>"));
    let sources = Sources { seed: 1, ..Sources::of(Place::new(ResourceIx(0), 0)) };
    let state = Some(SourcesState { sources, number: 7 });
    let scope = Some(Scope::Resource(ResourceIx(0)));
    let reply = Reply {
        headers,
        body,
        has_headers: true,
        scope,
        state,
        ..Reply::with_header(StatusCode::OK, HeaderMap::new())
    };
    cache.find(head).store(&model, &Caller::System, &reply, RouteIx::UNMATCHED);
    if let Some(response) = cache.find(head).response() {
        let again = response.reply(&model);
        assert_eq!(
            (again.status, again.headers, again.body),
            (reply.status, reply.headers, reply.body)
        );
        assert_eq!(again.scope, scope);
    }
}

fn bytes(cache: &Cache) -> usize {
    let generations = cache.generations();
    generations
        .young
        .values()
        .chain(generations.old.values())
        .map(|response| response.bytes())
        .sum()
}

#[test]
fn it_is_bounded_and_keeps_what_is_requested() {
    let cache = Cache::new(1 << 20, Arc::default());
    let state = |head: &Parts| cache.find(head).response().map(|response| response.state.number);
    let pages: Vec<_> = (1..=1000).map(|at| head(&format!("/notes?text=note+{at}"))).collect();
    for page in &pages {
        assert!(state(page).is_none());
        store(&cache, page, 10_000);
        assert_eq!(state(page), Some(7));
        assert!(
            state(&pages[0]).is_some(),
            "a response that is requested again and again stays in the cache"
        );
        assert!(bytes(&cache) <= 1 << 20);
    }
    assert!(state(&pages[1]).is_none(), "a response that is not requested again is evicted");
    store(&cache, &pages[1], 200_000);
    assert!(state(&pages[1]).is_none(), "a page larger than an eighth of the cache is not stored");
    let none = Cache::new(0, Arc::default());
    assert!(!none.find(&pages[0]).is_repeated() && !none.find(&pages[0]).is_repeated());
}

#[test]
fn it_is_bounded_whatever_the_size_of_a_response() {
    let cache = Cache::new(1 << 20, Arc::default());
    for at in 0..40 {
        let one = head(&format!("/notes/{at}"));
        store(&cache, &one, (1 << 17) - 1000);
        assert!(cache.find(&one).response().is_some());
        assert!(bytes(&cache) <= 1 << 20);
    }
}

#[test]
fn a_request_that_is_repeated_is_known() {
    let cache = Cache::new(1 << 20, Arc::default());
    for one in ["/notes/1", "/notes/2", "/notes"].map(head) {
        assert!(!cache.find(&one).is_repeated());
        assert!(cache.find(&one).is_repeated() && cache.find(&one).response().is_none());
        store(&cache, &one, 10);
        assert!(
            !cache.find(&one).is_repeated(),
            "a request with a cached response does not count as repeated"
        );
        assert!(cache.find(&one).response().is_some());
        let young = cache.generations().young_bytes;
        cache.find(&one).discard();
        assert!(cache.generations().young_bytes < young);
        assert!(
            cache.find(&one).is_repeated() && cache.find(&one).response().is_none(),
            "a request whose response was discarded counts as repeated"
        );
    }
}

#[test]
fn a_request_is_compared_whole() {
    let cache = Cache::new(1 << 20, Arc::default());
    let plain = head("/notes/1");
    store(&cache, &plain, 10);
    let lookup = cache.find(&plain);
    let response = lookup.response().unwrap();
    let with = |name: &'static HeaderName| {
        let mut other = head("/notes/1");
        other.headers.insert(name, HeaderValue::from_static("x"));
        other
    };
    assert!(response.answers(&with(&header::HOST)), "a cached response does not depend on `Host`");
    for (name, _) in &VARIED {
        assert!(!response.answers(&with(name)));
    }
    assert!(!response.answers(&head("/notes/12")) && !response.answers(&head("/notes/")));
    for name in &UNUSUAL {
        assert!(!cache.find(&with(name)).is_repeated() && !cache.find(&with(name)).is_repeated());
    }
    let (request, own) = (lookup.request.unwrap(), ResponseKey::of_number(1));
    let find = || cache.entry(&plain, cache.own_hash(request, &own), (&own, None));
    let first = find();
    assert!(
        matches!(first, CacheEntry::Nothing),
        "callers with another response key do not share the response"
    );
    assert!(matches!(find(), CacheEntry::Request));
    for name in VARY.to_str().unwrap().split(", ") {
        assert!(VARIED.iter().any(|(varied, _)| varied == name), "{name}");
    }
}
