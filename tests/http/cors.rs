//! Tests of CORS: preflights, other cross-origin requests, errors, and response fields that must be
//! absent.

use std::sync::Arc;

use nouns::__runtime::{
    Model,
    def::{ApiDef, CorsDef, FieldDef, FieldKind, ResourceDef, ServerDef},
};
use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const PAGE: &str = "https://zoo.example";

static ZOO: ResourceDef = ResourceDef {
    fields: &[FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) }],
    ..ResourceDef::new("zoo", "zoos", "Zoo")
};

static RESOURCES: [&ResourceDef; 1] = [&ZOO];

const fn api(cors: Option<CorsDef>) -> ApiDef {
    ApiDef {
        resources: &RESOURCES,
        server: ServerDef { cors, ..ServerDef::DEFAULT },
        ..ApiDef::new("Zoos")
    }
}

const LISTED: CorsDef = CorsDef {
    origins: &[PAGE, "http://localhost:3000"],
    credentials: true,
    headers: &["X-Trace"],
    max_age_seconds: 600,
};

fn serve(api: &'static ApiDef) -> (TestServer, Client) {
    let server = TestServer::serve(Arc::new(Model::link(api).unwrap()));
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    (server, client)
}

fn listed() -> (TestServer, Client) {
    static API: ApiDef = api(Some(LISTED));
    serve(&API)
}

/// The CORS fields of a response: their names without `access-control-`, and their values.
fn cors(answer: &Answer) -> Vec<(&str, &str)> {
    let fields = answer.fields.iter();
    let named =
        fields.filter_map(|(name, value)| Some((name.strip_prefix("access-control-")?, &**value)));
    named.collect()
}

fn preflight(client: &mut Client, target: &str, origin: &str) -> Answer {
    let fields = [
        ("origin", origin),
        ("access-control-request-method", "PATCH"),
        ("access-control-request-headers", "content-type,if-match"),
    ];
    client.request("OPTIONS", target, &fields, None)
}

/// Conformance 200: without a CORS declaration, no response has CORS fields.
#[test]
fn no_origin_is_told_anything_where_none_is_declared() {
    static API: ApiDef = api(None);
    let (_server, mut client) = serve(&API);
    for answer in [
        client.get("/zoos"),
        client.request("GET", "/zoos", &[("origin", PAGE)], None),
        client.request("GET", "/nowhere", &[("origin", PAGE)], None),
        preflight(&mut client, "/zoos", PAGE),
    ] {
        assert_eq!(cors(&answer), []);
        assert!(!answer.field("vary").unwrap_or_default().contains("origin"));
    }
    let plain = preflight(&mut client, "/zoos", PAGE);
    assert_eq!((plain.status(), plain.allow()), (200, vec!["GET", "HEAD", "OPTIONS", "POST"]));
}

/// Conformance 200, 202: a request from an undeclared origin gets the usual response without CORS
/// fields, with `Vary: origin`.
#[test]
fn another_origin_changes_no_status() {
    let (_server, mut client) = listed();
    for origin in
        ["https://evil.example", "null", "https://zoo.example.evil", "https://zoo.example:8443"]
    {
        for (target, status) in
            [("/zoos", 200), ("/zoos/1", 200), ("/zoos/9", 404), ("/zoos?x=1", 400)]
        {
            let answer = client.request("GET", target, &[("origin", origin)], None);
            assert_eq!((answer.status(), cors(&answer)), (status, vec![]), "{origin} {target}");
            assert!(answer.field("vary").unwrap().contains("origin"));
        }
        let fields = [("origin", origin), ("content-type", "application/json")];
        let written = client.request("POST", "/zoos", &fields, Some(b"{\"name\":\"x\"}"));
        assert_eq!(
            (written.status(), cors(&written)),
            (201, vec![]),
            "the write must succeed; only the browser hides the response"
        );
        let preflight_answer = preflight(&mut client, "/zoos/1", origin);
        assert_eq!((preflight_answer.status(), cors(&preflight_answer)), (204, vec![]));
    }
}

