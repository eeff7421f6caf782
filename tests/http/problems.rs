//! Tests of error responses: every error is `application/problem+json` (RFC 9457), names what
//! caused it, and reveals no internals.

mod cascades;
mod conflicts;
mod urls;

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Tierpark" }, { "name": "Bergzoo" }]));
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create("/zoos/1/animals", &json!({ "name": "Bella", "animal_type_id": 1 }));
    (server, client)
}

#[test]
fn an_unknown_path_is_answered_with_the_segment_and_the_nearest_known() {
    let (_server, mut client) = zoos();
    for (target, detail) in [
        ("/zoo", "There is no collection `zoo`; did you mean `zoos`?"),
        ("/zoos2/1", "There is no collection `zoos2`; did you mean `zoos`?"),
        ("/elephants", "There is no collection `elephants`."),
        ("/Zoos", "There is no collection `Zoos`; did you mean `zoos`?"),
        ("/animals", "The collection `animals` is below a member of `zoos`."),
        ("/animals/1", "The collection `animals` is below a member of `zoos`."),
        (
            "/zoos/1/animal",
            "A member of `zoos` has no collection `animal`; did you mean `animals`?",
        ),
        ("/zoos/1/x", "A member of `zoos` has no collection `x`."),
        ("/zoos/1/animals/1/x", "A member of `animals` has no collection `x`."),
        ("/zoos/show/1", "`show` is not an id of `zoo`; an id is a positive whole number."),
        ("/zoos/9", "There is no zoo `9`."),
        ("/zoos/9/animals/1", "There is no zoo `9`."),
        ("/zoos/2/animals/1", "There is no animal `1` under zoo `2`."),
        ("/-/nothing", "Under `/-/` there are docs, health, ready, metrics and problems."),
        ("/-/problems/nothing", "There is no such kind of problem; `/-/problems` lists them."),
    ] {
        let answer = client.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found", "{target}");
        assert_eq!(
            answer.json(),
            json!({
                "type": "/-/problems/not-found", "title": "Not found", "status": 404, "detail": detail, "instance": target,
            })
        );
        assert_eq!(answer.field("content-type"), Some("application/problem+json"));
    }
}

#[test]
fn an_id_in_a_path_has_one_spelling() {
    let (_server, mut client) = zoos();
    for id in [
        "abc",
        "0",
        "-1",
        "01",
        "+1",
        "1.0",
        "1e0",
        "%201",
        "1%20",
        "9223372036854775808",
        "1'--",
        "%00",
        "1,2",
        "*",
    ] {
        for target in
            [format!("/zoos/{id}"), format!("/zoos/{id}/animals"), format!("/zoos/1/animals/{id}")]
        {
            let answer = client.get(&target);
            assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found", "{target}");
            assert_eq!(answer.problem(), "not-found");
        }
    }
    assert_eq!(client.get("/zoos/9223372036854775807").status(), 404);
    assert_eq!(
        client.get("/zoos/%31").status(),
        200,
        "a percent-encoded digit must be equal to the digit"
    );
    assert_eq!(client.get("/%7Aoos").status(), 200);
}

/// Conformance 37, 157: a path with an invalid percent-encoding is 400.
#[test]
fn a_broken_escape_in_a_path_is_a_bad_request() {
    let (_server, mut client) = zoos();
    for target in [
        "/zoos/%zz",
        "/zoos/%",
        "/zoos/%1",
        "/%",
        "/zoos/%ff",
        "/%c0%af",
        "/zoos/1/%zz",
        "/zoos/%ED%A0%80",
    ] {
        let answer = client.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{target}");
        assert_eq!(answer.problem(), "malformed-request");
    }
}

#[test]
fn dots_and_encoded_slashes_are_data() {
    let (_server, mut client) = zoos();
    for target in [
        "/zoos/../zoos",
        "/zoos/%2e%2e/zoos",
        "/zoos/1/../1",
        "/./zoos",
        "/zoos%2F1",
        "/%2Fzoos",
        "/zoos/1%2Fanimals",
    ] {
        assert_eq!(client.get(target).status_line, "HTTP/1.1 404 Not Found", "{target}");
    }
}

