//! Range requests and partial content (RFC 9110 §14), for all representations with a strong
//! validator.

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use super::{Reply, is_read};
use crate::{
    base::error::{Error, Kind, text},
    http::{
        body::Body,
        range::{Cut, Portion, RangeSelection, content_range, unsatisfied},
    },
};

impl Reply {
    /// Cuts the content to the range of a request.
    ///
    /// A range selects bytes of the content as it is sent, after compression. Only the response to
    /// a successful GET or QUERY is cut. The content of a stream is already cut by the export.
    ///
    /// # Errors
    /// 416 if the content has no bytes in the range.
    pub(super) fn cut(&mut self, head: &Parts) -> Result<(), Error> {
        if self.status != StatusCode::OK || !is_read(&head.method) {
            return Ok(());
        }
        // Responses with members already have `Accept-Ranges`.
        if self.has_headers && !head.headers.contains_key(header::RANGE) {
            return Ok(());
        }
        if !self.has_strong_tag() {
            return Ok(());
        }
        self.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let cut = match &mut self.body {
            Body::Full(whole) => {
                let Some(portion) = portion(head, &self.headers) else { return Ok(()) };
                let cut = Cut::of(&portion.ranges, whole, content_type(&self.headers));
                *whole = cut.content(whole);
                cut
            }
            Body::Stream(content) => match content.cut() {
                Some(cut) => cut.clone(),
                None => return Ok(()),
            },
            Body::Empty => return Ok(()),
        };
        match (&cut.selected, &cut.multipart) {
            (RangeSelection::Unsatisfiable, _) => return Err(unsatisfiable(cut.length)),
            (RangeSelection::One(range), _) => {
                self.show_part(header::CONTENT_RANGE, &content_range(range, cut.length));
            }
            (_, Some(multipart)) => self.show_part(header::CONTENT_TYPE, &multipart.content_type()),
            _ => {}
        }
        Ok(())
    }

    fn has_strong_tag(&self) -> bool {
        self.headers.get(header::ETAG).is_some_and(|tag| tag.as_bytes().starts_with(b"\""))
    }

    fn show_part(&mut self, name: HeaderName, value: &str) {
        self.status = StatusCode::PARTIAL_CONTENT;
        self.insert(name, value);
    }
}

/// Returns the requested range if it applies to this response. Returns `None` to send the whole
/// content.
fn portion(head: &Parts, answer: &HeaderMap) -> Option<Portion> {
    let portion = Portion::of(head).filter(|_| head.method != Method::HEAD)?;
    answer.get(header::ETAG).is_some_and(|tag| portion.is_of(tag)).then_some(portion)
}

fn content_type(answer: &HeaderMap) -> &str {
    answer.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or(OCTETS)
}

/// Returns the error (416) for a range that selects no byte of the content (RFC 9110 §15.5.17).
fn unsatisfiable(length: u64) -> Error {
    let detail = text!(
        "The representation has {length} bytes; the requested range has none of them.",
        length
    );
    let value = HeaderValue::from_str(&unsatisfied(length))
        .expect("the value of `Content-Range` is visible ASCII");
    Error::new(Kind::RANGE_NOT_SATISFIABLE, detail).with_header(header::CONTENT_RANGE, value)
}

/// The media type of a content without `Content-Type`.
const OCTETS: &str = "application/octet-stream";
