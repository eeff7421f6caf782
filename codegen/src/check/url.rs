//! The grammars of paths, URLs, origins and addresses.

use super::format;
use crate::schema::Format;

/// Whether a text is a path of plain segments; a slash may end it.
pub(super) fn is_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    path == "/" || rest.split('/').all(is_plain_segment)
}

/// Whether a segment of a path needs no escape and does not climb.
pub(super) fn is_plain_segment(segment: &str) -> bool {
    let plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    plain && !matches!(segment, "" | "." | ".." | "-")
}

/// Whether a text is an absolute URL of the web without user, query and fragment.
pub(super) fn is_web_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
    is_authority(authority) && is_path(path)
}

/// Whether a text is an origin as browsers write one: in lower case, without the port that the scheme implies.
pub(super) fn is_origin(origin: &str) -> bool {
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

/// Whether a text is a host and a port.
pub(super) fn is_address(text: &str) -> bool {
    is_authority(text) && text.rsplit_once(':').is_some_and(|(_, port)| is_port(port))
}

/// Whether a text is a host, with or without a port.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = match address {
        Some(address) => format::matches(Format::Ipv6, address),
        None => [Format::Hostname, Format::Ipv4].iter().any(|format| format::matches(*format, host)),
    };
    host && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_what_a_browser_sends() {
        for origin in [
            "https://zoo.example",
            "http://localhost:3000",
            "http://[::1]:8080",
            "http://127.0.0.1:8080",
            "https://zoo.example:80",
            "capacitor://localhost",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for text in [
            "null",
            "*",
            "zoo.example",
            "https://",
            "https://zoo.example/",
            "https://zoo.example/a",
            "https://Zoo.example",
            "HTTPS://zoo.example",
            "https://zoo.example:443",
            "http://zoo.example:80",
            "https://kim@zoo.example",
            "https://*.zoo.example",
            "https://zoo.example:99999",
        ] {
            assert!(!is_origin(text), "{text}");
        }
    }
}
