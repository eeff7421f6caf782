//! Server push (RFC 9113 §8.4), and early hints (RFC 8297).

use std::{future::poll_fn, process::Command, time::Duration};

use bytes::Bytes;
use h2::{
    RecvStream,
    client::{Builder, PushPromises, SendRequest},
};
use http::{Method, Request, Response, StatusCode};
use serde_json::json;

use super::{
    ask, connect,
    frames::{
        DATA, END_HEADERS, END_STREAM, Frames, GOAWAY, HEADERS, PUSH_PROMISE, RST_STREAM, frame,
        head,
    },
    get, request, wait,
};
use crate::{
    access::{PASSWORD, add_accounts, basic},
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, keeper], required: true }
  animal:
    push: [references]
    limit: { default: 20, maximum: 100 }
    fields:
      name: { type: string, required: true }
      kind_id: { references: kind, required: true }
      next_id: { references: { resource: animal, as: next } }
      vet_id: { references: vet }
      note_id: { references: note }
      cage_id: { references: cage }
    access: { read: public, create: public }
  kind:
    push: [references]
    fields: { name: { type: string, required: true }, of_id: { references: { resource: kind, as: of } }, text: string }
    access: { read: public, create: public }
  vet:
    id: string
    fields: { name: string }
    access: { read: { role: keeper }, create: public }
  note:
    cache: { no_store: true }
    fields: { text: string }
    access: { read: public, create: public }
  hall:
    fields: { name: string }
    access: { read: public, create: public }
  cage:
    parent: hall
    fields: { name: string }
    access: { read: public, create: public }
";

/// A server with an animal that refers to everything, and with 30 animals of a kind each.
fn server_of(schema: &str) -> TestServer {
    let server = TestServer::of(schema);
    add_accounts(&server, &[("kim", "keeper")]);
    let mut client = server.client();
    let kinds: Vec<_> = (0..30).map(|at| json!({ "name": format!("kind {at}") })).collect();
    client.create("/kinds", &json!(kinds));
    client.create("/kinds", &json!({ "name": "all", "of_id": 1 }));
    client.create("/vets", &json!({ "id": "v/1", "name": "Ada" }));
    client.create("/notes", &json!({ "text": "a" }));
    client.create("/halls", &json!({ "name": "a" }));
    client.create("/halls/1/cages", &json!({ "name": "a" }));
    client
        .create("/animals", &json!({ "name": "Bella", "kind_id": 31, "note_id": 1, "cage_id": 1 }));
    server.elsewhere("UPDATE animals SET vet_id = 'v/1'");
    let animals: Vec<_> =
        (1..=30).map(|at| json!({ "name": "a", "kind_id": at, "next_id": 1 })).collect();
    client.create("/animals", &json!(animals));
    server
}

fn server() -> TestServer {
    server_of(SCHEMA)
}

/// A promised request with its response.
struct Pushed {
    request: Request<()>,
    response: Response<RecvStream>,
}

async fn send(
    client: &SendRequest<Bytes>,
    target: &str,
    fields: &[(&str, &str)],
) -> (h2::client::ResponseFuture, PushPromises) {
    let mut client = client.clone().ready().await.unwrap();
    let head = request(&Method::GET, target, fields);
    let mut response = client.send_request(head, true).unwrap().0;
    let promises = response.push_promises();
    (response, promises)
}

async fn content(response: Response<RecvStream>) -> Vec<u8> {
    let (mut body, mut content) = (response.into_body(), vec![]);
    while let Some(data) = body.data().await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        content.extend(data);
    }
    content
}

async fn pushed(mut promises: PushPromises) -> Vec<Pushed> {
    let mut all = vec![];
    while let Some(promise) = promises.push_promise().await {
        let (request, response) = promise.unwrap().into_parts();
        all.push(Pushed { request, response: response.await.unwrap() });
    }
    all
}

/// The paths that are pushed with the response to a GET.
async fn paths(client: &SendRequest<Bytes>, target: &str, fields: &[(&str, &str)]) -> Vec<String> {
    let (response, promises) = send(client, target, fields).await;
    content(response.await.unwrap()).await;
    pushed(promises).await.iter().map(|one| one.request.uri().path().to_owned()).collect()
}

