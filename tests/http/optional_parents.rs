//! Tests of members that may have no parent: `parent: { …, required: false }`.

use serde_json::{Value as Json, json};

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo:
    fields:
      name: { type: string, required: true }
  animal:
    parent: { resource: zoo, required: false, movable: true, on_delete: set_null }
    routes: both
    fields:
      name: { type: string, required: true }
    unique: [[zoo_id, name]]
    sort: [zoo_id, name]
  visit:
    parent: { resource: animal, movable: true }
    routes: nested
    fields:
      name: { type: string, required: true }
  ticket:
    parent: { resource: zoo, required: false }
    routes: flat
    fields:
      name: { type: string, required: true }
";

/// Starts a server with zoos 1 and 2, and the animal Bella in zoo 1.
fn zoos() -> (TestServer, Client) {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Berlin" }, { "name": "Leipzig" }]));
    client.create("/zoos/1/animals", &json!({ "name": "Bella" }));
    (server, client)
}

#[test]
fn a_member_without_a_parent_is_made_and_found_at_the_flat_url() {
    let (_server, mut client) = zoos();
    for body in [json!({ "name": "Stray" }), json!({ "name": "Stray", "zoo_id": null })] {
        let created = client.create("/animals", &body);
        let id = created.json()["id"].as_i64().unwrap();
        assert_eq!(created.json()["zoo_id"], Json::Null, "{body}");
        assert_eq!(created.field("location"), Some(&*format!("/animals/{id}")));
        assert_eq!(client.get(&format!("/animals/{id}")).body, created.body);
        for zoo in [1, 2] {
            assert_eq!(client.get(&format!("/zoos/{zoo}/animals/{id}")).status(), 404);
        }
    }
    assert_eq!(
        client.names("/animals"),
        "Bella Stray Stray",
        "two strays may have one name, and null must sort last"
    );
    assert_eq!(client.names("/animals?zoo_id[null]=true"), "Stray Stray");
    assert_eq!(client.names("/animals?sortby=-zoo_id,name"), "Bella Stray Stray");
    assert_eq!(client.names("/zoos/1/animals"), "Bella");
    let inside = client.create("/animals", &json!({ "name": "Cora", "zoo_id": 2 }));
    assert_eq!(
        (inside.json()["zoo_id"].as_i64(), client.names("/zoos/2/animals")),
        (Some(2), "Cora".into())
    );
    assert_eq!(
        client.post("/animals", &json!({ "name": "x", "zoo_id": 9 })).faults(),
        "/zoo_id reference"
    );
}

#[test]
fn below_a_member_the_nested_url_needs_a_parent_and_null_is_refused() {
    let (_server, mut client) = zoos();
    let refused = client.post("/zoos/1/animals", &json!({ "name": "x", "zoo_id": null }));
    assert_eq!((refused.status(), refused.faults().as_str()), (422, "/zoo_id read_only"));
    assert_eq!(client.create("/zoos/1/animals", &json!({ "name": "x" })).json()["zoo_id"], 1);
}

#[test]
fn a_parent_is_given_and_taken_where_it_is_movable() {
    let (_server, mut client) = zoos();
    let out = client.patch("/zoos/1/animals/1", &json!({ "zoo_id": null }));
    assert_eq!((out.status(), out.field("content-location")), (200, Some("/animals/1")));
    assert_eq!(
        (&out.json()["zoo_id"], client.get("/zoos/1/animals/1").status()),
        (&Json::Null, 404)
    );
    let kept = client.put("/animals/1", &json!({ "name": "Bella" }));
    assert_eq!((kept.status(), &kept.json()["zoo_id"]), (200, &Json::Null));
    let inside = client.patch("/animals/1", &json!({ "zoo_id": 2 }));
    assert_eq!((inside.status(), inside.field("content-location")), (200, Some("/animals/1")));
    assert_eq!(client.get("/zoos/2/animals/1").status(), 200);
    let kept = client.put("/animals/1", &json!({ "name": "Bella" }));
    assert_eq!(kept.json()["zoo_id"], 2, "a PUT without `zoo_id` must keep the parent");
    let fields = [("content-type", "application/json-patch+json")];
    let patch = br#"[{"op":"replace","path":"/zoo_id","value":null}]"#;
    let out = client.request("PATCH", "/zoos/2/animals/1", &fields, Some(patch));
    assert_eq!((out.status(), out.field("content-location")), (200, Some("/animals/1")));
}

#[test]
fn without_movable_it_stays_without_a_parent() {
    let (_server, mut client) = zoos();
    let ticket = client.create("/tickets", &json!({ "name": "a" })).json();
    let target = format!("/tickets/{}", ticket["id"]);
    let refused = client.patch(&target, &json!({ "zoo_id": 1 }));
    assert_eq!((refused.status(), refused.faults().as_str()), (422, "/zoo_id read_only"));
    assert!(refused.json()["errors"][0]["hint"].as_str().unwrap().contains("`movable: true`"));
    let same = client.put(&target, &json!({ "name": "b", "zoo_id": null }));
    assert_eq!((same.status(), &same.json()["zoo_id"]), (200, &Json::Null));
    let inside = client.create("/tickets", &json!({ "name": "c", "zoo_id": 1 })).json();
    let refused = client.patch(&format!("/tickets/{}", inside["id"]), &json!({ "zoo_id": null }));
    assert_eq!((refused.status(), refused.faults().as_str()), (422, "/zoo_id read_only"));
}

#[test]
fn what_is_below_a_member_without_a_parent_stands_below_its_flat_url() {
    let (_server, mut client) = zoos();
    let stray =
        client.create("/animals", &json!({ "name": "Stray" })).json()["id"].as_i64().unwrap();
    let visit = client.create("/zoos/1/animals/1/visits", &json!({ "name": "first" }));
    assert_eq!(visit.field("location"), Some("/zoos/1/animals/1/visits/1"));
    let moved = client.patch("/zoos/1/animals/1/visits/1", &json!({ "animal_id": stray }));
    let now = format!("/animals/{stray}/visits/1");
    assert_eq!((moved.status(), moved.field("content-location")), (200, Some(&*now)));
    assert_eq!(client.get(&now).body, moved.body);
    let below = client.create(&format!("/animals/{stray}/visits"), &json!({ "name": "second" }));
    assert_eq!(below.field("location"), Some(&*format!("/animals/{stray}/visits/2")));
}

#[test]
fn the_deletion_of_a_parent_leaves_its_members_without_one() {
    let (_server, mut client) = zoos();
    let before = client.get("/animals").field("etag").unwrap().to_owned();
    assert_eq!(client.delete("/zoos/1").status(), 204);
    let now = client.get("/animals");
    assert_ne!(now.field("etag"), Some(&*before));
    assert_eq!(
        (&now.json()["items"][0]["name"], &now.json()["items"][0]["zoo_id"]),
        (&json!("Bella"), &Json::Null)
    );
    client.create("/tickets", &json!({ "name": "a", "zoo_id": 2 }));
    assert_eq!(
        client.delete("/zoos/2").status(),
        409,
        "the reference from another resource must prevent the deletion"
    );
}

#[test]
fn options_says_that_the_parent_is_optional() {
    let (_server, mut client) = zoos();
    for (target, mode) in [("/animals", None), ("/tickets", Some("create_only"))] {
        let json = client.request("OPTIONS", target, &[], None).json();
        let fields = json["fields"].as_array().unwrap();
        let field = fields.iter().find(|field| field["name"] == "zoo_id").unwrap();
        assert_eq!((&field["required"], field["mode"].as_str()), (&json!(false), mode), "{target}");
    }
}
