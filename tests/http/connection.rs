//! Tests of a connection: what its messages may look like, how long it lasts, and how it ends (RFC
//! 9112).

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::json;

use crate::{client::Answer, server::TestServer};

const HEAD: &str = "host: zoo.localhost\r\ncontent-type: application/json\r\n";

fn raw(server: &TestServer, request: &str) -> Answer {
    server.client().raw(request.as_bytes(), false)
}

/// Conformance 45: a POST without a length has no content.
#[test]
fn a_body_without_a_length_is_empty() {
    let server = TestServer::zoo();
    let answer = raw(&server, &format!("POST /zoos HTTP/1.1\r\n{HEAD}\r\n"));
    assert_eq!((answer.status(), answer.problem().as_str()), (400, "malformed-body"));
}

/// Conformance 48, 156: a request line of 8,000 bytes is served, and an empty line before it is
/// skipped.
#[test]
fn a_long_request_line_is_served() {
    let server = TestServer::zoo();
    let names = "a".repeat(8_000);
    let answer = raw(&server, &format!("\r\nGET /zoos?name={names} HTTP/1.1\r\n{HEAD}\r\n"));
    assert_eq!((answer.status(), answer.json()["items"].clone()), (200, json!([])));
}

/// Conformance 150, 151, 152, 154, 155: what makes the end of a message or the name of a field
/// doubtful is refused, and no byte after it is served as a request.
#[test]
fn doubtful_framing_is_refused_and_closes_the_connection() {
    let server = TestServer::zoo();
    let chunks = "c\r\n{\"name\":\"a\"}\r\n0\r\n\r\n";
    let smuggled = "DELETE /zoos/1 HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n";
    server.client().create("/zoos", &json!({ "name": "first" }));
    for fields in [
        "content-length: 12\r\ncontent-length: 13\r\n",
        "content-length: 12, 13\r\n",
        "content-length: +12\r\n",
        "content-length: -12\r\n",
        "content-length: 0xc\r\n",
        "content-length: 12.0\r\n",
        "content-length: 1 2\r\n",
        "content-length: 18446744073709551616\r\n",
        "transfer-encoding: gzip\r\n",
        "transfer-encoding: chunked, gzip\r\n",
        "transfer-encoding: chunked, chunked\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding : chunked\r\n",
        "content-length : 12\r\n",
        ": empty\r\n",
        "na\x01me: x\r\n",
        "na(me: x\r\n",
        "x: a\0b\r\n",
        "x: a\rb\r\n",
        "x: a\r\n folded\r\n",
    ] {
        let request = format!("POST /zoos HTTP/1.1\r\n{HEAD}{fields}\r\n{chunks}{smuggled}");
        let mut client = server.client();
        let answer = client.raw(request.as_bytes(), false);
        assert!(matches!(answer.status(), 400 | 413 | 501), "{fields:?} {answer:?}");
        assert_eq!(answer.field("connection"), Some("close"), "{fields:?}");
    }
    let old = format!("POST /zoos HTTP/1.0\r\n{HEAD}transfer-encoding: chunked\r\n\r\n{chunks}");
    assert_eq!(raw(&server, &old).status(), 400);
    // With both, the chunks are what counts, and the connection ends with the response.
    let both = format!(
        "POST /zoos HTTP/1.1\r\n{HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n{chunks}{smuggled}"
    );
    let mut client = server.client();
    let answer = client.raw(both.as_bytes(), false);
    assert!(matches!(answer.status(), 201 | 400), "{answer:?}");
    assert_eq!(server.client().get("/zoos/1").status(), 200);
}

/// Conformance 153: sizes of chunks are hexadecimal digits, extensions are ignored, and trailers
/// are no header fields.
#[test]
fn chunks_have_sizes_and_trailers_are_not_merged() {
    let server = TestServer::zoo();
    let post = |chunks: &str| {
        raw(
            &server,
            &format!("POST /zoos HTTP/1.1\r\n{HEAD}transfer-encoding: chunked\r\n\r\n{chunks}"),
        )
    };
    let body = "{\"name\":\"a\"}";
    for good in [
        "C\r\n{\"name\":\"b\"}\r\n0\r\n\r\n",
        "00c;x=y\r\n{\"name\":\"c\"}\r\n0\r\n\r\n",
        "c\r\n{\"name\":\"d\"}\r\n0\r\ncontent-length: 1\r\nauthorization: x\r\nhost: a b\r\n\r\n",
    ] {
        assert_eq!(post(good).status(), 201, "{good:?}");
    }
    for bad in ["+c", "-c", "0xc", " c", "g", "", "ffffffffffffffff1"] {
        let answer = post(&format!("{bad}\r\n{body}\r\n0\r\n\r\n"));
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (400, "malformed-request"),
            "{bad:?}"
        );
        assert_eq!(answer.field("connection"), Some("close"), "{bad:?}");
    }
    let long = format!("c;{}\r\n{body}\r\n0\r\n\r\n", "x".repeat(100_000));
    assert_eq!(post(&long).status(), 400, "extensions are bounded");
    assert_eq!(post(&format!("c\r\n{body}xx0\r\n\r\n")).status(), 400);
}

