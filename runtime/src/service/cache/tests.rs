//! What is found again, and what is not; how much is kept at most.

use http::Request;

use super::*;
use crate::{
    model::{Place, ResourceIx, fields::VARY},
    plan::Sources,
    store::bed::API,
};

fn head(target: &str) -> Parts {
    Request::builder().uri(target).body(()).unwrap().into_parts().0
}

fn asked<'request>(cache: &Cache, head: &'request Parts) -> Asked<'request> {
    cache.asked(head, CallerKey::default()).unwrap()
}

fn keep(cache: &Cache, asked: &Asked<'_>, octets: usize) {
    let model = Model::link(&API).unwrap();
    let body = Body::from(vec![b'x'; octets]);
    let mut headers = model[ResourceIx(0)].headers.shown.clone();
    headers.insert(header::ETAG, HeaderValue::from_static("\"7\""));
    headers.insert(header::LINK, HeaderValue::from_static("</>"));
    let reply = Reply { status: StatusCode::OK, headers, body, statements: 0, is_dressed: true };
    let sources = Sources { seed: 1, place: Place { resource: ResourceIx(0), depth: 0 } };
    cache.keep(&model, asked, State { sources, number: 7 }, (About::default(), &reply));
    if let Known::Answer(kept) = cache.find(asked) {
        let again = kept.reply(&model);
        assert_eq!((again.status, again.headers, again.body), (reply.status, reply.headers, reply.body));
    }
}

#[test]
fn it_is_bounded_and_keeps_what_is_asked_for() {
    let cache = Cache::new(1 << 20);
    let answer = |one: &Parts| match cache.find(&asked(&cache, one)) {
        Known::Answer(kept) => Some(kept.state.number),
        _ => None,
    };
    let pages: Vec<_> = (1..=1000).map(|at| head(&format!("/notes?text=note+{at}"))).collect();
    for one in &pages {
        assert!(answer(one).is_none());
        keep(&cache, &asked(&cache, one), 10_000);
        assert_eq!(answer(one), Some(7));
        assert!(answer(&pages[0]).is_some(), "what is asked for stays");
        let all = cache.kept.lock().unwrap();
        let bytes: usize = all.young.values().chain(all.old.values()).map(|kept| kept.bytes()).sum();
        assert!(bytes <= 1 << 20, "{bytes}");
    }
    assert!(answer(&pages[1]).is_none(), "what is not goes");
    keep(&cache, &asked(&cache, &pages[1]), 200_000);
    assert!(answer(&pages[1]).is_none(), "one page does not drive out the others");
    assert!(Cache::new(0).asked(&pages[0], CallerKey::default()).is_none());
}

#[test]
fn it_is_bounded_whatever_the_size_of_an_answer() {
    let cache = Cache::new(1 << 20);
    for at in 0..40 {
        let one = head(&format!("/notes/{at}"));
        keep(&cache, &asked(&cache, &one), (1 << 17) - 1000);
        assert!(matches!(cache.find(&asked(&cache, &one)), Known::Answer(_)));
        let all = cache.kept.lock().unwrap();
        let bytes: usize = all.young.values().chain(all.old.values()).map(|kept| kept.bytes()).sum();
        assert!(bytes <= 1 << 20, "{bytes}");
    }
}

#[test]
fn what_is_asked_for_again_is_known() {
    let cache = Cache::new(1 << 20);
    for one in ["/notes/1", "/notes/2", "/notes"].map(head) {
        let one = asked(&cache, &one);
        assert!(matches!(cache.find(&one), Known::Nothing));
        assert!(matches!(cache.find(&one), Known::Asked));
        keep(&cache, &one, 10);
        assert!(matches!(cache.find(&one), Known::Answer(_)));
        let young = cache.kept.lock().unwrap().young_bytes;
        cache.forget(&one);
        assert!(cache.kept.lock().unwrap().young_bytes < young);
        assert!(matches!(cache.find(&one), Known::Asked), "it was asked for before");
    }
}

#[test]
fn what_is_compared_is_all_that_was_sent() {
    let cache = Cache::new(1 << 20);
    let plain = head("/notes/1");
    let kept = asked(&cache, &plain);
    keep(&cache, &kept, 10);
    let Known::Answer(answer) = cache.find(&kept) else { panic!("it is kept") };
    let with = |name: &'static HeaderName| {
        let mut other = head("/notes/1");
        other.headers.insert(name, HeaderValue::from_static("x"));
        other
    };
    assert!(asked(&cache, &with(&header::HOST)).is(&answer), "no answer depends on it");
    for (name, _) in &VARIED {
        assert!(!asked(&cache, &with(name)).is(&answer));
    }
    assert!(!asked(&cache, &head("/notes/12")).is(&answer) && !asked(&cache, &head("/notes/")).is(&answer));
    assert!(!cache.asked(&plain, CallerKey(1)).unwrap().is(&answer), "another caller");
    assert!(UNUSUAL.iter().all(|name| cache.asked(&with(name), CallerKey(0)).is_none()));
    for name in VARY.to_str().unwrap().split(", ") {
        assert!(VARIED.iter().any(|(varied, _)| varied == name), "{name}");
    }
}
