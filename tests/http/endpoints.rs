//! Tests of each endpoint of the example zoo: zoos, the animals of a zoo, and administrators.

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// Starts a server with two zoos, an animal type, and an animal in each zoo.
fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client
        .create("/zoos", &json!([{ "name": "Tierpark", "city": "Berlin" }, { "name": "Bergzoo" }]));
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create(
        "/zoos/1/animals",
        &json!({ "name": "Bella", "animal_type_id": 1, "weight_kg": 2750 }),
    );
    client.create("/zoos/2/animals", &json!({ "name": "Ada", "animal_type_id": 1 }));
    (server, client)
}

#[test]
fn get_zoos_lists_all_zoos() {
    let (_server, mut client) = zoos();
    let answer = client.get("/zoos");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(
        answer.field("link"),
        Some("</zoos?limit=20>; rel=\"first\", </zoos>; rel=\"self\"")
    );
    assert_eq!(
        answer.still(),
        json!({
            "items": [
                { "id": 1, "name": "Tierpark", "city": "Berlin", "opened": null, "created_at": "T", "updated_at": "T" },
                { "id": 2, "name": "Bergzoo", "city": null, "opened": null, "created_at": "T", "updated_at": "T" },
            ],
            "links": { "self": "/zoos" },
            "limit": 20,
        })
    );
}

/// Conformance 14: 201 has the URL of the new member in `Location`, and the content that GET
/// returns.
#[test]
fn post_zoos_creates_a_zoo() {
    let (_server, mut client) = zoos();
    let answer = client
        .post("/zoos", &json!({ "name": "Aquarium", "city": "Genoa", "opened": "1992-05-15" }));
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    assert_eq!(answer.field("location"), Some("/zoos/3"));
    assert_eq!(answer.field("content-type"), Some("application/json"));
    let zoo = json!({
        "id": 3, "name": "Aquarium", "city": "Genoa", "opened": "1992-05-15", "created_at": "T", "updated_at": "T",
    });
    assert_eq!(answer.still(), zoo);
    let found = client.get("/zoos/3");
    assert_eq!(found.body, answer.body);
    assert_eq!(found.field("etag"), answer.field("etag"));
}