/// Conformance 163, 165: HTTP/1.1 connections are persistent, and those of HTTP/1.0 if the client
/// asks for it.
#[test]
fn a_connection_closes_when_it_was_said() {
    let server = TestServer::zoo();
    for (request, stays) in [
        (format!("GET /zoos HTTP/1.1\r\n{HEAD}\r\n"), true),
        (format!("GET /zoos HTTP/1.1\r\n{HEAD}connection: close\r\n\r\n"), false),
        ("GET /zoos HTTP/1.0\r\n\r\n".to_owned(), false),
        ("GET /zoos HTTP/1.0\r\nconnection: keep-alive\r\n\r\n".to_owned(), true),
    ] {
        let mut client = server.client();
        let answer = client.raw(request.as_bytes(), false);
        assert_eq!(answer.status(), 200, "{request}");
        assert_eq!(answer.field("transfer-encoding"), None, "{request}");
        let is_old = request.contains("HTTP/1.0");
        assert_eq!(answer.field("connection") == Some("keep-alive"), is_old && stays, "{request}");
        match stays {
            true => assert_eq!(client.get("/zoos").status(), 200, "{request}"),
            false => assert!(client.is_closed(), "{request}"),
        }
    }
}

/// Conformance 168: an upgrade to another protocol is ignored, also to HTTP/2.
#[test]
fn an_upgrade_is_ignored() {
    let server = TestServer::zoo();
    for fields in [
        "connection: upgrade\r\nupgrade: websocket\r\n",
        "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
        "upgrade: unknown/1\r\n",
    ] {
        let mut client = server.client();
        let request = format!("GET /zoos HTTP/1.1\r\n{HEAD}{fields}\r\n");
        let answer = client.raw(request.as_bytes(), false);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{fields}");
        assert_eq!(answer.field("upgrade"), None, "{fields}");
        assert_eq!(client.get("/zoos").status(), 200, "{fields}");
    }
}

/// Conformance 149, 167: a client that sends its whole body before it reads gets the response, even
/// if the server refuses the body at once.
#[test]
fn a_refused_body_does_not_cost_the_response() {
    let server = TestServer::zoo();
    for (length, sent) in [(8_000_000, 8_000_000), (2_000_000, 1_500_000)] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let head = format!("POST /zoos HTTP/1.1\r\n{HEAD}content-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![b' '; sent]).unwrap();
        // The client notices nothing of the end of the connection before it reads.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let mut response = vec![0; 12];
        stream.read_exact(&mut response).unwrap();
        assert_eq!(response, b"HTTP/1.1 413");
    }
}

/// Conformance 169, 170: each response has a date, and names the server without its version.
#[test]
fn each_response_has_a_date_and_no_version_of_the_server() {
    let server = TestServer::zoo();
    for (target, status) in [("/zoos", 200), ("/zoos/1", 404), ("/zoos?x=1", 400)] {
        let answer = server.client().get(target);
        assert_eq!(answer.status(), status);
        let date = answer.field("date").unwrap();
        let [weekday, rest] = date.split(", ").collect::<Vec<_>>()[..] else { panic!("{date}") };
        assert!(weekday.len() == 3 && rest.len() == 24 && rest.ends_with(" GMT"), "{date}");
        assert_eq!(answer.field("server"), Some("nouns"));
    }
    let refused = raw(&server, "GARBAGE\r\n\r\n");
    assert!(refused.field("date").is_some() && refused.field("server").is_none(), "{refused:?}");
}

/// Conformance 3: `*` is the target for the whole server, and only for OPTIONS.
#[test]
fn the_whole_server_has_options_alone() {
    let server = TestServer::zoo();
    let options = raw(&server, &format!("OPTIONS * HTTP/1.1\r\n{HEAD}\r\n"));
    assert!(matches!(options.status(), 200 | 204), "{options:?}");
    assert!(options.allow().contains(&"POST"), "{options:?}");
    assert_eq!(raw(&server, &format!("GET * HTTP/1.1\r\n{HEAD}\r\n")).status(), 400);
}
