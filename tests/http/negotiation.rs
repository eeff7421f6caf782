//! Tests of content negotiation (RFC 9110 §12): the formats of members and collections, and `Vary`.

use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    let zoos = json!([
        { "name": "Tierpark", "city": "Berlin", "opened": "1955-07-02" },
        { "name": "a, \"b\"", "city": "" },
        { "name": "Bergzoo" },
    ]);
    client.create("/zoos", &zoos);
    (server, client)
}

fn accepting(client: &mut Client, target: &str, accept: &str) -> Answer {
    client.request("GET", target, &[("accept", accept)], None)
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv; charset=utf-8; header=present";
const HTML: &str = "text/html; charset=utf-8";

/// Conformance 92, 93, 94: the format is chosen by quality, then by specificity, then by the
/// server's order.
#[test]
fn the_most_welcome_format_is_sent() {
    let (_server, mut client) = zoos();
    for (accept, expected) in [
        ("*/*", JSON),
        ("", JSON),
        ("application/json", JSON),
        ("APPLICATION/JSON;Q=1", JSON),
        ("application/json;charset=utf-8", JSON),
        ("text/csv", CSV),
        ("text/*", CSV),
        ("application/x-ndjson", NDJSON),
        ("application/ndjson", NDJSON),
        ("application/jsonl", NDJSON),
        ("application/json;q=0.5, */*;q=0.1", JSON),
        ("application/json;q=0.5, text/csv", CSV),
        ("application/json;q=0, */*", NDJSON),
        ("text/html, application/xhtml+xml, */*;q=0.8", HTML),
        ("text/html, application/json", JSON),
        ("text/html;q=0.9, */*", JSON),
    ] {
        for target in ["/zoos", "/zoos/1"] {
            let answer = accepting(&mut client, target, accept);
            assert_eq!(
                (answer.status(), answer.field("content-type")),
                (200, Some(expected)),
                "{target} {accept}"
            );
            assert_eq!(answer.field("vary"), Some("accept, accept-encoding"), "{target} {accept}");
        }
    }
    assert_eq!(
        client.get("/zoos").field("vary"),
        Some("accept, accept-encoding"),
        "Conformance 94: `Vary` must not depend on the presence of `Accept`"
    );
}

/// Conformance 93: if `Accept` is so long that the server reads only a part of it, the server
/// returns JSON and never 406.
#[test]
fn a_list_of_more_than_is_read_is_never_a_406() {
    let (_server, mut client) = zoos();
    let images: Vec<_> = (0..80).map(|n| format!("image/x-{n}")).collect();
    for accept in [images.join(", "), images.join(", ") + ", text/csv"] {
        let answer = accepting(&mut client, "/zoos/1", &accept);
        assert_eq!((answer.status(), answer.field("content-type")), (200, Some(JSON)));
    }
    assert_eq!(accepting(&mut client, "/zoos/1", &images[..60].join(", ")).status(), 406);
}

/// Conformance 41, 94: if no format is acceptable, the response is 406 with the available formats.
/// A write is not executed.
#[test]
fn what_there_is_not_is_a_406_that_lists_what_there_is() {
    let (_server, mut client) = zoos();
    for accept in
        ["image/png", "text/xml", "application/json;q=0", "application/json;version=2", "*/*;q=0"]
    {
        for target in ["/zoos", "/zoos/1"] {
            let answer = accepting(&mut client, target, accept);
            assert_eq!(answer.status_line, "HTTP/1.1 406 Not Acceptable", "{target} {accept}");
            assert_eq!(answer.problem(), "not-acceptable");
            assert!(
                answer
                    .detail()
                    .ends_with(&format!("available are: {JSON}, {NDJSON}, text/csv, text/html.")),
                "{}",
                answer.detail()
            );
            assert!(answer.field("vary").unwrap().contains("accept"));
        }
    }
    let fields = [("accept", "image/png"), ("content-type", JSON)];
    assert_eq!(client.request("POST", "/zoos", &fields, Some(br#"{"name":"x"}"#)).status(), 406);
    assert_eq!(client.names("/zoos?name=x"), "");
    for method in ["OPTIONS", "DELETE"] {
        let answer = client.request(method, "/zoos/3", &[("accept", "image/png")], None);
        assert!(
            answer.status() < 300,
            "`Accept` must not matter for {method}: {}",
            answer.status_line
        );
    }
}

/// Conformance 41, 63: a member that does not exist is 404 for any `Accept`. Other errors take
/// precedence over 406. 406 takes precedence over every precondition.
#[test]
fn what_is_absent_is_not_found_whatever_is_accepted() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  zoo: { fields: { name: { type: string, required: true } } }
  animal: { parent: zoo, fields: { name: string } }
  tag: { id: string, fields: { name: { type: string, required: true } } }
  leaf: { collection: leaves, parent: zoo, id: string, fields: { name: string } }
",
    );
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }]));
    client.create("/zoos/1/animals", &json!({ "name": "x" }));
    let (none, name, patch) = ("", r#"{"name":"y"}"#, r#"[{"op":"remove","path":"/name"}]"#);
    for (method, target, body, status) in [
        ("GET", "/zoos/9", none, 404),
        ("GET", "/zoos/9/animals", none, 404),
        ("GET", "/zoos/2/animals/1", none, 404),
        ("GET", "/zoos/x", none, 404),
        ("PATCH", "/zoos/9", name, 404),
        ("PATCH", "/zoos/9", patch, 404),
        ("PUT", "/zoos/9", name, 404),
        ("POST", "/zoos/9/animals", name, 404),
        ("PUT", "/zoos/9/leaves/a", name, 404),
        ("GET", "/zoos?x=1", none, 400),
        ("GET", "/zoos/1?x=1", none, 400),
        ("POST", "/zoos", "{", 400),
        ("POST", "/zoos", "{}", 422),
        ("PUT", "/zoos", name, 405),
        ("GET", "/zoos", none, 406),
        ("GET", "/zoos/1", none, 406),
        ("GET", "/zoos/1/animals", none, 406),
        ("GET", "/zoos/1/animals/1", none, 406),
        ("PATCH", "/zoos/1", name, 406),
        ("PATCH", "/zoos/1/animals/1", patch, 406),
        ("PUT", "/zoos/1", name, 406),
        ("PUT", "/tags/a", name, 406),
        ("PUT", "/zoos/1/leaves/a", name, 406),
        ("POST", "/zoos", name, 406),
        ("POST", "/zoos/1/animals", name, 406),
    ] {
        let kind = if body == patch { "application/json-patch+json" } else { JSON };
        // There is a page of what exists, but not of what a write returns.
        let has_page = method == "GET" && status == 406;
        for accept in ["text/html", "image/png"].into_iter().skip(usize::from(has_page)) {
            for condition in [("x", ""), ("if-none-match", "*"), ("if-match", "\"0-json\"")] {
                let fields = [("content-type", kind), ("accept", accept), condition];
                let refused = client.request(method, target, &fields, Some(body.as_bytes()));
                let request = format!("{method} {target} {accept} {condition:?}");
                assert_eq!(refused.status(), status, "{request}");
                if accept == "text/html" {
                    assert!(
                        refused.field("content-type").unwrap().starts_with("text/html"),
                        "{request}"
                    );
                } else if status == 404 {
                    let usual = [("content-type", kind), ("accept", JSON)];
                    let usual = client.request(method, target, &usual, Some(body.as_bytes()));
                    assert_eq!(refused.json(), usual.json(), "{request}");
                }
            }
        }
    }
    assert_eq!(client.names("/zoos"), "a b", "no refused request may be executed");
    assert_eq!(client.names("/zoos/1/animals"), "x");
    assert_eq!([client.names("/tags"), client.names("/zoos/1/leaves")], ["", ""]);
}

