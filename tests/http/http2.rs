//! Tests of HTTP/2 on the port of HTTP/1.1 (RFC 9113). Requests are sent by the client of the
//! library `h2`, and what no client sends, as frames.

mod attacks;
mod compression;
pub(crate) mod frames;
mod push;

use std::{future::poll_fn, time::Duration};

use bytes::Bytes;
use h2::{
    Reason,
    client::{Builder, SendRequest},
};
use http::{HeaderMap, Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::server::TestServer;

/// A response, with all its content.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    fields: HeaderMap,
    content: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.content).unwrap()
    }
}

/// Runs a test as a client of a server.
pub(crate) fn wait<F: Future>(test: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(120), test).await.expect("the server must answer")
    })
}

pub(crate) async fn connect(server: &TestServer, builder: &Builder) -> SendRequest<Bytes> {
    let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
    let (client, connection) = builder.handshake(stream).await.unwrap();
    tokio::spawn(connection);
    client
}

fn request(method: &Method, target: &str, fields: &[(&str, &str)]) -> Request<()> {
    let request = Request::builder().method(method).uri(format!("http://zoo.localhost{target}"));
    let add = |request: http::request::Builder, (name, value): &(&str, &str)| {
        request.header(*name, *value)
    };
    fields.iter().fold(request, add).body(()).unwrap()
}

async fn ask(
    client: &SendRequest<Bytes>,
    (method, target): (Method, &str),
    fields: &[(&str, &str)],
    content: &str,
) -> Answer {
    let mut client = client.clone().ready().await.unwrap();
    let (response, mut stream) =
        client.send_request(request(&method, target, fields), content.is_empty()).unwrap();
    if !content.is_empty() {
        stream.send_data(content.to_owned().into(), true).unwrap();
    }
    let (head, mut body) = response.await.unwrap().into_parts();
    let mut content = vec![];
    while let Some(data) = body.data().await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        content.extend(data);
    }
    Answer { status: head.status, fields: head.headers, content }
}

pub(crate) async fn get(client: &SendRequest<Bytes>, target: &str) -> Answer {
    ask(client, (Method::GET, target), &[], "").await
}

const JSON: (&str, &str) = ("content-type", "application/json");

/// Conformance 174, 176: both versions are served on one port, with the same responses but for the
/// fields of a connection.
#[test]
fn both_versions_are_served_on_one_port() {
    let server = TestServer::zoo();
    let mut old = server.client();
    old.create("/zoos", &json!({ "name": "a" }));
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        for target in ["/zoos/1", "/zoos?count=true", "/zoos/9", "/zoos?x=1", "/"] {
            let (one, two) = (old.get(target), get(&client, target).await);
            assert_eq!(u16::from(two.status), one.status(), "{target}");
            let shown = |name: &str| !["date", "request-id"].contains(&name);
            let mut before: Vec<_> =
                one.fields.iter().filter(|(name, _)| shown(name)).cloned().collect();
            let after = two.fields.iter().filter(|(name, _)| shown(name.as_str()));
            let mut after: Vec<_> = after
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect();
            before.sort();
            after.sort();
            assert_eq!(before, after, "{target}");
            assert!(two.fields.contains_key("date"), "{target}");
        }
        let fields = [JSON, ("expect", "100-continue"), ("priority", "u=1, i")];
        let made = ask(&client, (Method::POST, "/zoos"), &fields, r#"{ "name": "b" }"#).await;
        assert_eq!((made.status, made.json()["id"].as_i64()), (StatusCode::CREATED, Some(2)));
        // A refusal that closes a connection of HTTP/1.1 says nothing of it here.
        let large = " ".repeat(1_048_577);
        let refused = ask(&client, (Method::POST, "/zoos"), &[JSON], &large).await;
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(refused.fields.get("connection"), None);
        assert_eq!(get(&client, "/zoos/2").await.json()["name"], "b");
    });
}

/// Conformance 7, 8: a response to HEAD, 204 or 304 ends with its head.
#[test]
fn what_has_no_content_ends_with_its_head() {
    let server = TestServer::zoo();
    server.client().create("/zoos", &json!({ "name": "a" }));
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let full = get(&client, "/zoos/1").await;
        let tag = full.fields["etag"].to_str().unwrap();
        for (method, fields, status) in [
            (Method::HEAD, &[][..], 200),
            (Method::GET, &[("if-none-match", tag)], 304),
            (Method::DELETE, &[], 204),
        ] {
            let mut client = client.clone().ready().await.unwrap();
            let request = request(&method, "/zoos/1", fields);
            let response = client.send_request(request, true).unwrap().0.await.unwrap();
            assert_eq!(response.status(), status);
            let length = response.headers().get("content-length");
            let expected = (method == Method::HEAD).then(|| full.content.len().to_string());
            assert_eq!(length.map(|length| length.to_str().unwrap().to_owned()), expected);
            assert!(response.body().is_end_stream(), "{method} must send no frame with data");
        }
    });
}

/// Conformance 166: `100-continue` is answered before the content is sent, or the final status. A
/// content of known length is read on the worker, another one on a bulk thread.
#[test]
fn a_client_that_waits_is_told_to_go_on() {
    let server = TestServer::zoo();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let expect = ("expect", "100-continue");
        let (unknown, known) = ([JSON, expect], [JSON, expect, ("content-length", "15")]);
        for (target, fields, goes_on, status) in [
            ("/zoos", &unknown[..], true, 201),
            ("/zoos", &known, true, 201),
            ("/nowhere", &unknown, false, 404),
            ("/nowhere", &known, false, 404),
        ] {
            let mut client = client.clone().ready().await.unwrap();
            let head = request(&Method::POST, target, fields);
            let (mut response, mut stream) = client.send_request(head, false).unwrap();
            if goes_on {
                let first = poll_fn(|context| response.poll_informational(context)).await;
                assert_eq!(first.unwrap().unwrap().status(), StatusCode::CONTINUE);
                let body = format!("{{ \"name\": \"{}\" }}", fields.len());
                stream.send_data(body.into(), true).unwrap();
            }
            assert_eq!(response.await.unwrap().status(), status, "{target}");
        }
        // A content that comes with its head.
        let sent = r#"{ "name": "c" }"#;
        let made = ask(&client, (Method::POST, "/zoos"), &known, sent).await;
        assert_eq!(made.status, StatusCode::CREATED);
    });
}

