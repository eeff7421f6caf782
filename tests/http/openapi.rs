//! Tests of the OpenAPI document: it is complete, consistent, stable, and served like any document.
//! `tests/openapi/run` tests it with public tools.

mod document;
mod names;

use std::collections::BTreeSet;

use serde_json::Value;

use nouns::{
    __runtime::{
        Model,
        error::{BODY_CODES, PARAMETER_CODES},
    },
    codegen::read_yaml,
    interpret::api_def,
    snapshot,
};

use crate::server::TestServer;

/// The shipped schemas.
const SHIPPED: [&str; 3] = [
    include_str!("../../schemas/zoo.yaml"),
    include_str!("../../schemas/league.yaml"),
    include_str!("../../schemas/newsroom.yaml"),
];

fn linked(yaml: &str) -> Model {
    let schema = read_yaml("test.yaml", yaml).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.render(nouns::codegen::diagnostic::Style::Plain))
    });
    Model::link(api_def(&schema)).unwrap()
}

fn document(model: &Model) -> Value {
    serde_json::from_str(&snapshot::openapi(model)).unwrap()
}

#[test]
fn the_document_is_served_as_it_is_generated() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let answer = client.get("/openapi.json");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(answer.json(), document(&server.model));
    let tag = answer.field("etag").unwrap().to_owned();
    let again = client.request("GET", "/openapi.json", &[("if-none-match", &tag)], None);
    assert_eq!((again.status(), again.body.len()), (304, 0));
    let changed = client.request("GET", "/openapi.json", &[("if-match", "\"x\"")], None);
    assert_eq!(changed.problem(), "precondition-failed");
    assert_eq!(client.get("/openapi.json?x=1").problem(), "invalid-parameter");
    assert_eq!(client.post("/openapi.json", &Value::Null).problem(), "method-not-allowed");
}

#[test]
fn the_document_is_compressed_as_the_client_wishes() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let plain = client.get("/openapi.json").body;
    let mut lengths = vec![plain.len()];
    for (coding, times) in [("gzip", 2), ("br", 1), ("zstd", 2), ("identity", 1)] {
        for _ in 0..times {
            let fields = [("accept-encoding", coding)];
            let answer = client.request("GET", "/openapi.json", &fields, None);
            let sent = answer.field("content-encoding").unwrap_or("identity").to_owned();
            assert_eq!((sent.as_str(), answer.status()), (coding, 200));
            let tag = answer.field("etag").unwrap();
            assert_eq!(tag.contains(coding), coding != "identity", "{tag}");
            lengths.push(answer.body.len());
        }
    }
    assert_eq!(lengths[1], lengths[2]);
    assert_eq!(lengths[4], lengths[5]);
    assert!(lengths[1] * 8 < lengths[0], "{lengths:?}");
}

#[test]
fn the_home_document_links_to_it() {
    let server = TestServer::of(SHIPPED[1]);
    let mut client = server.client();
    let home = client.get("/api/v2");
    assert_eq!(home.link("service-desc").as_deref(), Some("/api/v2/openapi.json"));
    assert_eq!(home.json()["openapi"], "/api/v2/openapi.json");
    let document = client.get("/api/v2/openapi.json").json();
    assert_eq!(document["servers"][0]["url"], "https://league.example.org/api/v2");
}

#[test]
fn equal_declarations_have_the_same_text() {
    for yaml in SHIPPED {
        assert_eq!(snapshot::openapi(&linked(yaml)), snapshot::openapi(&linked(yaml)));
    }
}

/// Calls a function for each string value of a document, with the name of its member.
fn each_text<'json>(json: &'json Value, to: &mut dyn FnMut(&str, &'json str)) {
    fn of<'json>(name: &str, json: &'json Value, to: &mut dyn FnMut(&str, &'json str)) {
        match json {
            Value::String(text) => to(name, text),
            Value::Array(items) => items.iter().for_each(|item| of(name, item, to)),
            Value::Object(members) => members.iter().for_each(|(name, value)| of(name, value, to)),
            _ => {}
        }
    }
    of("", json, to);
}

#[test]
fn each_reference_has_a_component_and_each_component_a_reference() {
    for yaml in SHIPPED {
        let document = document(&linked(yaml));
        let mut known = BTreeSet::new();
        each_text(&document, &mut |_, text| {
            known.extend(text.strip_prefix('#').filter(|pointer| pointer.starts_with('/')));
        });
        for pointer in &known {
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
        for (kind, group) in document["components"].as_object().unwrap() {
            for name in group.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
                let pointer = format!("/components/{kind}/{name}");
                assert!(known.contains(&*pointer), "nothing refers to {pointer}");
            }
        }
    }
}