/// Conformance 201: the response to a preflight lists the methods of its target. The response to a
/// plain OPTIONS has `Allow` instead.
#[test]
fn a_preflight_is_told_what_its_target_offers() {
    let (_server, mut client) = listed();
    let answer = preflight(&mut client, "/zoos/1", PAGE);
    assert_eq!((answer.status_line.as_str(), answer.body.len()), ("HTTP/1.1 204 No Content", 0));
    assert_eq!(answer.field("access-control-allow-origin"), Some(PAGE));
    assert_eq!(answer.field("access-control-allow-credentials"), Some("true"));
    let methods = answer.field("access-control-allow-methods");
    assert_eq!(methods, Some("GET, HEAD, PUT, PATCH, DELETE, OPTIONS"));
    assert_eq!(answer.field("access-control-max-age"), Some("600"));
    let headers: Vec<_> =
        answer.field("access-control-allow-headers").unwrap().split(", ").collect();
    for name in [
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "If-Modified-Since",
        "If-None-Match",
        "If-Unmodified-Since",
        "Prefer",
        "Range",
        "X-Trace",
    ] {
        assert!(headers.contains(&name), "{name}");
    }
    let vary = "origin, access-control-request-method, access-control-request-headers";
    assert_eq!(answer.field("vary"), Some(vary));
    let collection = preflight(&mut client, "/zoos", PAGE);
    assert_eq!(collection.field("access-control-allow-methods"), Some("GET, HEAD, POST, OPTIONS"));

    let plain = client.request("OPTIONS", "/zoos", &[("origin", PAGE)], None);
    assert_eq!((plain.status(), plain.allow()), (200, vec!["GET", "HEAD", "OPTIONS", "POST"]));
    assert_eq!(plain.field("access-control-allow-origin"), Some(PAGE));
    assert_eq!(plain.field("access-control-allow-methods"), None);
}

/// Conformance 201: if a URL redirects or is not routed, the response to a preflight for it allows
/// every method of the server.
#[test]
fn a_preflight_of_a_url_that_leads_nowhere_allows_query_where_it_is_answered() {
    static WITHOUT: ApiDef = api(Some(LISTED));
    static WITH: ApiDef = ApiDef {
        server: ServerDef { query: true, cors: Some(LISTED), ..ServerDef::DEFAULT },
        ..api(Some(LISTED))
    };
    for (api, query) in [(&WITHOUT, ""), (&WITH, "QUERY, ")] {
        let (_server, mut client) = serve(api);
        for target in ["/nowhere", "/zoos/"] {
            let answer = preflight(&mut client, target, PAGE);
            let methods = answer.field("access-control-allow-methods").unwrap();
            assert_eq!(
                methods,
                format!("GET, HEAD, {query}POST, PUT, PATCH, DELETE, OPTIONS"),
                "{target}"
            );
        }
        let collection = preflight(&mut client, "/zoos", PAGE);
        let methods = collection.field("access-control-allow-methods").unwrap();
        assert_eq!(methods, format!("GET, HEAD, {query}POST, OPTIONS"));
    }
}

/// Conformance 201: a preflight succeeds even if the request after it will fail. So a script in a
/// browser can read the error in the response to that request.
#[test]
fn a_preflight_for_nothing_is_answered_too() {
    let (_server, mut client) = listed();
    for target in ["/nowhere", "/zoos/x", "/zoos/", "/zoos/%", "/zoos?x=1"] {
        let fields = [
            ("origin", PAGE),
            ("access-control-request-method", "GET"),
            ("authorization", "Basic eA=="),
        ];
        let answer = client.request("OPTIONS", target, &fields, None);
        assert_eq!(
            (answer.status(), answer.field("access-control-allow-origin")),
            (204, Some(PAGE)),
            "{target}"
        );
        assert!(
            answer.field("access-control-allow-methods").unwrap().contains("PATCH")
                || target == "/zoos?x=1"
        );
    }
}

/// Conformance 202: if origins are listed, each response varies by `Origin`, also a 304 or the
/// response to a request without `Origin`.
#[test]
fn every_answer_varies_by_origin() {
    let (_server, mut client) = listed();
    let etag = client.get("/zoos/1").field("etag").unwrap().to_owned();
    for answer in [
        client.get("/zoos"),
        client.get("/zoos/1"),
        client.request("HEAD", "/zoos", &[], None),
        client.request("GET", "/zoos/1", &[("if-none-match", &etag)], None),
        client.get("/"),
        client.get("/-/health"),
        client.get("/zoos/"),
        client.get("/nowhere"),
        client.request("BREW", "/zoos", &[], None),
        client.post("/zoos", &json!({})),
        client.delete("/zoos/1"),
    ] {
        let vary: Vec<_> = answer.field("vary").unwrap().split(", ").collect();
        assert_eq!(vary.iter().filter(|name| **name == "origin").count(), 1, "{answer:?}");
        assert_eq!(cors(&answer), []);
        assert_eq!(answer.field("cross-origin-resource-policy"), Some("cross-origin"));
    }
}

