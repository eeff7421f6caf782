//! Tests that failures are isolated: a panic, a disconnected client, a pipeline or a stop affects
//! only its own request.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    pin::Pin,
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, Request};
use http_body::{Body, Frame};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use nouns::__runtime::{Body as Answered, Service};
use serde_json::json;

use crate::{
    client::{Answer, Client, read_some},
    server::TestServer,
};

/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request body that panics when it is read, if the request has `x-panic`.
struct Fragile {
    body: Incoming,
    panics: bool,
}

impl Body for Fragile {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        assert!(!self.panics, "the panic that the test requested");
        Pin::new(&mut self.body).poll_frame(context)
    }
}

/// Starts a server that accepts one connection at a time. It calls the same service with `Fragile`
/// bodies.
fn serve_fragile(service: &Service) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let service = service.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let answer = service_fn(|request: Request<Incoming>| {
                    let panics = request.headers().contains_key("x-panic");
                    let service = service.clone();
                    async move {
                        let reply =
                            service.reply(request.map(|body| Fragile { body, panics })).await;
                        Ok::<http::Response<Answered>, std::convert::Infallible>(reply.into())
                    }
                });
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
                connection.await.unwrap();
            }
        });
    });
    address
}

/// Conformance 57: a panic in user code is a 500 without the cause, for that request alone.
#[test]
fn a_panic_is_a_500_for_its_request_and_the_connection_lives_on() {
    let server = TestServer::zoo();
    let mut client = Client::connect(serve_fragile(&server.service));
    let body = json!({ "name": "Tierpark" }).to_string();
    for round in 0..3 {
        let fields = [("content-type", "application/json"), ("x-panic", "now")];
        let failed = client.request("POST", "/zoos", &fields, Some(body.as_bytes()));
        assert_eq!((failed.status(), failed.problem()), (500, "internal".into()));
        assert!(
            !String::from_utf8_lossy(&failed.body).contains("the panic that the test requested")
        );
        let listed = client.get("/zoos?count=true");
        assert_eq!((listed.status(), &listed.json()["total"]), (200, &json!(round)));
        let created = client.post("/zoos", &json!({ "name": format!("Zoo {round}") }));
        assert_eq!(created.status(), 201);
    }
}

#[test]
fn a_panic_before_any_socket_is_a_500_too() {
    struct Panicking;
    impl Body for Panicking {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            panic!("the panic that the test requested")
        }
    }
    let server = TestServer::zoo();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = Request::builder().method(Method::POST).uri("/zoos").body(Panicking).unwrap();
    let reply = runtime.block_on(server.service.reply(request));
    assert_eq!((reply.status.as_u16(), reply.statements), (500, 0));
}

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[test]
fn a_client_that_leaves_in_its_body_leaves_nothing_behind() {
    let server = TestServer::zoo();
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-type: application/json\r\n";
    let cut_off = [
        format!("{head}content-length: 20\r\n\r\n{{\"name\":\"Tier"),
        format!("{head}transfer-encoding: chunked\r\n\r\n13\r\n{{\"name\":\"Tierpark\"}}\r\n"),
        format!("{head}content-length: 1"),
    ];
    for request in &cut_off {
        let mut stream = connect(&server);
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        // The server closes the connection. If it sends a response first, the status is 4xx.
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        drop(connect(&server));
    }
    assert_eq!(server.client().get("/zoos?count=true").json()["total"], 0);
}

/// Conformance 42, 146: a head that has begun and does not end is a 408. A connection without a
/// request is closed without a word, after a longer time.
#[test]
fn a_head_that_does_not_come_in_time_ends_its_connection() {
    let settings = "server: { timeouts: { head: 1s }, keep_alive: { idle: 3s } }\n";
    let server = TestServer::of(&format!("{settings}{}", include_str!("../../schemas/zoo.yaml")));
    let (head, idle) = (Duration::from_secs(1), Duration::from_secs(3));
    let get = b"GET /-/health HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n";
    let cases: [(&[&[u8]], bool, Duration); 6] = [
        (&[b"G"], true, head),
        // These bytes may begin HTTP/2, too.
        (&[b"PR"], true, head),
        (&[b"GET /zoos HTTP/1.1\r\nhost: zoo"], true, head),
        (&[get, b"GET /zoos"], true, head),
        (&[get], false, idle),
        (&[], false, idle),
    ];
    thread::scope(|scope| {
        for (pieces, is_late, most) in cases {
            let server = &server;
            scope.spawn(move || {
                let mut stream = connect(server);
                stream.set_read_timeout(Some(10 * idle)).unwrap();
                for piece in pieces {
                    stream.write_all(piece).unwrap();
                    if *piece == get {
                        assert!(read_some(&mut stream, &mut [0; 4096]).unwrap() > 0);
                    }
                }
                let begun = Instant::now();
                let mut answer = String::new();
                stream.read_to_string(&mut answer).unwrap();
                let waited = begun.elapsed();
                assert!(waited > most - Duration::from_millis(200), "{waited:?}");
                assert_eq!(
                    answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
                    is_late,
                    "{answer}"
                );
                assert_eq!(answer.contains("/-/problems/request-timeout"), is_late, "{answer}");
                assert_eq!(answer.contains("\r\nconnection: close\r\n"), is_late, "{answer}");
            });
        }
    });
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let create = |name: &str| {
        let body = json!({ "name": name }).to_string();
        let length = body.len();
        format!(
            "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: {length}\r\n\r\n{body}"
        )
    };
    let get = |target: &str| format!("GET {target} HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n");
    let requests = [
        create("A"),
        get("/zoos/1"),
        create("A"),
        get("/nowhere"),
        create("B"),
        get("/zoos?count=true"),
    ];
    let first = client.raw(requests.concat().as_bytes(), false);
    let rest: Vec<_> = requests[1..].iter().map(|_| client.raw(b"", false)).collect();
    let statuses: Vec<_> = [&first].into_iter().chain(&rest).map(Answer::status).collect();
    assert_eq!(statuses, [201, 200, 409, 404, 201, 200]);
    assert_eq!(rest[0].json()["name"], "A");
    assert_eq!(rest[4].json()["total"], 2);
}

/// Conformance 171: a stop lets requests in progress end, and closes the others.
#[test]
fn a_stop_lets_a_request_under_way_end_and_accepts_no_other() {
    let server = TestServer::zoo();
    let address = server.address();
    let mut client = server.client();
    let (begun, rest) = br#"{"name":"Tierpark"}"#.split_at(8);
    let mut under_way = connect(&server);
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 19\r\nexpect: 100-continue\r\n\r\n";
    under_way.write_all(head.as_bytes()).unwrap();
    // The server has begun to read the body, so the request is in progress.
    let mut interim = [0; 25];
    under_way.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    under_way.write_all(begun).unwrap();
    assert_eq!(client.get("/zoos").status(), 200);
    let stopping = thread::spawn(move || drop(server));
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < until, "the server still accepts connections");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(!stopping.is_finished(), "the stop must wait for the request in progress");
    under_way.write_all(rest).unwrap();
    let mut answer = String::new();
    under_way.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert!(answer.contains(r#""name":"Tierpark""#), "{answer}");
    stopping.join().unwrap();
}
