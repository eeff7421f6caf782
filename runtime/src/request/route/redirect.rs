//! Redirects from a path to another URL, permanent or temporary.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Target, decode, escapes_are_whole, missing};
use crate::{
    base::error::{Error, Kind, text},
    model::{Model, ResourceIx},
};

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The URL, for the field `Location`.
    pub location: String,
    /// Whether it is permanent, so that clients may forget the path that they requested.
    pub permanent: bool,
    /// The resource that it belongs to, if known.
    pub resource: Option<ResourceIx>,
}

impl Redirect {
    /// Redirects to the same path without the slashes at its end, if something is served there.
    ///
    /// # Errors
    /// 404 for a path with a segment `.` or `..`, and the errors of the path without its slashes.
    pub(super) fn without_slash(
        model: &Model,
        path: &str,
        query: Option<&str>,
    ) -> Result<Self, Error> {
        check_dots(path)?;
        let path = format!("/{}", path.trim_matches('/'));
        let resource = match super::below_base(model, &path, None)? {
            Target::Collection(chain) | Target::Member(chain, _) => Some(chain.resource),
            Target::Redirect(redirect) => redirect.resource,
            _ => None,
        };
        Ok(Self {
            location: model.urls.location(&with_query(path, query)),
            permanent: true,
            resource,
        })
    }

    /// Redirects from a former path of a collection, or from a path below it.
    ///
    /// # Errors
    /// 400 for a broken percent-encoding, 404 for a path that would leave the collection.
    pub(super) fn from_former(
        model: &Model,
        path: &str,
        query: Option<&str>,
    ) -> Result<Option<Self>, Error> {
        let Some((found, name)) = model.redirects.find(path) else { return Ok(None) };
        check_escapes(path)?;
        check_dots(path)?;
        let resource = model.resources().iter().find(|one| one.def.name == name).map(|one| one.ix);
        Ok(Some(Self {
            location: model.urls.location(&with_query(found, query)),
            permanent: true,
            resource,
        }))
    }

    /// Redirects to the temporary URL of a resource's collection. `below` is the part of the path
    /// after the collection.
    ///
    /// # Errors
    /// 400 for a broken percent-encoding, 404 for a path that would leave the collection.
    pub(super) fn away(
        model: &Model,
        (resource, place): (ResourceIx, &str),
        below: &str,
        query: Option<&str>,
    ) -> Result<Self, Error> {
        check_escapes(below)?;
        check_dots(below)?;
        let place = place.trim_end_matches('/');
        let below = with_query(below.to_owned(), query);
        let location = match place.starts_with('/') {
            true => model.urls.location(&[place, &below].concat()),
            false => [place, &below].concat(),
        };
        Ok(Self { location, permanent: false, resource: Some(resource) })
    }
}

fn check_escapes(path: &str) -> Result<(), Error> {
    if escapes_are_whole(path) {
        return Ok(());
    }
    Err(Error::new(Kind::MALFORMED_REQUEST, text!("`{path}` is not percent-encoded.", path)))
}

/// Refuses a path with segments that clients resolve (RFC 3986 §5.2.4), encoded or not. Below
/// another prefix such a path would leave it.
fn check_dots(path: &str) -> Result<(), Error> {
    let climbs = |segment: &str| decode(segment).is_ok_and(|name| name == "." || name == "..");
    if path.split('/').any(climbs) {
        return Err(missing(text!("A path with a segment `.` or `..` is not routed.")));
    }
    Ok(())
}

/// A path and a query as they were received, with the characters encoded that a field must not
/// have.
fn with_query(path: String, query: Option<&str>) -> String {
    let whole = match query {
        Some(query) => path + "?" + query,
        None => path,
    };
    utf8_percent_encode(&whole, LOOSE).to_string()
}

/// Characters that a client may send raw and the server may not. Browsers read a backslash after
/// the first slash as another host. The others are not allowed in a URI reference (RFC 3986 §3.3,
/// §3.4).
const LOOSE: &AsciiSet = &CONTROLS
    .add(b'\\')
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'[')
    .add(b']');
