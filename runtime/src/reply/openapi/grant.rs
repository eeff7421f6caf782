//! The operations on sessions and tokens, and their schemas.

use http::StatusCode;

use super::{
    names::Names,
    node::{JsonObject, component},
    resource::object,
    response::{of_content, response},
    security,
    system::{self, failing, required, text, typed},
    value,
};
use crate::{
    base::limits,
    model::{FieldModel, GrantKind, GrantOperation, Model, RouteCode},
    request::action::{FORM, JSON},
};

/// The description of an operation in the document.
struct GrantDocument {
    id: &'static str,
    summary: &'static str,
    description: &'static str,
    status: &'static str,
    schema: Option<&'static str>,
    /// The schema of the body, and its media types.
    body: Option<(&'static str, &'static [&'static str])>,
}

const fn document(what: GrantOperation) -> GrantDocument {
    let (id, summary, description) = match what {
        GrantOperation::SignIn => {
            ("sign_in", "Sign in", "Begins a session, whose secret is in a cookie.")
        }
        GrantOperation::MakeToken => (
            "make_token",
            "Make a token",
            "Makes a token for a program. Its secret is returned once.",
        ),
        GrantOperation::List(GrantKind::Session) => {
            ("list_sessions", "List own sessions", "Returns those of the caller's account.")
        }
        GrantOperation::List(GrantKind::Token) => {
            ("list_tokens", "List own tokens", "Returns those of the caller's account.")
        }
        GrantOperation::Show(GrantKind::Session) => (
            "get_session",
            "Get an own session",
            "Returns a session; the id `current` is that of the request.",
        ),
        GrantOperation::Show(GrantKind::Token) => {
            ("get_token", "Get an own token", "Returns a token, without its secret.")
        }
        GrantOperation::End(GrantKind::Session) => {
            ("sign_out", "Sign out", "Ends a session; the id `current` is that of the request.")
        }
        GrantOperation::End(GrantKind::Token) => {
            ("revoke_token", "Revoke a token", "Ends a token at once.")
        }
    };
    let (status, schema, body): (_, _, Option<(_, &[_])>) = match what {
        GrantOperation::SignIn => ("201", Some("Session"), Some(("SignIn", &[JSON, FORM]))),
        GrantOperation::MakeToken => ("201", Some("MadeToken"), Some(("NewToken", &[JSON]))),
        GrantOperation::List(GrantKind::Session) => ("200", Some("SessionList"), None),
        GrantOperation::List(GrantKind::Token) => ("200", Some("TokenList"), None),
        GrantOperation::Show(GrantKind::Session) => ("200", Some("Session"), None),
        GrantOperation::Show(GrantKind::Token) => ("200", Some("Token"), None),
        GrantOperation::End(_) => ("204", None, None),
    };
    GrantDocument { id, summary, description, status, schema, body }
}

const fn tag(what: GrantOperation) -> &'static str {
    match what {
        GrantOperation::SignIn
        | GrantOperation::List(GrantKind::Session)
        | GrantOperation::Show(GrantKind::Session)
        | GrantOperation::End(GrantKind::Session) => "sessions",
        _ => "tokens",
    }
}

/// The ids of the operations, as they are in most documents.
pub(super) fn ids(model: &Model) -> impl Iterator<Item = &'static str> {
    model.custom.iter().filter_map(|route| match route.handler {
        RouteCode::Grant(what) => Some(document(what).id),
        RouteCode::Custom(_) => None,
    })
}

/// The operation object of the document.
pub(super) fn operation(model: &Model, names: &Names, what: GrantOperation) -> JsonObject {
    let GrantDocument { id, summary, description, status, schema, body } = document(what);
    let reference = |name: &str| component("schemas", &names.free(name));
    let fields: &[_] = if status == "201" { &["Location"] } else { &[] };
    let ok = response(summary, fields, None);
    let ok = match schema {
        Some(schema) => of_content(ok, JSON, reference(schema)),
        None => ok,
    };
    let failures: Vec<_> = [
        (StatusCode::FORBIDDEN, true),
        (StatusCode::NOT_FOUND, matches!(what, GrantOperation::Show(_) | GrantOperation::End(_))),
        (StatusCode::PAYLOAD_TOO_LARGE, body.is_some()),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, body.is_some()),
        (StatusCode::UNPROCESSABLE_ENTITY, body.is_some()),
    ]
    .into_iter()
    .filter_map(|(status, may_be)| may_be.then_some(status))
    .collect();
    let body = body.map(|(schema, types)| {
        let media = JsonObject::new().with("schema", reference(schema));
        let content: JsonObject = types.iter().map(|one| (*one, media.clone())).collect();
        JsonObject::new().with("required", true).with("content", content)
    });
    let is_public = what == GrantOperation::SignIn;
    system::operation(names.document(id), &names.tag(tag(what)), summary, description)
        .with_some("security", security::of_operation(model, is_public))
        .with_some("requestBody", body)
        .with("responses", failing(model, JsonObject::new().with(status, ok), &failures))
}

