//! The grammars of paths, URLs, origins, addresses and names, each with a text for messages.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{
    address_range::AddressRange,
    def::RateDef,
    problem::{Problem, excerpt},
};

/// A rule that a text must follow.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The function that tells whether a text follows the rule.
    pub keeps: fn(&str) -> bool,
    /// The rule in words, which follow "it must be" in a message.
    pub says: &'static str,
}

impl Rule {
    /// The problem of a text that breaks the rule; `None` if the text follows it.
    ///
    /// ```
    /// use nouns_declaration::grammar::BASE_PATH;
    /// assert_eq!(BASE_PATH.problem("base_path", "/api"), None);
    /// let problem = BASE_PATH.problem("base_path", "api").unwrap().to_string();
    /// assert!(problem.starts_with("`base_path` is `api`; it must be a path"));
    /// ```
    #[must_use]
    pub fn problem(&self, key: &str, text: &str) -> Option<Problem> {
        let broken = Problem::BadText { key: key.to_owned(), text: excerpt(text), rule: self.says };
        (!(self.keeps)(text)).then_some(broken)
    }
}

/// The rule for `base_path`, the path prefix of all URLs.
pub const BASE_PATH: Rule = Rule {
    keeps: is_path,
    says: "a path like `/api/v1`: `/`, then segments of letters, digits, `-`, `.`, `_` and `~`",
};

/// The rule for `public_url`, the base URL that clients use.
pub const PUBLIC_URL: Rule = Rule {
    keeps: is_web_url,
    says: "an absolute `http` or `https` URL without user, query and fragment, like \
           `https://zoo.example.org`",
};

/// The rule for the realm of accounts, which stands in quotes in a header field (RFC 9110 §5.6.4).
pub const REALM: Rule = Rule {
    keeps: |text| {
        (1..=100).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\"\\".contains(&byte))
    },
    says: "at most 100 ASCII characters without quotation marks and backslashes",
};

/// The rule for the name of a cookie (RFC 6265 §4.1.1).
pub const COOKIE_NAME: Rule = Rule {
    keeps: |text| is_token(text) && text.len() <= 100,
    says: "a name of at most 100 letters, digits, `-` and `_`, without spaces and separators",
};

/// The rule for the attribute `Domain` of a cookie.
pub const COOKIE_DOMAIN: Rule = Rule {
    keeps: is_hostname,
    says: "a host name like `example.org`, without a scheme, a port and a dot at its beginning",
};

/// The rule for the attribute `Path` of a cookie (RFC 6265 §4.1.1).
pub const COOKIE_PATH: Rule = Rule {
    keeps: |text| {
        text.starts_with('/')
            && text.len() <= 200
            && text.bytes().all(|byte| matches!(byte, b'!'..=b'~') && byte != b';')
    },
    says: "a path that begins with `/`, without spaces and `;`",
};

/// The rule for the path of a file with keys.
pub const JWT_KEYS: Rule = Rule {
    keeps: |text| is_line(text, 1_000),
    says: "the path of a file with a JWK Set, like `jwks.json`",
};

/// The rule for the issuer of tokens (RFC 7519 §4.1.1).
pub const JWT_ISSUER: Rule = Rule {
    keeps: |text| is_line(text, 1_000),
    says: "the claim `iss` of the tokens, like `https://id.example.org`",
};

/// The rule for the audience of tokens (RFC 7519 §4.1.3).
pub const JWT_AUDIENCE: Rule =
    Rule { keeps: |text| is_line(text, 1_000), says: "the claim `aud` of the tokens, like `zoo`" };

/// The rule for a claim: a name, or a JSON Pointer (RFC 6901 §3).
pub const JWT_CLAIM: Rule = Rule {
    keeps: |text| {
        let is_escaped = |rest: &str| rest.starts_with(['0', '1']);
        let is_name = !text.starts_with('/');
        is_line(text, 1_000) && (is_name || text.split('~').skip(1).all(is_escaped))
    },
    says: "the name of a claim, like `role`, or a JSON Pointer that begins with `/`, like \
           `/realm_access/roles`",
};

/// The rule for the name of a query parameter or form field with a session.
pub const ENCLOSED_NAME: Rule = Rule {
    keeps: |text| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        (1..=50).contains(&text.len())
            && text.bytes().all(is_plain)
            && !RESERVED_PARAMETERS.contains(&text)
    },
    says: "a name of at most 50 letters, digits, `_` and `-`, and no query parameter of a \
           collection, such as `limit`",
};

/// The query parameters of every collection. Some of them are reserved for later.
pub const RESERVED_PARAMETERS: [&str; 14] = [
    "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count", "fields",
    "format", "expand", "q", "filter",
];

/// The rule for an allowed origin of CORS.
pub const ORIGIN: Rule = Rule {
    keeps: is_origin,
    says: "an origin as browsers send it, like `https://zoo.example.org` or \
           `http://localhost:3000`: in lower case, without path and without the default port",
};

/// The rule for the name of a header field (RFC 9110 §5.1).
pub const FIELD_NAME: Rule = Rule {
    keeps: is_token,
    says: "the name of a field, like `X-Request-Id`, without spaces, brackets and quotes",
};

/// The word for all proxies on a Unix socket.
pub const UNIX_PROXY: &str = "unix";

/// The rule for the address of a proxy, or a range of such addresses.
pub const PROXY: Rule = Rule {
    keeps: |text| text == UNIX_PROXY || text.parse::<AddressRange>().is_ok(),
    says: "an IP address or a range, like `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`, without bits \
           after the prefix, or `unix` for those on a Unix socket",
};

/// The rule for a host that is served.
pub const SERVED_HOST: Rule = Rule {
    keeps: is_served_host,
    says: "a host without a port, like `zoo.example.org`, `*.example.org` or `10.0.0.7`, or `*` for \
           any",
};

