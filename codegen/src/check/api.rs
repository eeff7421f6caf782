//! Reads the keys `nouns` and `api` of a declaration.

use super::context::Context;
use super::extensions::{Extensions, merge};
use super::map::{Map, wrong_shape};
use super::ruled::ruled;
use crate::diagnostic::{Problem, problem::Owner};
use crate::draft::Value;
use crate::language;
use crate::schema::{Api, Case, Contact, Format, License};
use nouns_declaration::format::has_format;
use nouns_declaration::grammar::{BASE_PATH, PUBLIC_URL};

/// Checks that `nouns`, the version of the schema language, is 1. No other version exists.
pub(super) fn version(declaration: &Map<'_>, context: &mut Context) {
    let Some(entry) = declaration.needed("nouns", context) else { return };
    match &entry.value.value {
        Value::Number(version) if version == "1" => {}
        Value::Number(version) => {
            context.report(
                entry.value.at,
                Problem::UnknownVersion { version: crate::draft::excerpt(version) },
            );
        }
        _ => {
            let _: Option<()> =
                wrong_shape(&Owner::Key("nouns".to_owned()), "the number 1", &entry.value, context);
        }
    }
}

/// Reads `api`, and returns its `x-…` keys separately.
pub(super) fn api(declaration: &Map<'_>, context: &mut Context) -> (Api, Extensions) {
    let map = declaration.inner("api", &language::API, context);
    let mut api = Api {
        title: language::TITLE.to_owned(),
        version: language::VERSION.to_owned(),
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
    api.contact =
        map.inner("contact", &language::CONTACT, context).map(|map| contact(map, context));
    api.license =
        map.inner("license", &language::LICENSE, context).and_then(|map| license(map, context));
    api.base_path = base_path(&map, context).unwrap_or(api.base_path);
    api.public_url = public_url(&map, context);
    api.case = map.word("case", Case::WORDS, context).unwrap_or_default();
    (api, map.extensions)
}

fn contact(map: Map<'_>, context: &mut Context) -> Contact {
    let url = ruled(&map, "url", "an absolute URL", |url| has_format(Format::Uri, url), context);
    let email = ruled(
        &map,
        "email",
        "an address like `zoo@example.org`",
        |email| has_format(Format::Email, email),
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

/// Reads the base path, and removes slashes at its end.
fn base_path(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let path = ruled(map, "base_path", BASE_PATH.says, BASE_PATH.keeps, context)?;
    let trimmed = path.trim_end_matches('/');
    Some(if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() })
}

/// Reads the public URL, and removes slashes at its end.
fn public_url(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let url = ruled(map, "public_url", PUBLIC_URL.says, PUBLIC_URL.keeps, context)?;
    Some(url.trim_end_matches('/').to_owned())
}
