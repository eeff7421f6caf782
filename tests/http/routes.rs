//! Tests of nested and flat routes: the URLs of a collection with a parent, and the parent in a
//! body.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn league() -> (TestServer, Client) {
    let server = TestServer::of(
        "
nouns: 1
resources:
  team:
    fields:
      name: { type: string, required: true }
  player:
    parent: team
    routes: both
    fields:
      name: { type: string, required: true }
  badge:
    parent: player
    fields:
      name: { type: string, required: true }
  invoice:
    parent: { resource: team, field: payer_id, on_delete: cascade }
    routes: flat
    fields:
      name: { type: string, required: true }
",
    );
    let mut client = server.client();
    client.create("/teams", &json!([{ "name": "Rovers" }, { "name": "United" }]));
    client.create("/teams/1/players", &json!({ "name": "Ada" }));
    client.create("/teams/2/players", &json!({ "name": "Kim" }));
    (server, client)
}

#[test]
fn both_urls_show_the_same_members() {
    let (_server, mut client) = league();
    assert_eq!(client.names("/players"), "Ada Kim");
    assert_eq!(client.names("/teams/2/players"), "Kim");
    assert_eq!(client.names("/players?team_id=2"), "Kim");
    let (flat, nested) = (client.get("/players/2"), client.get("/teams/2/players/2"));
    assert_eq!((&flat.body, flat.field("etag")), (&nested.body, nested.field("etag")));
    let next = client.get("/players?limit=1").json()["links"]["next"].as_str().unwrap().to_owned();
    assert!(
        next.starts_with("/players?limit=1&after="),
        "the links of a flat page must be flat: {next}"
    );
    assert_eq!(client.names(&next), "Kim");
    let nested = next.replace("/players", "/teams/2/players");
    assert_eq!(
        client.get(&nested).faults(),
        "after conflict",
        "a cursor of the flat collection must be refused on the nested one"
    );
}

#[test]
fn at_the_flat_url_the_body_names_the_parent() {
    let (_server, mut client) = league();
    let created = client.create("/players", &json!({ "name": "Eve", "team_id": 2 }));
    assert_eq!(
        created.still(),
        json!({ "id": 3, "team_id": 2, "name": "Eve", "created_at": "T", "updated_at": "T" })
    );
    let location = created.field("location").unwrap();
    assert_eq!(client.get(location).body, created.body);
    assert_eq!(client.names("/teams/2/players"), "Kim Eve");
    for (team, status, faults) in [
        (json!(null), 422, "/team_id required"),
        (json!("2"), 422, "/team_id type"),
        (json!(99), 409, "/team_id reference"),
        (json!(0), 409, "/team_id reference"),
    ] {
        let answer = client.post("/players", &json!({ "name": "Bob", "team_id": team }));
        assert_eq!((answer.status(), answer.faults().as_str()), (status, faults), "{team}");
    }
    assert_eq!(client.post("/players", &json!({ "name": "Bob" })).faults(), "/team_id required");
}

#[test]
fn a_member_keeps_its_parent() {
    let (_server, mut client) = league();
    for target in ["/players/1", "/teams/1/players/1"] {
        for method in ["PUT", "PATCH"] {
            let send = |client: &mut Client, team: i64| {
                let body = json!({ "name": "Ada", "team_id": team }).to_string();
                client.request(method, target, &[], Some(body.as_bytes()))
            };
            assert_eq!(send(&mut client, 1).status(), 200, "{method} {target}");
            let moved = send(&mut client, 2);
            assert_eq!(
                (moved.status(), moved.faults().as_str()),
                (422, "/team_id read_only"),
                "{method} {target}"
            );
        }
        assert_eq!(
            client.put(target, &json!({ "name": "Ada" })).json()["team_id"],
            1,
            "a PUT without the parent must keep it"
        );
    }
    assert_eq!(client.names("/teams/1/players"), "Ada");
}

#[test]
fn what_is_nested_below_stands_under_both_urls() {
    let (_server, mut client) = league();
    client.create("/teams/1/players/1/badges", &json!({ "name": "Gold" }));
    client.create("/players/1/badges", &json!({ "name": "Silver" }));
    for target in ["/players/1/badges", "/teams/1/players/1/badges"] {
        assert_eq!(client.names(target), "Gold Silver", "{target}");
    }
    assert_eq!(client.names("/players/2/badges"), "");
    assert_eq!(
        client.get("/badges").detail(),
        "The collection `badges` is below a member of `players`."
    );
    let elsewhere = client.get("/teams/2/players/1/badges");
    assert_eq!(elsewhere.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(elsewhere.detail(), "There is no player `1` under team `2`.");
    assert_eq!(client.get("/players/9/badges").detail(), "There is no player `9`.");
    assert_eq!(
        client.get("/players/2/badges/1").detail(),
        "There is no badge `1` under player `2`."
    );
}

#[test]
fn a_flat_collection_stands_at_the_top_alone() {
    let (_server, mut client) = league();
    assert_eq!(
        client.create("/invoices", &json!({ "name": "May", "payer_id": 1 })).field("location"),
        Some("/invoices/1")
    );
    assert_eq!(client.get("/teams/1/invoices").status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(client.names("/invoices?payer_id=1"), "May");
    assert_eq!(client.post("/invoices", &json!({ "name": "June" })).faults(), "/payer_id required");
    assert_eq!(
        client.post("/invoices", &json!({ "name": "June", "payer_id": 9 })).faults(),
        "/payer_id reference"
    );
}

/// Conformance 26: the deletion of a parent cascades or is refused, as declared. No member is left
/// without its parent.
#[test]
fn the_deletion_of_a_parent_does_to_its_children_what_was_declared() {
    let (_server, mut client) = league();
    client.create(
        "/invoices",
        &json!([{ "name": "May", "payer_id": 1 }, { "name": "June", "payer_id": 2 }]),
    );
    let answer = client.delete("/teams/1");
    assert_eq!((answer.status(), answer.problem().as_str()), (409, "still-referenced"));
    assert_eq!(client.names("/invoices"), "May June", "a refused deletion must delete no invoice");
    assert_eq!(client.delete("/players/1").status(), 204);
    assert_eq!(client.delete("/teams/1").status(), 204);
    assert_eq!(client.names("/invoices"), "June");
}
