//! Tests of conflicts: unique values, references to missing members, and deletions that references
//! prevent.

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

fn teams() -> (TestServer, Client) {
    let server = TestServer::of(
        "
nouns: 1
resources:
  team:
    fields:
      name:       { type: string, required: true, unique: true, ignore_case: true }
      code:       { type: uuid, unique: true }
      captain_id: { references: { resource: player, as: captain, on_delete: set_null } }
  player:
    parent: team
    fields:
      name:      { type: string, required: true }
      number:    integer
      mentor_id: { references: { resource: player, as: mentor } }
      badge_id:  { references: { resource: badge, as: badge, on_delete: cascade } }
    unique: [[team_id, number]]
  badge:
    fields:
      name: { type: string, required: true, unique: true }
",
    );
    let mut client = server.client();
    client.create("/teams", &json!([{ "name": "Rovers" }, { "name": "United" }]));
    client.create("/badges", &json!([{ "name": "Gold" }, { "name": "Silver" }]));
    client.create(
        "/teams/1/players",
        &json!([{ "name": "Ada", "number": 7, "badge_id": 1 }, { "name": "Kim", "mentor_id": 1 }]),
    );
    (server, client)
}

/// Checks that a response is 409 with this problem type and these errors. Returns the problem.
fn conflict(answer: &crate::client::Answer, slug: &str, faults: &str) -> Value {
    assert_eq!(answer.status_line, "HTTP/1.1 409 Conflict", "{answer:?}");
    assert_eq!((answer.problem().as_str(), answer.faults().as_str()), (slug, faults));
    answer.json()
}

/// Conformance 43, 141: the 409 for a value that is not unique names the field.
#[test]
fn a_value_that_is_taken_is_a_conflict() {
    let (_server, mut client) = teams();
    let answer = client.post("/badges", &json!({ "name": "Gold" }));
    assert_eq!(
        conflict(&answer, "already-exists", "/name unique"),
        json!({
            "type": "/-/problems/already-exists", "title": "Already exists", "status": 409, "instance": "/badges",
            "detail": "Another `badge` already has the same `name`.",
            "errors": [{ "pointer": "/name", "code": "unique", "detail": "Another `badge` already has the same `name`." }],
        })
    );
    conflict(
        &client.put("/badges/2", &json!({ "name": "Gold" })),
        "already-exists",
        "/name unique",
    );
    conflict(
        &client.patch("/badges/2", &json!({ "name": "Gold" })),
        "already-exists",
        "/name unique",
    );
    assert_eq!(
        client.put("/badges/1", &json!({ "name": "Gold" })).status(),
        200,
        "a member must be able to keep its own value"
    );
    assert_eq!(
        client.post("/badges", &json!({ "name": "gold" })).status(),
        201,
        "without `ignore_case`, another case must be another value"
    );
    assert_eq!(client.names("/badges"), "Gold Silver gold");
}

#[test]
fn without_case_a_value_is_taken_in_every_case() {
    let (_server, mut client) = teams();
    for name in ["rovers", "ROVERS", "rOvErS"] {
        conflict(
            &client.post("/teams", &json!({ "name": name })),
            "already-exists",
            "/name unique",
        );
        conflict(
            &client.patch("/teams/2", &json!({ "name": name })),
            "already-exists",
            "/name unique",
        );
        assert_eq!(client.patch("/teams/1", &json!({ "name": name })).json()["name"], name);
    }
    assert_eq!(client.post("/teams", &json!({ "name": "Rövers" })).status(), 201);
    assert_eq!(
        client.post("/teams", &json!({ "name": "RÖVERS" })).status(),
        201,
        "`ignore_case` must apply only to ASCII letters"
    );
}

#[test]
fn no_value_is_taken_by_nobody() {
    let (_server, mut client) = teams();
    assert_eq!(client.post("/teams", &json!({ "name": "A", "code": null })).status(), 201);
    let code = "01890a5d-ac96-774b-bcce-b302099a8057";
    assert_eq!(client.patch("/teams/1", &json!({ "code": code })).status(), 200);
    let upper = client.patch("/teams/2", &json!({ "code": code.to_uppercase() }));
    conflict(&upper, "already-exists", "/code unique");
}

