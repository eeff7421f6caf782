//! Tests of ids that clients choose, and of ids that the server assigns.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn countries() -> (TestServer, Client) {
    let server = TestServer::of(
        "
nouns: 1
resources:
  country:
    id: string
    fields:
      name: { type: string, required: true, unique: true }
      code: { type: string, create_only: true }
  city:
    parent: country
    fields:
      name: { type: string, required: true }
  sponsor:
    id: uuid
    fields:
      name:       { type: string, required: true }
      country_id: { references: country }
",
    );
    let client = server.client();
    (server, client)
}

#[test]
fn a_client_assigns_a_text_in_post() {
    let (_server, mut client) = countries();
    let answer = client.post("/countries", &json!({ "id": "de", "name": "Germany" }));
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    assert_eq!(answer.field("location"), Some("/countries/de"));
    let germany = json!({ "id": "de", "name": "Germany", "code": null, "created_at": "T", "updated_at": "T" });
    assert_eq!(answer.still(), germany);
    assert_eq!(client.get("/countries/de").still(), germany);

    let missing = client.post("/countries", &json!({ "name": "France" }));
    assert_eq!((missing.status(), missing.faults().as_str()), (422, "/id required"));
    let taken = client.post("/countries", &json!({ "id": "de", "name": "France" }));
    assert_eq!(taken.status_line, "HTTP/1.1 409 Conflict");
    assert_eq!(
        (taken.problem().as_str(), taken.faults().as_str()),
        ("already-exists", "/id unique")
    );
    assert_eq!(
        client.post("/countries", &json!({ "id": "DE", "name": "Other" })).status(),
        201,
        "ids must be case-sensitive"
    );
}

/// Conformance 16: if clients choose the ids, PUT to a member that does not exist is 201.
#[test]
fn put_creates_and_then_replaces() {
    let (_server, mut client) = countries();
    let created = client.put("/countries/fr", &json!({ "name": "France", "code": "33" }));
    assert_eq!(created.status_line, "HTTP/1.1 201 Created");
    assert_eq!(created.field("location"), Some("/countries/fr"));
    assert_eq!(created.field("etag"), None, "the response to a PUT must have no `ETag`");
    let france =
        json!({ "id": "fr", "name": "France", "code": "33", "created_at": "T", "updated_at": "T" });
    assert_eq!(created.still(), france);

    let replaced = client.put("/countries/fr", &json!({ "id": "fr", "name": "Gaul" }));
    assert_eq!(replaced.status_line, "HTTP/1.1 200 OK");
    assert_eq!((replaced.field("location"), replaced.field("etag")), (None, None));
    assert_eq!(
        (replaced.json()["name"].as_str(), replaced.json()["code"].as_str()),
        (Some("Gaul"), Some("33"))
    );
    assert_eq!(client.names("/countries"), "Gaul");

    let other = client.put("/countries/fr", &json!({ "id": "de", "name": "Gaul" }));
    assert_eq!((other.status(), other.faults().as_str()), (422, "/id read_only"));
    assert_eq!(other.detail(), "`id` must be fr, as in the URL.");
    let incomplete = client.put("/countries/it", &json!({}));
    assert_eq!((incomplete.status(), incomplete.faults().as_str()), (422, "/name required"));
    let taken = client.put("/countries/it", &json!({ "name": "Gaul" }));
    assert_eq!((taken.status(), taken.faults().as_str()), (409, "/name unique"));
    assert_eq!(
        client.patch("/countries/it", &json!({ "name": "Italy" })).status(),
        404,
        "PATCH must not create a member"
    );
}

#[test]
fn put_creates_with_what_only_creation_may_set() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  shelf:
    collection: shelves
    id: string
    fields: { name: string }
  book:
    parent: shelf
    id: string
    fields:
      name: { type: string, required: true }
      isbn: { type: string, create_only: true, pattern: '^[0-9]+$' }
      seen: { type: integer, read_only: true, default: 3 }
",
    );
    let mut client = server.client();
    client.create("/shelves", &json!({ "id": "a" }));
    let book = json!({ "id": "x", "shelf_id": "a", "name": "Zoology", "isbn": "42", "seen": 3 });
    let created = client.put("/shelves/a/books/x", &book);
    assert_eq!(created.status_line, "HTTP/1.1 201 Created");
    let mut shown = book.clone();
    shown["created_at"] = "T".into();
    shown["updated_at"] = "T".into();
    assert_eq!(created.still(), shown);
    assert_eq!(client.put("/shelves/a/books/x", &created.json()).status_line, "HTTP/1.1 200 OK");

    for (change, faults) in [
        (json!({ "isbn": "x" }), "/isbn pattern"),
        (json!({ "seen": 4 }), "/seen read_only"),
        (json!({ "created_at": "2026-11-20T00:00:00Z" }), "/created_at read_only"),
        (json!({ "id": "x" }), "/id read_only"),
        (json!({ "shelf_id": "b" }), "/shelf_id read_only"),
    ] {
        let mut body = json!({ "name": "Botany" });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = client.put("/shelves/a/books/y", &body);
        assert_eq!((answer.status(), answer.faults().as_str()), (422, faults));
    }
    let nowhere = client.put("/shelves/b/books/y", &json!({ "name": "Botany" }));
    assert_eq!((nowhere.status(), nowhere.detail().as_str()), (404, "There is no shelf `b`."));
    assert_eq!(client.names("/shelves/a/books"), "Zoology");
}

