//! Redirects from a request path to another URL, permanent or temporary.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Target, decode, escapes_are_whole, missing};
use crate::{
    base::error::{Error, Kind, text},
    model::{Model, ResourceIx},
};

/// A redirect to another URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The value of `Location`.
    pub location: String,
    /// Whether the redirect is permanent, so that clients should use the new URL from now on.
    pub permanent: bool,
    /// The resource that the path belongs to; `None` if it belongs to no resource.
    pub resource: Option<ResourceIx>,
}

impl Redirect {
    /// Redirects to the path without the slashes at its end. That path must exist.
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

    /// Redirects from a former path of a collection, or from a path below it; `None` if there is no
    /// such former path.
    ///
    /// # Errors
    /// 400 for invalid percent-encoding, 404 for a path with a segment `.` or `..`.
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

    /// Redirects to the temporary URL of a resource's collection. `below` is the part of the
    /// request path after the collection.
    ///
    /// # Errors
    /// 400 for invalid percent-encoding, 404 for a path with a segment `.` or `..`.
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

    /// Redirects temporarily to another query of the same path.
    pub(in crate::request) fn with_query(model: &Model, path: &str, query: Option<&str>) -> Self {
        let location = model.urls.location(&with_query(path.to_owned(), query));
        Self { location, permanent: false, resource: None }
    }
}

fn check_escapes(path: &str) -> Result<(), Error> {
    if escapes_are_whole(path) {
        return Ok(());
    }
    Err(Error::new(Kind::MALFORMED_REQUEST, text!("`{path}` has invalid percent-encoding.", path)))
}

/// Refuses a path with a segment `.` or `..`, percent-encoded or not. Clients resolve such segments
/// (RFC 3986 §5.2.4), so the redirect could lead out of the collection.
fn check_dots(path: &str) -> Result<(), Error> {
    let climbs = |segment: &str| decode(segment).is_ok_and(|name| name == "." || name == "..");
    if path.split('/').any(climbs) {
        return Err(missing(text!("A path with a segment `.` or `..` is not routed.")));
    }
    Ok(())
}

/// Joins a path and a query. Characters that a header field must not contain are percent-encoded.
fn with_query(path: String, query: Option<&str>) -> String {
    let whole = match query {
        Some(query) => path + "?" + query,
        None => path,
    };
    utf8_percent_encode(&whole, LOOSE).to_string()
}

/// Characters that a client may send without encoding, but that `Location` must not contain.
/// Browsers treat a backslash after the first slash as the start of a host name. A URI reference
/// cannot contain the further characters (RFC 3986 §3.3, §3.4).
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
