//! Several parts of a content as one body: `multipart/byteranges` (RFC 9110 §14.6).

use std::{fmt::Write as _, ops::Range};

use uuid::Uuid;

use super::content_range;
use crate::base::hash::StableHasher;

/// The common data of the parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Multipart {
    boundary: String,
    content_type: String,
    length: u64,
}

impl Multipart {
    /// Creates the frame for parts of a content in memory. Their boundary does not occur in it.
    pub(crate) fn of(whole: &[u8], content_type: &str) -> Self {
        let boundary = boundary(whole);
        Self { boundary, content_type: content_type.to_owned(), length: whole.len() as u64 }
    }

    /// Creates the frame for parts of a stream, which is not searched: it cannot contain a boundary
    /// that is random and generated now.
    pub(crate) fn of_stream(length: u64, content_type: &str) -> Self {
        let boundary = Uuid::new_v4().simple().to_string();
        Self { boundary, content_type: content_type.to_owned(), length }
    }

    /// The value of `Content-Type` of the whole body.
    pub(crate) fn content_type(&self) -> String {
        format!("multipart/byteranges; boundary={}", self.boundary)
    }

    /// The head of a part.
    pub(crate) fn head(&self, range: &Range<u64>) -> String {
        let Self { boundary, content_type, length } = self;
        let content_range = content_range(range, *length);
        format!(
            "\r\n--{boundary}\r\nContent-Type: {content_type}\r\nContent-Range: {content_range}\r\n\r\n"
        )
    }

    /// The text after the last part.
    pub(crate) fn end(&self) -> String {
        format!("\r\n--{}--\r\n", self.boundary)
    }

    /// The whole body, from a content in memory.
    pub(crate) fn content(&self, whole: &[u8], ranges: &[Range<u64>]) -> Vec<u8> {
        let mut content = Vec::with_capacity(whole.len());
        for range in ranges {
            content.extend_from_slice(self.head(range).as_bytes());
            content.extend_from_slice(&whole[range.start as usize..range.end as usize]);
        }
        content.extend_from_slice(self.end().as_bytes());
        content
    }
}

/// Returns a text that does not occur in a content.
fn boundary(content: &[u8]) -> String {
    let mut hash = StableHasher::new().bytes(content);
    loop {
        let mut boundary = String::with_capacity(16);
        write!(boundary, "{:016x}", hash.finish()).expect("a text takes every text");
        if !content.windows(boundary.len()).any(|part| part == boundary.as_bytes()) {
            return boundary;
        }
        hash = hash.number(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_parts_are_one_content() {
        let parts = Multipart::of(b"0123456789", "text/plain");
        let boundary = &parts.boundary;
        let expected = format!(
            "\r\n--{boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--{boundary}\r\n\
             Content-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--{boundary}--\r\n"
        );
        let content = parts.content(b"0123456789", &[0..2, 8..10]);
        assert_eq!(String::from_utf8(content).unwrap(), expected);
        assert_eq!(parts.content_type(), format!("multipart/byteranges; boundary={boundary}"));
    }

    #[test]
    fn nobody_knows_a_boundary_before() {
        let drawn = || Multipart::of_stream(10, "text/csv");
        assert_ne!(drawn().boundary, drawn().boundary);
        assert_eq!(drawn().boundary.len(), 32);
    }
}
