//! What a request asks for of a representation, and of which (RFC 9110 §14.2, §13.1.5).

use http::{HeaderValue, header, request::Parts};

use super::Ranges;
use crate::http::single::only;

/// Ranges, and the tag of what the client has the rest of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    /// Which bytes.
    pub(crate) ranges: Ranges,
    known: Option<HeaderValue>,
}

impl Portion {
    /// What a request says; nothing where it says it in a way that is passed over.
    pub(crate) fn of(head: &Parts) -> Option<Self> {
        let ranges = Ranges::parse(only(&head.headers, &header::RANGE)?.to_str().ok()?)?;
        let known = match head.headers.contains_key(header::IF_RANGE) {
            true => Some(only(&head.headers, &header::IF_RANGE)?.clone()),
            false => None,
        };
        Some(Self { ranges, known })
    }

    /// Whether what the client has a part of is what there is, by its strong tag. A date never says
    /// so: two changes in one second have the same.
    pub(crate) fn is_of(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_none_or(|known| known == tag)
    }
}
