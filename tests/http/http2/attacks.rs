//! Clients of HTTP/2 that break the protocol, or use it to make the server work (RFC 9113 §10.5).

use std::{
    io::Read as _,
    net::TcpStream,
    sync::mpsc::RecvTimeoutError,
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use serde_json::json;

use super::frames::{
    ACK, DATA, END_HEADERS, END_STREAM, Frame, Frames, GOAWAY, HEADERS, PING, PUSH_PROMISE,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, field, frame, get, head, post,
};
use crate::server::TestServer;

/// The last byte of a RST_STREAM with PROTOCOL_ERROR (RFC 9113 §7).
const PROTOCOL_ERROR: u8 = 1;

const WHOLE: u8 = END_HEADERS | END_STREAM;

/// The first byte of a head with the status 200 (RFC 7541 appendix A).
const OK: u8 = 0x88;

/// The first byte of a head with the status 400.
const BAD_REQUEST: u8 = 0x8c;

/// A client that behaves well is served, over a new connection of each version.
fn is_served(server: &TestServer) {
    assert_eq!(server.client().get("/zoos").status(), 200);
    let mut frames = Frames::connect(server, &[]);
    frames.send(&frame(HEADERS, WHOLE, 1, &get(&[])));
    let head = frames.until(&[HEADERS]).unwrap();
    assert_eq!((head.stream, head.payload[0]), (1, OK));
}

/// Conformance 177, 184: a malformed request is refused, and a frame that a client must not send
/// ends its connection.
#[test]
fn a_malformed_request_is_refused() {
    let server = TestServer::zoo();
    let pseudo = |fields: &[(&str, &str)]| -> Vec<u8> {
        fields.iter().flat_map(|(name, value)| field(name, value)).collect()
    };
    for head in [
        get(&[("Upper", "x")]),
        get(&[("connection", "close")]),
        get(&[("transfer-encoding", "chunked")]),
        get(&[("keep-alive", "x")]),
        get(&[("te", "gzip")]),
        get(&[(":path", "/zoos")]),
        get(&[("x", "y"), (":method", "GET")]),
        get(&[(":unknown", "x")]),
        get(&[("x", "a\r\nb")]),
        get(&[("x", "a\0b")]),
        get(&[("content-length", "5")]),
        pseudo(&[(":method", "GET"), (":scheme", "http"), (":authority", "a")]),
        pseudo(&[(":method", "GET"), (":path", "/zoos"), (":authority", "a")]),
        pseudo(&[(":scheme", "http"), (":path", "/zoos"), (":authority", "a")]),
        pseudo(&[(":method", "GET"), (":scheme", "http"), (":path", "/zoos")]),
        pseudo(&[(":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a")]),
    ] {
        let mut frames = Frames::connect(&server, &[]);
        frames.send(&frame(HEADERS, WHOLE, 1, &head));
        let answer = frames.until(&[HEADERS, RST_STREAM, GOAWAY]);
        let is_ok = answer
            .as_ref()
            .is_some_and(|answer| answer.kind == HEADERS && answer.payload.first() == Some(&OK));
        assert!(!is_ok, "{:?} {answer:?}", String::from_utf8_lossy(&head));
    }
    for bytes in [
        frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2]),
        frame(DATA, 0, 1, b"x"),
        frame(HEADERS, WHOLE, 2, &get(&[])),
        frame(HEADERS, WHOLE, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        frame(SETTINGS, 0, 0, &[0; 5]),
        frame(PING, 0, 0, &[0; 7]),
        frame(WINDOW_UPDATE, 0, 0, &[0; 4]),
    ] {
        let mut frames = Frames::connect(&server, &[]);
        frames.send(&bytes);
        let end = frames.until(&[GOAWAY]);
        assert!(end.is_some_and(|end| end.payload[7] != 0), "{bytes:?}");
    }
    is_served(&server);
}