/// The schemas of sessions and tokens.
pub(super) fn schemas(model: &Model, names: &Names) -> Vec<(String, JsonObject)> {
    if model.accounts.is_none() {
        return vec![];
    }
    let list = |of: &str| {
        let items = typed("array").with("items", component("schemas", &names.free(of)));
        object(JsonObject::new().with("items", items), required(&["items"]))
    };
    let session = vec![
        ("current", flag("Whether it is the session of the request.")),
        ("persistent", flag("Whether it outlives the browser's own.")),
    ];
    let token = || vec![("name", text("The name that its account gave it.")), ("scopes", scopes())];
    let secret = ("token", text("The secret. It is returned once."));
    let made = token().into_iter().chain([secret]).collect();
    [
        ("Session", grant(model, session)),
        ("SessionList", list("Session")),
        ("SignIn", sign_in(model)),
        ("Token", grant(model, token())),
        ("TokenList", list("Token")),
        ("MadeToken", grant(model, made)),
        ("NewToken", new_token(model)),
    ]
    .into_iter()
    .map(|(name, schema)| (names.free(name), schema))
    .collect()
}

fn flag(description: &str) -> JsonObject {
    typed("boolean").with("description", description)
}

fn time(description: &str) -> JsonObject {
    text(description).with("format", "date-time")
}

fn scopes() -> JsonObject {
    typed("array")
        .with("items", typed("string").with("enum", vec!["read", "write"]))
        .with("description", "What the token may do.")
}

/// A session or a token, with the members that it alone has.
fn grant(model: &Model, own: Vec<(&'static str, JsonObject)>) -> JsonObject {
    let account = model.accounts.as_ref().map(|accounts| model[accounts.resource].def.id.kind());
    let account = account.map_or_else(JsonObject::new, value::of_id);
    let members: Vec<_> = [("id", text("Its name in URLs, which is no secret."))]
        .into_iter()
        .chain(own)
        .chain([
            ("account", account.with("description", "The id of the account.")),
            ("created_at", time("When it was made.")),
            ("used_at", time("When it was last used, to the minute.")),
            ("expires_at", value::or_null(time("When it ends."))),
        ])
        .map(|(name, schema)| (model.api.case.wire(name), schema))
        .collect();
    let needed = members.iter().map(|(name, _)| name.clone()).collect();
    object(members.into_iter().collect(), needed)
}

/// The body that signs in. Its members are named after the fields of the account.
fn sign_in(model: &Model) -> JsonObject {
    let Some(accounts) = &model.accounts else { return JsonObject::new() };
    let resource = &model[accounts.resource];
    let credential = |field: &FieldModel, schema: JsonObject| (field.name.to_string(), schema);
    let (login, password) = (&resource[accounts.login], &resource[accounts.password]);
    let needed = vec![login.name.to_string(), password.name.to_string()];
    let members: JsonObject = [
        credential(login, text("The name of the account.")),
        credential(password, text("Its password.").with("format", "password")),
    ]
    .into_iter()
    .collect();
    let persistent = flag("Whether the session outlives the browser's own.");
    let persistent = value::or_null(persistent.with("default", false));
    object(members.with("persistent", persistent), needed).with("additionalProperties", false)
}

/// The body that makes a token.
fn new_token(model: &Model) -> JsonObject {
    let name = text("A name for the token.")
        .with("minLength", 1)
        .with("maxLength", limits::TOKEN_NAME_CHARS_MAX)
        .with("pattern", value::LINE);
    let members = JsonObject::new()
        .with("name", name)
        .with("scopes", value::or_null(scopes().with("minItems", 1)))
        .with(model.api.case.wire("expires_at"), value::or_null(time("When the token ends.")));
    object(members, required(&["name"])).with("additionalProperties", false)
}
