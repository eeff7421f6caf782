//! Tests of the URLs of an API: base path, public URL, and names in camel case.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn at(api: &str) -> (TestServer, Client) {
    let resources = "
resources:
  zoo:
    fields:
      name:      { type: string, required: true }
      opened_on: date
  animal:
    parent: zoo
    fields:
      name:           { type: string, required: true }
      weight_kg:      { type: number, minimum: 0 }
      best_friend_id: { references: { resource: animal, as: best_friend } }
    sort: [-weight_kg]
    unique: [[zoo_id, weight_kg]]
";
    let server = TestServer::of(&format!(
        "nouns: 1\napi: {{ title: Zoos, version: 1.0.0, {api} }}{resources}"
    ));
    let client = server.client();
    (server, client)
}

#[test]
fn everything_stands_below_the_base_path() {
    let (_server, mut client) = at("base_path: /api/v1");
    let created = client.create("/api/v1/zoos", &json!({ "name": "a" }));
    assert_eq!(created.field("location"), Some("/api/v1/zoos/1"));
    client.create(
        "/api/v1/zoos/1/animals",
        &json!([{ "name": "x" }, { "name": "y" }, { "name": "z" }]),
    );
    let page = client.get("/api/v1/zoos/1/animals?limit=1&offset=1&sortby=id");
    let path = "/api/v1/zoos/1/animals";
    assert_eq!(
        page.json()["links"],
        json!({
            "self": format!("{path}?limit=1&offset=1&sortby=id"),
            "prev": format!("{path}?sortby=id&limit=1&offset=0"),
            "next": format!("{path}?sortby=id&limit=1&offset=2"),
        })
    );
    assert_eq!(client.names(&page.link("next").unwrap()), "z");
    let moved = client.get("/api/v1/zoos/?limit=1");
    assert_eq!((moved.status(), moved.field("location")), (301, Some("/api/v1/zoos?limit=1")));
    let problem = client.get("/api/v1/zoos/9").json();
    assert_eq!(
        (&problem["type"], &problem["instance"]),
        (&json!("/api/v1/-/problems/not-found"), &json!("/api/v1/zoos/9"))
    );
    assert_eq!(client.get(problem["type"].as_str().unwrap()).status(), 200);
    for target in ["/api/v1", "/api/v1/"] {
        let home = client.get(target);
        assert_eq!(home.status_line, "HTTP/1.1 200 OK", "{target}");
        assert_eq!(home.json()["resources"][1]["collection"], "/api/v1/zoos/{zoo_id}/animals");
        assert_eq!(home.json()["problems"], "/api/v1/-/problems");
    }
    assert_eq!(client.get("/api/v1/-/health").status(), 200);
    assert_eq!(client.request("OPTIONS", "*", &[], None).status(), 200);
}

#[test]
fn nothing_stands_beside_the_base_path() {
    let (_server, mut client) = at("base_path: /api/v1");
    for target in ["/", "/zoos", "/api", "/api/v2/zoos", "/api/v1zoos", "/-/health", "/API/v1/zoos"]
    {
        let answer = client.get(target);
        assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found", "{target}");
        assert_eq!(answer.detail(), "This interface is at `/api/v1/`.");
    }
}

#[test]
fn a_public_url_stands_in_locations_and_its_path_in_links() {
    let (_server, mut client) = at("public_url: 'https://zoo.example/city/'");
    let created = client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }]));
    assert_eq!(created.field("location"), None);
    let created = client.create("/zoos", &json!({ "name": "c" }));
    assert_eq!(created.field("location"), Some("https://zoo.example/city/zoos/3"));
    let page = client.get("/zoos?limit=1&offset=0");
    assert_eq!(
        page.json()["links"],
        json!({ "self": "/city/zoos?limit=1&offset=0", "next": "/city/zoos?limit=1&offset=1" })
    );
    assert_eq!(page.link("first").unwrap(), "/city/zoos?limit=1&offset=0");
    assert_eq!(client.get("/zoos/").field("location"), Some("https://zoo.example/city/zoos"));
    assert_eq!(client.get("/zoos/9").json()["type"], "/city/-/problems/not-found");
}

