//! The defence against requests that a page of another site makes a browser send, with the
//! credentials that the browser has (cross-site request forgery).

use http::{HeaderValue, Method, request::Parts};

use crate::{
    base::error::{Error, Kind, Text, text},
    http::{
        client::Client,
        site::{AllowedPages, OwnOrigin, RequestSite, may_be_form},
    },
    model::{Model, def::SameSite},
};

/// Credentials that a browser adds to a request by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ambient {
    /// The cookie of a session, also one that the response would set.
    Cookie,
    /// The password that the user has entered in the browser's dialogue.
    Password,
}

/// Checks that no foreign page has caused an unsafe request with these credentials.
///
/// A client that does not say where a request comes from is no browser. With a cookie, it must
/// still not send what a form can send, since very old browsers do not say it either.
///
/// # Errors
/// 403 for a request of a foreign page.
#[inline]
pub(crate) fn check(model: &Model, head: &Parts, ambient: Ambient) -> Result<(), Error> {
    if head.method.is_safe() || head.method == Method::OPTIONS {
        return Ok(());
    }
    match site(model, head) {
        RequestSite::Own => Ok(()),
        RequestSite::Unknown if ambient == Ambient::Password => Ok(()),
        RequestSite::Unknown if !may_be_form(&head.headers) => Ok(()),
        RequestSite::Unknown => Err(refused(text!(
            "Send JSON here. A form needs the field `Origin` or `Sec-Fetch-Site`, which browsers add."
        ))),
        RequestSite::Foreign => Err(foreign()),
    }
}

/// Checks that a page of this server has sent a form. Programs send JSON.
///
/// # Errors
/// 403 for a form of another page, and for a client that does not say where a form comes from.
pub(crate) fn check_form(model: &Model, head: &Parts) -> Result<(), Error> {
    match site(model, head) {
        RequestSite::Own => Ok(()),
        RequestSite::Unknown => Err(refused(text!(
            "Send JSON with `content-type: application/json`. Only pages of this server send forms, and browsers say so in `Origin` or `Sec-Fetch-Site`."
        ))),
        RequestSite::Foreign => Err(foreign()),
    }
}

/// Checks that no foreign page has sent a body without a media type, which is read as JSON. Any
/// page can make a browser send such a body without asking the server first.
///
/// # Errors
/// 403 for a body of a foreign page.
#[inline]
pub(crate) fn check_untyped(model: &Model, head: &Parts) -> Result<(), Error> {
    match site(model, head) {
        RequestSite::Foreign => Err(foreign()),
        RequestSite::Own | RequestSite::Unknown => Ok(()),
    }
}

#[cold]
fn foreign() -> Error {
    refused(text!(
        "A page of another site has sent this request. Pages of other origins may do so if they are declared under `cors`."
    ))
}

#[cold]
fn refused(detail: Text) -> Error {
    Error::new(Kind::CROSS_SITE_REQUEST, detail)
}

fn site(model: &Model, head: &Parts) -> RequestSite {
    let client = Client::of(head, &model.proxies);
    let known = Client::known_scheme(head, &model.proxies);
    let public = model.api.public_url.and_then(|url| url.parse::<http::Uri>().ok());
    let public = public
        .as_ref()
        .and_then(|url| Some(OwnOrigin { authority: url.authority()?, scheme: url.scheme() }));
    let origins = model.origins.as_ref().filter(|origins| origins.credentials);
    let is_declared = |origin: &HeaderValue| {
        origins.is_some_and(|origins| origins.allowed(Some(origin)).is_some())
    };
    let session = model.accounts.as_ref().map(|accounts| accounts.def.session);
    let cross_site = session.is_some_and(|session| session.same_site == SameSite::None);
    let of = |own| {
        let pages = AllowedPages { own, is_declared: &is_declared, cross_site };
        RequestSite::of(&head.headers, pages)
    };
    let own = client.authority.as_ref().map(|authority| {
        // The public URL says the scheme, if the connection does not.
        let public = public.filter(|public| public.authority == authority);
        let scheme = known.as_ref().or(public.and_then(|public| public.scheme));
        OwnOrigin { authority, scheme }
    });
    match of(own) {
        RequestSite::Foreign if public.is_some() => of(public),
        site => site,
    }
}
