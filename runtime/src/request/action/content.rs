//! The content of a request: its media type, its maximum size and its timeout.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::{
    arrival::{self, ArrivalError},
    json_patch::JSON_PATCH,
};
use crate::{
    base::{
        error::{Error, Kind, Text, excerpt, text},
        limits::{LINGER_TIME_MAX, QUERY_BYTES_MAX},
        work_time,
    },
    http::{
        arriving::RequestBody,
        coding::{DecodeError, decode},
        digest,
        negotiate::Coding,
        single::essence,
    },
    model::def::{Limit, Limits, Timeout},
    request::{
        enclosed::ReadBody,
        form::{self, SubmittedForm},
    },
};

/// The value of `Retry-After` in seconds after a body that took too long.
const RETRY_SECONDS: u16 = 5;

/// The media type of the body of POST and PUT.
pub(crate) const JSON: &str = "application/json";
/// The media type of a merge patch (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// The media types of the body of PATCH.
pub(crate) const PATCHES: &str =
    "application/merge-patch+json, application/json-patch+json, application/json";

/// Reads the whole body of a request, if the method accepts its media type.
pub(super) async fn read(
    head: &Parts,
    body: RequestBody<'_>,
    limits: &Limits,
) -> Result<Bytes, Error> {
    check_once(head)?;
    let coding = coding(head)?;
    check_media_type(head)?;
    let content = match head.extensions.get() {
        Some(ReadBody(content)) => content.clone(),
        None => plain(head, coding, collect(body, limits).await?, limits)?,
    };
    Ok(kept(head, content))
}

/// Keeps the content of a form, so that the form can be shown again.
fn kept(head: &Parts, content: Bytes) -> Bytes {
    if let Some(form) = SubmittedForm::of(head) {
        form.keep(&content);
    }
    content
}

/// The media type of the body of QUERY: a query string.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// Reads the query string in the body of a QUERY. The request must have a media type (RFC 10008
/// §2).
pub(super) async fn query(
    head: &Parts,
    body: RequestBody<'_>,
    limits: &Limits,
) -> Result<String, Error> {
    if !head.headers.contains_key(header::CONTENT_TYPE) {
        let detail =
            text!("A QUERY must have a `content-type`; {accepted} is accepted.", accepted = FORM);
        return Err(Error::new(Kind::MALFORMED_REQUEST, detail));
    }
    let bytes = read(head, body, limits).await?;
    if bytes.len() > QUERY_BYTES_MAX {
        let detail = text!("A query has at most {most} bytes here.", most = QUERY_BYTES_MAX);
        return Err(Error::new(Kind::CONTENT_TOO_LARGE, detail));
    }
    let text = String::from_utf8(bytes.into());
    text.map_err(|_| {
        Error::new(Kind::MALFORMED_BODY, text!("The body of a QUERY must be percent-encoded text."))
    })
}

/// Refuses partial content (`Content-Range`) in a PUT, which needs the whole member (RFC 9110
/// §14.5).
pub(super) fn refuse_part(head: &Parts) -> Result<(), Error> {
    if head.headers.contains_key(header::CONTENT_RANGE) {
        let detail = text!(
            "A PUT replaces the whole member; send it without `content-range`, or send a PATCH."
        );
        return Err(Error::new(Kind::MALFORMED_REQUEST, detail));
    }
    Ok(())
}

/// Reads a whole body of any media type. Returns no bytes for GET and HEAD.
pub(crate) async fn whole(
    head: &Parts,
    body: RequestBody<'_>,
    limits: &Limits,
) -> Result<Bytes, Error> {
    if [Method::GET, Method::HEAD].contains(&head.method) {
        return Ok(Bytes::new());
    }
    let content = match head.extensions.get() {
        Some(ReadBody(content)) => content.clone(),
        None => {
            check_once(head)?;
            let coding = coding(head)?;
            plain(head, coding, collect(body, limits).await?, limits)?
        }
    };
    Ok(kept(head, content))
}

