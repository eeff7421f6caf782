//! Tests of bytes around requests, such as an empty line after a body, and of bytes that are not a
//! request (RFC 9112 §2.2, §3, §9.3).

use serde_json::json;

use crate::{client::Answer, server::TestServer};

const GET: &str = "GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n";

#[test]
fn an_answer_waits_for_nothing_that_follows_its_request() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let post = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 12\r\n\r\n{\"name\":\"a\"}\r\n";
    assert_eq!(
        client.raw(post.as_bytes(), false).status_line,
        "HTTP/1.1 201 Created",
        "the server must respond before the empty line after the body"
    );
    let half = format!("{GET}GET /zo");
    assert_eq!(
        client.raw(half.as_bytes(), false).status_line,
        "HTTP/1.1 200 OK",
        "the server must respond before the rest of the next request"
    );
    assert_eq!(
        client.raw(b"os/1 HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n", false).json()["name"],
        "a"
    );
    assert_eq!(client.names("/zoos"), "a");
}
/// Conformance 159
#[test]
fn requests_that_come_together_are_answered_in_their_order() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let post = |name: &str| {
        format!(
            "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 12\r\n\r\n{{\"name\":\"{name}\"}}"
        )
    };
    let all = [post("a"), GET.into(), post("b"), GET.into(), GET.into()].concat();
    let first = client.raw(all.as_bytes(), false);
    assert_eq!((first.status(), first.json()["name"].as_str()), (201, Some("a")));
    let items = |answer: Answer| answer.json()["items"].as_array().unwrap().len();
    assert_eq!(items(client.raw(b"", false)), 1);
    assert_eq!(client.raw(b"", false).json()["id"], 2);
    assert_eq!(items(client.raw(b"", false)), 2);
    assert_eq!(items(client.raw(b"", false)), 2);
}

