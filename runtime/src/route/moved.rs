//! Another URL for a path: where to, and whether for good.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::escapes_are_whole;
use crate::{
    error::{Error, Kind, text},
    model::Model,
};

/// Another URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where to, for the field `Location`.
    pub location: String,
    /// Whether it will stay there, so that clients may forget the path that they asked for.
    pub permanent: bool,
}

impl Moved {
    /// The same path without the slashes at its end.
    pub(super) fn without_slash(model: &Model, path: &str, query: Option<&str>) -> Self {
        let path = format!("/{}", path.trim_matches('/'));
        Self { location: model.urls.location(&sent(path, query)), permanent: true }
    }

    /// Where the collection is now that once stood at a path, or above it.
    ///
    /// # Errors
    /// 400 for a broken percent-encoding.
    pub(super) fn from_former(model: &Model, path: &str, query: Option<&str>) -> Result<Option<Self>, Error> {
        let Some(found) = model.moved.find(path) else { return Ok(None) };
        check_escapes(path)?;
        Ok(Some(Self { location: model.urls.location(&sent(found, query)), permanent: true }))
    }

    /// The place where a collection is for the time being; `below` follows the collection in the path.
    ///
    /// # Errors
    /// 400 for a broken percent-encoding.
    pub(super) fn away(model: &Model, place: &str, below: &str, query: Option<&str>) -> Result<Self, Error> {
        check_escapes(below)?;
        let place = place.trim_end_matches('/');
        let below = sent(below.to_owned(), query);
        let location = match place.starts_with('/') {
            true => model.urls.location(&[place, &below].concat()),
            false => [place, &below].concat(),
        };
        Ok(Self { location, permanent: false })
    }
}

fn check_escapes(path: &str) -> Result<(), Error> {
    if escapes_are_whole(path) {
        return Ok(());
    }
    Err(Error::new(Kind::MALFORMED_REQUEST, text!("`{path}` is not percent-encoded.", path)))
}

/// A path and a query as they came, with what a field must not have encoded.
fn sent(path: String, query: Option<&str>) -> String {
    let whole = match query {
        Some(query) => path + "?" + query,
        None => path,
    };
    utf8_percent_encode(&whole, LOOSE).to_string()
}

/// What a client may send raw and we may not: a browser reads a backslash after the first slash as another host.
const LOOSE: &AsciiSet = &CONTROLS.add(b'\\').add(b' ').add(b'"').add(b'<').add(b'>').add(b'^').add(b'`');
