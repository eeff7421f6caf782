//! Frames of HTTP/2 (RFC 9113 §4), to send what no library sends.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use crate::server::TestServer;

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;
/// A type that no specification defines.
pub(crate) const UNKNOWN: u8 = 0x77;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const ACK: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// The first bytes of a connection (RFC 9113 §3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame that the server has sent.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// A connection that sends frames.
pub(crate) struct Frames(pub(crate) TcpStream);

/// The bytes of a frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header field that HPACK neither indexes nor compresses (RFC 7541 §6.2.2).
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

/// The head of `GET /zoos`, with further fields.
pub(crate) fn get(fields: &[(&str, &str)]) -> Vec<u8> {
    head("GET", "/zoos", fields)
}

/// The head of `POST /zoos`, with further fields.
pub(crate) fn post(fields: &[(&str, &str)]) -> Vec<u8> {
    head("POST", "/zoos", fields)
}

/// The head of a request.
pub(crate) fn head(method: &str, target: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let pseudo = [
        (":method", method),
        (":scheme", "http"),
        (":path", target),
        (":authority", "zoo.localhost"),
    ];
    pseudo.iter().chain(fields).flat_map(|(name, value)| field(name, value)).collect()
}

impl Frames {
    /// Connects, with these settings.
    pub(crate) fn connect(server: &TestServer, settings: &[u8]) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(90))).unwrap();
        stream.write_all(PREFACE).unwrap();
        stream.write_all(&frame(SETTINGS, 0, 0, settings)).unwrap();
        Self(stream)
    }

    /// Sends bytes. The server may have closed the connection already.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).ok();
    }

    /// The next frame, or `None` at the end of the connection.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let number =
            |bytes: &[u8]| bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let mut payload = vec![0; number(&head[..3]) as usize];
        self.0.read_exact(&mut payload).ok()?;
        Some(Frame { kind: head[3], flags: head[4], stream: number(&head[5..]), payload })
    }

    /// The next frame of these kinds. `None` at the end of the connection.
    pub(crate) fn until(&mut self, kinds: &[u8]) -> Option<Frame> {
        std::iter::from_fn(|| self.next()).find(|frame| kinds.contains(&frame.kind))
    }
}
