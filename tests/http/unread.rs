//! Responses that clients do not read: their memory is bounded, and they are dropped before others
//! are refused for long.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use nouns::{codegen::read_yaml, interpret::api_def, runtime::Model};
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

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// Three pages of four members fit into this.
const MEMORY: usize = 12 * 1024 * 1024;

fn server() -> TestServer {
    let schema = read_yaml("test.yaml", SCHEMA).unwrap();
    let server = TestServer::with_memory(Arc::new(Model::link(api_def(&schema)).unwrap()), MEMORY);
    let database = rusqlite::Connection::open(&server.database).unwrap();
    for name in ["a", "b", "c", "d"] {
        let sql = "INSERT INTO notes (name, text) VALUES (?1, printf('%.*c', 1000000, 'x'))";
        database.execute(sql, [name]).unwrap();
    }
    server
}

/// A client that requests a page of four megabytes and reads nothing.
fn unread(server: &TestServer) -> TcpStream {
    let mut client = TcpStream::connect(server.address()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client
        .write_all(b"GET /notes HTTP/1.1\r\nhost: zoo.test\r\nconnection: close\r\n\r\n")
        .unwrap();
    client
}

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
        // Not all three have been answered yet; or a client that did not read was disconnected, and
        // others take its place.
        clients.push(unread(&server));
        assert!(begun.elapsed() < PATIENCE, "nobody is ever refused");
    };
    assert_eq!(
        (refused.problem().as_str(), refused.field("retry-after")),
        ("unavailable", Some("2"))
    );
    let small = client.get("/notes?fields=name");
    assert_eq!(small.status(), 200, "what is small takes no memory");
    let posted = client.post("/notes", &json!({ "name": "e", "text": "x".repeat(500_000) }));
    assert_eq!(posted.status(), 201, "what was done is reported");
    while client.get("/notes").status() != 200 {
        assert!(begun.elapsed() < PATIENCE, "who does not read holds the memory for ever");
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
            // It was refused itself, or memory was no longer scarce; then it has more time.
            Ok(bytes) => {
                assert!(bytes > 4_000_000 || content.starts_with(b"HTTP/1.1 503"), "{bytes}");
            }
        }
    }
    assert!(resets > 0);
    for _ in 0..10 {
        assert_eq!(client.get("/notes").status(), 200, "what was read has been given back");
    }
}