#[test]
fn a_page_is_a_table_or_lines() {
    let (_server, mut client) = zoos();
    let target = "/zoos?limit=2&sortby=id&fields=name,city,opened&count=true";
    let csv = accepting(&mut client, target, "text/csv");
    assert_eq!(
        text(&csv),
        "name,city,opened\r\nTierpark,Berlin,1955-07-02\r\n\"a, \"\"b\"\"\",\"\",\r\n"
    );
    assert_eq!(
        csv.field("x-total-count"),
        Some("3"),
        "a CSV page must have its total in the header"
    );
    assert!(
        csv.link("next").unwrap().contains("limit=2&after="),
        "a CSV page must have its links in the header"
    );
    let lines = accepting(&mut client, target, NDJSON);
    let expected = [
        json!({ "name": "Tierpark", "city": "Berlin", "opened": "1955-07-02" }),
        json!({ "name": "a, \"b\"", "city": "", "opened": null }),
    ];
    let lines: Vec<serde_json::Value> =
        text(&lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, expected);
    assert_eq!(client.get(target).json()["items"], json!(expected));
    let empty = accepting(&mut client, "/zoos?name=none&limit=2&fields=name", "text/csv");
    assert_eq!(text(&empty), "name\r\n");
    assert_eq!(
        text(&accepting(&mut client, "/zoos/1?fields=id,name", "text/csv")),
        "id,name\r\n1,Tierpark\r\n"
    );
}

