//! Tests of the names in the OpenAPI document: each is unique, whatever the names of a declaration
//! are.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use nouns::{
    __runtime::{
        custom::{Answer, RouteRequest},
        error::Kind,
    },
    Api,
};
use serde_json::Value;

use super::{document, linked};
use crate::server::TestServer;

fn described(resources: &str) -> Value {
    document(&linked(&format!("nouns: 1\nresources:\n{resources}")))
}

/// Calls a function for each operation of a document.
fn each_operation<'json>(document: &'json Value, mut to: impl FnMut(&str, &'json Value)) {
    for (path, item) in document["paths"].as_object().unwrap() {
        let operations = item.as_object().unwrap().iter().filter(|(key, _)| *key != "parameters");
        operations.for_each(|(method, operation)| to(&format!("{method} {path}"), operation));
    }
}

/// Checks that all names of a document are unique, and that no object has a key twice.
fn check(resources: &str) -> Value {
    let document = described(resources);
    check_names(&document);
    let text = nouns::snapshot::openapi(&linked(&format!("nouns: 1\nresources:\n{resources}")));
    let parsed: Value = serde_json::from_str(&text).unwrap();
    // A name that is given twice would be lost when the text is parsed.
    assert_eq!(serde_json::to_string_pretty(&parsed).unwrap().len() + 1, text.len(), "{resources}");
    document
}

#[track_caller]
fn check_names(document: &Value) {
    let mut ids = BTreeSet::new();
    each_operation(document, |place, operation| {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{place} has the id {id} of another operation");
        let mut parameters = BTreeSet::new();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let reference = parameter["$ref"].as_str().map(|reference| &reference[1..]);
            let whole = reference.map_or(parameter, |at| document.pointer(at).unwrap());
            let key = (whole["name"].as_str().unwrap(), whole["in"].as_str().unwrap());
            assert!(parameters.insert(key), "{place} has {key:?} twice");
        }
    });
    let tags: Vec<_> =
        document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    let unique: BTreeSet<_> = tags.iter().map(|tag| tag.as_str().unwrap()).collect();
    assert_eq!(unique.len(), tags.len(), "{tags:?}");
}

#[test]
fn a_field_may_be_named_like_a_parameter() {
    let reserved = [
        "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count",
        "fields", "format", "expand", "q", "filter",
    ];
    for name in reserved {
        let document = check(&format!("  plan: {{ fields: {{ {name}: integer }} }}"));
        let parameters = document["components"]["parameters"].as_object().unwrap();
        let has = |name: &str| parameters.values().any(|one| one["name"] == name);
        assert!(has(&format!("filter[{name}]")) && has(&format!("filter[{name}][gte]")), "{name}");
        assert!(!has(&format!("{name}[gte]")), "{name}");
        let component = &parameters[&format!("plan.filter.{name}")];
        assert_eq!(component["schema"]["type"], "array", "{name}");
    }
    let limit = described("  plan: { fields: { limit: integer } }");
    assert_eq!(limit["components"]["parameters"]["plan.limit"]["name"], "limit");
}

#[test]
fn a_resource_may_be_named_like_a_part_of_the_interface() {
    let of = |name: &str| check(&format!("  {name}: {{ fields: {{ title: string }} }}"));
    let id = |document: &Value, path: &str| document["paths"][path]["get"]["operationId"].clone();
    for name in ["problem", "home", "openapi", "health", "readiness", "metric", "interface"] {
        of(name);
    }
    let problem = of("problem");
    assert_eq!(id(&problem, "/problems"), "list_problems");
    assert_eq!(id(&problem, "/problems/{problem_id}"), "get_problem");
    assert_eq!(id(&problem, "/-/problems"), "list_problems_2");
    assert_eq!(id(&problem, "/-/problems/{slug}"), "get_problem_2");
    assert_eq!(id(&of("health"), "/-/health"), "get_health_2");
    let accounts = "
  user:
    fields:
      name: { type: string, required: true, unique: true }
      password: { type: password, required: true }
  session: { collection: visits, fields: { title: string } }
  token: { collection: coins, fields: { title: string } }
  sign: { collection: tokens_of_all, fields: { title: string } }
auth: { accounts: user, login: name }";
    let document = check(accounts);
    assert_eq!(id(&document, "/visits/{session_id}"), "get_session");
    assert_eq!(id(&document, "/sessions/{id}"), "get_session_2");
    assert_eq!(id(&document, "/tokens/{id}"), "get_token_2");
    let schemas = &document["components"]["schemas"];
    assert!(schemas["Session"]["properties"]["title"].is_object());
    assert!(schemas["Session2"]["properties"]["expires_at"].is_object());
}

