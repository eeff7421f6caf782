//! The facts about the interface and the settings of its server.

use super::context::Context;
use super::extensions::{Extensions, merge};
use super::format;
use super::level;
use super::map::{Map, wrong_shape};
use crate::diagnostic::Problem;
use crate::draft::Value;
use crate::schema::{Api, Case, Contact, Format, License, Server, Synchronous};

/// The title of an interface that declares none.
const DEFAULT_TITLE: &str = "API";

/// The version of an interface that declares none.
const DEFAULT_VERSION: &str = "1.0.0";

/// Checks that the declaration is written in the one version of the language there is.
pub(super) fn version(declaration: &Map<'_>, context: &mut Context) {
    let Some(entry) = declaration.needed("nouns", context) else { return };
    match &entry.value.value {
        Value::Number(version) if version == "1" => {}
        Value::Number(version) => {
            context.say(entry.value.at, Problem::UnknownVersion { version: crate::draft::excerpt(version) });
        }
        _ => {
            let _: Option<()> = wrong_shape("`nouns`", "the number 1", &entry.value, context);
        }
    }
}

/// The facts about the interface, with its `x-…` keys beside them.
pub(super) fn api(declaration: &Map<'_>, context: &mut Context) -> (Api, Extensions) {
    let map = declaration.inner("api", &level::API, context);
    let mut api = Api {
        title: DEFAULT_TITLE.to_owned(),
        version: DEFAULT_VERSION.to_owned(),
        description: None,
        contact: None,
        license: None,
        base_path: "/".to_owned(),
        public_url: None,
        case: Case::default(),
        extensions: Vec::new(),
    };
    let Some(map) = map else { return (api, Vec::new()) };
    api.title = map.owned("title", context).unwrap_or(api.title);
    api.version = map.owned("version", context).unwrap_or(api.version);
    api.description = map.description(context);
    api.contact = map.inner("contact", &level::CONTACT, context).map(|map| contact(map, context));
    api.license = map.inner("license", &level::LICENSE, context).and_then(|map| license(map, context));
    api.base_path = base_path(&map, context).unwrap_or(api.base_path);
    api.public_url = public_url(&map, context);
    api.case = map.word("case", Case::WORDS, context).unwrap_or_default();
    (api, map.extensions)
}

fn contact(map: Map<'_>, context: &mut Context) -> Contact {
    let url = ruled(&map, "url", "an absolute URL", |url| format::matches(Format::Uri, url), context);
    let email = ruled(
        &map,
        "email",
        "an address like `zoo@example.org`",
        |email| format::matches(Format::Email, email),
        context,
    );
    let name = map.owned("name", context);
    Contact { name, url, email, extensions: merge([map.extensions], context) }
}

fn license(map: Map<'_>, context: &mut Context) -> Option<License> {
    map.needed("name", context)?;
    let name = map.owned("name", context)?;
    let identifier = map.owned("identifier", context);
    Some(License { name, identifier, extensions: merge([map.extensions], context) })
}

/// The base path without a slash at its end.
fn base_path(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let rule = "a path like `/api/v1`: `/`, then segments of letters, digits, `-`, `.`, `_` and `~`";
    let path = ruled(map, "base_path", rule, is_path, context)?;
    let trimmed = path.trim_end_matches('/');
    Some(if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() })
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

/// The public URL without a slash at its end.
fn public_url(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let rule =
        "an absolute `http` or `https` URL without user, query and fragment, like `https://zoo.example.org`";
    let url = ruled(map, "public_url", rule, is_public_url, context)?;
    Some(url.trim_end_matches('/').to_owned())
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
    let host = match address {
        Some(address) => format::matches(Format::Ipv6, address),
        None => format::matches(Format::Hostname, host),
    };
    host && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// The settings of the server, with its `x-…` keys beside them.
pub(super) fn server(declaration: &Map<'_>, context: &mut Context) -> (Server, Extensions) {
    let Some(map) = declaration.inner("server", &level::SERVER, context) else { return Default::default() };
    let rule = "a host and a port, like `127.0.0.1:8080`";
    let server = Server {
        listen: ruled(&map, "listen", rule, is_address, context),
        database: map.owned("database", context),
        synchronous: map.word("synchronous", Synchronous::WORDS, context).unwrap_or_default(),
    };
    (server, map.extensions)
}

fn is_address(text: &str) -> bool {
    is_authority(text) && text.rsplit_once(':').is_some_and(|(_, port)| is_port(port))
}

/// The text under a key, if it keeps a rule.
fn ruled(
    map: &Map<'_>,
    key: &'static str,
    rule: &'static str,
    keeps: impl Fn(&str) -> bool,
    context: &mut Context,
) -> Option<String> {
    let text = map.text(key, context)?;
    if keeps(text) {
        return Some(text.to_owned());
    }
    let problem = Problem::BadText { key: key.to_owned(), text: crate::draft::excerpt(text), rule };
    context.say(map.place(key), problem);
    None
}
