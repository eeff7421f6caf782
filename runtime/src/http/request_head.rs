//! [`HeadLook`]: what is wrong with the head of a request that could be parsed.
//!
//! Two other parsers look at a head before: that of the HTTP library, and the socket, which sees
//! the request line as it came. What both accept is checked here, before the first stage of the
//! request (RFC 9112 §3, §6).

use std::net::Ipv6Addr;

use http::{
    HeaderMap, HeaderValue, Method, Request, Uri, Version, header,
    uri::{Authority, Scheme},
};

use nouns_declaration::def::{Limit, Limits};

use super::hosts;
use crate::base::error::{Error, Kind, excerpt, text};

/// The error in the head of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadFault {
    /// HTTP/1.1 without `Host`.
    NoHost,
    /// Several `Host` fields.
    Hosts,
    /// A `Host` that is no host with an optional port.
    Host,
    /// HTTP/2 with a `Host` that differs from the authority.
    OtherHost,
    /// A target that neither begins with a slash nor is a URL.
    Target,
    /// A URL as the target whose scheme is neither `http` nor `https`.
    Scheme,
    /// A URL as the target that has a user name or a password.
    UserInfo,
    /// A target with a fragment.
    Fragment,
    /// A target longer than the connection reads.
    Length,
    /// A version of HTTP that the server does not implement.
    Version,
    /// `chunked` is applied several times.
    Chunked,
    /// A transfer coding other than `chunked`.
    TransferCoding,
    /// An expectation other than `100-continue`.
    Expectation,
    /// A host that is not served.
    Misdirected,
}

/// The host and port that a request names: those of its URL, or else those of `Host`.
pub(crate) fn authority<'r>(uri: &'r Uri, fields: &'r HeaderMap) -> Option<&'r str> {
    match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => fields.get(header::HOST)?.to_str().ok(),
    }
}

/// Refuses header fields that are too large or too many (RFC 6585 §5).
///
/// # Errors
/// 431 with the number and the limit.
pub(crate) fn check_fields(fields: &HeaderMap, limits: &Limits) -> Result<(), Error> {
    let bytes: usize = fields.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let (most_bytes, most) = (limits.size(Limit::HeaderBytes), limits.size(Limit::Headers));
    if bytes <= most_bytes && fields.len() <= most {
        return Ok(());
    }
    let detail = if bytes > most_bytes {
        text!(
            "The header fields have {bytes} bytes; at most {most} are accepted.",
            bytes,
            most = most_bytes
        )
    } else {
        let count = fields.len();
        text!("The request has {count} header fields; at most {most} are accepted.", count, most)
    };
    Err(Error::new(Kind::FIELDS_TOO_LARGE, detail))
}

/// The facts found in a head that was parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadLook {
    /// The error in the head.
    pub(crate) fault: Option<HeadFault>,
    /// Whether the head has the field `Connection`.
    pub(crate) has_connection: bool,
    /// Whether the head has the field `Prefer`.
    pub(crate) has_preference: bool,
    /// Whether `Host` is this machine, and the target names no other host.
    pub(crate) is_local: bool,
}

impl HeadLook {
    /// Looks at the head of a request. The fields are passed through once, since a lookup for each
    /// name takes longer.
    #[inline]
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        let (mut count, mut is_host_valid, mut is_local) = (0, true, false);
        let (mut has_connection, mut has_preference, mut is_usual) = (false, false, true);
        for (name, value) in request.headers() {
            match name.as_str() {
                "host" => {
                    count += 1;
                    is_host_valid &= is_host(value.as_bytes());
                    is_local = hosts::is_local(value.as_bytes());
                }
                "connection" => has_connection = true,
                "prefer" => has_preference = true,
                "transfer-encoding" | "expect" => is_usual = false,
                _ => {}
            }
        }
        let fault = match count {
            0 if request.version() == Version::HTTP_11 => Some(HeadFault::NoHost),
            0 if request.version() == Version::HTTP_2 && request.uri().authority().is_none() => {
                Some(HeadFault::NoHost)
            }
            1 if request.version() == Version::HTTP_2 && is_other_host(request) => {
                Some(HeadFault::OtherHost)
            }
            0 | 1 if is_host_valid => HeadFault::of_target(request.method(), request.uri()),
            0 | 1 => Some(HeadFault::Host),
            _ => Some(HeadFault::Hosts),
        };
        let of_fields = || if is_usual { None } else { HeadFault::of_fields(request.headers()) };
        let is_local = is_local && request.uri().authority().is_none();
        Self { fault: fault.or_else(of_fields), has_connection, has_preference, is_local }
    }
}

