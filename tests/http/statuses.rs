//! Tests that each status means what RFC 9110 §15 says, also in responses of user code: content,
//! reason phrases, links.

use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use nouns::{
    __runtime::custom::{Answer as Custom, RouteRequest},
    Api,
};
use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

async fn answered(request: RouteRequest) -> Result<Custom, nouns::__runtime::Error> {
    let status = request.parameter("status")?.parse().unwrap();
    let answer = Custom::json(StatusCode::from_u16(status).unwrap(), &"some content")?;
    let queue = HeaderValue::from_static("</queue/7>; rel=\"monitor\"");
    Ok(if status == 202 { answer.with(header::LINK, queue) } else { answer })
}

fn statuses() -> (TestServer, Client) {
    let api = Api::new("Statuses").route(Method::GET, "/statuses/{status}", answered);
    let server = TestServer::serve(api.build().unwrap());
    let client = server.client();
    (server, client)
}

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Tierpark" }, { "name": "Bergzoo" }]));
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create("/zoos/1/animals", &json!({ "name": "Bella", "animal_type_id": 1 }));
    (server, client)
}

fn framing(answer: &Answer) -> [Option<&str>; 2] {
    ["content-length", "transfer-encoding"].map(|name| answer.field(name))
}

/// Conformance 31, 32: 204, 205 and 304 have no content, even if a handler sets some.
#[test]
fn a_status_without_content_has_none() {
    let (_server, mut client) = statuses();
    for status in [204, 205, 304] {
        let answer = client.get(&format!("/statuses/{status}"));
        assert_eq!((answer.status(), &*answer.body), (status, &b""[..]), "{answer:?}");
        if status != 205 {
            assert_eq!(framing(&answer), [None, None], "{status}");
        }
        assert_eq!(
            client.get("/statuses/200").body,
            b"\"some content\"",
            "the connection must stay usable after a response without content"
        );
    }
    let (_server, mut client) = zoos();
    let tag = client.get("/zoos/1").field("etag").unwrap().to_owned();
    let unchanged = client.request("GET", "/zoos/1", &[("if-none-match", &tag)], None);
    assert_eq!((unchanged.status(), framing(&unchanged)), (304, [None, None]));
    let deleted = client.delete("/zoos/2");
    assert_eq!((deleted.status(), framing(&deleted)), (204, [None, None]));
}

/// Conformance 33: the server itself never returns 202. A handler that returns 202 links to the
/// result.
#[test]
fn who_queues_work_says_where_to_look() {
    let (_server, mut client) = statuses();
    let answer = client.get("/statuses/202");
    assert_eq!(answer.status_line, "HTTP/1.1 202 Accepted");
    assert_eq!(answer.link("monitor").unwrap(), "/queue/7");
}

/// Conformance 39: a member of another parent gets the same response as a member that does not
/// exist: the same status, fields and problem.
#[test]
fn what_a_caller_may_not_know_is_not_found() {
    let (_server, mut client) = zoos();
    let elsewhere = client.get("/zoos/2/animals/1");
    let nowhere = client.get("/zoos/2/animals/9");
    let names = |answer: &Answer| {
        let mut names: Vec<_> = answer.fields.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    };
    assert_eq!((elsewhere.status(), nowhere.status()), (404, 404));
    assert_eq!(names(&elsewhere), names(&nowhere));
    assert_eq!(elsewhere.problem(), nowhere.problem());
    assert_eq!(elsewhere.detail().replace('1', "9"), nowhere.detail());
    assert_eq!(
        client.request("POST", "/zoos/2/animals/1", &[], None).status(),
        405,
        "the status must depend only on the URL and the method"
    );
}

/// Conformance 53: the server never asks for a protocol upgrade. A client that offers one gets the
/// usual response.
#[test]
fn nobody_is_asked_to_upgrade() {
    let (_server, mut client) = zoos();
    for protocol in ["websocket", "h2c", "TLS/1.0"] {
        let answer = client.request(
            "GET",
            "/zoos/1",
            &[("connection", "upgrade"), ("upgrade", protocol)],
            None,
        );
        assert_eq!((answer.status(), answer.field("upgrade")), (200, None), "{protocol}");
    }
}

/// Conformance 61: a registered status has its reason phrase, and an unregistered one has none.
#[test]
fn a_status_has_its_phrase() {
    let (_server, mut client) = statuses();
    for (status, line) in [
        (200, "HTTP/1.1 200 OK"),
        (203, "HTTP/1.1 203 Non-Authoritative Information"),
        (413, "HTTP/1.1 413 Content Too Large"),
        (422, "HTTP/1.1 422 Unprocessable Content"),
        (226, "HTTP/1.1 226 IM Used"),
        (418, "HTTP/1.1 418 I'm a teapot"),
        (503, "HTTP/1.1 503 Service Unavailable"),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = client.request(method, &format!("/statuses/{status}"), &[], None);
            assert_eq!(answer.status_line, line, "{method}");
        }
    }
    assert_eq!(client.get("/statuses/299").status(), 299);
}