/// Conformance 177: a value with a blank at an end is malformed (RFC 9113 §8.2.1), also in
/// trailers. The stream ends, and nothing is executed.
#[test]
fn a_value_with_a_blank_at_its_end_is_refused() {
    let server = TestServer::zoo();
    let is_refused = |bytes: &[u8]| {
        let mut frames = Frames::connect(&server, &[]);
        frames.send(bytes);
        let end = frames.until(&[HEADERS, RST_STREAM, GOAWAY]).unwrap();
        (end.kind, end.payload.last().copied()) == (RST_STREAM, Some(PROTOCOL_ERROR))
    };
    let json = ("content-type", "application/json");
    let body = frame(DATA, 0, 1, b"{\"name\":\"x\"}");
    let whole = frame(DATA, END_STREAM, 1, b"{\"name\":\"x\"}");
    for value in [" x", "x ", "\tx", "x\t", " "] {
        assert!(is_refused(&frame(HEADERS, WHOLE, 1, &get(&[("x", value)]))), "{value:?}");
        let made = frame(HEADERS, END_HEADERS, 1, &post(&[json, ("x", value)]));
        assert!(is_refused(&[made, whole.clone()].concat()), "{value:?}");
        let begun = frame(HEADERS, END_HEADERS, 1, &post(&[json]));
        let trailers = frame(HEADERS, WHOLE, 1, &field("x", value));
        assert!(is_refused(&[&*begun, &*body, &*trailers].concat()), "{value:?}");
    }
    let count = server.client().get("/zoos?count=true&limit=1").json()["total"].clone();
    assert_eq!(count, 0, "nothing was executed");
    let begun = frame(HEADERS, END_HEADERS, 1, &post(&[json]));
    let trailers = frame(HEADERS, WHOLE, 1, &field("x", "a b"));
    assert!(!is_refused(&[&*begun, &*body, &*trailers].concat()));
    assert_eq!(server.client().get("/zoos?count=true&limit=1").json()["total"], 1);
    is_served(&server);
}

/// Conformance 177: trailers with a pseudo-field are malformed (RFC 9113 §8.1), and so is a target
/// with a fragment, as over HTTP/1.1. The library tells neither.
#[test]
fn a_pseudo_field_in_trailers_and_a_fragment_are_refused() {
    let server = TestServer::zoo();
    let json = ("content-type", "application/json");
    let made =
        [frame(HEADERS, END_HEADERS, 1, &post(&[json])), frame(DATA, 0, 1, b"{\"name\":\"x\"}")];
    for pseudo in [field(":path", "/zoos"), field(":scheme", "http"), vec![0x82]] {
        let mut frames = Frames::connect(&server, &[]);
        frames.send(&[made.concat(), frame(HEADERS, WHOLE, 1, &pseudo)].concat());
        let end = frames.until(&[HEADERS, RST_STREAM, GOAWAY]).unwrap();
        let (kind, code) = (end.kind, end.payload.last().copied());
        assert_eq!((kind, code), (RST_STREAM, Some(PROTOCOL_ERROR)), "{pseudo:?}");
        // The connection goes on.
        frames.send(&frame(HEADERS, WHOLE, 3, &get(&[])));
        assert_eq!(frames.until(&[HEADERS]).unwrap().payload[0], OK);
    }
    for target in ["/zoos#x", "/zoos?limit=1#", "/#"] {
        let mut frames = Frames::connect(&server, &[]);
        frames.send(&frame(HEADERS, WHOLE, 1, &head("GET", target, &[])));
        let answer = frames.until(&[HEADERS, RST_STREAM, GOAWAY]).unwrap();
        assert_eq!((answer.kind, answer.payload[0]), (HEADERS, BAD_REQUEST), "{target}");
        let content = frames.until(&[DATA]).unwrap().payload;
        let content = String::from_utf8(content).unwrap();
        assert!(content.contains("The target of the request has a fragment"), "{content}");
        frames.send(&frame(HEADERS, WHOLE, 3, &get(&[])));
        assert_eq!(frames.until(&[HEADERS]).unwrap().payload[0], OK);
    }
    assert_eq!(server.client().get("/zoos?count=true&limit=1").json()["total"], 0);
    is_served(&server);
}