/// Decompresses a body. The digests are checked first, since they are digests of the compressed
/// bytes (RFC 9530 §2, §3).
fn plain(head: &Parts, coding: Coding, sent: Bytes, limits: &Limits) -> Result<Bytes, Error> {
    for field in [digest::CONTENT_DIGEST, digest::REPR_DIGEST] {
        digest::verify(&head.headers, &field, &sent).map_err(|algorithm| {
            let detail = text!(
                "The {digest} of the body differs from `{field}`.",
                digest = algorithm.key(),
                field = field.as_str()
            );
            Error::new(Kind::DIGEST_MISMATCH, detail)
        })?;
    }
    if coding == Coding::Identity {
        return Ok(sent);
    }
    match decode(coding, &sent, limits.size(Limit::BodyBytes)) {
        Ok(body) => Ok(body.into()),
        Err(DecodeError::TooLarge) => Err(too_large(limits)),
        Err(DecodeError::Broken) => {
            let detail = text!(
                "The body is not valid {coding}, although `content-encoding` names it.",
                coding = coding.word()
            );
            Err(Error::new(Kind::MALFORMED_BODY, detail))
        }
        Err(DecodeError::TooSlow) => Err(too_slow(text!("The body takes too long to decompress."))),
    }
}

/// The error of a body whose reading would keep others waiting for too long.
fn too_slow(detail: Text) -> Error {
    Error::unavailable(detail, RETRY_SECONDS)
}

/// Refuses a body that was not parsed before the request had to end.
///
/// # Errors
/// 503 if the time of the request is over.
pub(super) fn check_time() -> Result<(), Error> {
    match work_time::is_over() {
        true => Err(too_slow(text!("The body takes too long to parse."))),
        false => Ok(()),
    }
}

async fn collect(body: RequestBody<'_>, limits: &Limits) -> Result<Bytes, Error> {
    if body.size_hint().lower() > limits.get(Limit::BodyBytes) {
        return Err(too_large(limits));
    }
    let limited = Limited::new(body, limits.size(Limit::BodyBytes));
    match arrival::whole(limited, limits).await {
        Ok(body) => Ok(body),
        Err(ArrivalError::Broken(error)) if error.is::<LengthLimitError>() => {
            Err(too_large(limits))
        }
        Err(ArrivalError::Broken(error)) => Err(Error::new(
            Kind::MALFORMED_REQUEST,
            text!("The body ended early, or its framing is invalid."),
        )
        .with_source(error)
        .with_header(header::CONNECTION, HeaderValue::from_static("close"))),
        Err(ArrivalError::Late) => {
            let most = limits.timeout(Timeout::Body);
            Err(late(text!(
                "The body took longer than {most} seconds.",
                most = most.as_secs_f64().to_string()
            )))
        }
        Err(ArrivalError::Slow) => Err(late(text!(
            "Less than {least} bytes of the body arrived in a second.",
            least = limits.get(Limit::BodyRate)
        ))),
    }
}

fn late(detail: Text) -> Error {
    Error::new(Kind::REQUEST_TIMEOUT, detail)
        .with_header(header::CONNECTION, HeaderValue::from_static("close"))
}

/// Reads and discards the rest of a body. Returns whether the connection can be used for the next
/// request.
///
/// A client may send its whole body before it reads the response. If the server closed the
/// connection before, the client could lose the response.
pub(crate) async fn discard_body(head: &Parts, body: RequestBody<'_>, limits: &Limits) -> bool {
    if body.is_end_stream() {
        return true;
    }
    let asks_first = head.headers.contains_key(header::EXPECT);
    if asks_first || body.size_hint().lower() > limits.get(Limit::BodyBytes) {
        return false;
    }
    let mut rest = Limited::new(body, limits.size(Limit::BodyBytes));
    let end = async {
        loop {
            match rest.frame().await {
                Some(Ok(_)) => {}
                last => return last.is_none(),
            }
        }
    };
    tokio::time::timeout(LINGER_TIME_MAX, end).await.unwrap_or(false)
}

fn too_large(limits: &Limits) -> Error {
    let most = limits.get(Limit::BodyBytes);
    let detail = text!("A body has at most {most} bytes here.", most);
    Error::new(Kind::CONTENT_TOO_LARGE, detail)
        .with_header(header::CONNECTION, HeaderValue::from_static("close"))
}

/// The content coding of a body. The body may have at most one, which the server must support.
/// Empty elements in the list are ignored (RFC 9110 §5.6.1.2, §8.4).
fn coding(head: &Parts) -> Result<Coding, Error> {
    // A value that is not UTF-8 is not the name of a coding, so it is reported as unknown.
    let lines = head.headers.get_all(header::CONTENT_ENCODING).iter();
    let list: Vec<_> = lines.map(|line| String::from_utf8_lossy(line.as_bytes())).collect();
    let names: Vec<_> = list
        .iter()
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let detail = match names.as_slice() {
        [] => return Ok(Coding::Identity),
        [name] => match Coding::from_name(name) {
            Some(coding) => return Ok(coding),
            None => text!(
                "The content coding `{given}` is not supported; {known} are.",
                given = excerpt(name),
                known = Coding::NAMES
            ),
        },
        several => text!(
            "The body has several content codings (`{given}`); one is accepted: {known}.",
            given = excerpt(&several.join(", ")),
            known = Coding::NAMES
        ),
    };
    let value = HeaderValue::from_static(Coding::NAMES);
    Err(Error::new(Kind::UNSUPPORTED_MEDIA_TYPE, detail)
        .with_header(header::ACCEPT_ENCODING, value))
}

