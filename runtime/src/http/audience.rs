//! [`Audience`]: whether a program or a person reads a problem response, and in which language.

use http::{HeaderMap, request::Parts};

use crate::{
    base::language::Language,
    http::{
        client::OverLoopback,
        negotiate::{self, Format},
    },
};

/// The reader of a problem response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Whether the reader is a person, who gets an HTML page; false for a program, which gets JSON.
    pub for_people: bool,
    /// The language of the texts in the response.
    pub language: Language,
    /// Whether the reader is on this machine. It is looked at only if the schema file is watched.
    pub is_local: bool,
}

impl Audience {
    /// Determines the reader from the request's `Accept` and `Accept-Language`, and its connection.
    pub(crate) fn of(head: &Parts) -> Self {
        Self {
            for_people: is_for_people(&head.headers),
            language: negotiate::language(&head.headers),
            is_local: OverLoopback::is_local(head),
        }
    }

    /// The format of a problem response for this reader.
    pub(crate) const fn format(self) -> Format {
        if self.for_people { Format::Html } else { Format::Json }
    }
}

/// Whether the client prefers HTML to `application/json` and `application/problem+json`. An error
/// has a body even if `Accept` allows none of these (RFC 9457 §3).
fn is_for_people(headers: &HeaderMap) -> bool {
    negotiate::format(headers, &[Format::Json, Format::Problem, Format::Html]) == Some(Format::Html)
}
