//! Tests of responses that clients do not read. Their memory is bounded. They are dropped before
//! other clients are refused for long.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use nouns::{__runtime::Model, codegen::read_yaml, interpret::api_def};
use serde_json::json;

use crate::server::TestServer;

const SCHEMA: &str = "
nouns: 1
resources:
  note:
    fields:
      name: { type: string, required: true }
      text: string
";

/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The memory for large responses, in bytes. Three pages of four members fit into it.
const MEMORY: usize = 12 * 1024 * 1024;

fn server() -> TestServer {
    let schema = read_yaml("test.yaml", SCHEMA).unwrap();
    let server = TestServer::with_memory(Arc::new(Model::link(api_def(&schema)).unwrap()), MEMORY);
    for name in ["a", "b", "c", "d"] {
        let text = "x".repeat(1_000_000);
        server.elsewhere(&format!("INSERT INTO notes (name, text) VALUES ('{name}', '{text}')"));
    }
    server
}

/// Requests a page of four megabytes and reads nothing of the response.
fn unread(server: &TestServer) -> TcpStream {
    let mut client = TcpStream::connect(server.address()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client
        .write_all(b"GET /notes HTTP/1.1\r\nhost: zoo.localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    client
}

/// Conformance 148: a client that does not read its responses is disconnected when memory is
/// scarce.
#[test]
fn who_does_not_read_gives_way_to_others() {
    let server = server();
    let mut client = server.client();
    let mut clients: Vec<_> = (0..3).map(|_| unread(&server)).collect();
    let begun = Instant::now();
    let refused = loop {
        let answer = client.get("/notes");
        if answer.status() != 200 {
            break answer;
        }
        // The server has not yet rendered all unread responses, or has disconnected one of their
        // clients. So one more client is needed.
        clients.push(unread(&server));
        assert!(begun.elapsed() < PATIENCE, "no request was refused for lack of memory");
    };
    assert_eq!(
        (refused.problem().as_str(), refused.field("retry-after")),
        ("unavailable", Some("2"))
    );
    let small = client.get("/notes?fields=name");
    assert_eq!(small.status(), 200, "a small response must need no large memory");
    let posted = client.post("/notes", &json!({ "name": "e", "text": "x".repeat(500_000) }));
    assert_eq!(posted.status(), 201, "a write must be reported even if memory is short");
    while client.get("/notes").status() != 200 {
        assert!(
            begun.elapsed() < PATIENCE,
            "a client that does not read must not hold its memory forever"
        );
        thread::sleep(Duration::from_millis(50));
    }
    let mut resets = 0;
    for mut client in clients {
        let mut content = vec![];
        match client.read_to_end(&mut content) {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                resets += 1;
            }
            // The client was refused itself, or it could read the whole response because memory was
            // no longer short.
            Ok(bytes) => {
                assert!(bytes > 4_000_000 || content.starts_with(b"HTTP/1.1 503"), "{bytes}");
            }
        }
    }
    assert!(resets > 0);
    for _ in 0..10 {
        assert_eq!(
            client.get("/notes").status(),
            200,
            "the memory of a response must be free after it was read"
        );
    }
}
