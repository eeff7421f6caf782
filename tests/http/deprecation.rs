//! Tests of the header fields of deprecated resources.

use std::sync::Arc;

use nouns::__runtime::{
    Model,
    def::{
        ApiDef, CorsDef, DeprecationDef, FieldDef, FieldKind, OnDelete, ParentDef, ResourceDef,
        ServerDef,
    },
};
use serde_json::json;

use crate::{client::Client, server::TestServer};

const NAME: &[FieldDef] =
    &[FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) }];

static API: ApiDef = ApiDef {
    resources: &[
        &ResourceDef { fields: NAME, ..ResourceDef::new("zoo", "zoos", "Zoo") },
        &ResourceDef {
            fields: NAME,
            parent: Some(ParentDef {
                resource: "zoo",
                field: "zoo_id",
                on_delete: OnDelete::Cascade,
                movable: false,
                required: true,
            }),
            moved_from: &["/zoos/{zoo_id}/kennels"],
            deprecated: Some(DeprecationDef {
                since: Some("2023-07-01"),
                sunset: Some("2027-01-01"),
                link: Some("https://zoo.example/changes#cages"),
            }),
            ..ResourceDef::new("cage", "cages", "Cage")
        },
        &ResourceDef {
            fields: NAME,
            deprecated: Some(DeprecationDef::UNDATED),
            ..ResourceDef::new("pit", "pits", "Pit")
        },
    ],
    server: ServerDef {
        cors: Some(CorsDef {
            origins: &["*"],
            credentials: false,
            headers: &[],
            max_age_seconds: 600,
        }),
        ..ServerDef::DEFAULT
    },
    ..ApiDef::new("Zoos")
};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::serve(Arc::new(Model::link(&API).unwrap()));
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    client.create("/zoos/1/cages", &json!({ "name": "One" }));
    client.create("/pits", &json!({ "name": "Deep" }));
    (server, client)
}

const LINKS: &str = "<https://zoo.example/changes#cages>; rel=\"deprecation\", \
                     <https://zoo.example/changes#cages>; rel=\"sunset\"";

/// Conformance 199: every response about a deprecated resource has the date of the deprecation, the
/// date of the sunset, and a link to more information.
#[test]
fn every_answer_about_a_resource_says_that_it_is_on_its_way_out() {
    let (_server, mut client) = zoos();
    for (answer, status) in [
        (client.get("/zoos/1/cages/1"), 200),
        (client.request("HEAD", "/zoos/1/cages/1", &[], None), 200),
        (client.post("/zoos/1/cages", &json!({ "name": "Two" })), 201),
        (client.delete("/zoos/1/cages/2"), 204),
        (client.get("/zoos/1/cages/9"), 404),
        (client.put("/zoos/1/cages", &json!({})), 405),
        (client.post("/zoos/1/cages", &json!({})), 422),
        (client.request("OPTIONS", "/zoos/1/cages", &[], None), 200),
    ] {
        assert_eq!(answer.status(), status);
        assert_eq!(answer.field("deprecation"), Some("@1688169600"), "{answer:?}");
        assert_eq!(answer.field("sunset"), Some("Fri, 01 Jan 2027 00:00:00 GMT"));
        assert!(answer.field("link").unwrap().ends_with(LINKS), "{answer:?}");
    }
    let page = client.get("/zoos/1/cages");
    assert!(page.field("link").unwrap().ends_with(LINKS), "{page:?}");
    assert_eq!(page.link("self").as_deref(), Some("/zoos/1/cages"));
    assert_eq!(page.link("sunset").as_deref(), Some("https://zoo.example/changes#cages"));
}

/// Conformance 199: redirects to a deprecated resource and preflights for it have the same fields.
#[test]
fn what_leads_to_a_resource_says_that_it_is_on_its_way_out() {
    let (_server, mut client) = zoos();
    let preflight = [("origin", "https://zoo.example"), ("access-control-request-method", "PUT")];
    for (method, target, fields, status) in [
        ("GET", "/zoos/1/cages/", &[][..], 301),
        ("PUT", "/zoos/1/cages/1/", &[], 308),
        ("GET", "/zoos/1/kennels", &[], 301),
        ("GET", "/zoos/1/kennels/1", &[], 301),
        ("POST", "/zoos/1/kennels/", &[], 308),
        ("OPTIONS", "/zoos/1/kennels/1", &preflight, 204),
        ("OPTIONS", "/zoos/1/cages/1", &preflight, 204),
        ("OPTIONS", "/zoos/1/cages/", &preflight, 204),
    ] {
        let answer = client.request(method, target, fields, None);
        assert_eq!(answer.status(), status, "{method} {target}");
        assert_eq!(
            answer.field("deprecation"),
            Some("@1688169600"),
            "{method} {target}: {answer:?}"
        );
        assert_eq!(answer.field("sunset"), Some("Fri, 01 Jan 2027 00:00:00 GMT"));
        assert_eq!(answer.field("link"), Some(LINKS));
    }
    for target in ["/zoos/", "/zoos/1/", "/pits/"] {
        assert_eq!(client.get(target).field("deprecation"), None, "{target}");
    }
}

/// Conformance 199: a resource that is not deprecated has no `Deprecation` and no `Sunset`. If a
/// deprecated resource has no dates, only the response to OPTIONS says that it is deprecated.
#[test]
fn what_has_no_dates_says_so_in_its_description_alone() {
    let (_server, mut client) = zoos();
    for target in ["/", "/zoos", "/zoos/1", "/pits", "/pits/1", "/pits/9", "/nowhere"] {
        let answer = client.get(target);
        for name in ["deprecation", "sunset"] {
            assert_eq!(answer.field(name), None, "{target}");
        }
    }
    for (target, deprecated) in
        [("/zoos", None), ("/zoos/1/cages", Some(true)), ("/pits/1", Some(true))]
    {
        let description = client.request("OPTIONS", target, &[], None).json();
        assert_eq!(description["deprecated"].as_bool(), deprecated, "{target}");
    }
}