/// Conformance 164: the declared idle time holds for HTTP/2, too. After a request it begins again.
#[test]
fn an_idle_connection_ends_after_the_declared_time() {
    let server = TestServer::of(
        "{ nouns: 1, server: { keep_alive: { idle: 1s } }, resources: { zoo: { fields: { name: string } } } }",
    );
    let begun = Instant::now();
    let unused = Frames::connect(&server, &[]);
    let mut used = Frames::connect(&server, &[]);
    used.send(&frame(HEADERS, WHOLE, 1, &get(&[])));
    assert_eq!(used.until(&[HEADERS]).unwrap().payload[0], OK);
    let is_ended = |mut frames: Frames| assert_eq!(frames.until(&[GOAWAY]).unwrap().payload[7], 0);
    thread::scope(|scope| {
        let both = [unused, used].map(|frames| scope.spawn(move || is_ended(frames)));
        // Unused connections of HTTP/1.1 end after the same time. Eight of them, one after the
        // other, end before a PING is due, which is when a connection without the declared time
        // is first looked at.
        let mut rounds = 0;
        while !both.iter().all(ScopedJoinHandle::is_finished) {
            assert!(rounds < 8, "connections of HTTP/1.1 ended {rounds} times meanwhile");
            let mut plain = TcpStream::connect(server.address()).unwrap();
            assert_eq!(plain.read_to_end(&mut vec![]).unwrap(), 0);
            rounds += 1;
        }
    });
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

/// Conformance 181, 186: PING is answered, settings are acknowledged, and what is unknown is
/// ignored.
#[test]
fn what_is_unknown_is_ignored() {
    let server = TestServer::zoo();
    let mut frames = Frames::connect(&server, &[0, 0x77, 0, 0, 0, 1]);
    frames.send(&frame(0x77, 0xff, 0, b"unknown"));
    frames.send(&frame(2, 0, 3, &[0, 0, 0, 0, 16]));
    frames.send(&frame(PING, 0, 0, b"12345678"));
    let pong = frames.until(&[PING]).unwrap();
    assert_eq!((pong.flags, pong.payload.as_slice()), (ACK, &b"12345678"[..]));
    frames.send(&frame(HEADERS, WHOLE, 5, &get(&[("priority", "u=9, ;x")])));
    assert_eq!(frames.until(&[HEADERS]).unwrap().payload[0], OK);
}

/// Conformance 181: a client that sends nothing for some time gets a PING. If it does not answer,
/// its connection ends, even with a request in progress.
#[test]
fn a_client_that_has_vanished_is_found_by_ping() {
    let server = TestServer::zoo();
    let ask = || {
        // The window has no room, so the request is in progress for 30 seconds.
        let mut frames = Frames::connect(&server, &[0, 4, 0, 0, 0, 0]);
        frames.send(&frame(HEADERS, WHOLE, 1, &get(&[])));
        let is_ping = |frame: &Frame| frame.kind == PING && frame.flags & ACK == 0;
        let ping = std::iter::from_fn(|| frames.next()).find(is_ping).unwrap();
        (frames, ping)
    };
    // The first GOAWAY of an orderly end names no stream (RFC 9113 §6.8).
    let is_cut_off = |frame: &Frame| frame.kind == GOAWAY && frame.payload[..4] == [0, 0, 0, 1];
    thread::scope(|scope| {
        let silent = scope.spawn(|| ask().0.until(&[RST_STREAM, GOAWAY]).unwrap());
        let alive = scope.spawn(|| {
            let (mut frames, mut last) = ask();
            while last.kind == PING {
                frames.send(&frame(PING, ACK, 0, &last.payload));
                last = frames.until(&[PING, RST_STREAM, GOAWAY]).unwrap();
            }
            last
        });
        is_served(&server);
        assert!(is_cut_off(&silent.join().unwrap()));
        assert!(!is_cut_off(&alive.join().unwrap()));
    });
}

/// A client that keeps its window shut, or opens it for single bytes, loses its stream after the
/// time in which a client must read. A connection without requests ends, too.
#[test]
fn a_client_that_reads_nothing_is_cut_off() {
    let server = TestServer::zoo();
    thread::scope(|scope| {
        let shut = scope.spawn(|| {
            // The window of each stream has no room.
            let mut frames = Frames::connect(&server, &[0, 4, 0, 0, 0, 0]);
            frames.send(&frame(HEADERS, WHOLE, 1, &get(&[])));
            assert_eq!(frames.until(&[HEADERS]).unwrap().payload[0], OK);
            // It answers no PING either.
            frames.until(&[DATA, RST_STREAM, GOAWAY]).unwrap().kind
        });
        let drip = scope.spawn(|| {
            let mut frames = Frames::connect(&server, &[0, 4, 0, 0, 0, 0]);
            frames.send(&frame(HEADERS, WHOLE, 1, &get(&[])));
            let mut writer = Frames(frames.0.try_clone().unwrap());
            let (ended, end) = std::sync::mpsc::channel::<()>();
            thread::scope(|scope| {
                scope.spawn(move || {
                    // A byte each second opens the window for ever.
                    while end.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout)
                    {
                        writer.send(&frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]));
                    }
                });
                let end = frames.until(&[RST_STREAM]).unwrap();
                drop(ended);
                (end.kind, end.stream)
            })
        });
        let idle = scope.spawn(|| {
            let mut frames = Frames::connect(&server, &[]);
            let end = frames.until(&[GOAWAY]).unwrap();
            (end.payload[7], frames.next().is_none())
        });
        let begun = scope.spawn(|| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            std::io::Write::write_all(&mut stream, b"PRI * HTTP/2.0\r\n").unwrap();
            std::io::Read::read_to_end(&mut stream, &mut vec![]).ok();
        });
        is_served(&server);
        assert_eq!(shut.join().unwrap(), GOAWAY);
        assert_eq!(drip.join().unwrap(), (RST_STREAM, 1));
        assert_eq!(idle.join().unwrap(), (0, true));
        begun.join().unwrap();
    });
}

