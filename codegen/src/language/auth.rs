//! The levels of `auth`.

use nouns_declaration::{
    def::{AuthDef, SessionDef},
    grammar::RESERVED_PARAMETERS,
};

use super::{Level, ListShape, TextShape, ValueShape, key, shape::word};
use crate::schema::{SameSite, Scheme, SessionStore};

const SCHEME: ValueShape = word!(Scheme);

const REALM: TextShape = TextShape { max: Some(100), ..TextShape::matching(r#"^[ !#-\[\]-~]+$"#) };

/// The keys of the mapping `auth`.
pub static AUTH: Level = Level {
    name: "`auth`",
    definition: "auth",
    keys: &[
        key("accounts", "The resource whose members are the accounts.", ValueShape::Name(None)),
        key(
            "login",
            "Its field with the name that a caller signs in with.",
            ValueShape::Name(None),
        ),
        key("password", "Its field of type `password`.", ValueShape::Name(Some(AuthDef::PASSWORD))),
        key(
            "role",
            "Its field with the role of an account.",
            ValueShape::Name(Some(AuthDef::ROLE)),
        ),
        key(
            "realm",
            "The name of the protected space, which a browser shows.",
            ValueShape::Text(REALM),
        ),
        key(
            "schemes",
            "The schemes with which a caller may prove its identity.",
            ValueShape::Either(&[SCHEME, ValueShape::List(ListShape::of(&SCHEME))], None),
        ),
        key(
            "confirm_within",
            "How long after signing in a session may change the own password and login without the \
             present one.",
            ValueShape::Duration(Some(AuthDef::CONFIRM_SECONDS)),
        ),
        key("session", "The settings of sessions.", ValueShape::Map(&SESSION)),
        key("jwt", "The tokens of another issuer that are accepted.", ValueShape::Map(&JWT)),
    ],
    required: &["accounts", "login"],
    ..Level::PLAIN
};

const USUAL: SessionDef = SessionDef::DEFAULT;

const COOKIE: TextShape = TextShape {
    usual: Some(USUAL.cookie),
    ..TextShape::matching("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
};

const DOMAIN: TextShape = TextShape {
    examples: &["example.org"],
    ..TextShape::matching(
        r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$",
    )
};

const PATH: TextShape =
    TextShape { max: Some(200), usual: Some(USUAL.path), ..TextShape::matching("^/[!-:<-~]*$") };

/// The name of a parameter or a form field that may have the secret of a session.
const ENCLOSED: TextShape =
    TextShape { reserved: &RESERVED_PARAMETERS, ..TextShape::matching("^[A-Za-z0-9_-]{1,50}$") };

/// The keys of the mapping `auth.session`.
pub static SESSION: Level = Level {
    name: "`session`",
    keys: &[
        key("store", "Where sessions are stored.", word!(SessionStore, USUAL.store)),
        key(
            "ttl",
            "The longest time that a session lasts.",
            ValueShape::Duration(Some(USUAL.ttl_seconds)),
        ),
        key(
            "idle",
            "The longest time between two requests of a session.",
            ValueShape::Duration(Some(USUAL.idle_seconds)),
        ),
        key("cookie", "The name of the cookie.", ValueShape::Text(COOKIE)),
        key("domain", "The attribute `Domain` of the cookie.", ValueShape::Text(DOMAIN)),
        key("path", "The attribute `Path` of the cookie.", ValueShape::Text(PATH)),
        key(
            "secure",
            "Whether the cookie always has the attribute `Secure`.",
            ValueShape::Flag(Some(USUAL.secure)),
        ),
        key(
            "http_only",
            "Whether the cookie has the attribute `HttpOnly`.",
            ValueShape::Flag(Some(USUAL.http_only)),
        ),
        key(
            "same_site",
            "The attribute `SameSite` of the cookie.",
            word!(SameSite, USUAL.same_site),
        ),
        key(
            "url_parameter",
            "A query parameter that may have the secret of a session; `off` for none.",
            ValueShape::Text(ENCLOSED),
        ),
        key(
            "form_field",
            "A field of a form that may have the secret of a session; `off` for none.",
            ValueShape::Text(ENCLOSED),
        ),
    ],
    ..Level::PLAIN
};

/// A line of text, with an example.
const fn line(examples: &'static [&'static str]) -> ValueShape {
    ValueShape::Text(TextShape {
        pattern: Some(r"^[^\p{Cc}]*$"),
        max: Some(1000),
        ..TextShape::like(examples)
    })
}

/// The keys of the mapping `auth.jwt`.
pub static JWT: Level = Level {
    name: "`jwt`",
    keys: &[
        key(
            "keys",
            "The path of the file with the keys of the issuer, a JWK Set.",
            line(&["jwks.json"]),
        ),
        key("issuer", "The claim `iss` of each token.", line(&["https://id.example.org"])),
        key("audience", "The claim `aud` of each token, or one of its items.", line(&["zoo"])),
        key(
            "claims",
            "The fields of the account that a token sets, each with the name of a claim or a JSON \
             Pointer to it.",
            ValueShape::Claims,
        ),
    ],
    required: &["keys", "issuer", "audience"],
    ..Level::PLAIN
};
