//! The levels of `api`.

use super::{Key, Level, TextShape, ValueShape, key, shape::word};
use crate::schema::Case;

/// The title of an API that declares none.
pub(crate) const TITLE: &str = "API";

/// The version of an API that declares none.
pub(crate) const VERSION: &str = "1.0.0";

/// A regular expression for paths that are not allowed, because they have the segment `.`, `..` or
/// `-`. The server's own pages are below `/-/`.
const CLIMBING: &str = r"/(\.{1,2}|-)(/|$)";

const BASE_PATH: TextShape = TextShape {
    except: Some(CLIMBING),
    usual: Some("/"),
    examples: &["/api/v1"],
    ..TextShape::matching(r"^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*/?)?$")
};

const PUBLIC_URL: TextShape = TextShape {
    except: Some(CLIMBING),
    examples: &["https://zoo.example.org"],
    ..TextShape::matching(r"^https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~-]+)*/?$")
};

/// The keys of the mapping `api`.
pub static API: Level = Level {
    name: "`api`",
    definition: "api",
    keys: &[
        key(
            "title",
            "The title of the API.",
            ValueShape::Text(TextShape { usual: Some(TITLE), ..TextShape::SOME }),
        ),
        key(
            "version",
            "The version of the API, in quotes if it looks like a number.",
            ValueShape::Text(TextShape { usual: Some(VERSION), ..TextShape::SOME }),
        ),
        key("description", "The description of the API.", ValueShape::Text(TextShape::VISIBLE)),
        key("contact", "The contact of the API.", ValueShape::Map(&CONTACT)),
        key("license", "The licence of the API.", ValueShape::Map(&LICENSE)),
        key("base_path", "The path prefix of all URLs.", ValueShape::Text(BASE_PATH)),
        key(
            "public_url",
            "The URL by which clients reach the server, if a proxy changes it.",
            ValueShape::Text(PUBLIC_URL),
        ),
        key(
            "case",
            "How the names of fields are spelled in bodies and queries.",
            word!(Case, Case::Snake),
        ),
    ],
    ..Level::PLAIN
};

/// A URL, with an example.
pub(super) const fn url(examples: &'static [&'static str]) -> ValueShape {
    ValueShape::Text(TextShape { format: Some("uri"), examples, ..TextShape::matching(":") })
}

/// The keys of the mapping `api.contact`.
pub static CONTACT: Level = Level {
    name: "`contact`",
    definition: "contact",
    keys: &[
        key("name", "A person or a team.", ValueShape::Text(TextShape::like(&["The zoo office"]))),
        key(
            "url",
            "The URL of a page about the person or team.",
            url(&["https://zoo.example.org/contact"]),
        ),
        EMAIL,
    ],
    ..Level::PLAIN
};

const EMAIL: Key = key(
    "email",
    "The email address of the person or team.",
    ValueShape::Text(TextShape {
        format: Some("email"),
        examples: &["office@zoo.example.org"],
        ..TextShape::matching("@")
    }),
);

/// The keys of the mapping `api.license`.
pub static LICENSE: Level = Level {
    name: "`license`",
    definition: "license",
    keys: &[
        key("name", "The name of the licence.", ValueShape::Text(TextShape::like(&["CC BY 4.0"]))),
        key(
            "identifier",
            "The SPDX expression of the licence.",
            ValueShape::Text(TextShape::like(&["CC-BY-4.0"])),
        ),
    ],
    required: &["name"],
    ..Level::PLAIN
};