/// Conformance 139: bytes that are not an HTTP/1.1 message get no problem document. This is the
/// exception in docs/conformance.md.
#[test]
fn what_is_no_request_is_answered_and_the_connection_closed() {
    let server = TestServer::zoo();
    for request in [
        &b"GARBAGE\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"GET /zoos?name=\xff HTTP/1.1\r\n\r\n",
        b"GET /zoos?name=a\tb HTTP/1.1\r\n\r\n",
        b"GET /zoos?name=<b> HTTP/1.1\r\n\r\n",
        b"GET /\x01 HTTP/1.1\r\n\r\n",
        b"G\x00T /zoos HTTP/1.1\r\n\r\n",
        b"GET /zoos HTTP/1.1\r\nhost zoo.localhost\r\n\r\n",
        b"GET /zoos HTTP/1.1\r\nhost : zoo.localhost\r\n\r\n",
        b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\nx: a\0b\r\n\r\n",
        b"POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
        b"POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: -5\r\n\r\n",
        b"POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: five\r\n\r\n",
        b"POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ntransfer-encoding: gzip\r\n\r\n",
    ] {
        let answer = server.client().raw(request, false);
        assert_eq!(
            answer.status_line,
            "HTTP/1.1 400 Bad Request",
            "{:?}",
            String::from_utf8_lossy(request)
        );
        assert_eq!((answer.field("connection"), &*answer.body), (Some("close"), &b""[..]));
    }
    assert_eq!(server.client().get("/zoos").json()["items"], json!([]));
}
/// Conformance 153
#[test]
fn chunks_that_are_none_are_a_bad_request() {
    let server = TestServer::zoo();
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    for chunks in ["zz\r\n", "-1\r\n", "5\r\n{}xx\r\n", "fffffffffffffffff\r\n"] {
        let answer = server.client().raw(format!("{head}{chunks}").as_bytes(), false);
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (400, "malformed-request"),
            "{chunks:?}"
        );
    }
    assert_eq!(server.client().names("/zoos"), "");
}
/// Conformance 56
#[test]
fn a_head_beyond_all_bounds_is_answered_too() {
    let server = TestServer::zoo();
    let target = format!("GET /{} HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n", "x".repeat(65_000));
    let answer = server.client().raw(target.as_bytes(), false);
    assert_eq!((answer.status(), answer.problem().as_str()), (414, "uri-too-long"));
    let target = format!("GET /{} HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n", "x".repeat(70_000));
    assert_eq!(
        server.client().raw(target.as_bytes(), false).status_line,
        "HTTP/1.1 414 URI Too Long"
    );
    let field =
        format!("GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\nx: {}\r\n\r\n", "x".repeat(60_000));
    assert_eq!(server.client().raw(field.as_bytes(), false).status(), 200);
    let fields =
        format!("GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n{}\r\n", "x: y\r\n".repeat(200));
    let answer = server.client().raw(fields.as_bytes(), false);
    assert_eq!(answer.status_line, "HTTP/1.1 431 Request Header Fields Too Large");
    assert_eq!(answer.field("connection"), Some("close"));
}
/// Conformance 166
#[test]
fn a_client_that_asks_first_is_told_to_go_on() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\nexpect: 100-continue\r\ncontent-length: 12\r\n\r\n";
    assert_eq!(client.raw(head.as_bytes(), false).status_line, "HTTP/1.1 100 Continue");
    let answer = client.raw(br#"{"name":"a"}"#, false);
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    let refused = "POST /nowhere HTTP/1.1\r\nhost: zoo.localhost\r\nexpect: 100-continue\r\ncontent-length: 12\r\n\r\n";
    let answer = client.raw(refused.as_bytes(), false);
    assert_eq!(
        answer.status_line, "HTTP/1.1 404 Not Found",
        "a refused request must get its final response instead of `100 Continue`"
    );
    assert_eq!(
        answer.field("connection"),
        Some("close"),
        "the server must close, since the next bytes may be the body or a request"
    );
}
/// Conformance 163
#[test]
fn a_connection_stays_open_unless_somebody_closes_it() {
    let server = TestServer::zoo();
    let mut client = server.client();
    for _ in 0..50 {
        assert_eq!(client.get("/zoos").field("connection"), None);
    }
    let last = client.request("GET", "/zoos", &[("connection", "close")], None);
    assert_eq!(last.field("connection"), Some("close"));
    let mut old = server.client();
    let answer = old.raw(b"GET /zoos HTTP/1.0\r\n\r\n", false);
    assert_eq!(
        (answer.status_line.as_str(), answer.field("connection")),
        ("HTTP/1.0 200 OK", None)
    );
}
/// Conformance 167
#[test]
fn a_body_that_is_not_wanted_costs_neither_the_answer_nor_the_connection() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let pause = || std::thread::sleep(std::time::Duration::from_millis(30));
    for (line, kind, status) in [
        ("POST /nowhere", "application/json", 404),
        ("PUT /zoos", "application/json", 405),
        ("BREW /zoos", "application/json", 501),
        ("POST /zoos", "text/plain", 415),
        ("POST /zoos?x=1", "application/json", 400),
        ("GET /zoos", "application/json", 200),
    ] {
        let head = format!("{line} HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-type: {kind}\r\n");
        client.write(format!("{head}content-length: 12\r\n\r\n").as_bytes());
        pause();
        let answer = client.raw(b"{\"name\":\"a\"}", false);
        assert_eq!(
            (answer.status(), answer.field("connection")),
            (status, None),
            "`{line}` with an unread body must keep its status and the connection"
        );
        client.write(format!("{head}transfer-encoding: chunked\r\n\r\n1\r\n{{\r\n").as_bytes());
        pause();
        let answer = client.raw(b"1\r\n}\r\n0\r\n\r\n", false);
        assert_eq!(
            (answer.status(), answer.field("connection")),
            (status, None),
            "`{line}` with an unread body in chunks must keep its status and the connection"
        );
    }
    assert_eq!(client.names("/zoos"), "");
    let head = "POST /nowhere HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 1048577\r\n\r\n";
    let answer = client.raw(head.as_bytes(), false);
    assert_eq!(
        (answer.status(), answer.field("connection")),
        (404, Some("close")),
        "the server must close the connection instead of reading a large body"
    );
}

