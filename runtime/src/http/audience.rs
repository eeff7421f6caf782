//! Who reads what is said: a program or a person, and in which language.

use http::HeaderMap;

use crate::{
    base::language::Language,
    http::negotiate::{self, Format},
};

/// Who reads what problems mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Whether it is somebody who wants a page, and no program.
    pub for_people: bool,
    /// In which language.
    pub language: Language,
}

impl Audience {
    /// Who has sent a request.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self { for_people: is_for_people(headers), language: negotiate::language(headers) }
    }

    /// What it reads.
    pub(crate) const fn format(self) -> Format {
        if self.for_people { Format::Html } else { Format::Json }
    }
}

/// Whether HTML is asked for before JSON of either kind. An error is never refused for what is
/// asked for (RFC 9457 §3).
fn is_for_people(headers: &HeaderMap) -> bool {
    negotiate::format(headers, &[Format::Json, Format::Problem, Format::Html]) == Some(Format::Html)
}