/// Conformance 43: the 409 for values that are not unique together names all their fields.
#[test]
fn values_that_are_unique_together_are_a_conflict_together() {
    let (_server, mut client) = teams();
    let answer = client.post("/teams/1/players", &json!({ "name": "Eve", "number": 7 }));
    let problem = conflict(&answer, "already-exists", "/team_id unique, /number unique");
    let sentence = "Another `player` already has the same `team_id` and `number`.";
    assert_eq!(
        (&problem["detail"], &problem["errors"][1]["detail"]),
        (&sentence.into(), &sentence.into())
    );
    let many = client
        .post("/teams/1/players", &json!([{ "name": "Fay" }, { "name": "Eve", "number": 7 }]));
    assert_eq!(many.detail(), format!("At `/1`: {sentence}"));
    assert_eq!(
        client.post("/teams/2/players", &json!({ "name": "Eve", "number": 7 })).status(),
        201
    );
    assert_eq!(
        client.post("/teams/1/players", &json!({ "name": "Bob", "number": null })).status(),
        201,
        "null must not conflict with null"
    );
    let moved = client.patch("/teams/1/players/2", &json!({ "number": 7 }));
    conflict(&moved, "already-exists", "/team_id unique, /number unique");
}

/// Conformance 43: the 409 for a reference to a missing member names the field.
#[test]
fn a_reference_to_nothing_names_its_field() {
    let (_server, mut client) = teams();
    let answer = client.post("/teams/1/players", &json!({ "name": "Eve", "mentor_id": 99 }));
    assert_eq!(
        conflict(&answer, "dangling-reference", "/mentor_id reference"),
        json!({
            "type": "/-/problems/dangling-reference", "title": "Dangling reference", "status": 409,
            "instance": "/teams/1/players", "detail": "`mentor_id`: there is no player `99`.",
            "errors": [{ "pointer": "/mentor_id", "code": "reference", "detail": "`mentor_id`: there is no player `99`." }],
        })
    );
    let both =
        client.post("/teams/1/players", &json!({ "name": "Eve", "mentor_id": 99, "badge_id": 99 }));
    let problem =
        conflict(&both, "dangling-reference", "/mentor_id reference, /badge_id reference");
    assert_eq!(problem["detail"], "`mentor_id`: there is no player `99`; and 1 more.");
    assert_eq!(problem["errors"][1]["detail"], "`badge_id`: there is no badge `99`.");
    conflict(
        &client.patch("/teams/1", &json!({ "captain_id": 99 })),
        "dangling-reference",
        "/captain_id reference",
    );
    let put =
        client.put("/teams/1/players/1", &json!({ "name": "Ada", "badge_id": 99, "mentor_id": 2 }));
    conflict(&put, "dangling-reference", "/badge_id reference");
    conflict(
        &client.patch("/teams/1", &json!({ "captain_id": -1 })),
        "dangling-reference",
        "/captain_id reference",
    );
    assert_eq!(client.names("/teams/1/players"), "Ada Kim");
}

const FLIGHTS: &str = "
nouns: 1
resources:
  airport: { id: string, fields: { name: string } }
  flight:
    id: string
    fields:
      code:    { type: string, unique: true, ignore_case: true }
      from_id: { references: { resource: airport, as: from } }
      next_id: { references: { resource: flight, as: next } }
      day:     integer
      gate:    integer
    unique: [[day, gate]]
";

/// Conformance 43: the 409 for an array names the conflicts of all its members.
#[test]
fn every_conflict_of_an_array_is_named() {
    let server = TestServer::of(FLIGHTS);
    let mut client = server.client();
    client.create("/airports", &json!({ "id": "A" }));
    client.create("/flights", &json!({ "id": "x", "code": "k", "day": 1, "gate": 2 }));
    let dangling: Vec<_> = ["A", "X", "Y", "A", "Z"]
        .iter()
        .enumerate()
        .map(|(at, from)| json!({ "id": format!("f{at}"), "from_id": from }))
        .collect();
    let problem = conflict(
        &client.post("/flights", &json!(dangling)),
        "dangling-reference",
        "/1/from_id reference, /2/from_id reference, /4/from_id reference",
    );
    assert_eq!(problem["detail"], "At `/1`: `from_id`: there is no airport `X`; and 2 more.");
    assert_eq!(problem["errors"][2]["detail"], "`from_id`: there is no airport `Z`.");
    let mixed = json!([
        { "id": "a" },
        { "id": "b", "day": 1, "gate": 2 },
        { "id": "c", "from_id": "Q" },
        { "id": "d", "code": "K" },
        { "id": "x" },
        { "id": "e" },
    ]);
    let problem = conflict(
        &client.post("/flights", &mixed),
        "already-exists",
        "/1/day unique, /1/gate unique, /2/from_id reference, /3/code unique, /4/id unique",
    );
    let sentence = "Another `flight` already has the same `day` and `gate`";
    assert_eq!(problem["detail"], format!("At `/1`: {sentence}; and 3 more."));
    assert_eq!(problem["errors"][1]["detail"], format!("{sentence}."));
    assert_eq!(client.get("/flights?count=true").json()["total"], 1);
}

