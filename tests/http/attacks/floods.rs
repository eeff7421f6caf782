//! Clients that send without an end what costs them little. Each is cut off.

use std::{
    io::Write as _,
    thread,
    time::{Duration, Instant},
};

use super::{ATTACKER, PATIENCE, beside_others};
use crate::{
    client::read_some,
    http2::frames::{
        CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, PRIORITY, RST_STREAM,
        SETTINGS, UNKNOWN, WINDOW_UPDATE, field, frame, get, post,
    },
    server::TestServer,
};

/// A flood: the first bytes of a connection, and pieces that follow without an end.
struct Flood {
    name: &'static str,
    first: Vec<u8>,
    piece: Box<dyn Fn(u32) -> Vec<u8> + Sync>,
}

fn flood(name: &'static str, first: &[&[u8]], piece: &[u8]) -> Flood {
    let pieces = piece.repeat(1_000);
    Flood { name, first: first.concat(), piece: Box::new(move |_| pieces.clone()) }
}

/// The floods over HTTP/1.1.
fn of_http1() -> Vec<Flood> {
    let get = b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n";
    let post = b"POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    vec![
        flood("target", &[b"GET /"], b"a"),
        flood("fields", &[get], b"x: y\r\n"),
        flood("one field", &[get, b"x: "], b"y"),
        flood("chunks", &[post], b"1\r\n \r\n"),
        flood("large chunks", &[post, b"ffffffff\r\n"], b" "),
        flood("extensions of a chunk", &[post, b"1;"], b"x"),
        flood("trailers", &[post, b"2\r\n{}\r\n0\r\n"], b"x: y\r\n"),
        flood("requests", &[b""], &[&get[..], b"\r\n"].concat()),
    ]
}

/// The floods over HTTP/2.
fn of_http2() -> Vec<Flood> {
    let begin = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    let of = |name, first: &[u8], piece: Vec<u8>| flood(name, &[&begin, first], &piece);
    let head = frame(HEADERS, END_STREAM, 1, &get(&[]));
    let body = frame(HEADERS, END_HEADERS, 1, &post(&[]));
    let large = field("x", &"y".repeat(120)).repeat(100);
    let resets = move |at: u32| -> Vec<u8> {
        let streams = (100 * at..100 * (at + 1)).map(|at| 2 * at + 1);
        let one = |stream| {
            let head = frame(HEADERS, END_HEADERS | END_STREAM, stream, &get(&[]));
            [head, frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])].concat()
        };
        streams.flat_map(one).collect()
    };
    vec![
        Flood { name: "resets", first: begin.clone(), piece: Box::new(resets) },
        of("fields", &head, frame(CONTINUATION, 0, 1, &large)),
        of("empty continuations", &head, frame(CONTINUATION, 0, 1, b"")),
        of("empty data", &body, frame(DATA, 0, 1, b"")),
        of("data of a byte", &body, frame(DATA, 0, 1, b" ")),
        of("pings", &[], frame(PING, 0, 0, b"12345678")),
        of("answers to pings", &[], frame(PING, 1, 0, b"12345678")),
        of("settings", &[], frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100])),
        of("priorities", &[], frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 16])),
        of("windows", &[], frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
        of("unknown frames", &[], frame(UNKNOWN, 0, 0, b"unknown")),
    ]
}

/// Conformance 153, 182: whoever sends the same without an end is cut off, and nobody else notices.
#[test]
fn a_flood_is_cut_off() {
    // These limits end floods. Smaller ones than the defaults end them sooner.
    let limits = "server: { timeouts: { head: 3s }, limits: { body_bytes: 64KiB } }\n";
    let server = TestServer::of(&format!("{limits}{}", include_str!("../../../schemas/zoo.yaml")));
    let floods: Vec<_> = of_http1().into_iter().chain(of_http2()).collect();
    // A few at a time leave a share of the processor for the client that behaves well.
    for floods in floods.chunks(4) {
        beside_others(&server, floods, |flood| run(&server, flood));
    }
    assert_eq!(server.client().get("/zoos?count=true").json()["total"], 0);
}

/// Sends a flood until the server ends its connection, and reads all that it sends.
fn run(server: &TestServer, flood: &Flood) {
    let mut stream = server.connect_from(ATTACKER);
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let begun = Instant::now();
    let reading = thread::spawn(move || {
        let mut bytes = [0; 64 * 1024];
        while read_some(&mut reader, &mut bytes).is_ok_and(|count| count > 0) {}
    });
    let mut written = stream.write_all(&flood.first);
    for at in 0.. {
        if written.is_err() {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{} must be cut off", flood.name);
        written = stream.write_all(&(flood.piece)(at));
        // An attacker on another machine has a network between itself and the server.
        thread::sleep(Duration::from_millis(20));
    }
    reading.join().unwrap();
}
