//! The settings of the server.

use super::context::Context;
use super::extensions::Extensions;
use super::map::Map;
use super::ruled::{ruled, say, seconds};
use super::{level, url};
use crate::diagnostic::Problem;
use crate::draft::{Spanned, excerpt};
use crate::schema::{Cors, Server, Synchronous};

/// What an origin must be.
const ORIGIN: &str = "an origin as browsers send it, like `https://zoo.example.org` or `http://localhost:3000`: \
                      in lower case, without path and without the usual port";

/// What the name of a field must be (RFC 9110 §5.1).
const FIELD_NAME: &str = "the name of a field, like `X-Request-Id`, without blanks, brackets and quotes";

/// The settings of the server, with its `x-…` keys beside them.
pub(super) fn server(declaration: &Map<'_>, context: &mut Context) -> (Server, Extensions) {
    let Some(map) = declaration.inner("server", &level::SERVER, context) else { return Default::default() };
    let rule = "a host and a port, like `127.0.0.1:8080`";
    let (cors, of_cors) = cors(&map, context);
    let (keep, of_idempotency) = idempotency(&map, context);
    let server = Server {
        listen: ruled(&map, "listen", rule, url::is_address, context),
        database: map.owned("database", context),
        synchronous: map.word("synchronous", Synchronous::WORDS, context).unwrap_or_default(),
        trace: map.flag("trace", context).unwrap_or_default(),
        query: map.flag("query", context).unwrap_or_default(),
        cors,
        idempotency_keep_seconds: keep.unwrap_or(Server::IDEMPOTENCY_KEEP_SECONDS),
    };
    (server, [map.extensions, of_cors, of_idempotency].concat())
}

/// How long the answer to an `Idempotency-Key` is kept.
fn idempotency(map: &Map<'_>, context: &mut Context) -> (Option<u32>, Extensions) {
    let Some(map) = map.inner("idempotency", &level::IDEMPOTENCY, context) else { return Default::default() };
    let keep = seconds(&map, "keep", context);
    if keep == Some(0) {
        say("keep", "0s", "a duration of at least one second", map.place("keep"), context);
    }
    (keep, map.extensions)
}

/// Which other origins may use the interface.
fn cors(map: &Map<'_>, context: &mut Context) -> (Option<Cors>, Extensions) {
    let Some(map) = map.inner("cors", &level::CORS, context) else { return Default::default() };
    map.needed("origins", context);
    let origins = map.texts("origins", context).unwrap_or_default();
    let credentials = map.flag("credentials", context).unwrap_or_default();
    check_origins(&origins, credentials, context);
    let headers = map.texts("headers", context).unwrap_or_default();
    for header in headers.iter().filter(|header| !is_token(header.value)) {
        say("headers", header.value, FIELD_NAME, header.at, context);
    }
    let max_age = seconds(&map, "max_age", context);
    let cors = Cors {
        credentials,
        headers: owned(&headers),
        max_age_seconds: max_age.unwrap_or(Cors::MAX_AGE_SECONDS),
        ..Cors::of(owned(&origins))
    };
    (Some(cors), map.extensions)
}

fn check_origins(origins: &[Spanned<&str>], credentials: bool, context: &mut Context) {
    for origin in origins {
        if origin.value == "*" {
            if credentials {
                context.say(origin.at, Problem::AnyOriginWithCredentials);
            } else if let Some(other) = origins.iter().find(|other| other.value != "*") {
                context.say(origin.at, Problem::AnyOriginAndOthers { other: excerpt(other.value) });
            }
        } else if !url::is_origin(origin.value) {
            say("origins", origin.value, ORIGIN, origin.at, context);
        }
    }
}

fn owned(texts: &[Spanned<&str>]) -> Vec<String> {
    texts.iter().map(|text| text.value.to_owned()).collect()
}

/// Whether a text is a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
