//! Sessions whose secret is in the URL or in a form, for browsers without cookies. Both must be
//! declared. The secret is taken out of the request before anything else sees it: the log, the
//! cache, links, and user code.

use bytes::Bytes;
use http::{Method, Uri, header, request::Parts, uri::PathAndQuery};
use percent_encoding::percent_decode_str;

use super::{action::whole_body, form::is_form};
use crate::{
    base::{error::Error, grant_secret::GrantSecret},
    http::{arriving::RequestBody, request_head::HeadFault},
    model::{Model, def::Scheme},
};

/// The secret of a session that was in the URL or in a form, as an extension of the request. It is
/// `None` if what was there is no secret.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnclosedSession(pub(crate) Option<GrantSecret>);

/// The body of a request that was read before its turn, as an extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct ReadBody(pub(crate) Bytes);

/// Whether a model lets a request enclose a session.
pub(crate) fn is_possible(model: &Model) -> bool {
    let session = |session: crate::model::def::SessionDef| {
        session.url_parameter.is_some() || session.form_field.is_some()
    };
    let auth = model.accounts.as_ref().map(|accounts| accounts.def);
    auth.is_some_and(|auth| auth.has(Scheme::Session) && session(auth.session))
}

/// Takes the secret of a session out of the head of a request.
pub(crate) fn take_from_head(model: &Model, head: &mut Parts) {
    let Some(accounts) = &model.accounts else { return };
    let Some(name) = accounts.def.session.url_parameter else { return };
    take_parameter(head, name);
    // The page that has led here may have had a URL with the secret.
    let referer = head.headers.get(header::REFERER).and_then(|url| url.to_str().ok());
    let query = referer.and_then(|url| url.split_once('?')).map(|(_, query)| query);
    if query.is_some_and(|query| split(query, name).0.is_some()) {
        head.headers.remove(header::REFERER);
    }
}

/// Takes the secret of a session out of a request. After a fault of its head, the body is not read.
///
/// # Errors
/// The errors of reading the body of a form.
pub(crate) async fn take(
    model: &Model,
    head: &mut Parts,
    body: RequestBody<'_>,
) -> Result<(), Error> {
    take_from_head(model, head);
    if head.extensions.get::<HeadFault>().is_some() {
        return Ok(());
    }
    let Some(accounts) = &model.accounts else { return Ok(()) };
    let session = accounts.def.session;
    if let Some(name) = session.form_field.filter(|_| head.method == Method::POST && is_form(head))
    {
        let content = whole_body(head, body, model.limits()).await?;
        let (given, rest) = split(&String::from_utf8_lossy(&content), name);
        let content = if given.is_some() { rest.into() } else { content };
        if let Some(given) = given
            && head.extensions.get::<EnclosedSession>().is_none()
        {
            head.extensions.insert(EnclosedSession(GrantSecret::parse(given.as_bytes())));
        }
        head.extensions.insert(ReadBody(content));
    }
    Ok(())
}

/// Removes a parameter from the URL of a request.
fn take_parameter(head: &mut Parts, name: &str) {
    let Some(query) = head.uri.query() else { return };
    let (Some(given), rest) = split(query, name) else { return };
    head.uri = with_query(&head.uri, &rest);
    head.extensions.insert(EnclosedSession(GrantSecret::parse(given.as_bytes())));
}

/// Returns a URL with a part of its query in place of the query.
pub(super) fn with_query(uri: &Uri, rest: &str) -> Uri {
    let path = uri.path();
    let target = if rest.is_empty() { path.to_owned() } else { format!("{path}?{rest}") };
    let mut parts = uri.clone().into_parts();
    // A part of a valid URL is a valid URL.
    parts.path_and_query =
        Some(PathAndQuery::try_from(target).unwrap_or_else(|_| PathAndQuery::from_static("/")));
    Uri::from_parts(parts).unwrap_or_default()
}

/// Splits form-encoded pairs into the first value with a name, and the pairs with other names.
fn split(pairs: &str, name: &str) -> (Option<String>, String) {
    let is_named = |pair: &&str| {
        let given = pair.split('=').next().unwrap_or_default();
        percent_decode_str(given).eq(name.bytes())
    };
    let value = pairs.split('&').find(is_named).map(|pair| {
        let value = pair.split_once('=').map_or("", |(_, value)| value);
        percent_decode_str(value).decode_utf8_lossy().into_owned()
    });
    if value.is_none() {
        return (None, String::new());
    }
    let rest: Vec<_> = pairs.split('&').filter(|pair| !is_named(pair)).collect();
    (value, rest.join("&"))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn a_parameter_is_taken_out_of_the_url() {
        for (given, left, secret) in [
            ("/notes?sid=abc", "/notes", Some("abc")),
            ("/notes?sid=abc&limit=2", "/notes?limit=2", Some("abc")),
            ("/notes?limit=2&sid=abc&sid=def", "/notes?limit=2", Some("abc")),
            ("/notes?s%69d=abc", "/notes", Some("abc")),
            ("/notes?sid", "/notes", Some("")),
            (
                "http://zoo.example/notes?a=%20&sid=abc",
                "http://zoo.example/notes?a=%20",
                Some("abc"),
            ),
            ("/notes?side=abc&limit=2", "/notes?side=abc&limit=2", None),
            ("/sid=abc", "/sid=abc", None),
        ] {
            let (mut head, ()) = Request::get(given).body(()).unwrap().into_parts();
            assert_eq!(
                split(head.uri.query().unwrap_or_default(), "sid").0.as_deref(),
                secret,
                "{given}"
            );
            take_parameter(&mut head, "sid");
            assert_eq!(head.uri, left, "{given}");
            assert_eq!(
                head.extensions.get::<EnclosedSession>().is_some(),
                secret.is_some(),
                "{given}"
            );
        }
    }
}