/// Conformance 183: a promised request is a GET of this origin, and its response is complete and
/// cacheable. What a pushed response refers to is not pushed.
#[test]
fn the_members_that_a_member_refers_to_are_pushed() {
    let server = server();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let fields =
            [("accept", "application/json"), ("accept-encoding", "gzip"), ("if-match", "*")];
        let (response, promises) = send(&client, "/animals/1", &fields).await;
        assert_eq!(response.await.unwrap().status(), StatusCode::OK);
        let mut all = pushed(promises).await;
        // Not pushed are a vet that the caller may not read, a note that no cache may store, and a
        // cage, which has no URL without its hall.
        assert_eq!(all.len(), 1);
        let Pushed { request, response } = all.remove(0);
        assert_eq!(request.method(), Method::GET);
        assert_eq!(request.uri(), "http://zoo.localhost/kinds/31");
        let names: Vec<_> = request.headers().keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["accept", "accept-encoding"]);
        assert_eq!(response.status(), StatusCode::OK);
        let asked =
            get(&connect(&server, Builder::new().enable_push(false)).await, "/kinds/31").await;
        assert_eq!(response.headers()["etag"], asked.fields["etag"]);
        assert_eq!(content(response).await, asked.content);
    });
}

/// Conformance 183: a promise comes before the data that refers to it, on the stream of the
/// request, and promises an even stream.
#[test]
fn a_promise_comes_before_the_data() {
    let server = server();
    let mut frames = Frames::connect(&server, &[]);
    frames.send(&frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        &head("GET", "/animals?limit=3", &[]),
    ));
    let (mut order, mut ended) = (vec![], 0);
    while ended < 4 {
        let frame = frames.next().unwrap();
        if [HEADERS, DATA, PUSH_PROMISE].contains(&frame.kind) {
            ended += usize::from(frame.kind == DATA && frame.flags & END_STREAM != 0);
            let promised = frame.payload.get(3).filter(|_| frame.kind == PUSH_PROMISE);
            order.push((frame.kind, frame.stream, promised.copied()));
        }
    }
    let at = |one: (u8, u32, Option<u8>)| order.iter().position(|other| *other == one).unwrap();
    for promised in [2, 4, 6] {
        let promise = at((PUSH_PROMISE, 1, Some(promised)));
        assert!(promise < at((DATA, 1, None)), "{order:?}");
        assert!(promise < at((HEADERS, u32::from(promised), None)), "{order:?}");
    }
}

/// Conformance 183: what is pushed is what the caller may read.
#[test]
fn a_caller_gets_what_it_may_read() {
    let server = server();
    let kim = basic("kim", PASSWORD);
    wait(async {
        // The first request is not cached, the others are.
        for _ in 0..3 {
            let client = connect(&server, &Builder::new()).await;
            let fields = [("authorization", kim.as_str())];
            assert_eq!(paths(&client, "/animals/1", &fields).await, ["/kinds/31", "/vets/v%2F1"]);
            let client = connect(&server, &Builder::new()).await;
            assert_eq!(paths(&client, "/animals/1", &[]).await, ["/kinds/31"]);
            let wrong = [("authorization", "Basic d3Jvbmc6d3Jvbmc=")];
            assert_eq!(paths(&client, "/animals/1", &wrong).await, [""; 0]);
        }
    });
}

/// A page pushes ten members at most, each once on a connection.
#[test]
fn a_page_pushes_ten_members() {
    let server = server();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let first = paths(&client, "/animals?limit=100&sortby=-id", &[]).await;
        let expected: Vec<_> = (22..=30).rev().map(|at| format!("/kinds/{at}")).collect();
        assert_eq!(first.len(), 10, "{first:?}");
        assert!(expected.iter().all(|path| first.contains(path)), "{first:?}");
        assert!(first.contains(&"/animals/1".to_owned()), "{first:?}");
        assert_eq!(paths(&client, "/animals?limit=100&sortby=-id", &[]).await, [""; 0]);
        let more = paths(&client, "/animals?limit=5&sortby=id", &[]).await;
        assert_eq!(more, ["/kinds/31", "/kinds/1", "/kinds/2", "/kinds/3", "/kinds/4"]);
        // A member does not push itself.
        assert_eq!(paths(&client, "/kinds/31", &[]).await, [""; 0]);
    });
}