#[test]
fn a_resource_may_be_named_like_a_schema_of_another() {
    let schema = |document: &Value, path: &str| {
        let media = &document["paths"][path]["get"]["responses"]["200"]["content"];
        let reference = media["application/json"]["schema"]["$ref"].as_str().unwrap().to_owned();
        (
            reference.rsplit('/').next().unwrap().to_owned(),
            document.pointer(&reference[1..]).cloned(),
        )
    };
    let books = check(
        "
  book: { fields: { title: string } }
  book_page: { fields: { number: { type: integer, required: true } } }",
    );
    let (name, page) = schema(&books, "/books");
    assert_eq!(name, "BookPage2");
    assert!(page.unwrap()["properties"]["items"].is_object());
    let (name, whole) = schema(&books, "/book_pages/{book_page_id}");
    assert_eq!(name, "BookPage");
    assert!(whole.unwrap()["properties"]["number"].is_object());
    assert_eq!(schema(&books, "/book_pages").0, "BookPagePage");
    // The body of a POST to a flat URL, and that of another resource.
    let flat = check(
        "
  shop: { fields: { name: string } }
  item: { parent: shop, routes: both, fields: { name: string } }
  flat_item: { fields: { size: integer } }",
    );
    let body = |path: &str| {
        let content = &flat["paths"][path]["post"]["requestBody"]["content"];
        content["application/json"]["schema"]["oneOf"][0]["$ref"].clone()
    };
    assert_eq!(body("/flat_items"), "#/components/schemas/NewFlatItem");
    assert_eq!(body("/items"), "#/components/schemas/NewFlatItem2");
    assert!(flat["components"]["schemas"]["NewFlatItem"]["properties"]["size"].is_object());
}

#[test]
fn words_for_many_members_are_unique() {
    let document = check(
        "
  a: { collection: b, table: t1, fields: { name: string } }
  b: { parent: a, collection: b, table: t2, fields: { name: string } }
  many_a: { collection: many, methods: [delete], fields: { name: string } }
  c: { collection: x-y, table: t3, methods: [list, delete_many], fields: { name: string } }
  d: { collection: x_y, table: t4, methods: [list], fields: { name: string } }
  many_x_y: { collection: z, fields: { name: string } }",
    );
    let id = |path: &str, method: &str| document["paths"][path][method]["operationId"].clone();
    assert_eq!(id("/b", "get"), "list_b");
    assert_eq!(id("/b/{a_id}/b", "get"), "list_b_2");
    assert_eq!(id("/x-y", "get"), "list_x_y");
    assert_eq!(id("/x_y", "get"), "list_d");
    assert_eq!(id("/x-y", "delete"), "delete_many_x_y");
    assert_eq!(id("/z/{many_x_y_id}", "delete"), "delete_many_x_y_2");
    let link = |path: &str| {
        document["paths"][path]["post"]["responses"]["201"]["links"]["delete"]["operationId"]
            .clone()
    };
    assert_eq!(link("/z"), "delete_many_x_y_2", "a link names the operation that it leads to");
}

/// Custom routes: their ids, and a path for each shape (OpenAPI 3.1, Paths Object). Kinds of
/// problem: their schemas, and the responses of statuses without a name.
#[test]
fn user_code_has_names_of_its_own() {
    async fn done(_: RouteRequest) -> Result<Answer, nouns::__runtime::Error> {
        Ok(Answer::no_content())
    }
    let kind = |slug, status, title| Kind {
        slug,
        status: StatusCode::from_u16(status).unwrap(),
        title,
        meaning: "A meaning.",
    };
    let api = Api::new("Shops")
        .route(Method::GET, "/health", done)
        .route(Method::GET, "/a-b", done)
        .route(Method::GET, "/a/b", done)
        .route(Method::PUT, "/shops/{one}", done)
        .route(Method::DELETE, "/shops/{other}", done)
        .problem(kind("no-1", 598, "First"))
        .problem(kind("no1", 599, "Second"))
        .problem(kind("teapot", 418, "Teapot"))
        .build()
        .unwrap();
    let server = TestServer::serve(api);
    let document = server.client().get("/openapi.json").json();
    check_names(&document);
    let id = |path: &str, method: &str| document["paths"][path][method]["operationId"].clone();
    assert_eq!(id("/-/health", "get"), "get_health");
    assert_eq!(id("/health", "get"), "get_health_2");
    let like = [id("/a-b", "get"), id("/a/b", "get")].map(|id| id.as_str().unwrap().to_owned());
    assert_eq!(BTreeSet::from(like), BTreeSet::from(["get_a_b".into(), "get_a_b_2".into()]));
    assert_eq!(id("/shops/{one}", "put"), "put_shops_one");
    let deletion = &document["paths"]["/shops/{one}"]["delete"];
    assert_eq!(deletion["parameters"][0]["name"], "one");
    assert!(!document["paths"].as_object().unwrap().contains_key("/shops/{other}"));
}
