//! Tests of the end of a server whose user code blocks, and of a server whose service is replaced.

use std::{
    io::{Read, Write},
    net::TcpStream,
    num::NonZero,
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use nouns_runtime::{
    Api, Service,
    custom::{Answer, RouteRequest},
    server::{ListenAddress, RunningServer, Server},
};
use tempfile::TempDir;
use tower_service::Service as _;

use crate::{
    database::TestDatabase,
    store::bed::wait,
    typed::zoo::{Animal, Zoo},
};

/// The time within which a server stops and its store is closed, whatever runs.
const STOP_MAX: Duration = Duration::from_secs(10);

/// A time that no test waits for.
const HOUR: Duration = Duration::from_secs(3600);

fn serve(api: Api) -> (TempDir, Service, RunningServer) {
    let folder = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(folder.path().join("zoo.db"));
    let service = api.open(database.location()).unwrap();
    let server =
        Server::bind("127.0.0.1:0".parse::<ListenAddress>().unwrap(), NonZero::<usize>::MIN)
            .unwrap();
    let running = server.start(&service).unwrap();
    (folder, service, running)
}

fn send(address: &ListenAddress, method: &str, target: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address.tcp().unwrap()).unwrap();
    let body = r#"{"name": "a"}"#;
    let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let fields = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    stream.write_all(format!("{head}{fields}\r\n{body}").as_bytes()).unwrap();
    stream
}

fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Stops a server while hooks or a handler do not end.
fn stops(api: Api, requests: &[(&str, &str)]) {
    let (_folder, service, running) = serve(api);
    let open = requests.iter().map(|(method, target)| send(running.address(), method, target));
    let open: Vec<_> = open.collect();
    thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    running.stop().unwrap();
    wait(service.store().close());
    assert!(begun.elapsed() < STOP_MAX, "{requests:?}: {:?}", begun.elapsed());
    drop(open);
}

#[test]
fn a_hook_that_does_not_end_delays_no_stop() {
    let zoos = || Api::new("Zoos").resource::<Zoo>();
    let post = [("POST", "/zoos")];
    thread::scope(|scope| {
        // It blocks the writer.
        let within = zoos().hooks::<Zoo>(|hooks| {
            hooks.within_create(|_, _| {
                thread::sleep(HOUR);
                Ok(())
            })
        });
        scope.spawn(|| stops(within, &post));
        let after = zoos().hooks::<Zoo>(|hooks| {
            hooks.after_create(|_, _| async {
                tokio::time::sleep(HOUR).await;
                Ok(())
            })
        });
        scope.spawn(|| stops(after, &post));
        // It blocks the worker.
        let blocks = |_: RouteRequest| async {
            thread::sleep(HOUR);
            Answer::json(StatusCode::OK, &())
        };
        let route = zoos().route(Method::POST, "/block", blocks);
        scope.spawn(|| stops(route, &[("POST", "/block")]));
    });
}

async fn version(_: RouteRequest) -> Result<Answer, nouns_runtime::Error> {
    tokio::time::sleep(Duration::from_millis(500)).await;
    Answer::json(StatusCode::OK, &"first")
}

async fn next_version(_: RouteRequest) -> Result<Answer, nouns_runtime::Error> {
    Answer::json(StatusCode::OK, &"second")
}

/// A request that has begun keeps its handlers, and the next one has those of the new model.
#[test]
fn a_service_is_replaced_between_two_requests() {
    let api = |handler| Api::new("Zoos").resource::<Zoo>().query(handler);
    let first = api(false).route(Method::GET, "/version", version);
    let (_folder, service, running) = serve(first);
    let begun = send(running.address(), "GET", "/version");
    thread::sleep(Duration::from_millis(100));
    let model = api(true).route(Method::GET, "/version", next_version).build().unwrap();
    let (store, applied) = service.store().with_model(&model, true).unwrap();
    assert!(applied.is_empty(), "{applied:?}");
    let next = service.with_store(store);
    running.replace(&next).unwrap();
    assert!(rest(send(running.address(), "GET", "/version")).ends_with("\"second\""));
    assert!(rest(begun).ends_with("\"first\""));
    // Both handles write through one writer.
    assert!(rest(send(running.address(), "POST", "/zoos")).starts_with("HTTP/1.1 201 "));
    running.stop().unwrap();
    wait(next.store().close());
}

#[test]
fn a_service_of_another_store_is_refused() {
    let api = || Api::new("Zoos").resource::<Zoo>();
    let ((_folder, service, running), (_other, foreign, another)) = (serve(api()), serve(api()));
    let refused = running.replace(&foreign).unwrap_err();
    assert_eq!(refused.to_string(), "a server cannot change its store; use `Store::with_model`");
    running.stop().unwrap();
    another.stop().unwrap();
    wait(service.store().close());
    wait(foreign.store().close());
}

/// The tag of a collection, as a program reads it that has the service of a model.
fn tag(service: &Service, target: &str) -> String {
    let mut service = service.clone();
    let request = Request::get(target).body(Full::<Bytes>::default()).unwrap();
    let response = wait(service.call(request)).unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    response.headers()["etag"].to_str().unwrap().to_owned()
}

/// Both models read through the same connections. What one of them has read of a table is not taken
/// for another table of the other, although their resources have other numbers.
#[test]
fn two_models_of_one_store_have_their_own_tables() {
    let zoos = || Api::new("Zoos");
    let (_folder, service, running) = serve(zoos().resource::<Zoo>().resource::<Animal>());
    assert!(rest(send(running.address(), "POST", "/zoos")).starts_with("HTTP/1.1 201 "));
    running.stop().unwrap();
    let model = zoos().resource::<Animal>().resource::<Zoo>().build().unwrap();
    let (store, _) = service.store().with_model(&model, true).unwrap();
    let other = service.with_store(store);
    let animals = "/zoos/1/animals";
    let before = tag(&other, animals);
    // This commit makes the connection read the tables again.
    service.store().with_model(service.store().model(), true).unwrap();
    tag(&service, animals);
    assert_eq!(tag(&other, animals), before, "no row was written");
    wait(other.store().close());
}
