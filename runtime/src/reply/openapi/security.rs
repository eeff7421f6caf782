//! The schemes with which callers identify themselves, and which operations need them.

use serde_json::Value as Json;

use super::node::{JsonNode, JsonObject};
use crate::model::{Model, def::Scheme};

const BASIC: &str = "basic";
const BEARER: &str = "bearer";
const SESSION: &str = "session";

/// The components of the schemes that the API has.
pub(super) fn schemes(model: &Model) -> JsonObject {
    let Some(accounts) = &model.accounts else { return JsonObject::new() };
    let described =
        |kind: &str, text: &str| JsonObject::new().with("type", kind).with("description", text);
    let mut schemes = JsonObject::new();
    if accounts.def.has(Scheme::Basic) {
        let text = "The login and the password of an account.";
        schemes.set(BASIC, described("http", text).with("scheme", "basic"));
    }
    if accounts.def.has(Scheme::Bearer) || accounts.jwt.is_some() {
        let text = if accounts.jwt.is_some() {
            "A token that the account has made, or a JWT of the declared issuer."
        } else {
            "A token that the account has made."
        };
        schemes.set(BEARER, described("http", text).with("scheme", "bearer"));
    }
    if accounts.def.has(Scheme::Session) {
        let text = "The cookie of a session. Over TLS its name may begin with `__Host-`.";
        let scheme = described("apiKey", text).with("in", "cookie");
        schemes.set(SESSION, scheme.with("name", accounts.def.session.cookie));
    }
    schemes
}

/// Returns the list of schemes of an operation that needs no credentials, if others of the API do.
pub(super) fn none(model: &Model) -> Option<JsonNode> {
    model.accounts.as_ref().map(|_| JsonNode::Array(vec![]))
}

/// The schemes that an operation accepts; `None` if the API has no accounts.
pub(super) fn of_operation(model: &Model, is_public: bool) -> Option<JsonNode> {
    let schemes = schemes(model);
    if schemes.is_empty() {
        return None;
    }
    let none = is_public.then(JsonObject::new);
    let empty = || JsonNode::Json(Json::Array(vec![]));
    let known = [BASIC, BEARER, SESSION].into_iter().filter(|name| schemes.get(name).is_some());
    let known = known.map(|name| JsonObject::new().with(name, empty()));
    Some(JsonNode::from(none.into_iter().chain(known).collect::<Vec<_>>()))
}
