//! `Range` and `If-Range`: the requested part of a representation, and its validator (RFC 9110
//! §14.2, §13.1.5).

use http::{HeaderValue, header, request::Parts};

use super::Ranges;
use crate::http::single::only;

/// The requested ranges, and the entity tag of the representation that the client has a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    /// The requested ranges.
    pub(crate) ranges: Ranges,
    known: Option<HeaderValue>,
}

impl Portion {
    /// Parses the fields of a request. `None` if they are absent or to be ignored.
    pub(crate) fn of(head: &Parts) -> Option<Self> {
        let ranges = Ranges::parse(only(&head.headers, &header::RANGE)?.to_str().ok()?)?;
        let known = match head.headers.contains_key(header::IF_RANGE) {
            true => Some(only(&head.headers, &header::IF_RANGE)?.clone()),
            false => None,
        };
        Some(Self { ranges, known })
    }

    /// Whether the client has a part of the current representation, by its strong entity tag. A
    /// date does not suffice: two changes in one second have the same.
    pub(crate) fn is_of(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_none_or(|known| known == tag)
    }
}
