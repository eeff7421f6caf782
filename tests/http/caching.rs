//! Tests of `Cache-Control`: which caches may store a response, and for how long.

use std::sync::Arc;

use nouns::{
    __runtime::{
        Model,
        custom::Answer as Custom,
        def::{ApiDef, CacheDef, FieldDef, FieldKind, ResourceDef, Visibility},
    },
    Api,
};
use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const NAME: &[FieldDef] =
    &[FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) }];

const fn resource(
    name: &'static str,
    collection: &'static str,
    cache: Option<CacheDef>,
) -> ResourceDef {
    ResourceDef { fields: NAME, cache, ..ResourceDef::new(name, collection, "Thing") }
}

const HOUR: CacheDef = CacheDef {
    max_age_seconds: Some(3600),
    s_maxage_seconds: None,
    visibility: None,
    no_store: false,
    must_revalidate: false,
    stale_while_revalidate_seconds: None,
    stale_if_error_seconds: None,
};

static API: ApiDef = ApiDef {
    resources: &[
        &resource("plain", "plains", None),
        &ResourceDef { rust: "Hour", ..resource("hour", "hours", Some(HOUR)) },
        &ResourceDef {
            rust: "Open",
            ..resource(
                "open",
                "opens",
                Some(CacheDef {
                    visibility: Some(Visibility::Public),
                    s_maxage_seconds: Some(60),
                    must_revalidate: true,
                    stale_while_revalidate_seconds: Some(30),
                    stale_if_error_seconds: Some(86_400),
                    ..HOUR
                }),
            )
        },
        &ResourceDef {
            rust: "Never",
            ..resource("never", "nevers", Some(CacheDef { no_store: true, ..HOUR }))
        },
    ],
    ..ApiDef::new("Things")
};

const OPEN: &str = "public, max-age=3600, s-maxage=60, must-revalidate, stale-while-revalidate=30, stale-if-error=86400";

fn things() -> (TestServer, Client) {
    let server = TestServer::serve(Arc::new(Model::link(&API).unwrap()));
    let mut client = server.client();
    for collection in ["/plains", "/hours", "/opens", "/nevers"] {
        client.create(collection, &json!({ "name": "a" }));
    }
    (server, client)
}

fn kept(answer: &Answer) -> &str {
    for name in ["pragma", "expires", "age"] {
        assert_eq!(answer.field(name), None);
    }
    answer.field("cache-control").unwrap()
}

/// Conformance 105, 107, 108, 113: a response with a representation has the declared
/// `Cache-Control`. By default, caches may store it and must revalidate it.
#[test]
fn a_representation_says_for_how_long_it_may_be_kept() {
    let (_server, mut client) = things();
    for (collection, expected) in [
        ("/plains", "no-cache"),
        ("/hours", "max-age=3600"),
        ("/opens", OPEN),
        ("/nevers", "no-store"),
    ] {
        for target in
            [collection.to_owned(), format!("{collection}/1"), format!("{collection}?limit=1")]
        {
            assert_eq!(kept(&client.get(&target)), expected, "{target}");
            assert_eq!(kept(&client.request("HEAD", &target, &[], None)), expected, "{target}");
        }
    }
}

/// Conformance 106: the response to a request with credentials is private, unless the resource is
/// declared public or `no-store`.
#[test]
fn what_is_asked_for_with_credentials_is_private() {
    let (_server, mut client) = things();
    for credentials in [("authorization", "Basic eDp5"), ("cookie", "theme=dark")] {
        for (target, expected) in [
            ("/plains/1", "private, no-cache"),
            ("/hours/1", "private, max-age=3600"),
            ("/hours", "private, max-age=3600"),
            ("/opens/1", OPEN),
            ("/nevers/1", "no-store"),
            ("/plains/9", "private, no-cache"),
            ("/plains/", "private, max-age=86400"),
            ("/", "private, no-cache"),
        ] {
            // The response cache has the third response. It also has the response to a request
            // without credentials.
            for _ in 0..3 {
                let answer = client.request("GET", target, &[credentials], None);
                assert_eq!(kept(&answer), expected, "{target} {credentials:?}");
            }
            assert!(!kept(&client.get(target)).contains("private"), "{target}");
        }
        let tag = client.get("/hours/1").field("etag").unwrap().to_owned();
        let fields = [credentials, ("if-none-match", &*tag)];
        let unchanged = client.request("GET", "/hours/1", &fields, None);
        assert_eq!((unchanged.status(), kept(&unchanged)), (304, "private, max-age=3600"));
    }
}