/// Conformance 139, 218: different causes have different problem types. The type URI of each is the
/// URL of a page about it.
#[test]
fn the_type_of_every_problem_is_a_page() {
    let (_server, mut client) = zoos();
    let all = client.get("/-/problems");
    assert_eq!(all.status_line, "HTTP/1.1 200 OK");
    let all = all.json();
    let pages = all["items"].as_array().unwrap();
    assert!(pages.len() >= 15, "{pages:?}");
    for page in pages {
        let found = client.get(page["type"].as_str().unwrap());
        assert_eq!(found.status_line, "HTTP/1.1 200 OK");
        assert_eq!(found.field("content-type"), Some("application/json"));
        assert_eq!(&found.json(), page);
        let members: Vec<_> = page.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["meaning", "status", "title", "type"]);
    }
    let slugs: Vec<_> = pages
        .iter()
        .map(|page| page["type"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    for provoked in [
        client.get("/zoos?x=1"),
        client.get("/zoos/%"),
        client.get("/nowhere"),
        client.request("PUT", "/zoos", &[], None),
        client.request("BREW", "/zoos", &[], None),
        client.request("POST", "/zoos", &[], Some(b"{")),
        client.request("POST", "/zoos", &[("content-type", "text/plain")], Some(b"x")),
        client.post("/zoos", &json!({})),
        client.post("/zoos", &json!({ "name": "Tierpark" })),
        client.post("/zoos/1/animals", &json!({ "name": "Ada", "animal_type_id": 9 })),
        client.delete("/zoos/1"),
        client.request("DELETE", "/zoos/2", &[("if-match", "\"0-json\"")], None),
        client.get(&format!("/{}", "x".repeat(20_000))),
    ] {
        let slug = provoked.problem();
        assert!(slugs.contains(&&*slug), "the problem type {slug} must be on the list");
        let json = provoked.json();
        let page = client.get(json["type"].as_str().unwrap()).json();
        assert_eq!((&json["title"], &json["status"]), (&page["title"], &page["status"]));
    }
}

#[test]
fn nothing_of_the_inside_is_told() {
    let (server, mut client) = zoos();
    let path = server.database.file.display().to_string();
    let answers = [
        client.get("/zoos?sortby=id);--"),
        client.get("/zoos?name[eq]='%22%5C&%27=1"),
        client.get("/zoos/1/animals/9"),
        client.post("/zoos", &json!({ "name": "Tierpark" })),
        client.post("/zoos/1/animals", &json!({ "name": "Ada", "animal_type_id": 9 })),
        client.post("/zoos", &json!({ "name": "x".repeat(200) })),
        client.delete("/zoos/1"),
        client.delete("/animal_types/1"),
        client.request("POST", "/zoos", &[], Some(b"\xff")),
    ];
    for answer in answers {
        assert!((400..500).contains(&answer.status()), "{answer:?}");
        let text = String::from_utf8(answer.body).unwrap();
        for inside in [
            "SELECT",
            "INSERT",
            "UNIQUE",
            "FOREIGN KEY",
            "constraint failed",
            "sqlite",
            "SQL",
            ".rs",
            "_nouns",
            &path,
        ] {
            assert!(!text.contains(inside), "{inside}: {text}");
        }
    }
}

#[test]
fn a_database_that_fails_is_a_500_that_says_nothing_and_passes() {
    let (server, mut client) = zoos();
    server.elsewhere("ALTER TABLE zoos RENAME TO elsewhere");
    let answer = client.get("/zoos");
    assert_eq!(answer.status_line, "HTTP/1.1 500 Internal Server Error");
    assert_eq!(
        answer.json(),
        json!({
            "type": "/-/problems/internal", "title": "Internal error", "status": 500,
            "detail": "The failure is in the server's log.", "instance": "/zoos",
        })
    );
    server.elsewhere("ALTER TABLE elsewhere RENAME TO zoos");
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

#[test]
fn health_and_ready_say_so() {
    let (_server, mut client) = zoos();
    for target in ["/-/health", "/-/ready"] {
        let answer = client.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
        assert_eq!(answer.field("content-type"), Some("application/json"));
        assert_eq!(answer.json(), json!({ "status": "ok" }));
    }
}

/// Conformance 197, 217: the entry point links to every collection.
#[test]
fn home_says_what_there_is() {
    let (_server, mut client) = zoos();
    let answer = client.get("/");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("server"), Some("nouns"));
    let entry = |name: &str, collection: &str, description: &str| -> Value {
        json!({ "name": name, "collection": collection, "description": description })
    };
    assert_eq!(
        answer.json(),
        json!({
            "title": "City zoos",
            "version": "1.0.0",
            "description": "The zoos of our city and the animals that live in them.",
            "resources": [
                entry("zoo", "/zoos", "A park in which animals live."),
                entry("animal_type", "/animal_types", "A kind of animal."),
                entry("animal", "/zoos/{zoo_id}/animals", "An animal that lives in a zoo."),
                entry("admin", "/admin", "Somebody who may change all this."),
            ],
            "problems": "/-/problems",
            "openapi": "/openapi.json",
        })
    );
}
