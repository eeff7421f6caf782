//! The operations beside those of resources: the documents of the interface, and custom routes.

use http::StatusCode;

use super::{
    grant,
    names::Names,
    node::{JsonObject, component},
    parameter, problem,
    resource::object,
    response::{of_clients, of_content, response},
    security, value,
};
use crate::{
    model::{CustomRoute, GrantKind, GrantOperation, Model, RouteCode, def::FieldKind},
    request::action::JSON,
};

/// An operation of the document, with its path and the key of its method.
pub(super) type Entry = (String, &'static str, JsonObject);

/// The tag of the documents of the interface.
const INTERFACE: &str = "interface";

/// The tag of custom routes.
const CUSTOM: &str = "routes";

/// A document of the interface.
struct SystemDocument {
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    description: &'static str,
    /// The component with the schema of the document; `None` for text.
    schema: Option<&'static str>,
}

/// The documents that every interface has.
const DOCUMENTS: [SystemDocument; 6] = [
    SystemDocument {
        path: "/",
        id: "get_home",
        summary: "The home document",
        description: "Lists the collections of the interface, with their URLs.",
        schema: Some("Home"),
    },
    SystemDocument {
        path: "/openapi.json",
        id: "get_openapi",
        summary: "This document",
        description: "Describes the interface as OpenAPI 3.1.",
        schema: Some("OpenApi"),
    },
    SystemDocument {
        path: "/-/health",
        id: "get_health",
        summary: "The health of the server",
        description: "200 as long as the process is alive.",
        schema: Some("ServerStatus"),
    },
    SystemDocument {
        path: "/-/ready",
        id: "get_readiness",
        summary: "The readiness of the server",
        description: "200 if the server can process requests, else 503.",
        schema: Some("ServerStatus"),
    },
    SystemDocument {
        path: "/-/problems",
        id: "list_problems",
        summary: "All kinds of problem",
        description: "Explains the types of problems.",
        schema: Some("ProblemKindList"),
    },
    SystemDocument {
        path: "/-/problems/{slug}",
        id: "get_problem",
        summary: "A kind of problem",
        description: "Explains a type of problem.",
        schema: Some("ProblemKind"),
    },
];

/// The document with the metrics. It is in the interface if every client may read it.
const METRICS: SystemDocument = SystemDocument {
    path: "/-/metrics",
    id: "get_metrics",
    summary: "What the server counts",
    description: "The metrics, in the text format of Prometheus or OpenMetrics.",
    schema: None,
};

pub(super) fn typed(name: &str) -> JsonObject {
    JsonObject::new().with("type", name)
}

pub(super) fn text(description: &str) -> JsonObject {
    typed("string").with("description", description)
}

pub(super) fn required(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Adds the responses for problems.
pub(super) fn failing(model: &Model, responses: JsonObject, statuses: &[StatusCode]) -> JsonObject {
    let always = [
        StatusCode::BAD_REQUEST,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::PRECONDITION_FAILED,
        StatusCode::URI_TOO_LONG,
        StatusCode::RANGE_NOT_SATISFIABLE,
        StatusCode::EXPECTATION_FAILED,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    let mut all: Vec<_> = always.iter().chain(statuses).copied().chain(of_clients(model)).collect();
    all.sort_unstable();
    all.into_iter().fold(responses, |responses, status| {
        responses.with(status.as_str().to_owned(), problem::of_status(status))
    })
}

pub(super) fn operation(id: &str, tag: &str, summary: &str, description: &str) -> JsonObject {
    JsonObject::new()
        .with("operationId", id)
        .with("tags", vec![tag])
        .with("summary", summary)
        .with("description", description)
}

/// The documents of the interface.
pub(super) fn documents(model: &Model, names: &Names) -> Vec<Entry> {
    let entry = |one: SystemDocument| (one.path.to_owned(), "get", one.operation(model, names));
    offered(model).map(entry).collect()
}

/// The ids of the operations that return the documents, as they are in most documents.
pub(super) fn ids(model: &Model) -> impl Iterator<Item = &'static str> {
    offered(model).map(|one| one.id)
}

fn offered(model: &Model) -> impl Iterator<Item = SystemDocument> {
    let metrics = (model.api.server.metrics == Some(true)).then_some(METRICS);
    DOCUMENTS.into_iter().chain(metrics)
}

impl SystemDocument {
    fn operation(&self, model: &Model, names: &Names) -> JsonObject {
        let (media_type, schema) = match self.schema {
            Some(schema) => (JSON, component("schemas", &names.free(schema))),
            None => ("text/plain", typed("string")),
        };
        let slugs: Vec<_> = model.kinds().map(|kind| kind.slug).collect();
        let slug = self.path.ends_with("{slug}").then(|| {
            let slug = typed("string").with("enum", slugs);
            vec![parameter::in_path("slug", "The last segment of a problem's `type`.", slug)]
        });
        let missing = slug.is_some().then_some(StatusCode::NOT_FOUND);
        let ok = of_content(response(self.summary, &[], None), media_type, schema);
        let responses = failing(model, JsonObject::new().with("200", ok), missing.as_slice());
        operation(names.document(self.id), &names.tag(INTERFACE), self.summary, self.description)
            .with_some("security", security::none(model))
            .with_some("parameters", slug)
            .with("responses", responses)
    }
}

/// The schemas of the documents.
pub(super) fn schemas(names: &Names) -> Vec<(String, JsonObject)> {
    let list = |items: JsonObject| typed("array").with("items", items);
    let link = |description: &str| text(description).with("format", "uri-reference");
    let entry = JsonObject::new()
        .with("name", text("The name of the resource."))
        .with(
            "collection",
            text("The URL of the collection. Ids of ancestors are names in braces."),
        )
        .with(
            "also",
            list(typed("string")).with("description", "The other URLs of the collection."),
        )
        .with("description", text("The description of the resource."));
    let home = JsonObject::new()
        .with("title", text("The title of the interface."))
        .with("version", text("The version of the interface."))
        .with("description", text("The description of the interface."))
        .with("resources", list(object(entry, required(&["name", "collection"]))))
        .with("sessions", link("The URL of sessions."))
        .with("tokens", link("The URL of tokens."))
        .with("problems", link("The URL of the kinds of problem."))
        .with("openapi", link("The URL of this document."));
    let kind = JsonObject::new()
        .with("type", link("The URL of the kind, as in problems."))
        .with("title", text("The name of the kind."))
        .with("status", typed("integer"))
        .with("meaning", text("What it means, and what to do."));
    let kinds = list(component("schemas", &names.free("ProblemKind")));
    let links = JsonObject::new()
        .with("self", link("The URL of this page."))
        .with("prev", link("The URL of the previous page, if there is one."))
        .with("next", link("The URL of the next page, if there is one."));
    let status = JsonObject::new().with("status", typed("string").with("const", "ok"));
    let version = JsonObject::new().with("openapi", text("The version of OpenAPI."));
    let of = |name: &str, properties: JsonObject, needed: &[&str]| {
        (names.free(name), object(properties, required(needed)))
    };
    vec![
        of("Home", home, &["title", "version", "resources", "problems", "openapi"]),
        of("OpenApi", version, &["openapi"]),
        of("ServerStatus", status, &["status"]),
        of("ProblemKind", kind, &["type", "title", "status", "meaning"]),
        of("ProblemKindList", JsonObject::new().with("items", kinds), &["items"]),
        of("PageLinks", links, &["self"]),
    ]
}

/// The routes of sessions and tokens, and custom routes.
pub(super) fn routes(model: &Model, names: &Names) -> Vec<Entry> {
    let entry = |(path, route): (&str, &CustomRoute)| {
        let operation = match route.handler {
            RouteCode::Grant(what) => grant::operation(model, names, what),
            RouteCode::Custom(_) => custom(model, names, route),
        };
        let ids = placeholders(model, path, route);
        let operation = operation.with_some("parameters", (!ids.is_empty()).then_some(ids));
        Some((path.to_owned(), method(route.method)?, operation))
    };
    model.custom.by_path().filter_map(entry).collect()
}

/// The placeholders of a route, by their names in the path of the document.
fn placeholders(model: &Model, path: &str, route: &CustomRoute) -> Vec<JsonObject> {
    let id = |(name, placeholder): (&str, &crate::model::Placeholder)| {
        let kind = placeholder.resource.map(|ix| model[ix].def.id.kind());
        let schema = kind.map_or_else(
            || typed("string").with("minLength", 1),
            |kind: FieldKind| value::of_id(kind),
        );
        parameter::in_path(name, "The value of this segment.", schema)
    };
    parameter::placeholders(path).zip(&route.placeholders).map(id).collect()
}

/// The key of a method in a path item. OpenAPI 3.1 has no other methods.
fn method(name: &str) -> Option<&'static str> {
    ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(name))
}

