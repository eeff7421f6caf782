//! The response to TRACE: the request as the server received it, without sensitive fields (RFC 9110
//! §9.3.8).

use std::fmt::Write as _;

use http::{Version, header, request::Parts};

use crate::base::error::{Error, Kind, text};

/// Header fields that the response to TRACE may contain: fields about the message and about
/// preferences. Any other field may identify the client, so a web page that sends TRACE must not
/// see such a field. Proxies add identifying fields under many names, so this list has the allowed
/// fields instead.
const HARMLESS: [&str; 39] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "dnt",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "max-forwards",
    "origin",
    "pragma",
    "prefer",
    "priority",
    "range",
    "request-id",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-gpc",
    "te",
    "traceparent",
    "trailer",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "want-content-digest",
    "want-repr-digest",
    "x-request-id",
];

/// The request line and the fields in [`HARMLESS`] of a request, as text.
///
/// # Errors
/// 400 if the request has content, which TRACE must not have.
pub(super) fn message(head: &Parts) -> Result<String, Error> {
    let length =
        head.headers.get(header::CONTENT_LENGTH).filter(|length| length.as_bytes() != b"0");
    if length.is_some() || head.headers.contains_key(header::TRANSFER_ENCODING) {
        return Err(Error::new(Kind::MALFORMED_REQUEST, text!("A TRACE must not have content.")));
    }
    let version = match head.version {
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2",
        _ => "HTTP/1.1",
    };
    // Only the path and the query of an absolute URL are returned. The part before them may contain
    // the name of a user.
    let target = head.uri.path_and_query().map_or("*", http::uri::PathAndQuery::as_str);
    let mut message = format!("{} {target} {version}\r\n", head.method);
    for (name, value) in &head.headers {
        if HARMLESS.contains(&name.as_str()) && !value.is_sensitive() {
            write!(message, "{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()))
                .expect("writing to a String never fails");
        }
    }
    message.push_str("\r\n");
    Ok(message)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn traced(fields: &[(&str, &str)]) -> Result<String, Error> {
        let request = Request::builder().method("TRACE").uri("/zoos?limit=1");
        let request =
            fields.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        message(&request.body(()).unwrap().into_parts().0)
    }

    /// Conformance 12: the response does not contain fields that identify the client.
    #[test]
    fn nothing_that_says_who_asks_is_repeated() {
        let fields = [
            ("accept", "*/*"),
            ("authorization", "Basic eA=="),
            ("cookie", "session=1"),
            ("x-api-key", "k"),
        ];
        assert_eq!(traced(&fields).unwrap(), "TRACE /zoos?limit=1 HTTP/1.1\r\naccept: */*\r\n\r\n");
    }

    /// Conformance 12: the response contains only fields that are known to be harmless, since any
    /// other field may contain a secret.
    #[test]
    fn nothing_unknown_is_repeated() {
        assert!(HARMLESS.is_sorted());
        for name in [
            "forwarded",
            "from",
            "referer",
            "set-cookie",
            "x-a",
            "x-access-token",
            "x-forwarded-authorization",
            "x-forwarded-for",
            "x-forwarded-user",
            "x-goog-iap-jwt-assertion",
            "x-xsrf-token",
        ] {
            let repeated = traced(&[("via", "1.1 proxy"), (name, "secret")]).unwrap();
            assert_eq!(
                repeated, "TRACE /zoos?limit=1 HTTP/1.1\r\nvia: 1.1 proxy\r\n\r\n",
                "{name}"
            );
        }
    }

    /// Conformance 12: TRACE with content gets a 400.
    #[test]
    fn a_trace_with_content_is_refused() {
        assert!(traced(&[("content-length", "3")]).is_err());
        assert!(traced(&[("transfer-encoding", "chunked")]).is_err());
        assert!(traced(&[("content-length", "0")]).is_ok());
    }
}