/// Conformance 44: a deleted member is 404 with `Cache-Control`, like a member that never existed,
/// and never 410.
#[test]
fn what_was_deleted_is_as_what_never_was() {
    let (_server, mut client) = zoos();
    client.delete("/zoos/2");
    let (deleted, never) = (client.get("/zoos/2"), client.get("/zoos/9"));
    assert_eq!((deleted.status(), never.status()), (404, 404));
    assert_eq!(deleted.field("cache-control"), Some("no-cache"));
    assert_eq!(never.field("cache-control"), Some("no-cache"));
}

/// Conformance 218: an error is never 2xx and has a problem type. A 2xx never has a problem as
/// content.
#[test]
fn no_success_has_the_content_of_an_error() {
    let (_server, mut client) = zoos();
    let answers = [
        client.get("/zoos?x=1"),
        client.get("/zoos/9"),
        client.post("/zoos", &json!({ "name": "Tierpark" })),
        client.post("/zoos", &json!({})),
        client.put("/zoos", &json!({})),
        client.delete("/zoos/1"),
    ];
    let kinds: Vec<_> = answers.iter().map(Answer::problem).collect();
    assert_eq!(
        kinds,
        [
            "invalid-parameter",
            "not-found",
            "already-exists",
            "invalid-content",
            "method-not-allowed",
            "still-referenced"
        ]
    );
    for target in ["/", "/zoos", "/zoos/1", "/-/health", "/-/problems"] {
        let answer = client.get(target);
        assert_eq!(
            (answer.status(), answer.field("content-type")),
            (200, Some("application/json"))
        );
    }
}

/// Conformance 104, 114, 216: no field of the server has `X-` in its name, except the common
/// `X-Total-Count`. A field with unknown content is not sent.
#[test]
fn fields_are_registered_and_true() {
    let (_server, mut client) = zoos();
    let tag = client.get("/zoos/1").field("etag").unwrap().to_owned();
    let answers = [
        client.get("/"),
        client.get("/zoos?count=true"),
        client.request("GET", "/zoos?count=true&limit=2", &[("accept", "text/csv")], None),
        client.get("/zoos/1"),
        client.request("GET", "/zoos/1", &[("if-none-match", &tag)], None),
        client.request("GET", "/zoos/1", &[("range", "bytes=0-3")], None),
        client.post("/zoos", &json!({ "name": "New" })),
        client.put("/zoos/1", &json!({ "name": "Other" })),
        client.patch("/zoos/1", &json!({ "name": "Another" })),
        client.request("OPTIONS", "/zoos/1", &[], None),
        client.get("/zoos/"),
        client.get("/nowhere"),
    ];
    let allowed = ["x-content-type-options", "x-total-count"];
    for answer in answers {
        for absent in ["content-location", "cache-status", "age"] {
            assert_eq!(answer.field(absent), None, "{answer:?}");
        }
        let odd = answer
            .fields
            .iter()
            .find(|(name, _)| name.starts_with("x-") && !allowed.contains(&&**name));
        assert_eq!(odd, None);
        assert!(
            answer.fields.iter().all(|(name, _)| HeaderName::from_bytes(name.as_bytes()).is_ok())
        );
    }
}

/// Conformance 212, 213: forwarding fields of a request change nothing, since no proxy is declared
/// as trusted.
#[test]
fn nobody_is_believed_about_the_way_a_request_came() {
    let (_server, mut client) = zoos();
    let mut parts = vec![];
    for fields in [
        &[][..],
        &[
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-for", "10.0.0.1"),
        ],
        &[("forwarded", "for=10.0.0.1;host=evil.example;proto=https")],
        &[
            ("x-forwarded-prefix", "/evil"),
            ("x-original-url", "/zoos/9"),
            ("x-rewrite-url", "/zoos/9"),
        ],
        &[("upgrade-insecure-requests", "1")],
    ] {
        let mut answers = vec![client.get("/zoos?limit=1")];
        answers.push(client.request("GET", "/zoos?limit=1", fields, None));
        answers.push(client.request("GET", "/zoos/", fields, None));
        for mut answer in answers {
            answer.fields.retain(|(name, _)| name != "date");
            parts.push((answer.status_line, answer.fields, answer.body));
        }
    }
    for group in parts.chunks(3) {
        assert_eq!(group[0], group[1]);
        assert_eq!(group, &parts[..3]);
    }
}
