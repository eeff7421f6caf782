//! Clients that are slow or silent. Each connection ends after a time, and with it what it holds.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    thread,
    time::{Duration, Instant},
};

use super::{ATTACKER, PATIENCE, beside_others};
use crate::{
    http2::frames::{
        DATA, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, SETTINGS, WINDOW_UPDATE, frame, get,
        post,
    },
    server::TestServer,
};

/// The time between two pieces that an attacker sends or reads.
const PACE: Duration = Duration::from_millis(500);

const WHOLE: u8 = END_HEADERS | END_STREAM;

/// The amount that an attacker reads.
#[derive(Clone, Copy)]
enum Reads {
    All,
    /// A byte now and then.
    Byte,
    Nothing,
}

/// An attack: the first bytes of a connection, and a piece that follows at each pace.
struct Attack {
    name: &'static str,
    first: Vec<u8>,
    piece: Vec<u8>,
    reads: Reads,
}

fn attack(name: &'static str, first: &[impl AsRef<[u8]>], piece: &[u8], reads: Reads) -> Attack {
    let first = first.iter().flat_map(|piece| piece.as_ref().to_vec()).collect();
    Attack { name, first, piece: piece.to_vec(), reads }
}

/// The attacks on HTTP/1.1.
fn of_http1() -> Vec<Attack> {
    let get = "GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n";
    let post = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n";
    let whole = format!("{get}\r\n");
    let many = whole.repeat(3_000);
    let read = Reads::All;
    vec![
        attack("silence", &[""], b"", read),
        attack("one byte", &["G"], b"", read),
        attack("half a preface", &["PRI * HT"], b"", read),
        attack("idle after a response", &[&whole], b"", read),
        attack("slow head", &[get], b"x", read),
        attack("slow fields", &[get], b"x: y\r\n", read),
        attack("body that never comes", &[post, "content-length: 9\r\n\r\n"], b"", read),
        attack("slow body", &[post, "content-length: 9999\r\n\r\n"], b" ", read),
        attack(
            "endless chunks",
            &[post, "transfer-encoding: chunked\r\n\r\n"],
            b"1\r\n \r\n",
            read,
        ),
        attack("continue", &[post, "expect: 100-continue\r\ncontent-length: 9\r\n\r\n"], b"", read),
        attack("slow reading", &[&many], b"", Reads::Byte),
        attack("3,000 requests and no reading", &[&many], b"", Reads::Nothing),
    ]
}

/// The attacks on HTTP/2.
fn of_http2() -> Vec<Attack> {
    let begin = |settings: &[u8]| [PREFACE.to_vec(), frame(SETTINGS, 0, 0, settings)].concat();
    let shut = begin(&[0, 4, 0, 0, 0, 0]);
    let request = frame(HEADERS, WHOLE, 1, &get(&[]));
    let requests: Vec<_> =
        (0..100).flat_map(|at| frame(HEADERS, WHOLE, 2 * at + 1, &get(&[]))).collect();
    let bodies: Vec<_> =
        (0..100).flat_map(|at| frame(HEADERS, END_HEADERS, 2 * at + 1, &post(&[]))).collect();
    let open = begin(&[]);
    let read = Reads::All;
    vec![
        attack("no settings", &[PREFACE], b"", read),
        attack("settings that are not acknowledged", &[&open], b"", read),
        attack("idle after a stream", &[&open, &request], b"", read),
        attack(
            "head without an end",
            &[&open, &frame(HEADERS, END_STREAM, 1, &get(&[]))],
            b"",
            read,
        ),
        attack("part of a frame", &[&open[..], &[0, 0, 100, 1]], b"", read),
        attack("slow frame", &[&open[..], &[0, 64, 0, 1, 5, 0, 0, 0, 1]], b"x", read),
        attack("bodies that never come", &[&open, &bodies], b"", read),
        attack("slow body", &[&open, &bodies], &frame(DATA, 0, 1, b" "), read),
        attack("shut windows", &[&shut, &requests], b"", read),
        attack(
            "windows of a byte",
            &[&shut, &request],
            &frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
            read,
        ),
        attack("settings again and again", &[&open], &frame(SETTINGS, 0, 0, &[]), read),
        attack("no reading", &[&open, &requests], &frame(PING, 0, 0, b"12345678"), Reads::Nothing),
    ]
}

/// Conformance 146, 148, 179, 181: a connection that is slow or silent ends, whatever it waits for,
/// and whatever its client still sends or reads now and then.
#[test]
fn slow_and_silent_connections_end() {
    let server = TestServer::zoo();
    let attacks: Vec<_> = of_http1().into_iter().chain(of_http2()).collect();
    beside_others(&server, &attacks, |attack| run(&server, attack));
}

/// Runs an attack until the server ends its connection.
fn run(server: &TestServer, attack: &Attack) {
    let mut stream = server.connect_from(ATTACKER);
    stream.set_read_timeout(Some(PACE)).unwrap();
    stream.set_write_timeout(Some(PACE)).unwrap();
    let begun = Instant::now();
    let mut rest = &attack.first[..];
    loop {
        assert!(begun.elapsed() < PATIENCE, "{} must end", attack.name);
        let written = match rest {
            [] => Ok(0),
            rest => stream.write(rest),
        };
        match written {
            Ok(bytes) => rest = &rest[bytes..],
            Err(error) if waits(error.kind()) => {}
            Err(_) => break,
        }
        let mut bytes = [0; 64 * 1024];
        let room = match attack.reads {
            Reads::All => bytes.len(),
            Reads::Byte => 1,
            Reads::Nothing => 0,
        };
        // What was received before a reset could still be read, for as long as the attacker likes.
        let read = match (room, stream.take_error().unwrap()) {
            (_, Some(error)) => Err(error),
            (0, None) => Ok(1),
            (room, None) => stream.read(&mut bytes[..room]),
        };
        match read {
            Ok(0) => break,
            Ok(_) if matches!(attack.reads, Reads::All) && !rest.is_empty() => {}
            Ok(_) => thread::sleep(PACE),
            Err(error) if waits(error.kind()) => {}
            Err(_) => break,
        }
        if rest.is_empty() {
            rest = &attack.piece;
        }
    }
}

fn waits(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
