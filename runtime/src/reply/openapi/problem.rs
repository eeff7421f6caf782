//! The problems of an interface: a schema for each kind, and a response for each status.

use std::collections::BTreeMap;

use http::StatusCode;

use super::{
    names::Names,
    node::{JsonNode, JsonObject, component},
    resource::object,
};
use crate::{
    base::error::{BODY_CODES, Kind, PARAMETER_CODES},
    model::Model,
    reply::{problem::address, reason::reason},
};

/// The schemas of all kinds of problem, and of the errors in them.
pub(super) fn schemas(model: &Model, names: &Names) -> Vec<(String, JsonObject)> {
    let mut schemas: Vec<_> = model
        .kinds()
        .map(|kind| (names.problem(kind).to_owned(), of_kind(model, names, kind)))
        .collect();
    schemas.push((names.free("Problem"), any()));
    schemas.push((names.free("ParameterError"), error(model, "parameter", &PARAMETER_CODES)));
    schemas.push((names.free("BodyError"), error(model, "pointer", &BODY_CODES)));
    schemas
}

fn text(description: &str) -> JsonObject {
    JsonObject::new().with("type", "string").with("description", description)
}

/// The members that all problems have. `type` and `status` are given.
fn members(type_schema: JsonObject, status: JsonObject) -> JsonObject {
    JsonObject::new()
        .with("type", type_schema)
        .with("title", text("The name of the kind."))
        .with("status", status)
        .with("detail", text("What happened, as a sentence."))
        .with("instance", text("The path of the request.").with("format", "uri-reference"))
        .with("request_id", text("The id of the request, which the server's log has, too."))
}

const REQUIRED: [&str; 6] = ["type", "title", "status", "detail", "instance", "request_id"];

/// A problem of one kind.
fn of_kind(model: &Model, names: &Names, kind: Kind) -> JsonObject {
    let constant = |value: JsonNode| JsonObject::new().with("const", value);
    let type_schema = constant(address(model, kind).into()).with("type", "string");
    let status = constant(kind.status.as_u16().into()).with("type", "integer");
    let errors = error_of(kind).map(|name| {
        JsonObject::new()
            .with("type", "array")
            .with("description", "All errors of the request.")
            .with("items", component("schemas", &names.free(name)))
    });
    let properties = members(type_schema, status).with_some("errors", errors);
    object(properties, REQUIRED.map(str::to_owned).into()).with("description", kind.meaning)
}

/// A problem of any kind: of a handler that may declare its own, or of a server in between.
fn any() -> JsonObject {
    let type_schema = text("The URL of the kind's page.").with("format", "uri-reference");
    let status = JsonObject::new().with("type", "integer");
    object(members(type_schema, status), vec!["type".into(), "title".into(), "status".into()])
}

/// The schema of the errors that a kind of problem has; `None` if it has none.
fn error_of(kind: Kind) -> Option<&'static str> {
    const BODY: [Kind; 4] =
        [Kind::INVALID_CONTENT, Kind::ALREADY_EXISTS, Kind::DANGLING_REFERENCE, Kind::TEST_FAILED];
    if kind == Kind::INVALID_PARAMETER {
        return Some("ParameterError");
    }
    BODY.contains(&kind).then_some("BodyError")
}

/// The schema of a single error. User code may add codes.
fn error(model: &Model, at: &'static str, codes: &[&'static str]) -> JsonObject {
    let place = match at {
        "parameter" => text("The name of the query parameter."),
        _ => text("The JSON Pointer of the place in the body (RFC 6901)."),
    };
    let code = text("What is wrong, for programs.");
    let code = if model.has_code() { code } else { code.with("enum", codes) };
    let properties = JsonObject::new()
        .with(at, place)
        .with("code", code)
        .with("detail", text("What is wrong, as a sentence."))
        .with("hint", text("What may be meant."));
    object(properties, [at, "code", "detail"].map(str::to_owned).into())
}

/// The responses for all statuses of problems, each with the name of its component.
pub(super) fn responses(model: &Model, names: &Names) -> JsonObject {
    let mut kinds: BTreeMap<u16, Vec<Kind>> = BTreeMap::new();
    for kind in model.kinds() {
        kinds.entry(kind.status.as_u16()).or_default().push(kind);
    }
    kinds
        .into_values()
        .map(|kinds| (name(kinds[0].status), response(model, names, &kinds)))
        .collect()
}

/// The name of the response for a status: `NotFound`, or `Status599` for one without a name.
fn name(status: StatusCode) -> String {
    let Some(reason) = reason(status) else { return format!("Status{}", status.as_str()) };
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let letters = reason.split([' ', '-']).filter(|word| !word.is_empty()).map(capital);
    letters.collect::<String>().replace(|letter: char| !letter.is_ascii_alphanumeric(), "")
}

/// A reference to the response for a status.
pub(super) fn of_status(status: StatusCode) -> JsonObject {
    component("responses", &name(status))
}

fn response(model: &Model, names: &Names, kinds: &[Kind]) -> JsonObject {
    let reference = |kind: &Kind| component("schemas", names.problem(*kind));
    let schema = match kinds {
        [one] => reference(one),
        several => {
            let mapping: JsonObject = several
                .iter()
                .map(|kind| {
                    let target = format!("#/components/schemas/{}", names.problem(*kind));
                    (address(model, *kind), target)
                })
                .collect();
            let discriminator =
                JsonObject::new().with("propertyName", "type").with("mapping", mapping);
            JsonObject::new()
                .with("oneOf", several.iter().map(reference).collect::<Vec<_>>())
                .with("discriminator", discriminator)
        }
    };
    let field = match kinds[0].status {
        StatusCode::UNAUTHORIZED => Some("WWW-Authenticate"),
        StatusCode::METHOD_NOT_ALLOWED => Some("Allow"),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Some("Retry-After"),
        StatusCode::RANGE_NOT_SATISFIABLE => Some("Content-Range"),
        _ => None,
    };
    let headers = field.map(|field| JsonObject::new().with(field, component("headers", field)));
    let titles: Vec<_> = kinds.iter().map(|kind| kind.title).collect();
    let page = JsonObject::new().with("schema", JsonObject::new().with("type", "string"));
    let content = JsonObject::new()
        .with("application/problem+json", JsonObject::new().with("schema", schema))
        .with("text/html", page);
    JsonObject::new()
        .with("description", format!("{}.", titles.join(", or ")))
        .with_some("headers", headers)
        .with("content", content)
}
