//! The attacks: what each client sends.

use std::time::Duration;

/// A kind of attack.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The number of clients that attack at the same time.
    pub(super) clients: usize,
    /// The first bytes of a connection.
    pub(super) first: Vec<u8>,
    /// The n-th piece after them.
    pub(super) piece: Box<dyn Fn(u32) -> Vec<u8> + Send + Sync>,
    /// The time between two pieces; `None` for a flood.
    pub(super) pace: Option<Duration>,
    pub(super) reads: bool,
    /// Whether it is one of TLS. Then a connection ends with its first answer.
    pub(super) is_tls: bool,
}

const SECOND: Option<Duration> = Some(Duration::from_secs(1));
const GET: &[u8] = b"GET /zoos HTTP/1.1\r\nhost: localhost\r\n";
const CHUNKED: &[u8] =
    b"POST /zoos HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// An attack with the same piece again and again.
fn kind(
    name: &'static str,
    clients: usize,
    pace: Option<Duration>,
    first: &[&[u8]],
    piece: &[u8],
) -> Kind {
    let piece = piece.repeat(if pace.is_some() { 1 } else { 100 });
    let (first, piece) = (first.concat(), Box::new(move |_| piece.clone()));
    Kind { name, clients, first, piece, pace, reads: true, is_tls: false }
}

/// All attacks.
pub(super) fn all() -> Vec<Kind> {
    let length: &[u8] = b"POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n";
    let page = b"GET /zoos?limit=100 HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(3000);
    let open = [PREFACE, &frame(4, 0, 0, &[])].concat();
    let shut = [PREFACE, &frame(4, 0, 0, &[0, 4, 0, 0, 0, 0])].concat();
    let head = frame(1, 1, 1, &head("GET"));
    let post = frame(1, 4, 1, &self::head("POST"));
    let requests: Vec<u8> =
        (0..100).flat_map(|at| frame(1, 5, 2 * at + 1, &self::head("GET"))).collect();
    let resets = |at: u32| -> Vec<u8> {
        let streams = (50 * at..50 * (at + 1)).map(|at| 2 * at + 1);
        let reset = |stream| frame(3, 0, stream, &[0, 0, 0, 8]);
        let one = |stream| [frame(1, 5, stream, &self::head("GET")), reset(stream)].concat();
        streams.flat_map(one).collect()
    };
    let unread = |name, clients, first: &[u8]| Kind {
        reads: false,
        ..kind(name, clients, SECOND, &[first], b"")
    };
    vec![
        kind("idle connections", 10_000, SECOND, &[], b""),
        kind("slow heads", 1_000, SECOND, &[GET], b"x"),
        kind("slow bodies", 1_000, SECOND, &[length], b" "),
        unread("3,000 requests, no reading", 100, &page),
        kind("endless chunked bodies", 8, None, &[CHUNKED], b"1\r\n \r\n"),
        kind("header floods", 8, None, &[GET], b"x: y\r\n"),
        Kind { piece: Box::new(resets), ..kind("HTTP/2 rapid reset", 8, None, &[&open], b"") },
        kind("CONTINUATION flood", 8, None, &[&open, &head], &frame(9, 0, 1, &field("x", "y"))),
        kind("PING flood", 8, None, &[&open], &frame(6, 0, 0, b"12345678")),
        kind("SETTINGS flood", 8, None, &[&open], &frame(4, 0, 0, &[])),
        kind("empty DATA flood", 8, None, &[&open, &post], &frame(0, 0, 1, b"")),
        Kind { is_tls: true, ..kind("handshakes", 1_000, SECOND, &[&hello()], b"") },
        kind("windows of zero, 100 streams each", 100, SECOND, &[&shut, &requests], b""),
    ]
}

/// The bytes of a frame of HTTP/2 (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header field that HPACK does not compress.
fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

fn head(method: &str) -> Vec<u8> {
    let fields =
        [(":method", method), (":scheme", "http"), (":path", "/zoos"), (":authority", "bench")];
    fields.iter().flat_map(|(name, value)| field(name, value)).collect()
}

/// The first message of a handshake (RFC 8446 §4.1.2). It costs its sender nothing, and the server
/// a key exchange and a signature.
fn hello() -> Vec<u8> {
    let extension = |kind: u16, content: &[u8]| sized(&kind.to_be_bytes(), 2, content);
    let extensions = [
        // The versions, groups and signatures, and the share of a key of X25519.
        extension(43, &[2, 3, 4]),
        extension(10, &[0, 2, 0, 29]),
        extension(13, &[0, 6, 4, 3, 8, 4, 8, 7]),
        extension(51, &sized(&[], 2, &sized(&[0, 29], 2, &[9; 32]))),
    ]
    .concat();
    let (random, ciphers) = ([7; 32], [0x13, 0x01]);
    let content = [
        &[3, 3][..],
        &random,
        &[0],
        &sized(&[], 2, &ciphers),
        &[1, 0],
        &sized(&[], 2, &extensions),
    ]
    .concat();
    sized(&[22, 3, 1], 2, &sized(&[1], 3, &content))
}

/// A beginning, the length of a content in some bytes, and the content.
fn sized(begin: &[u8], width: usize, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_be_bytes();
    [begin, &length[4 - width..], content].concat()
}
