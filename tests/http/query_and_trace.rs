//! Tests of QUERY (RFC 10008) and TRACE (RFC 9110 §9.3.8), which are supported only if they are
//! declared.

use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const FORM: &str = "application/x-www-form-urlencoded";

fn zoos(server: &str) -> (TestServer, Client) {
    let zoo = include_str!("../../schemas/zoo.yaml");
    let server = TestServer::of(&zoo.replacen("api:\n", &format!("server: {server}\napi:\n"), 1));
    let mut client = server.client();
    client.create(
        "/zoos",
        &json!([{ "name": "a", "city": "Bonn" }, { "name": "b" }, { "name": "c" }]),
    );
    (server, client)
}

fn query(client: &mut Client, target: &str, fields: &[(&str, &str)], body: &str) -> Answer {
    client.request(
        "QUERY",
        target,
        &[&[("content-type", FORM)], fields].concat(),
        Some(body.as_bytes()),
    )
}

/// Conformance 6, 28: a known method that is not declared is 405, not 501.
#[test]
fn both_are_off_unless_they_are_declared() {
    let (_server, mut client) = zoos("{}");
    for method in ["QUERY", "TRACE"] {
        for target in ["/zoos", "/zoos/1", "/", "/-/health"] {
            let answer = client.request(method, target, &[], None);
            assert_eq!(answer.status(), 405, "{method} {target}");
            assert!(!answer.allow().contains(&method), "{method} {target}");
        }
    }
}

/// Conformance 28, 29: QUERY with a query in its body returns the same page as GET with the query
/// in the URL.
#[test]
fn a_query_is_a_get_whose_query_is_its_body() {
    let (_server, mut client) = zoos("{ query: true }");
    let by_get = client.get("/zoos?city=Bonn&limit=5&fields=id,name");
    let by_query = query(&mut client, "/zoos", &[], "city=Bonn&limit=5&fields=id,name");
    assert_eq!((by_query.status(), by_query.json()), (200, by_get.json()));
    assert_eq!(by_query.field("etag"), by_get.field("etag"));
    let tag = by_get.field("etag").unwrap();
    let unchanged =
        query(&mut client, "/zoos", &[("if-none-match", tag)], "city=Bonn&limit=5&fields=id,name");
    assert_eq!(unchanged.status(), 304);
    let other =
        query(&mut client, "/zoos", &[("if-none-match", tag)], "city=Bonn&limit=6&fields=id,name");
    assert_eq!(other.status(), 200, "another query must have another entity tag");
    let part =
        query(&mut client, "/zoos", &[("range", "bytes=0-4")], "city=Bonn&limit=5&fields=id,name");
    assert_eq!((part.status(), part.body), (206, by_get.body[..5].to_vec()));
    let table = query(&mut client, "/zoos", &[("accept", "text/csv")], "fields=name&limit=2");
    assert_eq!(table.body, b"name\r\na\r\nb\r\n");
    assert_eq!(query(&mut client, "/zoos", &[], "").json()["items"].as_array().unwrap().len(), 3);
    assert_eq!(query(&mut client, "/zoos/1/animals", &[], "sortby=name").status(), 200);
}

/// Conformance 28: QUERY needs a `Content-Type`, and the error lists the accepted media types.
#[test]
fn a_query_must_say_what_it_is() {
    let (_server, mut client) = zoos("{ query: true }");
    let bare = client.request("QUERY", "/zoos", &[], Some(b"city=Bonn"));
    assert_eq!((bare.status(), bare.problem().as_str()), (400, "malformed-request"));
    let json =
        client.request("QUERY", "/zoos", &[("content-type", "application/json")], Some(b"{}"));
    assert_eq!((json.status(), json.field("accept-query")), (415, Some(FORM)));
    assert_eq!(query(&mut client, "/zoos", &[], "ctiy=Bonn").faults(), "ctiy unknown");
    assert_eq!(query(&mut client, "/zoos?limit=1", &[], "city=Bonn").faults(), "limit unknown");
    assert_eq!(query(&mut client, "/zoos", &[], "name=%zz").status(), 400);
    assert_eq!(
        query(&mut client, "/zoos/1", &[], "").status(),
        405,
        "a member must not support QUERY"
    );
    let described = client.request("OPTIONS", "/zoos", &[], None);
    assert_eq!(described.field("accept-query"), Some(FORM));
    assert!(described.allow().contains(&"QUERY"));
    assert!(client.request("OPTIONS", "*", &[], None).allow().contains(&"QUERY"));
}

/// Conformance 28, 194: QUERY accepts a query that is too long for a URL. Its response omits links
/// that would be too long.
#[test]
fn a_query_may_be_longer_than_a_url() {
    let (_server, mut client) = zoos("{ query: true }");
    let names: Vec<_> = (0..490).map(|n| format!("{n:0>200}")).collect();
    let body = format!("name[nin]={}&limit=2", names.join(","));
    assert!(body.len() > 90_000);
    let answer = query(&mut client, "/zoos", &[], &body);
    assert_eq!(answer.status(), 200);
    let page = answer.json();
    assert_eq!((page["items"].as_array().unwrap().len(), &page["links"]), (2, &json!({})));
    assert_eq!(answer.field("link"), None);
    // The cursor needs no URL.
    let after = format!("{body}&after={}", page["next_cursor"].as_str().unwrap());
    let next = query(&mut client, "/zoos", &[], &after).json();
    assert_eq!(next["items"][0]["id"], 3, "{next}");
    let short = query(&mut client, "/zoos", &[], "name[nin]=x,y&limit=2").json();
    assert!(short["links"]["next"].is_string(), "{short}");
    let most = format!("name[ne]={}", "x".repeat(256 * 1024 - 9));
    assert_eq!(query(&mut client, "/zoos", &[], &most).status(), 200);
    assert_eq!(
        query(&mut client, "/zoos", &[], &format!("{most}x")).problem(),
        "content-too-large"
    );
}

/// Conformance 12: TRACE returns the request without credentials, cookies and unknown header
/// fields.
#[test]
fn a_trace_shows_what_came() {
    let (_server, mut client) = zoos("{ trace: true }");
    let fields = [
        ("accept", "text/plain"),
        ("authorization", "Bearer secret"),
        ("cookie", "session=secret"),
        ("x-a", "1"),
    ];
    let answer = client.request("TRACE", "/zoos?limit=1", &fields, None);
    assert_eq!((answer.status(), answer.field("content-type")), (200, Some("message/http")));
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert_eq!(
        text,
        "TRACE /zoos?limit=1 HTTP/1.1\r\nhost: zoo.localhost\r\naccept: text/plain\r\n\r\n"
    );
    assert_eq!(client.request("TRACE", "/zoos", &[], Some(b"x")).status(), 400);
    assert!(client.request("OPTIONS", "/zoos", &[], None).allow().contains(&"TRACE"));
    assert!(client.request("OPTIONS", "*", &[], None).allow().contains(&"TRACE"));
    assert_eq!(client.get("/zoos").status(), 200, "the connection must stay usable after TRACE");
}