/// Conformance 1, 2, 4, 13, 51, 60, 152: a head that the HTTP library accepts, and RFC 9110 or RFC
/// 9112 does not. The client gets a problem, and the connection is closed.
#[test]
fn a_head_that_could_be_parsed_and_is_wrong_gets_a_problem() {
    let server = TestServer::zoo();
    let host = "host: zoo.localhost\r\n";
    let post = format!("POST /zoos HTTP/1.1\r\n{host}content-type: application/json\r\n");
    for (request, status, kind) in [
        ("GET /zoos HTTP/1.1\r\n".to_owned(), 400, "malformed-request"),
        (format!("GET /zoos HTTP/1.1\r\n{host}{host}"), 400, "malformed-request"),
        ("GET /zoos HTTP/1.1\r\nhost: a b\r\n".into(), 400, "malformed-request"),
        ("GET /zoos HTTP/1.1\r\nhost: a/b\r\n".into(), 400, "malformed-request"),
        ("GET /zoos HTTP/1.1\r\nhost: user@a\r\n".into(), 400, "malformed-request"),
        ("GET /zoos HTTP/1.1\r\nhost: a\\b\r\n".into(), 400, "malformed-request"),
        ("GET /zoos HTTP/1.1\r\nhost: [::1\r\n".into(), 400, "malformed-request"),
        ("GET /zoos HTTP/1.0\r\nhost: a b\r\n".into(), 400, "malformed-request"),
        (format!("GET zoos HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET a:80 HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET ftp://evil.example/zoos/1 HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET http://u:p@a/zoos/1 HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET /zoos/1#frag HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET /zoos?limit=1#frag HTTP/1.1\r\n{host}"), 400, "malformed-request"),
        (format!("GET /zoos HTTP/1.2\r\n{host}"), 505, "version-not-supported"),
        (format!("GET /zoos HTTP/2.0\r\n{host}"), 505, "version-not-supported"),
        (format!("CONNECT localhost:80 HTTP/1.1\r\n{host}"), 405, "method-not-allowed"),
        (format!("{post}transfer-encoding: chunked, chunked\r\n"), 400, "malformed-request"),
        (format!("{post}transfer-encoding: gzip, chunked\r\n"), 501, "not-implemented"),
        (format!("{post}content-length: 2\r\nexpect: foo\r\n"), 417, "expectation-failed"),
    ] {
        let answer = server.client().raw(format!("{request}\r\n").as_bytes(), false);
        assert_eq!((answer.status(), answer.problem().as_str()), (status, kind), "{request}");
        let closes = answer.field("connection") == Some("close");
        assert_eq!(closes, status != 405, "{request} {answer:?}");
    }
    assert_eq!(server.client().names("/zoos"), "");
    // HTTP/1.0 knows no `Host`, and an absolute target has its own.
    let mut client = server.client();
    let old = client.raw(b"GET /zoos HTTP/1.0\r\n\r\n", false);
    assert_eq!(old.status(), 200);
    let absolute = b"GET http://zoo.localhost:80/zoos HTTP/1.1\r\nhost: other\r\n\r\n";
    assert_eq!(server.client().raw(absolute, false).status(), 200);
}

/// An error in a request line is also found after other requests of the connection.
#[test]
fn each_request_of_a_connection_is_looked_at() {
    let server = TestServer::zoo();
    let fragment = b"GET /zoos#a HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n";
    let post = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n";
    let chunks =
        format!("{post}transfer-encoding: chunked\r\n\r\nc\r\n{{\"name\":\"a\"}}\r\n0\r\n\r\n");
    let whole = format!("{post}content-length: 12\r\n\r\n{{\"name\":\"b\"}}");
    for before in [GET, &chunks, &whole] {
        let mut client = server.client();
        let answer = client.raw(before.as_bytes(), false);
        assert!(answer.status() < 300, "{answer:?}");
        assert_eq!(client.raw(fragment, false).status(), 400, "{before}");
    }
}

/// Conformance 47: a target beyond all bounds is a 414 with a problem, at every length.
#[test]
fn a_target_without_an_end_is_too_long() {
    let server = TestServer::zoo();
    for bytes in [20_000, 62_000, 65_536, 70_000, 1_000_000, 8_000_000] {
        let target = format!("GET /{} HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n", "x".repeat(bytes));
        let answer = server.client().raw(target.as_bytes(), false);
        assert_eq!((answer.status(), answer.problem().as_str()), (414, "uri-too-long"), "{bytes}");
    }
}

/// Conformance 164: the server says how long a connection stays open if the client asks, and keeps
/// its word.
#[test]
fn a_client_that_asks_learns_how_long_a_connection_lasts() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let asks = [("connection", "Keep-Alive")];
    for left in [9_999, 9_998] {
        let answer = client.request("GET", "/zoos", &asks, None);
        let said = format!("timeout=30, max={left}");
        assert_eq!(answer.field("keep-alive"), Some(said.as_str()));
        assert_eq!(answer.field("connection"), Some("keep-alive"));
    }
    assert_eq!(client.get("/zoos").field("keep-alive"), None);
    for _ in 3..9_999 {
        client.write(GET.as_bytes());
        assert_eq!(client.raw(b"", false).field("connection"), None);
    }
    let last = client.request("GET", "/zoos", &asks, None);
    assert_eq!((last.field("connection"), last.field("keep-alive")), (Some("close"), None));
    let mut old = server.client();
    let request = b"GET /zoos HTTP/1.0\r\nconnection: keep-alive\r\n\r\n";
    for left in [9_999, 9_998] {
        let answer = old.raw(request, false);
        let said = format!("timeout=30, max={left}");
        assert_eq!(answer.field("keep-alive"), Some(said.as_str()), "{answer:?}");
    }
}
