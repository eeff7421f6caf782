//! The request fields `Range` and `If-Range` (RFC 9110 §14.2, §13.1.5).

use http::{HeaderValue, header, request::Parts};

use super::Ranges;
use crate::http::single::only;

/// The requested ranges, and the value of `If-Range`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    /// The ranges of the field `Range`.
    pub(crate) ranges: Ranges,
    known: Option<HeaderValue>,
}

impl Portion {
    /// Parses the two fields of a request. `None` if there is no `Range`, or if it must be ignored.
    pub(crate) fn of(head: &Parts) -> Option<Self> {
        let ranges = Ranges::parse(only(&head.headers, &header::RANGE)?.to_str().ok()?)?;
        let known = match head.headers.contains_key(header::IF_RANGE) {
            true => Some(only(&head.headers, &header::IF_RANGE)?.clone()),
            false => None,
        };
        Some(Self { ranges, known })
    }

    /// Whether the ranges apply to the representation with this entity tag. They do if `If-Range`
    /// is absent or equals the strong entity tag. A date in `If-Range` never matches, because two
    /// changes in one second have the same date.
    pub(crate) fn is_of(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_none_or(|known| known == tag)
    }
}
