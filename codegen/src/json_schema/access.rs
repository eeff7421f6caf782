//! The JSON Schema of accounts and access rules.

use super::shape::{duration, flag, word};
use super::{KeySchema, defined, key, object, with};
use crate::schema::{SameSite, Scheme, SessionStore, TestOp, duration as spelling};
use nouns_declaration::def::{AuthDef, SessionDef};
use nouns_declaration::grammar::RESERVED_PARAMETERS;
use serde_json::{Map, Value, json};

/// The keys of the mapping `auth`.
pub(super) fn auth() -> Vec<KeySchema> {
    let schemes = json!({
        "type": "array", "items": word(Scheme::WORDS, None), "minItems": 1, "uniqueItems": true,
    });
    let realm = json!({ "type": "string", "pattern": r#"^[ !#-\[\]-~]+$"#, "maxLength": 100 });
    let usual = |name: &str| with(defined("name"), "default", json!(name));
    vec![
        key("accounts", "The resource whose members are the accounts.", defined("name")),
        key("login", "Its field with the name that a caller signs in with.", defined("name")),
        key("password", "Its field of type `password`.", usual(AuthDef::PASSWORD)),
        key("role", "Its field with the role of an account.", usual(AuthDef::ROLE)),
        key("realm", "The name of the protected space, which a browser shows.", realm),
        key(
            "schemes",
            "The schemes with which a caller may prove its identity.",
            json!({ "anyOf": [word(Scheme::WORDS, None), schemes] }),
        ),
        key(
            "confirm_within",
            "How long after signing in a session may change the own password and login without the \
             present one.",
            duration(&spelling::text(AuthDef::CONFIRM_SECONDS)),
        ),
        key("session", "The settings of sessions.", object(session())),
        key("jwt", "The tokens of another issuer that are accepted.", needed(jwt())),
    ]
}

fn needed(keys: Vec<KeySchema>) -> Value {
    with(object(keys), "required", json!(["keys", "issuer", "audience"]))
}

/// The keys of the mapping `auth.jwt`.
pub(super) fn jwt() -> Vec<KeySchema> {
    let line = |example: &str| {
        json!({
            "type": "string", "minLength": 1, "maxLength": 1000, "pattern": r"^[^\p{Cc}]*$",
            "examples": [example],
        })
    };
    let claim =
        with(line("role"), "pattern", json!(r"^([^/\p{Cc}][^\p{Cc}]*|/([^~\p{Cc}]|~[01])*)$"));
    let claims = json!({
        "type": "object",
        "properties": {},
        "patternProperties": { "^x-": true },
        "additionalProperties": claim,
    });
    vec![
        key(
            "keys",
            "The path of the file with the keys of the issuer, a JWK Set.",
            line("jwks.json"),
        ),
        key("issuer", "The claim `iss` of each token.", line("https://id.example.org")),
        key("audience", "The claim `aud` of each token, or one of its items.", line("zoo")),
        key(
            "claims",
            "The fields of the account that a token sets, each with the name of a claim or a JSON \
             Pointer to it.",
            claims,
        ),
    ]
}

/// The keys of the mapping `auth.session`.
pub(super) fn session() -> Vec<KeySchema> {
    let usual = SessionDef::DEFAULT;
    let time = |seconds| duration(&spelling::text(seconds));
    let enclosed = || {
        json!({
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{1,50}$",
            "not": { "enum": RESERVED_PARAMETERS },
        })
    };
    let label = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?";
    let domain = json!({
        "type": "string", "pattern": format!(r"^{label}(\.{label})*$"), "examples": ["example.org"],
    });
    let cookie = json!({
        "type": "string", "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$", "default": usual.cookie,
    });
    let path = json!({
        "type": "string", "pattern": "^/[!-:<-~]*$", "maxLength": 200, "default": usual.path,
    });
    vec![
        key(
            "store",
            "Where sessions are stored.",
            word(SessionStore::WORDS, Some(usual.store.word())),
        ),
        key("ttl", "The longest time that a session lasts.", time(usual.ttl_seconds)),
        key(
            "idle",
            "The longest time between two requests of a session.",
            time(usual.idle_seconds),
        ),
        key("cookie", "The name of the cookie.", cookie),
        key("domain", "The attribute `Domain` of the cookie.", domain),
        key("path", "The attribute `Path` of the cookie.", path),
        key("secure", "Whether the cookie always has the attribute `Secure`.", flag(usual.secure)),
        key("http_only", "Whether the cookie has the attribute `HttpOnly`.", flag(usual.http_only)),
        key(
            "same_site",
            "The attribute `SameSite` of the cookie.",
            word(SameSite::WORDS, Some(usual.same_site.word())),
        ),
        key(
            "url_parameter",
            "A query parameter that may have the secret of a session; `off` for none.",
            enclosed(),
        ),
        key(
            "form_field",
            "A field of a form that may have the secret of a session; `off` for none.",
            enclosed(),
        ),
    ]
}

/// The keys of the mapping `access`.
pub(super) fn access() -> Vec<KeySchema> {
    let rule = || defined("rule");
    vec![
        key("read", "Who may read which members.", rule()),
        key("create", "Who may create which members.", rule()),
        key("update", "Who may change which members.", rule()),
        key("delete", "Who may delete which members.", rule()),
    ]
}

/// The schema of the mapping `access` of a field.
pub(super) fn access_of_field() -> Value {
    with(object(of_field_access()), "minProperties", json!(1))
}

/// The keys of the mapping `access` of a field.
pub(super) fn of_field_access() -> Vec<KeySchema> {
    let rule = || defined("rule_of_field");
    vec![
        key("read", "Which callers may read the field, which does not exist for others.", rule()),
        key("write", "Which callers may set the field.", rule()),
    ]
}

/// The schema of a rule that depends on the caller alone.
pub(super) fn rule_of_field() -> Value {
    let mut keys = of_rule("rule_of_field");
    keys.retain(|key| key.name != "where");
    let mapping = with(object(keys), "minProperties", json!(1));
    json!({ "anyOf": [{ "enum": ["public", "signed_in"] }, mapping] })
}

/// The schema of a rule: a word, or a mapping whose keys must all hold.
pub(super) fn rule() -> Value {
    let mapping = with(object(of_rule("rule")), "minProperties", json!(1));
    json!({ "anyOf": [{ "enum": ["public", "signed_in"] }, mapping] })
}

/// The keys of a rule.
pub(super) fn of_rule(inner: &str) -> Vec<KeySchema> {
    let rules = || json!({ "type": "array", "items": defined(inner), "minItems": 1 });
    let name = || json!({ "type": "string", "minLength": 1 });
    let roles = json!({ "type": "array", "items": name(), "minItems": 1, "uniqueItems": true });
    let tests = json!({
        "type": "object",
        "propertyNames": { "pattern": "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$" },
        "additionalProperties": test(),
        "minProperties": 1,
        "examples": [{ "author_id": "$account.id", "status": "draft" }],
    });
    vec![
        key("role", "The roles that a caller may have.", json!({ "anyOf": [name(), roles] })),
        key("where", "Tests of fields of the member.", tests),
        key("any", "Rules of which one must hold.", rules()),
        key("all", "Rules that must all hold.", rules()),
        key("not", "A rule that must not hold.", defined(inner)),
    ]
}

/// The schema of a test: a value, a list of values, or operators with their values.
fn test() -> Value {
    let value = || json!({ "type": ["string", "number", "boolean"] });
    let values = || json!({ "type": "array", "items": value(), "minItems": 1 });
    let operators: Map<_, _> = TestOp::WORDS
        .iter()
        .map(|(word, op)| {
            let operand = match op {
                TestOp::In | TestOp::NotIn => values(),
                TestOp::Eq | TestOp::Ne => {
                    json!({ "type": ["string", "number", "boolean", "null"] })
                }
                _ => value(),
            };
            ((*word).to_owned(), operand)
        })
        .collect();
    let operators = json!({
        "type": "object", "properties": operators, "additionalProperties": false, "minProperties": 1,
    });
    json!({ "anyOf": [value(), { "type": "null" }, values(), operators] })
}
