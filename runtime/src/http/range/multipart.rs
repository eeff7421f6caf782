//! The media type `multipart/byteranges`, which has several parts of content in one body (RFC 9110
//! §14.6).

use std::{fmt::Write as _, ops::Range};

use uuid::Uuid;

use super::content_range;
use crate::base::hash::StableHasher;

/// The properties that all parts of a body share: the boundary, the media type, and the length of
/// the whole content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Multipart {
    boundary: String,
    content_type: String,
    length: u64,
}

impl Multipart {
    /// Chooses a boundary for parts of content in memory. The boundary does not occur in the
    /// content.
    pub(crate) fn of(whole: &[u8], content_type: &str) -> Self {
        let boundary = boundary(whole);
        Self { boundary, content_type: content_type.to_owned(), length: whole.len() as u64 }
    }

    /// Chooses a boundary for parts of a stream, whose content cannot be searched. The boundary is
    /// random, so the content cannot contain it.
    pub(crate) fn of_stream(length: u64, content_type: &str) -> Self {
        let boundary = Uuid::new_v4().simple().to_string();
        Self { boundary, content_type: content_type.to_owned(), length }
    }

    /// The `Content-Type` of the whole body.
    pub(crate) fn content_type(&self) -> String {
        format!("multipart/byteranges; boundary={}", self.boundary)
    }

    /// The boundary line and the header fields before a part.
    pub(crate) fn head(&self, range: &Range<u64>) -> String {
        let Self { boundary, content_type, length } = self;
        let content_range = content_range(range, *length);
        format!(
            "\r\n--{boundary}\r\nContent-Type: {content_type}\r\nContent-Range: {content_range}\r\n\r\n"
        )
    }

    /// The boundary line after the last part.
    pub(crate) fn end(&self) -> String {
        format!("\r\n--{}--\r\n", self.boundary)
    }

    /// The whole body, made from content in memory.
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

/// Returns a boundary that does not occur in the content. Equal content gets an equal boundary.
fn boundary(content: &[u8]) -> String {
    let mut hash = StableHasher::new().bytes(content);
    loop {
        let mut boundary = String::with_capacity(16);
        write!(boundary, "{:016x}", hash.finish()).expect("writing to a String never fails");
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