/// Conformance 203: credentials are allowed for a listed origin, never for `*`, and never for
/// `null`.
#[test]
fn credentials_are_for_listed_origins() {
    static ANY: ApiDef = api(Some(CorsDef { origins: &["*"], credentials: false, ..LISTED }));
    let (_server, mut client) = serve(&ANY);
    for origin in [PAGE, "null"] {
        for answer in [
            client.request("GET", "/zoos", &[("origin", origin)], None),
            preflight(&mut client, "/zoos", origin),
            client.get("/zoos"),
        ] {
            assert_eq!(answer.field("access-control-allow-origin"), Some("*"), "{origin}");
            assert_eq!(answer.field("access-control-allow-credentials"), None);
        }
    }
    assert!(
        !client.get("/zoos").field("vary").unwrap_or_default().contains("origin"),
        "responses for any origin must not vary by `Origin`"
    );

    static NULL: ApiDef = api(Some(CorsDef { origins: &["null", PAGE], ..LISTED }));
    static BOTH: ApiDef = api(Some(CorsDef { origins: &["*"], ..LISTED }));
    for api in [&NULL, &BOTH] {
        assert!(
            Model::link(api).is_err(),
            "`null`, and `*` with credentials, must be refused as origins"
        );
    }
    let (_server, mut client) = listed();
    let answer = client.request("GET", "/zoos", &[("origin", PAGE)], None);
    assert_eq!(answer.field("access-control-allow-origin"), Some(PAGE));
    assert_eq!(answer.field("access-control-allow-credentials"), Some("true"));
    assert_eq!(
        cors(&client.request("GET", "/zoos", &[("origin", "null")], None)),
        [],
        "the origin `null` must get no CORS fields"
    );
}

/// Conformance 204, 205: a script in a browser can read an error response, and the header fields
/// that it needs are exposed.
#[test]
fn errors_are_for_the_page_that_caused_them() {
    let (_server, mut client) = listed();
    let origin = [("origin", PAGE)];
    for (answer, status) in [
        (client.request("GET", "/nowhere", &origin, None), 404),
        (client.request("PUT", "/zoos", &origin, None), 405),
        (client.request("BREW", "/zoos", &origin, None), 501),
        (client.request("GET", "/zoos?x=1", &origin, None), 400),
        (client.request("POST", "/zoos", &origin, Some(b"{}")), 422),
        // The request has only `Content-Length`. If it sent a whole body, the server could close
        // the connection first.
        (client.request("POST", "/zoos", &[origin[0], ("content-length", "1048577")], None), 413),
    ] {
        assert_eq!(answer.status(), status);
        assert_eq!(answer.field("access-control-allow-origin"), Some(PAGE));
        assert_eq!(answer.field("access-control-allow-credentials"), Some("true"));
    }
    let (_server, mut client) = listed();
    let answer = client.request("GET", "/zoos", &origin, None);
    let exposed: Vec<_> =
        answer.field("access-control-expose-headers").unwrap().split(", ").collect();
    for name in [
        "ETag",
        "Location",
        "Link",
        "Last-Modified",
        "Retry-After",
        "Allow",
        "Accept-Patch",
        "Accept-Post",
        "Content-Range",
        "Accept-Ranges",
        "Preference-Applied",
        "Deprecation",
        "Sunset",
        "Content-Language",
        "RateLimit",
        "X-Total-Count",
        "Request-Id",
    ] {
        assert!(exposed.contains(&name), "{name}");
    }
}

/// Conformance 206: unknown fields in a preflight are ignored.
#[test]
fn unknown_questions_of_a_preflight_are_passed_over() {
    let (_server, mut client) = listed();
    for (name, value) in [
        ("access-control-request-private-network", "true"),
        ("access-control-request-local-network", "?1"),
        ("access-control-request-headers", ",,,\"§"),
        ("access-control-request-headers", ""),
        ("access-control-request-method", "no method at all"),
    ] {
        let fields = [("origin", PAGE), ("access-control-request-method", "GET"), (name, value)];
        let answer = client.request("OPTIONS", "/zoos", &fields, None);
        assert_eq!(
            (answer.status(), answer.field("access-control-allow-origin")),
            (204, Some(PAGE)),
            "{name}"
        );
        let answer = client.request("GET", "/zoos", &fields, None);
        assert_eq!(answer.status(), 200);
    }
}
