//! Tests of the response cache. A cached response needs no SQL statement. It is never returned
//! after a table that it was made from has changed.

use http::{Method, Request};
use nouns::__runtime::{Body, Service, reply::Reply};
use serde_json::json;

use crate::server::TestServer;

/// Two services on one zoo database, called without a socket. The service of `server` has a
/// response cache. The service `anew` has none, so it makes every response again.
struct CacheBed {
    server: TestServer,
    uncached: Service,
    runtime: tokio::runtime::Runtime,
}

impl CacheBed {
    fn new() -> Self {
        let server = TestServer::zoo();
        let uncached = Service::with_cache(server.service.store().clone(), 0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bed = Self { server, uncached, runtime };
        let zoos: Vec<_> = (0..50).map(|at| json!({ "name": format!("Zoo {at}") })).collect();
        bed.write("POST", "/zoos", &json!(zoos).to_string(), 201);
        bed.write("POST", "/animal_types", r#"{"name":"Ape"}"#, 201);
        let animal = |at: u8| json!({ "name": format!("Animal {at}"), "animal_type_id": 1 });
        let animals: Vec<_> = (0..50).map(animal).collect();
        bed.write("POST", "/zoos/1/animals", &json!(animals).to_string(), 201);
        bed
    }

    fn send(
        &self,
        service: &Service,
        (method, target): (&str, &str),
        fields: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut request =
            Request::builder().method(Method::from_bytes(method.as_bytes()).unwrap()).uri(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let body = Body::from(body.as_bytes().to_vec());
        self.runtime.block_on(service.reply(request.body(body).unwrap()))
    }

    fn write(&self, method: &str, target: &str, body: &str, status: u16) {
        let reply = self.send(&self.server.service, (method, target), &[], body);
        assert_eq!(reply.status, status, "{method} {target}");
    }

    /// Sends a GET to the service with a cache and to the one without, and checks that the
    /// responses are equal. Returns whether the first one came from the cache.
    #[track_caller]
    fn is_cached(&self, target: &str, fields: &[(&str, &str)]) -> bool {
        let reply = self.send(&self.server.service, ("GET", target), fields, "");
        let uncached = self.send(&self.uncached, ("GET", target), fields, "");
        assert_eq!(reply.status, uncached.status, "{target} {fields:?}");
        // The bodies of two problems differ in their request ids.
        if !reply.status.is_client_error() {
            assert_eq!(
                (&reply.headers, &reply.body),
                (&uncached.headers, &uncached.body),
                "{target} {fields:?}"
            );
        }
        reply.statements == 0 && uncached.statements > 0
    }
}

impl CacheBed {
    /// Whether the third request for a response, and only the third, is served from the cache.
    #[track_caller]
    fn is_cached_on_third_request(&self, target: &str, fields: &[(&str, &str)]) -> bool {
        !self.is_cached(target, fields)
            && !self.is_cached(target, fields)
            && self.is_cached(target, fields)
    }
}

const ANIMALS: &str = "/zoos/1/animals?limit=50";
const ANIMAL: &str = "/zoos/1/animals/7";

/// Conformance 109: a cached response is not returned after a table that it was made from has
/// changed.
#[test]
fn an_answer_is_kept_until_something_of_it_changes() {
    let bed = CacheBed::new();
    for (target, other) in [(ANIMALS, "Lion"), (ANIMAL, "Gnu")] {
        assert!(bed.is_cached_on_third_request(target, &[]), "{target}");
        bed.write("POST", "/animal_types", &json!({ "name": other }).to_string(), 201);
        assert!(
            bed.is_cached(target, &[]),
            "a write to another table must not invalidate the response to {target}"
        );
        bed.write("PATCH", "/zoos/1/animals/7", r#"{"name":"Gnu"}"#, 200);
        assert!(bed.is_cached_on_third_request(target, &[]), "{target}");
        bed.write("PATCH", "/zoos/2", r#"{"name":"Other"}"#, 200);
        assert!(
            !bed.is_cached(target, &[]),
            "a write to the parent's table must invalidate the cached response"
        );
    }
}

#[test]
fn a_member_that_is_deleted_is_not_kept() {
    let bed = CacheBed::new();
    assert!(bed.is_cached_on_third_request(ANIMAL, &[]));
    bed.write("DELETE", ANIMAL, "", 204);
    for _ in 0..3 {
        let gone = bed.send(&bed.server.service, ("GET", ANIMAL), &[], "");
        assert_eq!(gone.status, 404);
    }
}

#[test]
fn another_program_changes_it_as_well() {
    let bed = CacheBed::new();
    assert!(
        bed.is_cached_on_third_request(ANIMALS, &[])
            && bed.is_cached_on_third_request("/zoos/1/animals/9", &[])
    );
    bed.server.elsewhere("UPDATE animals SET name = 'Okapi' WHERE id = 9");
    assert!(
        bed.is_cached_on_third_request(ANIMALS, &[])
            && bed.is_cached_on_third_request("/zoos/1/animals/9", &[])
    );
}

#[test]
fn what_is_asked_otherwise_is_another_answer() {
    let bed = CacheBed::new();
    let ways: [(&str, &[(&str, &str)]); 10] = [
        (ANIMALS, &[]),
        ("/zoos/2/animals?limit=50", &[]),
        ("/zoos/1/animals?limit=49", &[]),
        ("/zoos/1/animals?limit=50&fields=name", &[]),
        (ANIMAL, &[]),
        ("/zoos/1/animals/8", &[]),
        ("/zoos/1/animals/7?fields=name", &[]),
        (ANIMALS, &[("accept", "text/csv")]),
        (ANIMALS, &[("accept-encoding", "zstd")]),
        (ANIMALS, &[("accept-encoding", "gzip")]),
    ];
    for (target, fields) in &ways {
        assert!(bed.is_cached_on_third_request(target, fields), "{target} {fields:?}");
    }
    for (target, fields) in ways {
        assert!(bed.is_cached(target, fields), "{target} {fields:?}");
    }
}

/// Conformance 110: a response that is cached for one request is never returned for a different
/// one. Each response is compared with that of a service without a cache.
#[test]
fn every_field_of_a_request_counts() {
    let bed = CacheBed::new();
    let tag = |target| {
        let reply = bed.send(&bed.uncached, ("GET", target), &[], "");
        reply.headers["etag"].to_str().unwrap().to_owned()
    };
    let (page, member) = (tag(ANIMALS), tag(ANIMAL));
    let both = format!("{member}, {page}");
    let ways: [&[(&str, &str)]; 24] = [
        &[],
        &[("accept", "*/*")],
        &[("accept", "text/csv")],
        &[("accept", "application/x-ndjson")],
        &[("accept", "image/png")],
        &[("accept", "image/png"), ("accept", "text/csv")],
        &[("accept-encoding", "gzip")],
        &[("accept-encoding", "identity;q=0, br")],
        &[("if-none-match", &page)],
        &[("if-none-match", &member)],
        &[("if-none-match", &both)],
        &[("if-none-match", "*")],
        &[("if-none-match", "\"0-json-0\"")],
        &[("if-none-match", &page), ("accept-encoding", "gzip")],
        &[("if-match", &page)],
        &[("if-match", &member)],
        &[("if-modified-since", "Fri, 01 Jan 2038 00:00:00 GMT")],
        &[("if-unmodified-since", "Sat, 01 Jan 2000 00:00:00 GMT")],
        &[("range", "bytes=0-3")],
        &[("range", "bytes=0-3"), ("if-range", &member)],
        &[("want-repr-digest", "sha-256=1"), ("want-content-digest", "sha-512=1")],
        &[("request-id", "a"), ("origin", "https://elsewhere.test")],
        &[("request-id", "b"), ("authorization", "Basic YTpi")],
        &[("accept-language", "de"), ("prefer", "return=minimal"), ("content-type", "text/csv")],
    ];
    let targets =
        [ANIMALS, ANIMAL, "/zoos/1/animals/7?fields=name", "/zoos/1/animals/999", "/zoos/1/"];
    for _ in 0..4 {
        for (target, fields) in
            targets.iter().flat_map(|target| ways.map(|fields| (target, fields)))
        {
            bed.is_cached(target, fields);
        }
    }
    for fields in
        ways.iter().filter(|fields| fields.iter().all(|(name, _)| !name.starts_with("if-")))
    {
        // Two equal requests in a row are cached, but a third may be needed if another request
        // evicted the first.
        let is_cached = (0..3).any(|_| bed.is_cached(ANIMAL, fields));
        assert_eq!(is_cached, **fields != [("accept", "image/png")], "{fields:?}");
    }
}

#[test]
fn that_something_is_unchanged_is_kept_until_it_is_changed() {
    let bed = CacheBed::new();
    for target in [ANIMALS, ANIMAL] {
        let reply = bed.send(&bed.uncached, ("GET", target), &[], "");
        let fields = [("if-none-match", reply.headers["etag"].to_str().unwrap())];
        let status = || bed.send(&bed.server.service, ("GET", target), &fields, "").status;
        assert!((0..4).all(|_| status() == 304), "{target}");
        bed.write("PATCH", ANIMAL, &json!({ "name": target }).to_string(), 200);
        assert!((0..4).all(|_| status() == 200), "{target}");
    }
}

#[test]
fn conditions_and_parts_are_tested_all_the_same() {
    let bed = CacheBed::new();
    assert!(bed.is_cached_on_third_request(ANIMALS, &[]));
    let get = |fields: &[(&str, &str)]| bed.send(&bed.server.service, ("GET", ANIMALS), fields, "");
    let tag = get(&[]).headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(get(&[("if-none-match", &tag)]).status, 304);
    assert_eq!(get(&[("if-match", "\"0000000000000000-json\"")]).status, 412);
    let part = get(&[("range", "bytes=2-6")]);
    assert_eq!((part.status.as_u16(), part.body), (206, Body::from(&b"items"[..])));
    assert!(get(&[("want-repr-digest", "sha-256=1")]).headers.contains_key("repr-digest"));
    assert_eq!(bed.send(&bed.server.service, ("HEAD", ANIMALS), &[], "").body, Body::Empty);
}
