//! Tests of arrays in POST: all members are created, or none.

use serde_json::{Value, json};

use super::board;

#[test]
fn an_array_creates_all_its_members() {
    let (_server, mut client) = board();
    let answer = client.post(
        "/boards/1/notes",
        &json!([{ "name": "Salt" }, { "name": "Oil", "rank": 1, "done": true }]),
    );
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(answer.field("location"), None, "several new members have no common `Location`");
    let note = |id: i64, name: &str, rank: i64, done: bool| {
        json!({
            "id": id, "board_id": 1, "name": name, "rank": rank, "weight": null, "price": null, "done": done,
            "due": null, "extra": null, "created_at": "T", "updated_at": "T",
        })
    };
    assert_eq!(
        answer.still(),
        json!({ "items": [note(1, "Salt", 5, false), note(2, "Oil", 1, true)] })
    );
    assert_eq!(client.get("/boards/1/notes").still()["items"], answer.still()["items"]);
}

#[test]
fn an_array_of_one_answers_with_an_array() {
    let (_server, mut client) = board();
    let answer = client.create("/boards/1/notes", &json!([{ "name": "Salt" }]));
    assert_eq!(answer.json()["items"].as_array().unwrap().len(), 1);
}

/// Conformance 37: if one element of a posted array is invalid, no member is created.
#[test]
fn a_fault_in_one_member_creates_none() {
    let (_server, mut client) = board();
    let body = json!([{ "name": "Salt" }, { "rank": "x" }, { "name": "Oil", "colour": 1 }]);
    let answer = client.post("/boards/1/notes", &body);
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    let faults = answer.faults();
    let mut faults: Vec<_> = faults.split(", ").collect();
    faults.sort_unstable();
    assert_eq!(faults, ["/1/name required", "/1/rank type", "/2/colour unknown"]);
    assert_eq!(client.names("/boards/1/notes"), "");
}

#[test]
fn a_conflict_of_one_member_creates_none() {
    let server = crate::server::TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    let answer = client.post(
        "/zoos",
        &json!([{ "name": "Bergzoo" }, { "name": "Aquarium" }, { "name": "Tierpark" }]),
    );
    assert_eq!(answer.status_line, "HTTP/1.1 409 Conflict");
    assert_eq!(
        (answer.problem().as_str(), answer.faults().as_str()),
        ("already-exists", "/2/name unique")
    );
    let answer = client.post("/zoos", &json!([{ "name": "Bergzoo" }, { "name": "Bergzoo" }]));
    assert_eq!(
        answer.faults(),
        "/1/name unique",
        "the error must be on the second of two new members with one name"
    );
    let kinds = json!([{ "name": "Bella", "animal_type_id": 1 }]);
    assert_eq!(client.post("/zoos/1/animals", &kinds).faults(), "/0/animal_type_id reference");
    assert_eq!(client.names("/zoos"), "Tierpark");
}

#[test]
fn what_is_no_object_is_said_with_its_place() {
    let (_server, mut client) = board();
    let answer = client
        .post("/boards/1/notes", &json!([{ "name": "Salt" }, 5, { "rank": 1 }, [], null, "x"]));
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    let faults = answer.faults();
    let mut faults: Vec<_> = faults.split(", ").collect();
    faults.sort_unstable();
    assert_eq!(faults, ["/1 type", "/2/name required", "/3 type", "/4 type", "/5 type"]);
}

#[test]
fn an_array_has_from_one_to_a_thousand_members() {
    let (_server, mut client) = board();
    let notes = |count: usize| Value::from(vec![json!({ "name": "a" }); count]);
    let empty = client.post("/boards/1/notes", &notes(0));
    assert_eq!((empty.status(), empty.faults().as_str()), (422, " min_items"));
    let more = client.post("/boards/1/notes", &notes(1001));
    assert_eq!((more.status(), more.faults().as_str()), (422, " max_items"));
    assert_eq!(more.detail(), "The array must have at most 1000 elements.");
    assert_eq!(client.get("/boards/1/notes?count=true").json()["total"], 0);
    let most = client.create("/boards/1/notes", &notes(1000));
    assert_eq!(most.json()["items"].as_array().unwrap().len(), 1000);
    assert_eq!(client.get("/boards/1/notes?count=true").json()["total"], 1000);
}

#[test]
fn only_post_takes_an_array() {
    let (_server, mut client) = board();
    client.create("/boards/1/notes", &json!({ "name": "Salt" }));
    let body = json!([{ "name": "Oil" }]);
    for answer in [client.put("/boards/1/notes/1", &body), client.patch("/boards/1/notes/1", &body)]
    {
        assert_eq!((answer.status(), answer.faults().as_str()), (422, " type"));
    }
    assert_eq!(client.names("/boards/1/notes"), "Salt");
}

#[test]
fn an_array_under_an_absent_parent_is_not_found() {
    let (_server, mut client) = board();
    let answer = client.post("/boards/9/notes", &json!([{ "name": "a" }, { "name": "b" }]));
    assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(answer.detail(), "There is no board `9`.");
}