/// Conformance 213: no link depends on the `Host` of a request.
#[test]
fn the_host_of_a_request_changes_no_link() {
    let (_server, mut client) = at("base_path: /api");
    for host in ["evil.localhost", "zoo.localhost:81"] {
        let head = format!(
            "POST /api/zoos HTTP/1.1\r\nhost: {host}\r\ncontent-length: 12\r\n\r\n{{\"name\":\"a\"}}"
        );
        let answer = client.raw(head.as_bytes(), false);
        let id = answer.json()["id"].as_i64().unwrap();
        assert_eq!(answer.field("location"), Some(&*format!("/api/zoos/{id}")));
    }
    let absolute = client.get("http://evil.localhost/api/zoos?limit=1");
    assert_eq!(
        (absolute.status(), absolute.link("self").unwrap().as_str()),
        (200, "/api/zoos?limit=1")
    );
}

#[test]
fn camel_case_is_for_names_on_the_wire_alone() {
    let (_server, mut client) = at("case: camel");
    client.create("/zoos", &json!({ "name": "a", "openedOn": "2026-11-20" }));
    let answer = client.create(
        "/zoos/1/animals",
        &json!({ "name": "Bella", "weightKg": 2.5, "bestFriendId": null }),
    );
    assert_eq!(
        answer.still(),
        json!({
            "id": 1, "zooId": 1, "name": "Bella", "weightKg": 2.5, "bestFriendId": null, "createdAt": "T", "updatedAt": "T",
        })
    );
    assert_eq!(
        client.names("/zoos/1/animals?weightKg[gte]=2&sortby=-weightKg,createdAt&zooId=1"),
        "Bella"
    );
    assert_eq!(
        client.get("/zoos/1/animals?weight_kg=2.5").json()["errors"][0]["hint"],
        "Did you mean `weightKg`?"
    );
    assert_eq!(client.get("/zoos/1/animals?sortby=weight_kg").faults(), "sortby unknown");
    assert_eq!(
        client.names("/zoos/1/animals?per_page=1"),
        "Bella",
        "`case: camel` must not change the names of parameters"
    );
    let wrong = client.post(
        "/zoos/1/animals",
        &json!({ "name": "Ada", "weight_kg": 1, "weightKg": -1, "createdAt": "x" }),
    );
    assert_eq!(wrong.status(), 422);
    assert!(
        wrong.faults().contains("/weight_kg unknown")
            && wrong.faults().contains("/weightKg minimum")
    );
    let taken = client.post("/zoos/1/animals", &json!({ "name": "Ada", "weightKg": 2.5 }));
    assert_eq!((taken.status(), taken.faults().as_str()), (409, "/zooId unique, /weightKg unique"));
    let dangling = client.post("/zoos/1/animals", &json!({ "name": "Ada", "bestFriendId": 9 }));
    assert_eq!((dangling.status(), dangling.faults().as_str()), (409, "/bestFriendId reference"));
    let changed =
        client.patch("/zoos/1/animals/1", &json!({ "createdAt": "2020-01-01T00:00:00Z" }));
    assert_eq!(changed.faults(), "/createdAt read_only");
    let options = client.request("OPTIONS", "/zoos/1/animals", &[], None).json();
    assert_eq!(
        (&options["fields"][3]["name"], &options["sort"]),
        (&json!("weightKg"), &json!("-weightKg,-id"))
    );
}

/// Conformance 139, 143: `instance` is a URI reference, so characters that a URI may not have are
/// encoded.
#[test]
fn an_instance_is_a_uri_reference() {
    let (_server, mut client) = at("base_path: /api");
    for (target, instance) in [
        ("/api/zo\u{f6}s/\u{1f418}", "/api/zo%C3%B6s/%F0%9F%90%98"),
        ("/api/zoos/{7}|\"x\"^", "/api/zoos/%7B7%7D%7C%22x%22%5E"),
        ("/api/zoos/%zz", "/api/zoos/%25zz"),
        ("/api/zoos/a%20b%2Fc", "/api/zoos/a%20b%2Fc"),
        ("//evil.localhost/zoos", "/.//evil.localhost/zoos"),
        ("/api/zoos/x?name=\u{f6}", "/api/zoos/x"),
    ] {
        let answer = client.get(target);
        assert!([400, 404].contains(&answer.status()), "{answer:?}");
        assert_eq!(answer.json()["instance"], instance, "{target}");
        let page = client.request("GET", target, &[("accept", "text/html")], None);
        let html = String::from_utf8(page.body).unwrap();
        let shown = instance.replace('&', "&amp;");
        assert!(html.contains(&format!("<dt>URL</dt><dd><code>{shown}</code>")), "{html}");
    }
}