#[test]
fn get_of_a_member_gives_one_zoo() {
    let (_server, mut client) = zoos();
    let answer = client.get("/zoos/2");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("content-type"), Some("application/json"));
    let zoo = json!({
        "id": 2, "name": "Bergzoo", "city": null, "opened": null, "created_at": "T", "updated_at": "T",
    });
    assert_eq!(answer.still(), zoo);
    let text = String::from_utf8(answer.body).unwrap();
    assert!(
        text.starts_with(r#"{"id":2,"name":"Bergzoo","city":null,"opened":null,"created_at":""#),
        "{text}"
    );

    let absent = client.get("/zoos/3");
    assert_eq!(absent.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(
        absent.json(),
        json!({
            "type": "/-/problems/not-found", "title": "Not found", "status": 404,
            "detail": "There is no zoo `3`.", "instance": "/zoos/3",
        })
    );
}

/// Conformance 15, 19: PUT replaces all fields: an omitted field becomes null.
#[test]
fn put_supplies_all_the_information_of_a_zoo() {
    let (_server, mut client) = zoos();
    let answer = client.put("/zoos/1", &json!({ "name": "Tierpark am See" }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    let zoo = json!({
        "id": 1, "name": "Tierpark am See", "city": null, "opened": null, "created_at": "T", "updated_at": "T",
    });
    assert_eq!(answer.still(), zoo, "PUT must set omitted fields to null");
    assert_eq!(client.get("/zoos/1").still(), zoo);
    assert_eq!(
        client.put("/zoos/9", &json!({ "name": "Nowhere" })).status_line,
        "HTTP/1.1 404 Not Found"
    );
}

#[test]
fn patch_supplies_a_part_of_the_information_of_a_zoo() {
    let (_server, mut client) = zoos();
    let answer = client.patch("/zoos/1", &json!({ "opened": "1955-07-02" }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    let zoo = json!({
        "id": 1, "name": "Tierpark", "city": "Berlin", "opened": "1955-07-02", "created_at": "T", "updated_at": "T",
    });
    assert_eq!(answer.still(), zoo, "PATCH must keep omitted fields");
    assert_eq!(client.get("/zoos/1").still(), zoo);
    assert_eq!(
        client.patch("/zoos/9", &json!({ "city": "Rome" })).status_line,
        "HTTP/1.1 404 Not Found"
    );
}

/// Conformance 25, 31, 44: DELETE is 204 without content. Then the member is 404, as if it had
/// never existed, and never 410.
#[test]
fn delete_of_a_member_deletes_one_zoo() {
    let (_server, mut client) = zoos();
    assert_eq!(client.delete("/zoos/2/animals/2").status(), 204);
    let answer = client.delete("/zoos/2");
    assert_eq!(answer.status_line, "HTTP/1.1 204 No Content");
    assert_eq!(answer.field("content-length"), None);
    assert_eq!(answer.field("content-type"), None);
    assert_eq!(client.get("/zoos/2").status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(client.delete("/zoos/2").status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(client.names("/zoos"), "Tierpark");
    let next = client.create("/zoos", &json!({ "name": "Bergzoo" }));
    assert_eq!(
        next.field("location"),
        Some("/zoos/3"),
        "the id of a deleted member must not be assigned again"
    );
}

#[test]
fn get_of_animals_lists_all_animals_of_one_zoo() {
    let (_server, mut client) = zoos();
    let answer = client.get("/zoos/1/animals");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(
        answer.still(),
        json!({
            "items": [{
                "id": 1, "zoo_id": 1, "name": "Bella", "animal_type_id": 1, "weight_kg": 2750.0, "born": null,
                "created_at": "T", "updated_at": "T",
            }],
            "links": { "self": "/zoos/1/animals" },
            "limit": 20,
        })
    );
    assert_eq!(client.names("/zoos/2/animals"), "Ada");
    let absent = client.get("/zoos/9/animals");
    assert_eq!(absent.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(absent.detail(), "There is no zoo `9`.");
}

#[test]
fn delete_of_an_animal_deletes_one_animal_of_one_zoo() {
    let (_server, mut client) = zoos();
    let elsewhere = client.delete("/zoos/2/animals/1");
    assert_eq!(elsewhere.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(elsewhere.detail(), "There is no animal `1` under zoo `2`.");
    assert_eq!(client.names("/zoos/1/animals"), "Bella");
    assert_eq!(client.delete("/zoos/1/animals/1").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/zoos/1/animals"), "");
    assert_eq!(client.delete("/zoos/1/animals/1").status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(client.names("/zoos/2/animals"), "Ada");
}

/// Conformance 27: an animal of another zoo is 404 for every method.
#[test]
fn every_method_looks_at_the_parent_in_the_path() {
    let (_server, mut client) = zoos();
    let body = json!({ "name": "Bella", "animal_type_id": 1 });
    for target in ["/zoos/2/animals/1", "/zoos/9/animals/1"] {
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
            let content = body.to_string();
            let content = ["PUT", "PATCH"].contains(&method).then_some(content.as_bytes());
            let answer = client.request(method, target, &[], content);
            assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found", "{method} {target}");
        }
    }
    assert_eq!(client.post("/zoos/9/animals", &body).detail(), "There is no zoo `9`.");
    assert_eq!(client.names("/zoos/1/animals"), "Bella");
}

#[test]
fn get_admin_lists_administrators() {
    let (_server, mut client) = zoos();
    client.create("/admin", &json!([{ "name": "ada" }, { "name": "kim" }]));
    let answer = client.get("/admin?sortby=name&order=desc");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(
        answer.still(),
        json!({
            "items": [
                { "id": 2, "name": "kim", "created_at": "T", "updated_at": "T" },
                { "id": 1, "name": "ada", "created_at": "T", "updated_at": "T" },
            ],
            "links": { "self": "/admin?sortby=name&order=desc" },
            "limit": 20,
        })
    );
}

#[test]
fn post_admin_adds_an_administrator() {
    let (_server, mut client) = zoos();
    let answer = client.post("/admin", &json!({ "name": "ada" }));
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    assert_eq!(answer.field("location"), Some("/admin/1"));
    let ada = json!({ "id": 1, "name": "ada", "created_at": "T", "updated_at": "T" });
    assert_eq!(answer.still(), ada);
    assert_eq!(client.get("/admin/1").still(), ada);
}

#[test]
fn delete_admin_deletes_the_administrator_that_the_query_identifies() {
    let (_server, mut client) = zoos();
    client.create(
        "/admin",
        &json!([{ "name": "ada" }, { "name": "bob" }, { "name": "kim" }, { "name": "lee" }]),
    );
    assert_eq!(client.delete("/admin?id=3").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/admin"), "ada bob lee");
    assert_eq!(client.delete("/admin?name[in]=bob,lee").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/admin"), "ada");

    let all = client.delete("/admin");
    assert_eq!(all.status_line, "HTTP/1.1 400 Bad Request");
    assert_eq!(all.problem(), "invalid-parameter");
    assert_eq!(client.delete("/admin?limit=1").faults(), "limit unknown");
    assert_eq!(
        client.names("/admin"),
        "ada",
        "DELETE without a filter must delete no administrator"
    );
}

#[test]
fn delete_admin_deletes_the_administrator_that_the_path_identifies() {
    let (_server, mut client) = zoos();
    client.create("/admin", &json!([{ "name": "ada" }, { "name": "bob" }, { "name": "kim" }]));
    assert_eq!(client.delete("/admin/3").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/admin"), "ada bob");
}

#[test]
fn what_was_not_declared_for_administrators_is_not_allowed() {
    let (_server, mut client) = zoos();
    client.create("/admin", &json!({ "name": "ada" }));
    for method in ["PATCH", "PUT"] {
        let answer = client.request(method, "/admin/1", &[], Some(b"{}"));
        assert_eq!(answer.status_line, "HTTP/1.1 405 Method Not Allowed");
        assert_eq!(answer.allow(), ["DELETE", "GET", "HEAD", "OPTIONS"]);
        assert_eq!(answer.problem(), "method-not-allowed");
    }
}
