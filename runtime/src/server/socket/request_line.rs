//! The request lines in the bytes of a connection, as the client sent them.
//!
//! The HTTP library accepts a fragment in a target without a word, and answers a wrong version or a
//! target without an end with a bare status. So the socket looks at each request line first. If
//! something is wrong with it, the line is mended so far that the library can read it. The fault is
//! noted for the service, which then answers with a problem.
//!
//! Only a line whose first byte is known to begin a request is looked at. That is the case for each
//! request that a client sends after it has read the previous response. Of requests that were sent
//! together, the first is looked at.

use memchr::{memchr2, memmem};

use crate::http::request_head::HeadFault;

/// The number of bytes of a request line after which it is cut off. The library reads targets of at
/// most 65,534 bytes.
const LINE_BYTES_MAX: usize = 60 * 1024;

/// The end of a request line that is cut off, and of its head.
pub(super) const END: &[u8] = b" HTTP/1.1\r\n\r\n";

/// The request line of HTTP/2 (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0";

/// The place in the bytes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// In a request line, of which this many bytes have come.
    Line(usize),
    /// In the fields of a head.
    Fields,
    /// This many bytes after the end of a head.
    Body(u64),
    /// Unknown, because requests were sent together.
    Unknown,
}

/// Follows the bytes of a connection from one request line to the next.
#[derive(Debug)]
pub(super) struct RequestLines {
    position: Position,
    /// The last bytes that have come.
    tail: [u8; 4],
}

/// The facts found in bytes that have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineLook {
    /// The error in the request line.
    pub(super) fault: Option<HeadFault>,
    /// Whether a head has begun and not ended.
    pub(super) is_within: bool,
}

impl RequestLines {
    pub(super) const fn new() -> Self {
        // The first byte of a connection begins a request, like the first byte after a head.
        Self { position: Position::Body(0), tail: *b"\r\n\r\n" }
    }

    /// The number of bytes that may come before the request line is cut off. `None` outside of a
    /// request line.
    pub(super) const fn line_left(&self) -> Option<usize> {
        match self.position {
            Position::Line(bytes) => Some(LINE_BYTES_MAX.saturating_sub(bytes)),
            _ => None,
        }
    }

    /// Looks at bytes that have come, and mends a request line. `awaits_head` is whether the
    /// library waits for a head, and `body` the length of the previous body, if it is known.
    pub(super) fn look(
        &mut self,
        bytes: &mut [u8],
        awaits_head: bool,
        body: Option<u64>,
    ) -> LineLook {
        self.position = match self.position {
            _ if awaits_head && self.is_between(body) => Position::Line(0),
            // The library goes on with the head that has begun.
            within @ (Position::Line(_) | Position::Fields) if awaits_head => within,
            body @ Position::Body(_) if !awaits_head => body,
            _ => Position::Unknown,
        };
        let fault = match self.position {
            Position::Line(before) => self.line(bytes, before),
            Position::Fields => {
                self.fields(bytes);
                None
            }
            Position::Body(before) => {
                self.position = Position::Body(before + bytes.len() as u64);
                None
            }
            Position::Unknown => None,
        };
        self.note(bytes);
        let is_within = match self.position {
            Position::Line(_) | Position::Fields => true,
            Position::Unknown => awaits_head,
            Position::Body(_) => false,
        };
        LineLook { fault, is_within }
    }

    /// Whether the next byte begins a head, if the library has read the whole previous request.
    /// Then an empty line at the end is that of a head, or of a body in chunks.
    pub(super) fn is_between(&self, body: Option<u64>) -> bool {
        match self.position {
            Position::Line(_) => false,
            Position::Body(count) if body == Some(count) => true,
            _ => ends_head(self.tail),
        }
    }

    fn line(&mut self, bytes: &mut [u8], before: usize) -> Option<HeadFault> {
        // An empty line before a request is skipped (RFC 9112 §2.2).
        let is_empty_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let begin = if before == 0 {
            bytes.iter().take_while(|byte| is_empty_line(byte)).count()
        } else {
            0
        };
        let (mut at, mut fault) = (begin, None);
        while let Some(found) = memchr2(b'\n', b'#', &bytes[at..]) {
            let found = at + found;
            if bytes[found] == b'#' {
                bytes[found] = b'?';
                (at, fault) = (found + 1, Some(HeadFault::Fragment));
                continue;
            }
            let line = &mut bytes[begin..found];
            let end = line.len() - usize::from(line.ends_with(b"\r"));
            let fault = mend_version(&mut line[..end]).or(fault);
            self.end_line(bytes, found + 1);
            return fault;
        }
        let count = before + bytes.len() - begin;
        self.position = Position::Line(count);
        match count >= LINE_BYTES_MAX {
            true => {
                self.position = Position::Unknown;
                Some(HeadFault::Length)
            }
            false => fault,
        }
    }

    /// Goes on after a request line. Most requests have no body, so their head ends the bytes.
    fn end_line(&mut self, bytes: &[u8], line: usize) {
        let last = bytes.len().checked_sub(4).filter(|at| at + 2 >= line);
        let ends = last.is_some_and(|at| bytes[at..] == *b"\r\n\r\n");
        self.position = match ends {
            true => Position::Body(0),
            // The end of the line may be the first half of the empty line.
            false => match memmem::find(&bytes[line.saturating_sub(2)..], b"\r\n\r\n") {
                Some(at) => {
                    Position::Body((bytes.len() - (line.saturating_sub(2) + at + 4)) as u64)
                }
                None => Position::Fields,
            },
        };
    }

    /// Searches the end of a head in bytes that begin within its fields.
    fn fields(&mut self, bytes: &[u8]) {
        let joint: Vec<u8> = self.tail[1..].iter().chain(bytes.iter().take(3)).copied().collect();
        let found = memmem::find(&joint, b"\r\n\r\n")
            .map(|at| at + 1)
            .or_else(|| memmem::find(bytes, b"\r\n\r\n").map(|at| at + 4));
        if let Some(end) = found {
            self.position = Position::Body((bytes.len() - end) as u64);
        }
    }

    fn note(&mut self, bytes: &[u8]) {
        match bytes.last_chunk::<4>() {
            Some(last) => self.tail = *last,
            None => {
                self.tail.rotate_left(bytes.len());
                self.tail[4 - bytes.len()..].copy_from_slice(bytes);
            }
        }
    }
}

/// Whether the last bytes are the empty line at the end of a head. The library accepts lines that
/// end without a carriage return.
fn ends_head(tail: [u8; 4]) -> bool {
    matches!(tail, [_, b'\n', b'\r', b'\n'] | [_, _, b'\n', b'\n'])
}

/// Replaces a version that the library does not read by one that it reads.
fn mend_version(line: &mut [u8]) -> Option<HeadFault> {
    let is_preface = line == PREFACE;
    let version = line.last_chunk_mut::<8>()?;
    if version == b"HTTP/1.1" || version == b"HTTP/1.0" || is_preface {
        return None;
    }
    let [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] = version else { return None };
    if !major.is_ascii_digit() || !minor.is_ascii_digit() {
        return None;
    }
    (*major, *minor) = (b'1', b'1');
    Some(HeadFault::Version)
}

#[cfg(test)]
mod tests;