#[test]
fn an_id_of_text_is_bounded() {
    let (_server, mut client) = countries();
    let longest = "ä".repeat(128);
    assert_eq!(
        client.create("/countries", &json!({ "id": longest, "name": "Long" })).json()["id"],
        *longest
    );
    for id in [
        String::new(),
        "ä".repeat(129),
        "a\nb".into(),
        "\u{7f}".into(),
        "\u{85}".into(),
        "..".into(),
    ] {
        let answer = client.post("/countries", &json!({ "id": id, "name": "Odd" }));
        assert_eq!((answer.status(), answer.faults().as_str()), (422, "/id format"), "{id:?}");
        let detail = "`id` must be a text of 1 to 128 characters without control characters, and not `.` or `..`.";
        assert_eq!(answer.detail(), detail);
    }
    for id in [json!(5), json!(null), json!(["a"])] {
        assert_eq!(
            client.post("/countries", &json!({ "id": id, "name": "Odd" })).status(),
            422,
            "{id}"
        );
    }
    for path in [&"x".repeat(129), "%0a", "%00", "%7f", "a%C2%85", ".", "%2e%2e"] {
        assert_eq!(
            client.get(&format!("/countries/{path}")).status_line,
            "HTTP/1.1 404 Not Found",
            "{path}"
        );
        assert_eq!(
            client.put(&format!("/countries/{path}"), &json!({ "name": "x" })).status(),
            404,
            "{path}"
        );
    }
}

#[test]
fn an_id_of_text_is_encoded_in_urls_and_leads_back() {
    let (_server, mut client) = countries();
    for (id, path) in
        [("a/b", "a%2Fb"), ("a b", "a%20b"), ("ü?", "%C3%BC%3F"), ("%", "%25"), ("0", "0")]
    {
        let target = format!("/countries/{path}");
        let created = client.put(&target, &json!({ "name": id }));
        assert_eq!((created.status(), created.field("location")), (201, Some(&*target)));
        assert_eq!(client.get(&target).json()["id"], id);
        let city = client.create(&format!("{target}/cities"), &json!({ "name": "Town" }));
        assert_eq!(city.json()["country_id"], id);
        let location = city.field("location").unwrap();
        assert!(location.starts_with(&format!("{target}/cities/")), "{location}");
        assert_eq!(client.get(location).status(), 200);
    }
}

#[test]
fn a_uuid_is_made_by_the_server() {
    let (_server, mut client) = countries();
    let first = client.create("/sponsors", &json!({ "name": "a" }));
    let second = client.create("/sponsors", &json!({ "name": "b" }));
    let (id, next) = (
        first.json()["id"].as_str().unwrap().to_owned(),
        second.json()["id"].as_str().unwrap().to_owned(),
    );
    assert_eq!((id.len(), &id[14..15], id.to_lowercase()), (36, "7", id.clone()));
    assert_ne!(id, next);
    assert_eq!(first.field("location").unwrap(), format!("/sponsors/{id}"));
    assert_eq!(client.get(&format!("/sponsors/{id}")).body, first.body);
    assert_eq!(client.names(&format!("/sponsors?id={id}")), "a");

    let refused = client.post("/sponsors", &json!({ "name": "c", "id": id }));
    assert_eq!((refused.status(), refused.faults().as_str()), (422, "/id read_only"));
    let put = client.put("/sponsors/01890a5d-ac96-774b-bcce-b302099a8057", &json!({ "name": "c" }));
    assert_eq!(
        put.status_line, "HTTP/1.1 404 Not Found",
        "PUT must not create where the server assigns ids"
    );
    let upper = client.get(&format!("/sponsors/{}", id.to_uppercase()));
    assert_eq!(upper.body, first.body, "the digits of a UUID have no case");
    let changed = client.patch(&format!("/sponsors/{}", next.to_uppercase()), &json!({}));
    assert_eq!((changed.status(), changed.json()["id"].as_str()), (200, Some(&*next)));
    assert_eq!(client.get("/sponsors/7").status(), 404);
    assert_eq!(client.delete(&format!("/sponsors/{id}")).status(), 204);
}

#[test]
fn a_reference_has_the_kind_of_the_id_it_holds() {
    let (_server, mut client) = countries();
    client.create("/countries", &json!({ "id": "de", "name": "Germany" }));
    assert_eq!(
        client.create("/sponsors", &json!({ "name": "a", "country_id": "de" })).json()["country_id"],
        "de"
    );
    assert_eq!(
        client.post("/sponsors", &json!({ "name": "b", "country_id": 1 })).faults(),
        "/country_id type"
    );
    let dangling = client.post("/sponsors", &json!({ "name": "b", "country_id": "xx" }));
    assert_eq!((dangling.status(), dangling.faults().as_str()), (409, "/country_id reference"));
    assert_eq!(client.names("/sponsors?country_id=de"), "a");
}

#[test]
fn an_integer_is_made_by_the_database_and_never_again() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }]));
    for id in [json!(3), json!(1), json!("3"), json!(null)] {
        let answer = client.post("/zoos", &json!({ "name": "c", "id": id }));
        assert_eq!(answer.status(), 422, "{id}");
    }
    assert_eq!(client.post("/zoos", &json!({ "name": "a" })).status(), 409);
    client.delete("/zoos/2");
    let third = client.create("/zoos", &json!({ "name": "c" }));
    assert!(third.json()["id"].as_i64().unwrap() > 2, "{third:?}");
}