/// Conformance 175: 512 requests are in progress at once on a connection, and slow ones delay no
/// other.
#[test]
fn many_requests_share_a_connection() {
    let server = TestServer::zoo();
    server.client().create("/zoos", &json!({ "name": "a" }));
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let mut slow = vec![];
        for _ in 0..412 {
            let mut client = client.clone().ready().await.unwrap();
            let head = request(&Method::POST, "/zoos", &[JSON]);
            slow.push(client.send_request(head, false).unwrap());
        }
        let tasks = (0..100).map(|_| {
            let client = client.clone();
            tokio::spawn(async move { get(&client, "/zoos/1").await.status })
        });
        for task in tasks.collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap(), StatusCode::OK);
        }
        for (at, (response, mut stream)) in slow.into_iter().enumerate() {
            let body = json!({ "name": format!("late {at}") }).to_string();
            stream.send_data(body.into(), true).unwrap();
            assert_eq!(response.await.unwrap().status(), StatusCode::CREATED);
        }
    });
}

/// Many large bodies come at once on each connection, and all are read.
#[test]
fn large_bodies_share_a_connection() {
    let server = TestServer::zoo();
    wait(async {
        for round in 0..4 {
            let client = connect(&server, &Builder::new()).await;
            let tasks = (0..32).map(|at| {
                let number = 32 * round + at;
                let client = client.clone();
                tokio::spawn(async move {
                    let body = format!("{{ \"name\": \"{number}\"{} }}", " ".repeat(400_000));
                    ask(&client, (Method::POST, "/zoos"), &[JSON], &body).await.status
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                assert_eq!(task.await.unwrap(), StatusCode::CREATED);
            }
        }
        let client = connect(&server, &Builder::new()).await;
        assert_eq!(get(&client, "/zoos?count=true&limit=1").await.json()["total"], 128);
    });
}

/// Conformance 178: `:authority` names the host, and a `Host` beside it must be the same.
#[test]
fn the_authority_is_the_host() {
    let server = TestServer::zoo();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        for (host, status) in
            [("zoo.localhost", 200), ("ZOO.localhost", 200), ("other", 400), ("a b", 400)]
        {
            let answer = ask(&client, (Method::GET, "/zoos"), &[("host", host)], "").await;
            assert_eq!(answer.status, status, "{host}");
        }
    });
}

/// Conformance 179: no more bytes come than the window of the stream allows.
#[test]
fn a_window_bounds_what_comes() {
    let server = TestServer::zoo();
    server.client().create("/zoos", &json!({ "name": "a" }));
    wait(async {
        let whole = get(&connect(&server, &Builder::new()).await, "/zoos/1").await.content;
        let client = connect(&server, Builder::new().initial_window_size(10)).await;
        let mut client = client.ready().await.unwrap();
        let head = request(&Method::GET, "/zoos/1", &[]);
        let mut body = client.send_request(head, true).unwrap().0.await.unwrap().into_body();
        let mut content = vec![];
        while let Some(data) = body.data().await {
            let data = data.unwrap();
            content.extend_from_slice(&data);
            assert!(data.len() <= 10, "{data:?}");
            // Nothing comes before the window is open again.
            let early = tokio::time::timeout(Duration::from_millis(20), body.data()).await;
            assert!(early.is_err() || body.is_end_stream());
            body.flow_control().release_capacity(data.len()).unwrap();
        }
        assert_eq!(content, whole);
    });
}

/// Conformance 185: a server that stops says so, and ends what is in progress.
#[test]
fn a_stop_ends_requests_in_progress() {
    let mut server = TestServer::zoo();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        let mut slow = client.clone().ready().await.unwrap();
        let head = request(&Method::POST, "/zoos", &[JSON]);
        let (response, mut stream) = slow.send_request(head, false).unwrap();
        assert_eq!(get(&client, "/zoos").await.status, StatusCode::OK);
        let running = server.running.take().unwrap();
        let stopped = tokio::task::spawn_blocking(move || running.stop());
        // After the GOAWAY no further request is accepted.
        let refused = loop {
            let Ok(mut client) = client.clone().ready().await else { break true };
            let Ok((response, _)) = client.send_request(request(&Method::GET, "/zoos", &[]), true)
            else {
                break true;
            };
            if response.await.is_err() {
                break true;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert!(refused);
        stream.send_data(r#"{ "name": "late" }"#.into(), true).unwrap();
        assert_eq!(response.await.unwrap().status(), StatusCode::CREATED);
        stopped.await.unwrap().unwrap();
    });
}

/// A client that resets a stream costs nothing further, and other streams go on.
#[test]
fn a_reset_ends_one_stream() {
    let server = TestServer::zoo();
    wait(async {
        let client = connect(&server, &Builder::new()).await;
        for _ in 0..10 {
            let mut client = client.clone().ready().await.unwrap();
            let head = request(&Method::POST, "/zoos", &[JSON]);
            let (_response, mut stream) = client.send_request(head, false).unwrap();
            stream.send_reset(Reason::CANCEL);
        }
        assert_eq!(get(&client, "/zoos").await.json()["items"], json!([]));
    });
}
