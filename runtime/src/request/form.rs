//! Forms that web pages submit. A form sends POST, and no header fields. So the URL that it is sent
//! to says the rest: `_method` is the method, `_if_match` the value of `If-Match`, and `_next` the
//! path that the browser shows afterwards.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Uri, header, request::Parts};
use percent_encoding::percent_decode_str;

use super::{action::FORM, cross_site, enclosed::with_query, route::Target};
use crate::{
    base::error::{Error, Fault, Kind, Text, text},
    http::{audience::Audience, single::essence},
    model::Model,
};

/// A form that a person has submitted, as an extension of the request. Its response is a redirect,
/// or the form again with what is wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubmittedForm(Arc<FormState>);

#[derive(Default)]
struct FormState {
    next: Option<String>,
    /// The inputs, once they have been read.
    content: OnceLock<Bytes>,
}

/// The inputs may be secrets, so they are not printed.
impl fmt::Debug for FormState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormState").field("next", &self.next).finish_non_exhaustive()
    }
}

impl SubmittedForm {
    /// Returns the form of a request; `None` if a program sent the request.
    #[inline]
    pub(crate) fn of(head: &Parts) -> Option<&Self> {
        if head.method.is_safe() { None } else { head.extensions.get() }
    }

    /// The path that the form names for the time after it, relative to the host.
    pub(crate) fn next(&self) -> Option<&str> {
        self.0.next.as_deref()
    }

    /// Keeps the inputs, so that a refused form can be shown again.
    pub(crate) fn keep(&self, content: &Bytes) {
        // A body is read once.
        let _ = self.0.content.set(content.clone());
    }

    /// The inputs, in percent-encoding; empty if they were not read.
    pub(crate) fn content(&self) -> &[u8] {
        self.0.content.get().map_or(&[], |content| content)
    }
}

/// Whether the body of a request is a form.
pub(crate) fn is_form(head: &Parts) -> bool {
    let kind = head.headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| essence(kind).eq_ignore_ascii_case(FORM))
}

/// Reads what the URL of a form says in place of the method and the header, and makes the request
/// what it stands for.
///
/// # Errors
/// 400 for a value that is not one of those. 403 if `_method` comes from a page of another site.
pub(crate) fn open(model: &Model, head: &mut Parts) -> Result<(), Error> {
    if head.method != Method::POST || !is_form(head) {
        return Ok(());
    }
    // A redirect keeps the instructions for the URL that it leads to.
    let is_redirect = || matches!(Target::find(model, &head.uri), Ok(Target::Redirect(_)));
    let said = match head.uri.query() {
        Some(query) if query.contains('_') && !is_redirect() => take(&mut head.uri)?,
        _ => Instructions::default(),
    };
    if let Some(method) = said.method {
        cross_site::check_form(model, head)?;
        head.method = method;
    }
    if let Some(tag) = said.if_match {
        head.headers.insert(header::IF_MATCH, tag);
    }
    if Audience::of(head).for_people {
        let state = FormState { next: said.next, content: OnceLock::new() };
        head.extensions.insert(SubmittedForm(Arc::new(state)));
    }
    Ok(())
}

/// The instructions in the URL of a form.
#[derive(Debug, Default, PartialEq)]
struct Instructions {
    method: Option<Method>,
    if_match: Option<HeaderValue>,
    next: Option<String>,
}

/// Takes the instructions out of a URL.
fn take(uri: &mut Uri) -> Result<Instructions, Error> {
    let mut said = Instructions::default();
    let mut rest = vec![];
    for part in uri.query().unwrap_or_default().split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = || percent_decode_str(value).decode_utf8_lossy();
        let is_repeated = match name {
            "_method" => said.method.is_some(),
            "_if_match" => said.if_match.is_some(),
            "_next" => said.next.is_some(),
            _ => false,
        };
        if is_repeated {
            return Err(refused(name, text!("`{name}` occurs more than once.", name)));
        }
        match name {
            "_method" => said.method = Some(method(&value())?),
            "_if_match" => {
                let tag = HeaderValue::from_str(&value());
                said.if_match =
                    Some(tag.map_err(|_| refused(name, text!("must be an entity tag.")))?);
            }
            "_next" => {
                let path = value();
                if !is_local(&path) {
                    return Err(refused(name, text!("must be a path of this server.")));
                }
                said.next = Some(path.into_owned());
            }
            _ => rest.push(part),
        }
    }
    *uri = with_query(uri, &rest.join("&"));
    Ok(said)
}

fn method(word: &str) -> Result<Method, Error> {
    [Method::PATCH, Method::PUT, Method::DELETE]
        .into_iter()
        .find(|method| method.as_str() == word)
        .ok_or_else(|| refused("_method", text!("must be `PATCH`, `PUT` or `DELETE`.")))
}

/// Whether a text is a path of this server, and no URL of another one (RFC 3986 §4.2). Browsers
/// read `\` as `/`.
pub(crate) fn is_local(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn refused(name: &str, detail: Text) -> Error {
    Error::from_faults(Kind::INVALID_PARAMETER, vec![Fault::parameter(name, "type", detail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_taken_out_of_the_url() {
        for (given, left, expected) in [
            (
                "/zoos/7?_method=PATCH&_if_match=%223-json%22",
                "/zoos/7",
                Instructions {
                    method: Some(Method::PATCH),
                    if_match: Some(HeaderValue::from_static("\"3-json\"")),
                    next: None,
                },
            ),
            (
                "/sessions?_next=/zoos%3Fcity=Oslo&x=1",
                "/sessions?x=1",
                Instructions { next: Some("/zoos?city=Oslo".into()), ..Instructions::default() },
            ),
            ("/zoos?_other=1", "/zoos?_other=1", Instructions::default()),
        ] {
            let mut uri = given.parse::<Uri>().unwrap();
            assert_eq!(take(&mut uri).unwrap(), expected, "{given}");
            assert_eq!(uri, left, "{given}");
        }
    }

    #[test]
    fn other_instructions_are_refused() {
        for given in [
            "/zoos?_method=GET",
            "/zoos?_method=PUT&_method=DELETE",
            "/zoos?_next=/zoos&_next=/zoos",
            "/zoos?_if_match=%221-json%22&_if_match=*",
            "/zoos?_method=patch",
            "/zoos?_method",
            "/zoos?_if_match=%0a",
            "/zoos?_next=https://evil.example",
            "/zoos?_next=//evil.example",
            "/zoos?_next=/%5Cevil.example",
            "/zoos?_next=/%0d%0aSet-Cookie:%20a=b",
            "/zoos?_next=",
        ] {
            let mut uri = given.parse::<Uri>().unwrap();
            assert!(take(&mut uri).is_err(), "{given}");
        }
    }
}