/// Conformance 106: a response with `Set-Cookie` is private.
#[test]
fn what_sets_a_cookie_is_private() {
    let api = Api::new("Zoos").route(http::Method::GET, "/cookie", |_| async {
        let answer = Custom::json(http::StatusCode::OK, &1)?;
        Ok(answer.with(http::header::SET_COOKIE, http::HeaderValue::from_static("a=b")))
    });
    let server = TestServer::serve(api.build().unwrap());
    assert_eq!(kept(&server.client().get("/cookie")), "private, no-cache");
}

/// Conformance 105: every response with a cacheable status has `Cache-Control`. A response that is
/// only for its own request, such as a 412, must not be stored.
#[test]
fn every_status_says_whether_it_may_be_kept() {
    let (_server, mut client) = things();
    let long = format!("/{}", "x".repeat(20_000));
    for (answer, status, expected) in [
        (client.get("/"), 200, "no-cache"),
        (client.get("/-/problems"), 200, "no-cache"),
        (client.get("/-/health"), 200, "no-store"),
        (client.get("/-/ready"), 200, "no-store"),
        (client.request("OPTIONS", "/hours", &[], None), 200, "no-cache"),
        (client.post("/hours", &json!({ "name": "b" })), 201, "no-cache"),
        (client.patch("/hours/1", &json!({ "name": "c" })), 200, "no-cache"),
        (client.get("/hours/"), 301, "max-age=86400"),
        (client.post("/hours/", &json!({})), 308, "max-age=86400"),
        (client.get("/hours?x=1"), 400, "no-store"),
        (client.get("/hours/9"), 404, "no-cache"),
        (client.get("/nowhere"), 404, "no-cache"),
        (client.put("/hours", &json!({})), 405, "no-cache"),
        (
            client.request("DELETE", "/hours/1", &[("if-match", "\"0-json\"")], None),
            412,
            "no-store",
        ),
        (client.get(&long), 414, "no-cache"),
        (client.post("/hours", &json!({})), 422, "no-store"),
        (client.request("BREW", "/hours", &[], None), 501, "no-cache"),
    ] {
        assert_eq!((answer.status(), kept(&answer)), (status, expected), "{answer:?}");
    }
}

/// Conformance 73, 112: a 304 has the same `Cache-Control` and validators as the 200 has.
#[test]
fn unchanged_says_the_same_as_the_whole() {
    let (_server, mut client) = things();
    for target in ["/plains", "/plains/1", "/hours", "/hours/1", "/opens", "/opens/1", "/nevers/1"]
    {
        let whole = client.get(target);
        let etag = whole.field("etag").unwrap();
        let unchanged = client.request("GET", target, &[("if-none-match", etag)], None);
        assert_eq!(unchanged.status_line, "HTTP/1.1 304 Not Modified");
        for name in ["cache-control", "etag", "vary"] {
            assert_eq!(unchanged.field(name), whole.field(name), "{target} {name}");
        }
    }
}

/// Conformance 108, 111: the server is no shared HTTP cache, so `Cache-Control` in a request
/// changes nothing.
#[test]
fn what_a_request_says_to_caches_changes_nothing() {
    let (_server, mut client) = things();
    for field in [
        ("pragma", "no-cache"),
        ("cache-control", "no-cache"),
        ("cache-control", "no-store"),
        ("cache-control", "only-if-cached"),
        ("cache-control", "max-age=0, min-fresh=1, max-stale"),
        ("expires", "0"),
        ("age", "5"),
    ] {
        let answer = client.request("GET", "/hours/1", &[field], None);
        assert_eq!((answer.status(), kept(&answer)), (200, "max-age=3600"), "{field:?}");
    }
}
