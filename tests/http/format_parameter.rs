//! Tests of the query parameter `format`, which chooses the format of a page or a member.

use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    let zoos = json!([{ "name": "Bergzoo" }, { "name": "Tierpark" }, { "name": "Zoo" }]);
    client.create("/zoos", &zoos);
    (server, client)
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

#[test]
fn it_takes_precedence_over_accept() {
    let (_server, mut client) = zoos();
    for (word, media_type) in [
        ("json", "application/json"),
        ("ndjson", "application/x-ndjson"),
        ("csv", "text/csv; charset=utf-8; header=present"),
        ("html", "text/html; charset=utf-8"),
    ] {
        for target in ["/zoos", "/zoos/1"] {
            let target = format!("{target}?fields=name&format={word}");
            let expected = client.get(&target);
            assert_eq!(expected.status(), 200, "{target}");
            for accept in ["application/json", "text/csv", "image/png", "*/*;q=0"] {
                let answer = client.request("GET", &target, &[("accept", accept)], None);
                assert_eq!(answer.status(), 200, "{target} {accept}");
                assert_eq!(answer.field("content-type"), Some(media_type), "{target} {accept}");
                assert_eq!(answer.field("etag"), expected.field("etag"), "{target} {accept}");
                assert_eq!(answer.body, expected.body, "{target} {accept}");
            }
        }
    }
    assert_eq!(text(&client.get("/zoos?fields=name&format=csv&limit=1")), "name\r\nBergzoo\r\n");
}

/// A response whose format the URL chooses does not depend on `Accept`, so `Vary` does not name
/// it: neither with content, nor in a 304, nor from the response cache.
#[test]
fn vary_does_not_name_accept_if_the_url_chooses() {
    let (_server, mut client) = zoos();
    for target in ["/zoos?format=csv&limit=2", "/zoos?format=csv", "/zoos/1?format=json"] {
        let tag = client.get(target).field("etag").unwrap().to_owned();
        for _ in 0..3 {
            let answer = client.get(target);
            assert_eq!((answer.status(), answer.field("vary")), (200, Some("accept-encoding")));
            let answer = client.request("GET", target, &[("if-none-match", &tag)], None);
            assert_eq!((answer.status(), answer.field("vary")), (304, Some("accept-encoding")));
        }
    }
    assert_eq!(client.get("/zoos").field("vary"), Some("accept, accept-encoding"));
}

#[test]
fn links_to_other_pages_keep_it() {
    let (_server, mut client) = zoos();
    let first = client.get("/zoos?format=csv&fields=name&limit=1");
    let next = first.link("next").unwrap();
    assert!(next.contains("format=csv"), "{next}");
    assert_eq!(text(&client.get(&next)), "name\r\nTierpark\r\n");
    let page = client.get("/zoos?format=json&limit=1").json();
    assert!(page["links"]["next"].as_str().unwrap().contains("format=json"), "{page}");
}

#[test]
fn what_it_cannot_be_is_refused() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1"] {
        let answer = client.get(&format!("{target}?format=cvs"));
        assert_eq!((answer.status(), answer.problem()), (400, "invalid-parameter".into()));
        let error = &answer.json()["errors"][0];
        assert_eq!((&error["parameter"], &error["code"]), (&json!("format"), &json!("enum")));
        assert_eq!(
            error["detail"],
            json!("`format` must be one of `json`, `ndjson`, `csv`, `html`, not `cvs`.")
        );
        assert_eq!(error["hint"], json!("Did you mean `csv`?"));
        let answer = client.get(&format!("{target}?format=csv&format=json"));
        assert_eq!(answer.json()["errors"][0]["code"], json!("repeated"));
        assert_eq!(client.get(&format!("{target}?format[eq]=csv")).status(), 400);
    }
    let body = br#"{"name":"x"}"#;
    let json = [("content-type", "application/json")];
    assert_eq!(client.request("POST", "/zoos?format=csv", &json, Some(body)).status(), 400);
    assert_eq!(client.request("PATCH", "/zoos/1?format=csv", &json, Some(body)).status(), 400);
}

/// A field may have the name of the parameter. Then only the long form filters by it.
#[test]
fn a_field_of_that_name_has_the_long_form() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  book: { methods: [list, create, delete_many], fields: { format: string } }
",
    );
    let mut client = server.client();
    client.create("/books", &json!([{ "format": "csv" }, { "format": "paper" }]));
    let paper = client.get("/books?filter[format]=paper&fields=format&format=csv");
    assert_eq!(text(&paper), "format\r\npaper\r\n");
    let started = client.get("/books?filter[format][starts_with]=c&fields=format&format=csv");
    assert_eq!(text(&started), "format\r\ncsv\r\n");
    let refused = client.request("DELETE", "/books?format=csv", &[], None);
    assert_eq!(refused.status(), 400, "a deletion needs the long form, too");
}
