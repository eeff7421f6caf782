//! Tests of changes that other programs make in a PostgreSQL database.

use serde_json::json;

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo: { id: { type: integer, assigned: optional }, fields: { name: { type: string, required: true } } }
  animal:
    parent: { resource: zoo, on_delete: cascade }
    fields: { name: string, keeper_id: { references: { resource: keeper, on_delete: set_null } } }
  keeper: { fields: { name: string } }
";

fn tag(client: &mut Client, target: &str) -> String {
    client.get(target).field("etag").unwrap().to_owned()
}

/// A change of another program changes the tags of the rows and of the collection. A statement that
/// changes no row changes none.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn each_change_of_another_program_changes_the_tags() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "North" }));
    let mut tags = vec![tag(&mut client, "/zoos")];
    let member = tag(&mut client, "/zoos/1");
    for (script, changes) in [
        ("UPDATE zoos SET name = 'South'", true),
        ("UPDATE zoos SET name = 'West' WHERE id = 7", false),
        ("INSERT INTO zoos (name) VALUES ('East')", true),
        ("DELETE FROM zoos WHERE name = 'East'", true),
        ("DELETE FROM zoos WHERE name = 'East'", false),
        ("TRUNCATE zoos CASCADE", true),
    ] {
        server.elsewhere(script);
        let now = tag(&mut client, "/zoos");
        assert_eq!(!tags.contains(&now), changes, "{script}");
        tags.push(now);
        if script.starts_with("UPDATE") {
            assert_ne!(tag(&mut client, "/zoos/1"), member, "{script}");
        }
    }
    let rows =
        server.cell("INSERT INTO zoos (name, revision) VALUES ('x', 5) RETURNING revision <> 5");
    assert_eq!(rows, "t", "a revision of another program is not kept");
}

/// A reference that becomes NULL with a deleted member changes the tags of its row.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn what_foreign_keys_change_gets_a_revision() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "North" }));
    client.create("/keepers", &json!({ "name": "Ada" }));
    client.create("/zoos/1/animals", &json!({ "name": "Bella", "keeper_id": 1 }));
    let before = [tag(&mut client, "/zoos/1/animals"), tag(&mut client, "/zoos/1/animals/1")];
    assert_eq!(client.delete("/keepers/1").status(), 204);
    let after = [tag(&mut client, "/zoos/1/animals"), tag(&mut client, "/zoos/1/animals/1")];
    assert!(before[0] != after[0] && before[1] != after[1], "{before:?} {after:?}");
    assert_eq!(client.get("/zoos/1/animals/1").json()["keeper_id"], json!(null));
    assert_eq!(client.delete("/zoos/1").status(), 204);
    assert_eq!(server.cell("SELECT count(*) FROM animals"), "0");
}

/// The server does not assign an id that a client has brought.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn assigned_ids_continue_after_those_that_clients_bring() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for (body, id) in [
        (json!({ "name": "a" }), 1),
        (json!({ "id": 40, "name": "b" }), 40),
        (json!({ "id": 20, "name": "c" }), 20),
        (json!({ "name": "d" }), 41),
    ] {
        assert_eq!(client.create("/zoos", &body).json()["id"], id, "{body}");
    }
}

/// A connection that the server has closed is replaced, and no request notices.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn lost_connections_come_back() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for round in 0..5 {
        client.create("/zoos", &json!({ "name": format!("{round}") }));
        assert_eq!(client.get("/zoos").json()["items"].as_array().unwrap().len(), round + 1);
        let schema = server.database.schema();
        server.elsewhere(
            &format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema}'"
            ),
        );
    }
}

/// Requests one after the other are served by the same few connections.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn requests_in_turn_need_few_connections() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let body = json!({ "name": "North" }).to_string();
    for _ in 0..40 {
        let tag = tag(&mut client, "/zoos");
        let fields = [("content-type", "application/json"), ("if-match", tag.as_str())];
        assert_eq!(client.request("POST", "/zoos", &fields, Some(body.as_bytes())).status(), 201);
    }
    let name = server.database.schema();
    let query = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'");
    let connections: usize = server.cell(&query).parse().unwrap();
    assert!(connections < 8, "{connections}");
}