/// Members of one array are compared with each other, also with those that are in conflict. A
/// reference to one of those is no conflict of its own.
#[test]
fn members_of_an_array_are_in_conflict_with_each_other() {
    let server = TestServer::of(FLIGHTS);
    let mut client = server.client();
    let array = json!([
        { "id": "a", "code": "new" },
        { "id": "b", "code": "NEW" },
        { "id": "c", "code": "other", "from_id": "Q", "day": 1, "gate": null },
        { "id": "d", "code": "Other", "day": 1, "gate": null },
        { "id": "e", "next_id": "c", "from_id": "R" },
        { "id": "f", "next_id": "e" },
        { "id": "g", "next_id": "f" },
        { "id": "h", "next_id": "a" },
        { "id": "f" },
        { "id": "i", "next_id": "later" },
        { "id": "later", "code": null },
    ]);
    conflict(
        &client.post("/flights", &array),
        "already-exists",
        "/1/code unique, /2/from_id reference, /3/code unique, /4/from_id reference, \
         /8/id unique, /9/next_id reference",
    );
    assert_eq!(client.get("/flights?count=true").json()["total"], 0);
}

/// In an array, a conflict of fields that are never returned has the place of its member.
#[test]
fn a_field_that_is_not_returned_is_not_named() {
    let server = TestServer::of(
        "{ nouns: 1, resources: { note: { fields: { text: string, \
         token: { type: string, hidden: true, unique: true, default: first } } } } }",
    );
    let mut client = server.client();
    let sentence = "Another `note` already has the same value in a field that is not returned.";
    let many = client.post("/notes", &json!([{ "text": "a" }, { "text": "b" }, { "text": "c" }]));
    let problem = conflict(&many, "already-exists", "/1 unique, /2 unique");
    assert_eq!(
        problem["detail"],
        format!("At `/1`: {}; and 1 more.", &sentence[..sentence.len() - 1])
    );
    assert_eq!(problem["errors"][1]["detail"], sentence);
    assert_eq!(client.post("/notes", &json!({ "text": "a" })).status(), 201);
    let one = client.post("/notes", &json!({ "text": "b" }));
    assert_eq!(conflict(&one, "already-exists", "")["detail"], sentence);
}

/// The limit of errors is that of a 422.
#[test]
fn a_hundred_conflicts_of_an_array_are_named() {
    let server = TestServer::of(FLIGHTS);
    let mut client = server.client();
    let flight = |at: usize| json!({ "id": at.to_string(), "from_id": "Q", "next_id": "R" });
    let array = Value::from((0..1000).map(flight).collect::<Vec<_>>());
    let answer = client.post("/flights", &array);
    assert_eq!((answer.status(), answer.json()["errors"].as_array().unwrap().len()), (409, 100));
    assert_eq!(answer.detail(), "At `/0`: `from_id`: there is no airport `Q`; and 99 more.");
    assert_eq!(client.get("/flights?count=true").json()["total"], 0);
}

/// Conformance 26, 43: the 409 for a deletion names the resources that refer to the member.
#[test]
fn a_deletion_that_others_forbid_names_them() {
    let (_server, mut client) = teams();
    let answer = client.delete("/teams/1");
    assert_eq!(
        conflict(&answer, "still-referenced", ""),
        json!({
            "type": "/-/problems/still-referenced", "title": "Still referenced", "status": 409, "instance": "/teams/1",
            "detail": "Members of `players` still refer to this `team`; delete or change them first.",
        })
    );
    conflict(&client.delete("/teams/1/players/1"), "still-referenced", "");
    assert_eq!(client.delete("/teams/1/players/2").status(), 204);
    assert_eq!(
        client.delete("/teams/1/players/1").status(),
        204,
        "the mentor must be deletable after the reference is gone"
    );
    assert_eq!(client.delete("/teams/1").status(), 204);
}

/// Conformance 26: a deletion cascades or sets references to null, as declared. No reference to a
/// deleted member is left.
#[test]
fn a_deletion_cascades_or_sets_null_where_that_was_declared() {
    let (_server, mut client) = teams();
    client.patch("/teams/2", &json!({ "captain_id": 2 }));
    assert_eq!(client.delete("/teams/1/players/2").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.get("/teams/2").json()["captain_id"], Value::Null);
    assert_eq!(client.delete("/badges/1").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(
        client.names("/teams/1/players"),
        "",
        "the deletion of the badge must delete its player"
    );
}

#[test]
fn a_cascade_stops_where_a_restriction_stands() {
    let (_server, mut client) = teams();
    let answer = client.delete("/badges/1");
    conflict(&answer, "still-referenced", "");
    assert_eq!(client.names("/badges"), "Gold Silver");
    assert_eq!(
        client.names("/teams/1/players"),
        "Ada Kim",
        "a player who mentors another must not be deleted"
    );
}