impl HeadFault {
    #[inline]
    fn of_target(method: &Method, uri: &Uri) -> Option<Self> {
        match uri.authority() {
            None => uri.path().is_empty().then_some(Self::Target),
            Some(authority) => Self::of_authority(method, uri, authority),
        }
    }

    /// Looks at a target that has an authority. The authority alone is the target of CONNECT (RFC
    /// 9112 §3.2.3), which is refused like any method that is not offered.
    #[cold]
    fn of_authority(method: &Method, uri: &Uri, authority: &Authority) -> Option<Self> {
        let Some(scheme) = uri.scheme() else {
            return (*method != Method::CONNECT).then_some(Self::Target);
        };
        if *scheme != Scheme::HTTP && *scheme != Scheme::HTTPS {
            return Some(Self::Scheme);
        }
        let authority = authority.as_str();
        if authority.contains('@') {
            return Some(Self::UserInfo);
        }
        (authority.is_empty() || !is_host(authority.as_bytes())).then_some(Self::Host)
    }

    #[cold]
    fn of_fields(fields: &HeaderMap) -> Option<Self> {
        let codings = members(fields, &header::TRANSFER_ENCODING);
        if !codings.iter().all(|coding| coding.eq_ignore_ascii_case(b"chunked")) {
            return Some(Self::TransferCoding);
        }
        if codings.len() > 1 {
            return Some(Self::Chunked);
        }
        let is_known = |value: &&[u8]| value.eq_ignore_ascii_case(b"100-continue");
        let all_known = members(fields, &header::EXPECT).iter().all(is_known);
        (!all_known).then_some(Self::Expectation)
    }

    /// The error for the client. The connection is closed, because the end of the request is
    /// doubtful.
    #[cold]
    pub(crate) fn error(self, fields: &HeaderMap, target_bytes_max: u64) -> Error {
        let malformed = |detail| Error::new(Kind::MALFORMED_REQUEST, detail);
        let value = |name| {
            let value = fields.get(name).map(HeaderValue::as_bytes).unwrap_or_default();
            excerpt(&String::from_utf8_lossy(value))
        };
        let error = match self {
            Self::NoHost => {
                malformed(text!("The request names no host; send it in the field `Host`."))
            }
            Self::Hosts => malformed(text!("The request has several fields `Host`; send one.")),
            Self::Host => malformed(text!(
                "The request names no valid host; `Host` has the form `name` or `name:port`."
            )),
            Self::OtherHost => malformed(text!(
                "The field `Host` differs from `:authority`; send only `:authority`."
            )),
            Self::Target => malformed(text!(
                "The target of the request must begin with `/`, or be a URL with `http://` or `https://`."
            )),
            Self::Scheme => malformed(text!(
                "The target of the request is a URL of another scheme than `http` and `https`."
            )),
            Self::UserInfo => malformed(text!(
                "The target of the request has a user name; send it in `Authorization`."
            )),
            Self::Fragment => malformed(text!(
                "The target of the request has a fragment, which clients keep for themselves; write `#` as `%23`."
            )),
            Self::Length => Error::new(
                Kind::URI_TOO_LONG,
                text!("The target has more than {most} bytes.", most = target_bytes_max),
            ),
            Self::Misdirected => return misdirected(),
            Self::Version => Error::new(
                Kind::VERSION_NOT_SUPPORTED,
                text!("The server implements HTTP/1.0, HTTP/1.1 and HTTP/2."),
            ),
            Self::Chunked => malformed(text!("`Transfer-Encoding` has `chunked` several times.")),
            Self::TransferCoding => Error::new(
                Kind::NOT_IMPLEMENTED,
                text!(
                    "The transfer coding `{given}` is not implemented; only `chunked` is.",
                    given = value(header::TRANSFER_ENCODING)
                ),
            ),
            Self::Expectation => Error::new(
                Kind::EXPECTATION_FAILED,
                text!(
                    "The expectation `{given}` is not known; only `100-continue` is.",
                    given = value(header::EXPECT)
                ),
            ),
        };
        error.with_header(header::CONNECTION, HeaderValue::from_static("close"))
    }
}

/// The error of a request for a host that is not served. The connection may have been opened for
/// another host, so it stays open (RFC 9110 §15.5.20).
#[cold]
pub(crate) fn misdirected() -> Error {
    Error::new(Kind::MISDIRECTED, text!("This host is not served here."))
}

