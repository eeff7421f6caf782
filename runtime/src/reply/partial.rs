//! Parts of a representation (RFC 9110 §14), of whatever has a strong validator.

use http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use super::Reply;
use crate::{
    body::Body,
    error::{Error, Kind, text},
    range::{Ranges, Selected, content_range, multipart, unsatisfied},
};

impl Reply {
    /// The same with the part of it that a request asks for.
    ///
    /// Ranges are of what is sent, coded as it is. Only who reads is given parts, and only of what is there.
    ///
    /// # Errors
    /// 416 where there is nothing of it.
    pub(crate) fn in_part(mut self, head: &Parts) -> Result<Self, Error> {
        let is_whole = !matches!(self.body, Body::Stream(_));
        if !is_whole {
            self.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("none"));
        }
        if self.status != StatusCode::OK || !is_whole || !is_read(&head.method) || !self.has_strong_tag() {
            return Ok(self);
        }
        self.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let Some(asked) = only(head, &header::RANGE) else { return Ok(self) };
        let Some(ranges) = asked.to_str().ok().and_then(Ranges::parse) else { return Ok(self) };
        if head.method == Method::HEAD || !self.is_still(head) {
            return Ok(self);
        }
        let Body::Full(whole) = &self.body else { return Ok(self) };
        let length = whole.len() as u64;
        Ok(match ranges.select(length) {
            Selected::Whole => self,
            Selected::Unsatisfiable => return Err(nothing_of(length)),
            Selected::One(range) => {
                let part = whole.slice(range.start as usize..range.end as usize);
                self.part(part.into()).with(header::CONTENT_RANGE, &content_range(&range, length))
            }
            Selected::Many(ranges) => {
                let content_type =
                    self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
                let (boundary, content) = multipart(content_type.unwrap_or(OCTETS), whole, &ranges);
                let content_type = format!("multipart/byteranges; boundary={boundary}");
                self.part(content.into()).with(header::CONTENT_TYPE, &content_type)
            }
        })
    }

    fn has_strong_tag(&self) -> bool {
        self.headers.get(header::ETAG).is_some_and(|tag| tag.as_bytes().starts_with(b"\""))
    }

    /// Whether what a client has a part of is what there is (RFC 9110 §13.1.5). A date never says so: two changes in one
    /// second have the same.
    fn is_still(&self, head: &Parts) -> bool {
        let stands = head.headers.contains_key(header::IF_RANGE);
        !stands
            || only(head, &header::IF_RANGE)
                .is_some_and(|known| self.headers.get(header::ETAG) == Some(known))
    }

    fn part(mut self, content: Body) -> Self {
        self.status = StatusCode::PARTIAL_CONTENT;
        self.body = content;
        self
    }
}

/// Nothing of it (RFC 9110 §15.5.17).
fn nothing_of(length: u64) -> Error {
    let detail = text!("There are {length} octets, and none of those that were asked for.", length);
    let value = HeaderValue::from_str(&unsatisfied(length)).expect("a range is visible ASCII");
    Error::new(Kind::RANGE_NOT_SATISFIABLE, detail).with_header(header::CONTENT_RANGE, value)
}

/// What the content of an answer is where nothing else is said.
const OCTETS: &str = "application/octet-stream";

/// The value of a field that stands in one line; where it stands in several, nobody knows which is meant (RFC 9110 §5.3).
fn only<'h>(head: &'h Parts, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = head.headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn is_read(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::QUERY].contains(method)
}