/// Conformance 148: what a client leaves unread counts for the memory of large responses, also if
/// its windows are open: the library keeps what the connection does not take.
#[test]
fn what_is_not_read_is_counted_whatever_the_window_is() {
    let server = TestServer::zoo();
    let mut other = server.client();
    let zoos: Vec<_> = (0..100).map(|at| json!({ "name": format!("{at:0>80}") })).collect();
    other.create("/zoos", &zoos.into());
    // The largest windows, of each stream and of the connection (RFC 9113 §6.9.2).
    let settings = [&[0, 4][..], &0x7fff_ffff_u32.to_be_bytes()].concat();
    let mut frames = Frames::connect(&server, &settings);
    frames.send(&frame(WINDOW_UPDATE, 0, 0, &0x7fff_0000_u32.to_be_bytes()));
    for at in 0..400 {
        let head = head("GET", &format!("/zoos?limit={}", 80 + at % 20), &[]);
        frames.send(&frame(HEADERS, WHOLE, 2 * at + 1, &head));
    }
    let begun = Instant::now();
    // A server that is busy with the requests may refuse this one.
    let counted = || {
        let text = String::from_utf8(server.client().get("/-/metrics").body).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("nouns_response_memory_bytes "));
        line.map(|bytes| bytes.parse::<f64>().unwrap())
    };
    while counted().is_none_or(|bytes| bytes < 2e6) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", counted());
        thread::sleep(Duration::from_millis(20));
    }
    drop(frames);
    while counted() != Some(0.0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", counted());
        thread::sleep(Duration::from_millis(20));
    }
}