/// The members of a list field, without white space around them. Empty members are left out.
fn members<'f>(fields: &'f HeaderMap, name: &header::HeaderName) -> Vec<&'f [u8]> {
    let lists = fields.get_all(name).iter().map(HeaderValue::as_bytes);
    let members = lists.flat_map(|list| list.split(|byte| *byte == b','));
    members.map(<[u8]>::trim_ascii).filter(|member| !member.is_empty()).collect()
}

/// Whether `Host` differs from the authority of the target (RFC 9113 §8.3.1).
#[cold]
fn is_other_host<B>(request: &Request<B>) -> bool {
    let host = request.headers().get(header::HOST).map(HeaderValue::as_bytes);
    let authority = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    match (host, authority) {
        (Some(host), Some(authority)) => !host.eq_ignore_ascii_case(authority),
        _ => false,
    }
}

/// Whether a text is a host with an optional port (RFC 3986 §3.2.2). It may be empty (RFC 9112
/// §3.2).
fn is_host(text: &[u8]) -> bool {
    if text.first() == Some(&b'[') {
        return is_bracketed(text);
    }
    let end = text.iter().position(|byte| !OF_NAME[usize::from(*byte)]).unwrap_or(text.len());
    is_port(&text[end..])
}

/// For each byte, whether it may be in the name of a host.
static OF_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte as usize] = is_of_name(byte);
        byte += 1;
    }
    table
};

/// Whether a byte may be in the name of a host: an unreserved character, a delimiter, or a part of
/// an escape.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'.' | b'-'
                | b'_'
                | b'~'
                | b'%'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
        )
}

fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether a text is an IPv6 address in brackets, with an optional port.
#[cold]
fn is_bracketed(text: &[u8]) -> bool {
    let Some(end) = text.iter().position(|byte| *byte == b']') else { return false };
    let address = std::str::from_utf8(&text[1..end]).unwrap_or_default();
    address.parse::<Ipv6Addr>().is_ok() && is_port(&text[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(target: &str, fields: &[(&str, &str)]) -> Option<HeadFault> {
        let request = Request::get(target);
        let add = |request: http::request::Builder, (name, value): &(&str, &str)| {
            request.header(*name, *value)
        };
        HeadLook::of(&fields.iter().fold(request, add).body(()).unwrap()).fault
    }

    #[test]
    fn a_host_has_a_name_or_an_address_and_a_port() {
        for host in [
            "",
            "a",
            "zoo.example",
            "zoo.example:8080",
            "zoo.example:",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:8080",
            "xn--bcher-kva.example",
            "a_b",
            "%7Ea",
        ] {
            assert_eq!(fault("/", &[("host", host)]), None, "{host}");
        }
        for host in [
            "a b", "a/b", "user@a", "a\\b", "[::1", "::1", "[::1]x", "[]", "[a]", "a:b", "a:80:80",
            "a:123456", "a#b", "a?b", "a\"b", "ä",
        ] {
            assert_eq!(fault("/", &[("host", host)]), Some(HeadFault::Host), "{host}");
        }
        assert_eq!(fault("/", &[]), Some(HeadFault::NoHost));
        assert_eq!(fault("/", &[("host", "a"), ("host", "a")]), Some(HeadFault::Hosts));
    }

    #[test]
    fn a_target_is_a_path_or_a_url_of_the_web() {
        let of = |target| fault(target, &[("host", "a")]);
        for target in ["/", "/zoos?x=1", "*", "http://a/zoos", "https://a:1/", "http://a"] {
            assert_eq!(of(target), None, "{target}");
        }
        assert_eq!(of("zoos"), Some(HeadFault::Target));
        assert_eq!(of("a:80"), Some(HeadFault::Target));
        assert_eq!(of("ftp://a/zoos"), Some(HeadFault::Scheme));
        assert_eq!(of("http://u:p@a/zoos"), Some(HeadFault::UserInfo));
    }

    #[test]
    fn only_one_coding_and_one_expectation_are_known() {
        let of = |name, value| fault("/", &[("host", "a"), (name, value)]);
        assert_eq!(of("transfer-encoding", "Chunked"), None);
        assert_eq!(of("transfer-encoding", "chunked, chunked"), Some(HeadFault::Chunked));
        assert_eq!(of("transfer-encoding", "gzip, chunked"), Some(HeadFault::TransferCoding));
        let twice =
            [("host", "a"), ("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")];
        assert_eq!(fault("/", &twice), Some(HeadFault::Chunked));
        assert_eq!(of("expect", "100-Continue"), None);
        assert_eq!(of("expect", "foo"), Some(HeadFault::Expectation));
        assert_eq!(of("expect", "100-continue, foo"), Some(HeadFault::Expectation));
    }
}