/// Refuses a request with two `Content-Type` fields, since the server cannot know which is right
/// (RFC 9110 §5.3, §8.3).
fn check_once(head: &Parts) -> Result<(), Error> {
    if head.headers.get_all(header::CONTENT_TYPE).iter().nth(1).is_none() {
        return Ok(());
    }
    let field = header::CONTENT_TYPE;
    let detail = text!(
        "`{field}` is sent more than once; send it once, with the media type of the body.",
        field = field.as_str()
    );
    Err(Error::new(Kind::MALFORMED_REQUEST, detail))
}

/// Checks the media type of a write or a QUERY. Forms of web pages are not among the types that
/// programs are told of, since they are accepted only from pages of this server.
fn check_media_type(head: &Parts) -> Result<(), Error> {
    if form::is_form(head) && [Method::POST, Method::PUT, Method::PATCH].contains(&head.method) {
        return Ok(());
    }
    check_listed(head.headers.get(header::CONTENT_TYPE), AcceptedTypes::of(&head.method))
}

/// Refuses a body whose media type is not JSON.
pub(crate) fn check_json(given: Option<&HeaderValue>) -> Result<(), Error> {
    check_listed(given, AcceptedTypes::JSON)
}

/// Checks a media type against a list of accepted types. A body without a media type is read as
/// JSON, which RFC 9110 §8.3 permits.
fn check_listed(
    given: Option<&HeaderValue>,
    AcceptedTypes { field, list: accepted }: AcceptedTypes,
) -> Result<(), Error> {
    let Some(given) = given else { return Ok(()) };
    if accepted.split(", ").any(|known| known.eq_ignore_ascii_case(essence(given))) {
        return Ok(());
    }
    let detail = text!(
        "The media type {given} is not accepted here. Accepted: {accepted}.",
        given = excerpt(&format!("{given:?}")),
        accepted
    );
    Err(Error::new(Kind::UNSUPPORTED_MEDIA_TYPE, detail)
        .with_header(field, HeaderValue::from_static(accepted)))
}

/// Whether the request has the media type of a JSON Patch.
pub(crate) fn is_json_patch(fields: &HeaderMap) -> bool {
    let given = fields.get(header::CONTENT_TYPE);
    given.is_some_and(|given| essence(given).eq_ignore_ascii_case(JSON_PATCH))
}

/// The name of a header field, such as `Accept-Patch`, and its value: the media types that a method
/// accepts.
struct AcceptedTypes {
    field: HeaderName,
    list: &'static str,
}

impl AcceptedTypes {
    const JSON: Self = Self { field: header::ACCEPT, list: JSON };

    fn of(method: &Method) -> Self {
        match *method {
            Method::PATCH => Self { field: ACCEPT_PATCH, list: PATCHES },
            Method::POST => Self { field: ACCEPT_POST, list: JSON },
            Method::QUERY => Self { field: ACCEPT_QUERY, list: FORM },
            _ => Self::JSON,
        }
    }
}

/// The header field `Accept-Patch` (RFC 5789 §3.1).
pub(crate) const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
/// The header field `Accept-Query` (RFC 10008 §3).
pub(crate) const ACCEPT_QUERY: HeaderName = HeaderName::from_static("accept-query");
/// The header field `Accept-Post` (Linked Data Platform 1.0 §7.1).
pub(crate) const ACCEPT_POST: HeaderName = HeaderName::from_static("accept-post");

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use http::Request;

    use super::*;
    use crate::http::coding::encode;

    /// The work on a body ends when the time of its request is over, with the status that
    /// `timeouts.request` documents.
    #[test]
    fn a_body_that_takes_too_long_is_unavailable() {
        let (head, ()) = Request::new(()).into_parts();
        for coding in [Coding::Gzip, Coding::Identity] {
            let sent = Bytes::from(encode(coding, b"{}").unwrap());
            let read = || plain(&head, coding, sent.clone(), &Limits::DEFAULT);
            assert_eq!(read().unwrap(), "{}");
            let late = work_time::until(Instant::now(), || read().and_then(|_| check_time()));
            assert_eq!(late.unwrap_err().status(), 503, "{coding:?}");
        }
        assert!(check_time().is_ok());
    }
}