/// A custom route. Only its handler knows what it takes and returns.
fn custom(model: &Model, names: &Names, route: &CustomRoute) -> JsonObject {
    let any = JsonObject::new().with("*/*", JsonObject::new().with("schema", JsonObject::new()));
    let has_body = ["POST", "PUT", "PATCH"].contains(&route.method);
    let body = has_body.then(|| JsonObject::new().with("content", any.clone()));
    let ok =
        JsonObject::new().with("description", "The response of the program.").with("content", any);
    let problem = component("schemas", &names.free("Problem"));
    let problem =
        of_content(response("A problem.", &[], None), "application/problem+json", problem);
    let responses = JsonObject::new().with("2XX", ok).with("default", problem);
    let summary = format!("{} {}", route.method, route.path);
    operation(names.custom(route), &names.tag(CUSTOM), &summary, "A route of the program.")
        .with_some("security", security::of_operation(model, true))
        .with_some("requestBody", body)
        .with("responses", responses)
}

/// The tags of the operations of this module that are in use, each with its description.
pub(super) fn tags(model: &Model, names: &Names) -> Vec<JsonObject> {
    let described = |name: &str, text: &str| {
        JsonObject::new().with("name", names.tag(name)).with("description", text)
    };
    let has =
        |wanted: &dyn Fn(RouteCode) -> bool| model.custom.iter().any(|route| wanted(route.handler));
    let of = |kind: GrantKind| {
        has(&move |code| matches!(code, RouteCode::Grant(GrantOperation::List(one)) if one == kind))
    };
    let mut tags =
        vec![described(INTERFACE, "The documents that describe the interface and its server.")];
    if of(GrantKind::Session) {
        tags.push(described("sessions", "Signing in and out."));
    }
    if of(GrantKind::Token) {
        tags.push(described("tokens", "Tokens with which programs act for an account."));
    }
    if has(&|code| matches!(code, RouteCode::Custom(_))) {
        tags.push(described(CUSTOM, "Routes of the program."));
    }
    tags
}
