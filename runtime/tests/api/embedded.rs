//! Tests of the HTTP service inside other servers, and of the features that only the runtime's own
//! server has.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    num::NonZero,
    thread,
};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use nouns_runtime::{
    Api, Body, Error, Service,
    custom::{Answer, RouteRequest},
    limits,
    server::{RunningServer, Server},
};
use tempfile::TempDir;
use tower_service::Service as _;

use crate::{database::TestDatabase, hooks::bed::Bed, store::bed::wait, typed::zoo::Zoo};

async fn peer(request: RouteRequest) -> Result<Answer, Error> {
    let address =
        request.client().and_then(|client| client.address).map(|address| address.to_string());
    Answer::json(StatusCode::OK, &address)
}

/// A handler that responds with the name of the thread on which it runs.
async fn thread_name(_: RouteRequest) -> Result<Answer, Error> {
    Answer::json(StatusCode::OK, &thread::current().name())
}

fn api() -> Api {
    let api = Api::new("Zoos").resource::<Zoo>().route(Method::GET, "/peer", peer);
    [Method::GET, Method::POST, Method::PATCH]
        .into_iter()
        .fold(api, |api, method| api.route(method, "/thread", thread_name))
}

/// Starts the runtime's own server with one worker.
fn serve() -> (TempDir, Service, RunningServer) {
    serve_api(api())
}

fn serve_api(api: Api) -> (TempDir, Service, RunningServer) {
    let folder = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(folder.path().join("zoo.db"));
    let service = api.open(database.location()).unwrap();
    let server =
        Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), NonZero::<usize>::MIN).unwrap();
    let running = server.start(&service).unwrap();
    (folder, service, running)
}

#[test]
fn it_is_a_tower_service_for_any_body_of_bytes() {
    fn anywhere<S, B>(_: &S)
    where
        S: tower_service::Service<Request<B>, Response = http::Response<Body>>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
    }
    let bed = Bed::new(api());
    let mut service = bed.service.clone();
    anywhere::<_, Full<Bytes>>(&service);
    anywhere::<_, hyper::body::Incoming>(&service);
    anywhere::<_, Body>(&service);
    wait(async {
        let ready = std::future::poll_fn(|context| {
            <Service as tower_service::Service<Request<Full<Bytes>>>>::poll_ready(
                &mut service,
                context,
            )
        });
        ready.await.unwrap();
        let zoo = Request::post("/zoos")
            .body(Full::new(Bytes::from_static(b"{\"name\": \"a\"}")))
            .unwrap();
        let response = service.call(zoo).await.unwrap();
        assert_eq!(
            (response.status(), &response.headers()["location"]),
            (StatusCode::CREATED, &"/zoos/1".parse().unwrap())
        );
    });
}

#[test]
fn threads_that_are_not_ours_share_a_store() {
    let bed = Bed::new(api());
    thread::scope(|scope| {
        for number in 0..8 {
            let bed = &bed;
            scope.spawn(move || {
                let body = format!("{{ \"name\": \"{number}\" }}");
                assert_eq!(wait(bed.ask("POST /zoos", &body)).status, 201);
                assert_eq!(
                    wait(bed.ask(&format!("GET /zoos?name={number}&count=true"), "")).json["total"],
                    1
                );
            });
        }
    });
    assert_eq!(wait(bed.ask("GET /zoos?count=true", "")).json["total"], 8);
}

#[test]
fn our_own_server_knows_who_is_at_the_other_end() {
    let (_folder, service, running) = serve();
    let mut stream = TcpStream::connect(running.address().tcp().unwrap()).unwrap();
    stream
        .write_all(b"GET /peer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("\r\n\r\n\"127.0.0.1\""), "{answer}");
    assert_eq!(wait(Bed::new(api()).ask("GET /peer", "")).json, serde_json::Value::Null);
    running.stop().unwrap();
    wait(service.store().close());
}

/// Conformance 213: the header `X-Forwarded-For` is used only if the connection comes from a
/// declared proxy.
#[test]
fn only_a_declared_proxy_names_the_client() {
    for (proxy, expected) in [("127.0.0.0/8", "\"192.0.2.7\""), ("10.0.0.0/8", "\"127.0.0.1\"")] {
        let (_folder, service, running) = serve_api(api().trusted_proxy(proxy));
        let mut stream = TcpStream::connect(running.address().tcp().unwrap()).unwrap();
        let head = "GET /peer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        let fields = "X-Forwarded-For: 198.51.100.1, 192.0.2.7\r\n";
        stream.write_all(format!("{head}{fields}\r\n").as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.ends_with(&format!("\r\n\r\n{expected}")), "{proxy}: {response}");
        running.stop().unwrap();
        wait(service.store().close());
    }
}

/// Requests that take long because of their size are processed on threads other than the workers.
#[test]
fn large_requests_are_answered_on_a_thread_of_their_own() {
    let (_folder, service, running) = serve();
    let large = "a".repeat(limits::WORKER_BODY_BYTES_MAX + 1);
    let of = |bytes: &str| format!("Content-Length: {}\r\n\r\n{bytes}", bytes.len());
    let requests = [
        ("GET", "\r\n".into(), "nouns-worker-0"),
        ("POST", of("{}"), "nouns-worker-0"),
        ("POST", of(&large[1..]), "nouns-worker-0"),
        ("POST", of(&large), "nouns-bulk"),
        ("POST", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".into(), "nouns-bulk"),
        ("POST", format!("Content-Encoding: identity\r\n{}", of("{}")), "nouns-bulk"),
        (
            "PATCH",
            format!("Content-Type: application/merge-patch+json\r\n{}", of("{}")),
            "nouns-worker-0",
        ),
        (
            "PATCH",
            format!("Content-Type: application/json-patch+json\r\n{}", of("[]")),
            "nouns-bulk",
        ),
        ("GET", of("{}"), "nouns-bulk"),
    ];
    // All requests use one connection. So the responses arrive in the order of the requests, on any
    // thread.
    let mut stream = TcpStream::connect(running.address().tcp().unwrap()).unwrap();
    for (method, rest, _) in &requests {
        stream
            .write_all(format!("{method} /thread HTTP/1.1\r\nHost: localhost\r\n{rest}").as_bytes())
            .unwrap();
    }
    stream
        .write_all(b"GET /thread HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let names: Vec<_> = answers.lines().filter_map(|line| line.split('"').nth(1)).collect();
    let names: Vec<_> = names.iter().filter(|name| name.starts_with("nouns")).copied().collect();
    let expected: Vec<_> =
        requests.iter().map(|(_, _, name)| *name).chain(["nouns-worker-0"]).collect();
    assert_eq!(names, expected, "{answers}");
    running.stop().unwrap();
    wait(service.store().close());
}