/// Whether the text is a host, a wildcard and a domain, or `*`.
fn is_served_host(text: &str) -> bool {
    let host = text.strip_prefix("*.").unwrap_or(text);
    text == "*" || is_hostname(host) || text.parse::<std::net::IpAddr>().is_ok()
}

/// The rule for a number of requests in a time.
pub const RATE: Rule = Rule {
    keeps: |text| rate(text).is_some(),
    says: "a number of requests from 1 to 1000000 and a time up to a day, like `600/1m` or `10/1s`",
};

/// The largest time of a rate, in seconds: a day.
const RATE_SECONDS_MAX: u32 = 86_400;

/// The largest number of requests of a rate.
const RATE_REQUESTS_MAX: u32 = 1_000_000;

/// Reads a number of requests and a time, such as `600/1m`.
///
/// ```
/// use nouns_declaration::{def::RateDef, grammar::rate};
/// assert_eq!(rate("600/1m"), Some(RateDef { requests: 600, seconds: 60 }));
/// assert_eq!((rate("0/1m"), rate("600"), rate("1/2d")), (None, None, None));
/// ```
#[must_use]
pub fn rate(text: &str) -> Option<RateDef> {
    let (requests, time) = text.split_once('/')?;
    let digits = time.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = time.split_at(digits);
    let unit = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
        .iter()
        .find_map(|(name, seconds)| (*name == unit).then_some(*seconds))?;
    let is_number = !requests.is_empty() && requests.bytes().all(|byte| byte.is_ascii_digit());
    let requests = requests.parse().ok().filter(|_| is_number)?;
    let seconds = count.parse::<u32>().ok()?.checked_mul(unit)?;
    let rate = RateDef { requests, seconds };
    is_rate(rate).then_some(rate)
}

/// Whether a rate is in its range.
#[must_use]
pub fn is_rate(rate: RateDef) -> bool {
    (1..=RATE_REQUESTS_MAX).contains(&rate.requests)
        && (1..=RATE_SECONDS_MAX).contains(&rate.seconds)
}

/// The rule for the address that a server listens on.
pub const LISTEN: Rule = Rule {
    keeps: |text| match text.strip_prefix("unix:") {
        Some(file) => is_line(file, 1_000),
        None => is_address(text),
    },
    says: "a host and a port, like `127.0.0.1:8080`, or a Unix socket, like \
           `unix:/run/nouns.sock`",
};

/// The rule for the path of a file with a certificate or its key.
pub const TLS_FILE: Rule =
    Rule { keeps: |text| is_line(text, 1_000), says: "the path of a PEM file, like `zoo.pem`" };

/// The rule for the path of a directory of templates.
pub const TEMPLATES: Rule =
    Rule { keeps: |text| is_line(text, 1_000), says: "the path of a directory, like `templates`" };

/// Whether the text is an absolute path whose segments need no percent-encoding. One slash at the
/// end is allowed.
///
/// ```
/// use nouns_declaration::grammar::is_path;
/// assert!(is_path("/api/v1/") && !is_path("/api//v1"));
/// ```
#[must_use]
pub fn is_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    path == "/" || rest.split('/').all(is_plain_segment)
}

/// Whether a path segment needs no percent-encoding and is not empty, `-`, `.` or `..`.
#[must_use]
pub fn is_plain_segment(segment: &str) -> bool {
    let plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    plain && !matches!(segment, "" | "." | ".." | "-")
}

/// Whether the text is an `http` or `https` URL without user, query and fragment.
///
/// ```
/// use nouns_declaration::grammar::is_web_url;
/// assert!(is_web_url("https://zoo.example.org/city"));
/// assert!(!is_web_url("https://kim@zoo.example.org"));
/// ```
#[must_use]
pub fn is_web_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
    is_authority(authority) && is_path(path)
}

/// Whether the text is an origin as browsers send it: in lower case, without the default port.
fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let implied = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "/",
    };
    let word =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(word)
        && !authority.bytes().any(|byte| byte.is_ascii_uppercase())
        && !authority.ends_with(implied)
        && is_authority(authority)
}

/// Whether the text is a host and a port.
fn is_address(text: &str) -> bool {
    is_authority(text) && text.rsplit_once(':').is_some_and(|(_, port)| is_port(port))
}

/// Whether the text is a host, with or without a port.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => is_hostname(host) || host.parse::<Ipv4Addr>().is_ok(),
    };
    host && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// Whether the text is a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether the text is a host name (RFC 1123 §2.1): labels of letters, digits and inner hyphens.
/// The last label must not be a number, so that the text is no IPv4 address.
///
/// ```
/// use nouns_declaration::grammar::is_hostname;
/// assert!(is_hostname("3com.example") && !is_hostname("192.0.2.1"));
/// ```
#[must_use]
pub fn is_hostname(text: &str) -> bool {
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    text.len() <= 253
        && text.split('.').all(is_host_label)
        && !text.rsplit('.').next().is_some_and(is_number)
}

/// Whether the text is one label of a host name.
#[must_use]
pub fn is_host_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether the text is one line of 1 to `most` bytes.
fn is_line(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && !text.contains(char::is_control)
}

/// Whether the text consists of lower-case words of letters and digits, joined by single hyphens.
#[must_use]
pub fn is_slug(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('-').all(|word| !word.is_empty() && word.bytes().all(is_letter))
}

/// The name inside the braces of a placeholder; `None` if the segment is no placeholder.
///
/// ```
/// use nouns_declaration::grammar::placeholder;
/// assert_eq!((placeholder("{zoo_id}"), placeholder("zoos")), (Some("zoo_id"), None));
/// ```
#[must_use]
pub fn placeholder(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
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