#[test]
fn operations_have_unique_ids() {
    for yaml in SHIPPED {
        let document = document(&linked(yaml));
        let mut ids = vec![];
        for item in document["paths"].as_object().unwrap().values() {
            let operations = item.as_object().unwrap().values().filter_map(Value::as_object);
            ids.extend(operations.map(|one| one["operationId"].as_str().unwrap().to_owned()));
        }
        let unique: BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");
    }
}

#[test]
fn each_route_is_in_the_document() {
    for yaml in SHIPPED {
        let model = linked(yaml);
        let document = document(&model);
        let mut count = 0;
        for line in snapshot::routes(&model).lines() {
            let (method, path) = line.split_once(' ').unwrap();
            let path = path.trim_start().split_once(' ').unwrap().0;
            // OpenAPI 3.1 has no QUERY. A redirect is no operation.
            if ["QUERY", "*", "TRACE"].contains(&method) {
                continue;
            }
            let below = path.strip_prefix("/api/v2").unwrap_or(path);
            let operation = &document["paths"][below][method.to_lowercase()];
            assert!(operation.is_object(), "{method} {path}");
            count += 1;
        }
        assert!(count > 20);
    }
}

/// The codes in the table "Codes of errors" of the page about problems, of bodies or of queries.
fn documented_codes(place: &str) -> BTreeSet<&'static str> {
    let page = include_str!("../../docs/problems.md");
    let section = page.split("## Codes of errors").nth(1).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let of = |line: &'static str| {
        let mut cells = line.split(" | ");
        let codes = cells.next().unwrap().split('`').skip(1).step_by(2);
        let places = cells.next().unwrap();
        codes.filter(move |code| match (*code, place) {
            // The row has a code for each of the two.
            ("repeated", place) => place == "query",
            ("duplicate", place) => place == "body",
            (_, "body") => places.contains("body") || places.contains("JSON Patch"),
            _ => places.contains(place),
        })
    };
    rows.flat_map(of).collect()
}

#[test]
fn the_codes_of_the_document_are_those_of_the_reference() {
    assert_eq!(documented_codes("query"), PARAMETER_CODES.into());
    assert_eq!(documented_codes("body"), BODY_CODES.into());
    let document = document(&linked(SHIPPED[0]));
    let codes = &document["components"]["schemas"]["BodyError"]["properties"]["code"]["enum"];
    assert_eq!(codes.as_array().unwrap().len(), BODY_CODES.len());
}

/// The blocks of a page in a language.
fn blocks<'page>(page: &'page str, language: &str) -> Vec<&'page str> {
    let opening = format!("```{language}\n");
    page.split(&*opening).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_guide_shows_the_clients_that_are_tested() {
    let page = include_str!("../../docs/openapi.md");
    let typescript =
        [include_str!("../openapi/clients/zoo.ts"), include_str!("../openapi/clients/pages.ts")];
    let python =
        [include_str!("../openapi/clients/zoo.py"), include_str!("../openapi/clients/pages.py")];
    for (language, files) in [("ts", typescript), ("python", python)] {
        let shown = blocks(page, language);
        assert!(shown.len() >= 4, "{language}");
        for block in shown {
            assert!(files.iter().any(|file| file.contains(block)), "{language}: {block}");
        }
    }
}

/// Credentials are checked for every document, also for those that need none.
#[test]
fn every_document_may_refuse_its_client() {
    let server = TestServer::of(crate::access::BLOG);
    let mut client = server.client();
    let described = client.get("/openapi.json").json();
    let paths = ["/", "/openapi.json", "/-/health", "/-/ready", "/-/problems"];
    for path in paths {
        let wrong = client.request("GET", path, &[("authorization", "Bearer x")], None);
        let responses = &described["paths"][path]["get"]["responses"];
        assert_eq!(wrong.status(), 401, "{path}");
        assert!(responses["401"].is_object() && responses["429"].is_object(), "{path}");
    }
    let zoo = "{ nouns: 1, SERVER resources: { zoo: { fields: { name: string } } } }";
    for (server, expected) in [
        ("", [false, false, false]),
        ("server: { rate_limit: { client: 9/1s } },", [false, false, true]),
        ("server: { hosts: [zoo.example.org] },", [false, true, false]),
    ] {
        let described = document(&linked(&zoo.replace("SERVER", server)));
        for path in paths.into_iter().chain(["/-/problems/{slug}", "/zoos"]) {
            let responses = &described["paths"][path]["get"]["responses"];
            let has = ["401", "421", "429"].map(|status| responses[status].is_object());
            assert_eq!(has, expected, "{path} with `{server}`");
        }
    }
}
