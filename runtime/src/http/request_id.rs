//! The id of a request: a short token in the response, in problems and in the log.

use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use uuid::Uuid;

use super::request_scope::RequestScope;
use crate::base::limits;

/// The response field with the id of the request. It is also the first request field that is
/// searched for an id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// The request field in which proxies send an id.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id that a client sent; `None` unless it is a short token, since ids are logged.
pub(crate) fn client_request_id(head: &Parts) -> Option<&HeaderValue> {
    let given = given(&head.headers)?;
    let bytes = given.as_bytes();
    let short = !bytes.is_empty() && bytes.len() <= limits::REQUEST_ID_BYTES_MAX;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (short && bytes.iter().all(plain)).then_some(given)
}

/// The first field with an id. A loop over the fields takes less time than two lookups.
fn given(fields: &HeaderMap) -> Option<&HeaderValue> {
    let mut proxied = None;
    for (name, value) in fields {
        if *name == REQUEST_ID {
            return Some(value);
        }
        if proxied.is_none() && *name == X_REQUEST_ID {
            proxied = Some(value);
        }
    }
    proxied
}

/// The id of a request. User code, the log and the response have the same id.
pub(crate) fn of(head: &Parts) -> HeaderValue {
    RequestScope::of(head).map_or_else(|| given_or_new(head), |scope| scope.id(head).clone())
}

/// The id that a client sent, or a generated id. Generated ids begin with the time, so they sort
/// like the lines of the log.
pub(crate) fn given_or_new(head: &Parts) -> HeaderValue {
    client_request_id(head).cloned().unwrap_or_else(|| {
        HeaderValue::from_str(&Uuid::now_v7().to_string())
            .expect("the text of a UUID is valid in a header field")
    })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn known(fields: &[(&str, &str)]) -> Option<String> {
        let mut request = Request::builder();
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        client_request_id(&head).map(|id| id.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_short_token_is_taken_and_nothing_else() {
        assert_eq!(known(&[("request-id", "a.B_9-")]).as_deref(), Some("a.B_9-"));
        assert_eq!(known(&[("x-request-id", "7")]).as_deref(), Some("7"));
        assert_eq!(known(&[("x-request-id", "7"), ("request-id", "8")]).as_deref(), Some("8"));
        assert_eq!(known(&[("request-id", &"x".repeat(64))]), Some("x".repeat(64)));
        for other in ["", "a b", "a\"b", "<b>", "é", &"x".repeat(65)] {
            assert_eq!(known(&[("request-id", other)]), None, "{other}");
        }
    }
}