/// Conformance 183: nothing is pushed to a client that has disabled it, or that allows no stream.
#[test]
fn a_client_that_wants_no_push_gets_none() {
    let server = server();
    wait(async {
        for builder in [Builder::new().enable_push(false), Builder::new().max_concurrent_streams(0)]
        {
            let client = connect(&server, builder).await;
            for target in ["/animals/1", "/animals", "/animals/2"] {
                let (response, promises) = send(&client, target, &[]).await;
                let response = response.await.unwrap();
                assert_eq!(response.headers().get("link").is_some(), target == "/animals");
                assert!(!content(response).await.is_empty());
                assert_eq!(pushed(promises).await.len(), 0);
            }
        }
        let client = connect(&server, &Builder::new()).await;
        for fields in [&[("accept", "text/csv")][..], &[("if-none-match", "*")]] {
            assert_eq!(paths(&client, "/animals/1", fields).await, [""; 0]);
        }
        let head = ask(&client, (Method::HEAD, "/animals/1"), &[], "").await;
        assert_eq!(head.status, StatusCode::OK);
        assert_eq!(paths(&client, "/animals/1?fields=name", &[]).await, [""; 0]);
        assert_eq!(paths(&client, "/animals/1", &[]).await, ["/kinds/31"]);
    });
}

/// Conformance 183: no more streams are pushed at once than the client allows.
#[test]
fn a_client_bounds_what_is_pushed_at_once() {
    let server = server();
    wait(async {
        let mut builder = Builder::new();
        // The windows have no room, so the pushed streams stay open.
        builder.max_concurrent_streams(3).initial_window_size(0);
        let client = connect(&server, &builder).await;
        let (response, mut promises) = send(&client, "/animals?limit=100", &[]).await;
        response.await.unwrap();
        let mut open = vec![];
        while let Ok(Some(promise)) =
            tokio::time::timeout(Duration::from_millis(500), promises.push_promise()).await
        {
            open.push(promise.unwrap());
        }
        assert_eq!(open.len(), 3);
        let client = connect(&server, Builder::new().initial_window_size(0)).await;
        let mut open = vec![];
        for at in 2..=31 {
            let (response, promises) = send(&client, &format!("/animals/{at}"), &[]).await;
            open.push((response.await.unwrap(), promises));
        }
        // Each kind, and the animal that they all refer to.
        let mut count = 0;
        for (_, promises) in &mut open {
            while let Ok(Some(_)) =
                tokio::time::timeout(Duration::from_millis(20), promises.push_promise()).await
            {
                count += 1;
            }
        }
        assert_eq!(count, 31);
    });
}

/// A client that resets what is pushed, or says that it will end, gets its responses.
#[test]
fn a_client_that_resets_pushes_is_served() {
    let server = server();
    let get = |stream: u32, target: &str| {
        frame(HEADERS, END_HEADERS | END_STREAM, stream, &head("GET", target, &[]))
    };
    let mut frames = Frames::connect(&server, &[]);
    let mut last = 0;
    for at in 0..20_u32 {
        frames.send(&get(2 * at + 1, &format!("/animals/{}", at + 2)));
        loop {
            let next = frames.next().unwrap();
            if next.kind == PUSH_PROMISE {
                last = u32::from(next.payload[3]);
                frames.send(&frame(RST_STREAM, 0, last, &[0, 0, 0, 8]));
            }
            if next.kind == DATA && next.stream == 2 * at + 1 && next.flags & END_STREAM != 0 {
                break;
            }
        }
    }
    assert_eq!(last, 42, "each kind is pushed once, and the animal that all refer to");
    let mut frames = Frames::connect(&server, &[]);
    frames.send(&get(1, "/animals?limit=100"));
    frames.send(&frame(GOAWAY, 0, 0, &[0, 0, 0, 2, 0, 0, 0, 0]));
    let end = std::iter::from_fn(|| frames.next())
        .find(|frame| frame.kind == DATA && frame.stream == 1 && frame.flags & END_STREAM != 0);
    assert!(end.is_some());
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let (response, mut promises) = send(&client, "/animals/2", &[]).await;
        let (request, push) = promises.push_promise().await.unwrap().unwrap().into_parts();
        assert_eq!(request.uri().path(), "/kinds/1");
        drop((push, promises));
        assert_eq!(response.await.unwrap().status(), StatusCode::OK);
    });
    assert_eq!(server.client().get("/animals/1").status(), 200);
}

