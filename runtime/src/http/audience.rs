//! The reader of a response: a program or a person, and their language.

use http::HeaderMap;

use crate::{
    base::language::Language,
    http::negotiate::{self, Format},
};

/// The reader of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Whether the reader is a person, who wants an HTML page, and not a program.
    pub for_people: bool,
    /// The language of the reader.
    pub language: Language,
}

impl Audience {
    /// The sender of a request.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self { for_people: is_for_people(headers), language: negotiate::language(headers) }
    }

    /// The format for this reader.
    pub(crate) const fn format(self) -> Format {
        if self.for_people { Format::Html } else { Format::Json }
    }
}

/// Whether the client prefers HTML to both kinds of JSON. An error is sent whatever `Accept` allows
/// (RFC 9457 §3).
fn is_for_people(headers: &HeaderMap) -> bool {
    negotiate::format(headers, &[Format::Json, Format::Problem, Format::Html]) == Some(Format::Html)
}
