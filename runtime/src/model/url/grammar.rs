//! The grammars of paths, URLs and origins, those of the checker.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::model::Constraints;

/// Whether a text is a path of plain segments; a slash may end it.
pub(crate) fn is_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    path == "/" || rest.split('/').all(is_plain_segment)
}

/// Whether a segment of a path needs no escape and does not climb.
fn is_plain_segment(segment: &str) -> bool {
    let plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    plain && !matches!(segment, "" | "." | ".." | "-")
}

/// Whether a text is an absolute URL of the web without user, query and fragment.
pub(crate) fn is_web_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
    is_authority(authority) && is_path(path)
}

/// Whether a text is an origin as browsers write one: in lower case, without the port that the scheme implies.
pub(crate) fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let implied = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "/",
    };
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(word)
        && !authority.bytes().any(|byte| byte.is_ascii_uppercase())
        && !authority.ends_with(implied)
        && is_authority(authority)
}

/// Whether a text is a host, with or without a port.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = address.map_or_else(
        || Constraints::is_hostname(host) || host.parse::<Ipv4Addr>().is_ok(),
        |address| address.parse::<Ipv6Addr>().is_ok(),
    );
    host && port
        .is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok())
}
