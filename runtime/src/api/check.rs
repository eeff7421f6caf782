//! What is wrong with the facts about an interface, in the sentences of the checker.

use super::Api;
use crate::model::{Constraints, LinkProblem};

/// What is wrong with them.
pub(super) fn facts(api: &Api) -> Vec<LinkProblem> {
    let base_path = api.base_path.as_deref().filter(|path| !is_path(path));
    let public_url = api.public_url.as_deref().filter(|url| !is_public_url(url));
    let path = "a path like `/api/v1`: `/`, then segments of letters, digits, `-`, `.`, `_` and `~`";
    let url =
        "an absolute `http` or `https` URL without user, query and fragment, like `https://zoo.example.org`";
    let ruled = [("base_path", base_path, path), ("public_url", public_url, url)];
    let bad = ruled.into_iter().filter_map(|(key, text, rule)| Some((key, text?, rule)));
    let bad = bad
        .map(|(key, text, rule)| LinkProblem::new("N021", format!("`{key}` is `{text}`; it must be {rule}")));
    let contact = api.contact.iter().map(|contact| &contact.extensions);
    let license = api.license.iter().map(|license| &license.extensions);
    let extensions = [&api.extensions].into_iter().chain(contact).chain(license);
    bad.chain(extensions.flat_map(|given| self::extensions(given))).collect()
}

/// What is wrong with `x-…` keys.
fn extensions(given: &[(String, String)]) -> Vec<LinkProblem> {
    let mut problems = vec![];
    for (at, (name, json)) in given.iter().enumerate() {
        if !name.starts_with("x-") || name.len() < 3 {
            let detail = format!("`{name}` is no key of your own: those begin with `x-`");
            problems.push(LinkProblem::new("N097", detail));
        }
        if given[..at].iter().any(|(other, _)| other == name) {
            let detail = format!("`{name}` is declared a second time here; keep one of the two");
            problems.push(LinkProblem::new("N011", detail));
        }
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(json) {
            let detail = format!("the value of `{name}` is not JSON: {error}; a text needs its quotes");
            problems.push(LinkProblem::new("N097", detail));
        }
    }
    problems
}

fn is_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    path == "/" || rest.split('/').all(is_plain_segment)
}

/// Whether a segment of a path needs no escape and does not climb.
fn is_plain_segment(segment: &str) -> bool {
    let plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    plain && !matches!(segment, "" | "." | ".." | "-")
}

fn is_public_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
    is_authority(authority) && is_path(path)
}

/// Whether a text is a host, with or without a port.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = address.map_or_else(
        || Constraints::is_hostname(host),
        |address| address.parse::<std::net::Ipv6Addr>().is_ok(),
    );
    host && port
        .is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok())
}