/// Conformance 173: a client of HTTP/2 that accepts no push gets early hints, where they are
/// declared. HTTP/1.1 gets none.
#[test]
fn early_hints_name_what_is_not_pushed() {
    let declared = SCHEMA.replace("\nauth:", "\nserver: { early_hints: true }\nauth:");
    let server = server_of(&declared);
    let links = |fields: &http::HeaderMap| -> Vec<String> {
        fields.get_all("link").iter().map(|link| link.to_str().unwrap().to_owned()).collect()
    };
    wait(async {
        let client = connect(&server, Builder::new().enable_push(false)).await;
        let expected = ["/kinds/31", "/vets/v%2F1", "/notes/1"];
        let expected = expected.map(|path| format!("<{path}>; rel=preload; as=fetch; crossorigin"));
        let (mut response, _promises) = send(&client, "/animals/1", &[]).await;
        let early = poll_fn(|context| response.poll_informational(context)).await;
        let early = early.unwrap().unwrap();
        assert_eq!((early.status().as_u16(), links(early.headers())), (103, expected.to_vec()));
        let response = response.await.unwrap();
        assert_eq!(
            (response.status().as_u16(), links(response.headers())),
            (200, expected.to_vec())
        );
        // A client that accepts pushes gets these.
        let client = connect(&server, &Builder::new()).await;
        assert_eq!(paths(&client, "/animals/1", &[]).await, ["/kinds/31"]);
    });
    let old = server.client().get("/animals/1");
    assert_eq!((old.status(), old.field("link")), (200, None));
}

/// Windows that stay shut hold a bounded number of pushed streams, which end after some time.
#[test]
fn pushes_that_nobody_reads_are_bounded() {
    let server = server();
    let mut client = server.client();
    let many = |from: u32| -> Vec<_> {
        (from..from + 500)
            .map(|at| json!({ "name": format!("k{at}"), "text": "x".repeat(500) }))
            .collect()
    };
    client.create("/kinds", &json!(many(0)));
    let animals: Vec<_> = (32..532).map(|at| json!({ "name": "b", "kind_id": at })).collect();
    client.create("/animals", &json!(animals));
    let mut frames = Frames::connect(&server, &[0, 4, 0, 0, 0, 0]);
    let requests = (0..50_u32).flat_map(|at| {
        let target = format!("/animals?limit=10&offset={}", 31 + 10 * at);
        frame(HEADERS, END_HEADERS | END_STREAM, 2 * at + 1, &head("GET", &target, &[]))
    });
    frames.send(&requests.collect::<Vec<_>>());
    let (mut promises, mut heads) = (0, 0);
    while heads < 50 {
        let frame = frames.next().unwrap();
        promises += usize::from(frame.kind == PUSH_PROMISE);
        heads += usize::from(frame.kind == HEADERS && frame.stream % 2 == 1);
    }
    assert_eq!(promises, 100, "a connection has at most 100 pushed streams");
    assert_eq!(server.client().get("/animals/1").status(), 200);
}

/// Conformance 183: a client of another library receives what is pushed.
#[test]
#[ignore = "it runs nghttp, whose package CI installs"]
fn nghttp_receives_what_is_pushed() {
    let server = server();
    let url = format!("http://{}/animals/1", server.address());
    let output = Command::new("nghttp").args(["-v", "-n", &url]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let recv = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
    let promise = recv("recv PUSH_PROMISE frame");
    assert!(promise < recv(":path: /kinds/31") + 1_000, "{text}");
    recv("promised_stream_id=2");
    assert!(promise < recv("recv DATA frame"), "{text}");
    recv("recv (stream_id=2) :status: 200");
}