/// Conformance 94, 103: the response to a write has the format that the client accepts, and also
/// varies by `Prefer`.
#[test]
fn what_is_written_is_shown_as_it_is_wanted() {
    let (_server, mut client) = zoos();
    let fields = [("accept", NDJSON), ("content-type", JSON)];
    let created = client.request("POST", "/zoos", &fields, Some(br#"[{"name":"x"},{"name":"y"}]"#));
    assert_eq!((created.status(), text(&created).lines().count()), (201, 2));
    let fields = [("accept", "text/csv"), ("content-type", JSON)];
    let patched = client.request("PATCH", "/zoos/1", &fields, Some(br#"{"city":"Bonn"}"#));
    assert_eq!(text(&patched).lines().count(), 2);
    assert_eq!(patched.field("vary"), Some("accept, accept-encoding, prefer"));
}

/// Conformance 94: `Vary` names each request field on which the response depends.
#[test]
fn every_answer_names_what_it_depends_on() {
    let (_server, mut client) = zoos();
    let varies = |answer: &Answer, name: &str| {
        let names = answer.field("vary").unwrap_or_default().to_ascii_lowercase();
        names.split(',').any(|entry| entry.trim() == name)
    };
    for accept in ["application/json", "text/html", "text/csv", "image/png"] {
        for target in [
            "/zoos",
            "/zoos/1",
            "/zoos/9",
            "/nowhere",
            "/zoos?x=1",
            "/-/problems",
            "/-/problems/not-found",
        ] {
            let answer = accepting(&mut client, target, accept);
            assert!(varies(&answer, "accept"), "{target} {accept}: {answer:?}");
        }
    }
    for target in ["/zoos", "/zoos/1"] {
        for accepted in ["identity", "gzip", "*;q=0"] {
            let answer = client.request("GET", target, &[("accept-encoding", accepted)], None);
            assert!(varies(&answer, "accept-encoding"), "{target} {accepted}: {answer:?}");
        }
    }
    for preferred in ["return=minimal", "return=representation", "wait=1"] {
        let answer = client.request("PATCH", "/zoos/1", &[("prefer", preferred)], Some(b"{}"));
        assert!(varies(&answer, "prefer"), "{preferred}: {answer:?}");
    }
}

/// Conformance 74: each format has its own entity tag. A write accepts the tag of any format.
#[test]
fn every_form_has_a_tag_of_its_own() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1"] {
        let mut tags = vec![];
        for (target, accept) in [
            (target.to_owned(), JSON),
            (target.to_owned(), NDJSON),
            (target.to_owned(), "text/csv"),
            (format!("{target}?fields=name"), JSON),
            (format!("{target}?fields=name,city"), JSON),
        ] {
            let answer = accepting(&mut client, &target, accept);
            let tag = answer.field("etag").unwrap().to_owned();
            assert!(!tags.contains(&tag), "{target} {accept}");
            let fields = [("accept", accept), ("if-none-match", &*tag)];
            assert_eq!(
                client.request("GET", &target, &fields, None).status(),
                304,
                "{target} {accept}"
            );
            tags.push(tag);
        }
        let other = [("accept", "text/csv"), ("if-none-match", &*tags[0])];
        assert_eq!(client.request("GET", target, &other, None).status(), 200);
    }
    let csv = accepting(&mut client, "/zoos/1", "text/csv").field("etag").unwrap().to_owned();
    assert_eq!(
        client.request("PATCH", "/zoos/1", &[("if-match", &csv)], Some(b"{}")).status(),
        200
    );
    assert_eq!(
        client.request("PATCH", "/zoos/1", &[("if-match", &csv)], Some(b"{}")).status(),
        412
    );
}

/// Conformance 103: `Prefer` decides whether the response to a write has the representation.
#[test]
fn a_write_is_answered_as_the_client_prefers() {
    let (_server, mut client) = zoos();
    let mut write = |method, target, prefer, body: &str| {
        let fields = [("content-type", JSON), ("prefer", prefer)];
        client.request(method, target, &fields, Some(body.as_bytes()))
    };
    let created = write("POST", "/zoos", "return=minimal", r#"{"name":"x"}"#);
    assert_eq!((created.status(), created.body.len()), (201, 0));
    assert_eq!(created.field("preference-applied"), Some("return=minimal"));
    assert_eq!((created.field("location"), created.field("content-type")), (Some("/zoos/4"), None));
    assert!(created.field("etag").is_some());
    let patched = write("PATCH", "/zoos/4", "return=minimal", r#"{"city":"Bonn"}"#);
    assert_eq!(
        (patched.status(), patched.field("preference-applied")),
        (204, Some("return=minimal"))
    );
    assert!(patched.field("etag").is_some() && patched.field("content-length").is_none());
    let replaced =
        write("PUT", "/zoos/4", "handling=strict, return=\"minimal\"", r#"{"name":"y"}"#);
    assert_eq!((replaced.status(), replaced.field("etag")), (204, None));
    let shown = write("PATCH", "/zoos/4", "return=representation", r#"{"city":"Bern"}"#);
    assert_eq!(
        (shown.status(), shown.field("preference-applied")),
        (200, Some("return=representation"))
    );
    assert_eq!(shown.json()["city"], "Bern");
    let usual = write("PATCH", "/zoos/4", "respond-async, wait=10, return=odd", "{}");
    assert_eq!((usual.status(), usual.field("preference-applied")), (200, None));
    assert_eq!(client.get("/zoos/4").json()["name"], "y");
}

/// Conformance 14, 103: the response to a posted array always has its members, since the client
/// learns their ids only there.
#[test]
fn an_array_is_answered_with_its_members_whatever_is_preferred() {
    let (_server, mut client) = zoos();
    for (prefer, applied, names) in [
        ("return=minimal", None, ["a", "b"]),
        ("return=minimal, wait=1", None, ["c", "d"]),
        ("return=representation", Some("return=representation"), ["e", "f"]),
    ] {
        let key = format!("\"{}\"", names[0]);
        let fields = [("content-type", JSON), ("prefer", prefer), ("idempotency-key", &*key)];
        let body = json!(names.map(|name| json!({ "name": name }))).to_string();
        let created = client.request("POST", "/zoos", &fields, Some(body.as_bytes()));
        assert_eq!(
            (created.status(), created.field("preference-applied")),
            (201, applied),
            "{prefer}"
        );
        assert_eq!(created.field("location"), None);
        let items = created.json()["items"].clone();
        assert_eq!(items.as_array().unwrap().len(), 2);
        for (item, name) in items.as_array().unwrap().iter().zip(names) {
            assert_eq!(client.get(&format!("/zoos/{}", item["id"])).json()["name"], name);
        }
        let again = client.request("POST", "/zoos", &fields, Some(body.as_bytes()));
        assert_eq!((again.status(), again.json()), (201, created.json()), "{prefer}");
    }
}

#[test]
fn fields_are_those_that_were_asked_for() {
    let (_server, mut client) = zoos();
    assert_eq!(
        client.get("/zoos/1?fields=city,name").json(),
        json!({ "name": "Tierpark", "city": "Berlin" })
    );
    let page = client.get("/zoos?fields=id&limit=2&offset=0").json();
    assert_eq!(page["items"], json!([{ "id": 1 }, { "id": 2 }]));
    assert_eq!(page["links"]["next"], "/zoos?fields=id&limit=2&offset=2");
    for (query, fault) in [
        ("fields=nmae", "fields unknown"),
        ("fields=", "fields unknown"),
        ("fields=name,name", "fields repeated"),
        ("fields=name&fields=city", "fields repeated"),
    ] {
        for target in ["/zoos", "/zoos/1"] {
            assert_eq!(
                client.get(&format!("{target}?{query}")).faults(),
                fault,
                "{target}?{query}"
            );
        }
    }
    let all = client.get("/zoos/1");
    let selected = client.get("/zoos/1?fields=updated_at,created_at,opened,city,name,id");
    assert_eq!(
        (selected.field("etag"), &selected.body),
        (all.field("etag"), &all.body),
        "`fields` with all names must give the whole member"
    );
    assert_eq!(client.patch("/zoos/1?fields=name", &json!({})).faults(), "fields unknown");
}

/// In NDJSON, a member is on one line, even if its json field contains line feeds.
#[test]
fn a_line_is_one_member_whatever_it_holds() {
    let server = TestServer::of("nouns: 1\nresources:\n  note:\n    fields: { meta: json }\n");
    let mut client = server.client();
    let body = b"{\"meta\":[\r\n{\"id\":9,\"meta\":\"a\\nb\"}\n]}";
    let fields = [("content-type", JSON)];
    assert_eq!(client.request("POST", "/notes", &fields, Some(body)).status(), 201);
    for target in ["/notes", "/notes/1", "/notes?limit=1"] {
        let answer = accepting(&mut client, target, NDJSON);
        let lines = text(&answer);
        assert_eq!(lines.lines().count(), 1, "{target}: {lines}");
        let line: serde_json::Value = serde_json::from_str(&lines).unwrap();
        assert_eq!(
            (&line["id"], &line["meta"]),
            (&json!(1), &json!([{ "id": 9, "meta": "a\nb" }]))
        );
    }
}

/// Conformance 62, 64: `If-Match` on a read compares the tag of the returned format. So a client
/// cannot join parts of two formats.
#[test]
fn a_read_with_the_tag_of_another_form_is_refused() {
    let (_server, mut client) = zoos();
    let csv = accepting(&mut client, "/zoos/1", "text/csv").field("etag").unwrap().to_owned();
    let part = [("if-match", &*csv), ("range", "bytes=0-9")];
    assert_eq!(client.request("GET", "/zoos/1", &part, None).status(), 412);
    let of_csv = [("accept", "text/csv"), ("if-match", &*csv), ("range", "bytes=0-9")];
    assert_eq!(client.request("GET", "/zoos/1", &of_csv, None).status(), 206);
    assert_eq!(
        client.request("GET", "/zoos/1?fields=name", &[("if-match", &csv)], None).status(),
        412
    );
    for method in ["OPTIONS", "TRACE"] {
        let odd = client.request(method, "/zoos/1", &[("if-match", "odd")], None).status();
        assert_ne!(odd, 400, "{method} must ignore preconditions");
    }
    assert_eq!(
        client.request("GET", "/zoos/1", &[("if-none-match", "\"\u{e9}\"")], None).status(),
        200
    );
}
