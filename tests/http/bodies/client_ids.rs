//! Tests of integer and UUID ids with `assigned: optional`: a client may choose the id, otherwise
//! the server does.

use serde_json::{Value as Json, json};

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  album:
    id: { type: integer, assigned: optional }
    fields:
      title: { type: string, required: true, unique: true }
      label: { type: string, create_only: true }
  track:
    parent: album
    id: { type: integer, assigned: optional }
    methods: [list, create, get, replace, update, delete, delete_many]
    fields:
      title: { type: string, required: true }
  device:
    id: { type: uuid, assigned: optional }
    fields:
      title: { type: string, required: true }
";

/// The highest id that a client may choose: 2^53 - 1.
const MOST: i64 = 9_007_199_254_740_991;

fn albums() -> (TestServer, Client) {
    let server = TestServer::of(SCHEMA);
    let client = server.client();
    (server, client)
}

/// Creates a member without an id, and returns the id that the server assigned.
fn next(client: &mut Client, collection: &str) -> i64 {
    let title = format!("next in {collection} after {}", client.get(collection).body.len());
    client.create(collection, &json!({ "title": title })).json()["id"].as_i64().unwrap()
}

#[test]
fn post_takes_an_integer_and_the_counter_goes_past_it() {
    let (_server, mut client) = albums();
    let brought = client.create("/albums", &json!({ "id": 347, "title": "Led Zeppelin" }));
    assert_eq!(brought.field("location"), Some("/albums/347"));
    assert_eq!((brought.json()["id"].as_i64(), brought.field("etag").is_some()), (Some(347), true));
    assert_eq!(client.get("/albums/347").body, brought.body);
    assert_eq!(next(&mut client, "/albums"), 348);
    client.create("/albums", &json!({ "id": 12, "title": "Smaller" }));
    assert_eq!(
        next(&mut client, "/albums"),
        349,
        "a chosen id below the counter must not lower the counter"
    );

    let many = json!([{ "title": "a" }, { "id": 1000, "title": "b" }, { "title": "c" }, { "id": null, "title": "d" }]);
    let many = client.create("/albums", &many).json();
    let ids: Vec<_> =
        many["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [350, 1000, 1001, 1002]);

    assert_eq!(client.delete("/albums/1002").status(), 204);
    assert_eq!(next(&mut client, "/albums"), 1003, "the server must not assign an id again");
    assert_eq!(client.create("/albums", &json!({ "id": 1002, "title": "again" })).status(), 201);
}

#[test]
fn a_counter_outlives_a_restart_and_is_one_for_each_table() {
    let (mut server, mut client) = albums();
    client.create("/albums", &json!({ "id": 70, "title": "a" }));
    client.create("/albums/70/tracks", &json!({ "id": 5, "title": "a" }));
    server.restart();
    let mut client = server.client();
    assert_eq!(next(&mut client, "/albums"), 71);
    assert_eq!(next(&mut client, "/albums/70/tracks"), 6);
}

#[test]
fn an_id_out_of_range_is_said_with_its_pointer_wherever_it_stands() {
    let (_server, mut client) = albums();
    let sentence = "`id` must be a whole number from 1 to 9007199254740991.";
    for (id, code) in
        [(0, "minimum"), (-1, "minimum"), (MOST + 1, "maximum"), (i64::MAX, "maximum")]
    {
        let answer = client.post("/albums", &json!({ "id": id, "title": "x" }));
        assert_eq!((answer.status(), answer.faults()), (422, format!("/id {code}")), "{id}");
        assert_eq!(answer.detail(), sentence);
        let answer = client.post("/albums", &json!([{ "title": "y" }, { "id": id, "title": "x" }]));
        assert_eq!((answer.status(), answer.faults()), (422, format!("/1/id {code}")), "{id}");
    }
    for id in [MOST + 1, i64::MAX] {
        let answer = client.put(&format!("/albums/{id}"), &json!({ "title": "x" }));
        assert_eq!((answer.status(), answer.faults().as_str()), (422, "/id maximum"), "{id}");
        assert_eq!(answer.detail(), sentence);
        assert_eq!(client.get(&format!("/albums/{id}")).status(), 404);
    }
    for path in ["0", "-1", "01", "1.0", "9223372036854775808"] {
        assert_eq!(
            client.put(&format!("/albums/{path}"), &json!({ "title": "x" })).status(),
            404,
            "a PUT to the id `{path}` must be 404"
        );
    }
    for id in [json!("7"), json!(1.5), json!([1]), json!(true)] {
        let answer = client.post("/albums", &json!({ "id": id, "title": "x" }));
        assert_eq!((answer.status(), answer.faults().as_str()), (422, "/id type"), "{id}");
    }
    assert_eq!(client.create("/albums", &json!({ "id": MOST, "title": "last" })).status(), 201);
    assert_eq!(
        next(&mut client, "/albums"),
        MOST + 1,
        "the server may assign ids above those that clients may choose"
    );
    assert_eq!(
        client.patch(&format!("/albums/{}", MOST + 1), &json!({ "title": "still here" })).status(),
        200
    );
}

/// Conformance 16: if clients may choose ids, PUT to a member that does not exist is 201.
#[test]
fn put_creates_at_its_id_and_then_replaces() {
    let (_server, mut client) = albums();
    let created = client.put(
        "/albums/90",
        &json!({ "id": 90, "title": "Physical Graffiti", "label": "Swan Song" }),
    );
    assert_eq!((created.status(), created.field("location")), (201, Some("/albums/90")));
    assert_eq!(next(&mut client, "/albums"), 91);
    let replaced = client.put("/albums/90", &json!({ "title": "Presence" }));
    assert_eq!((replaced.status(), replaced.field("location")), (200, None));
    assert_eq!(replaced.json()["label"], "Swan Song");

    let other = client.put("/albums/92", &json!({ "id": 93, "title": "x" }));
    assert_eq!((other.status(), other.faults().as_str()), (422, "/id read_only"));
    let nested = client.put("/albums/90/tracks/4", &json!({ "title": "Kashmir" }));
    assert_eq!((nested.status(), nested.field("location")), (201, Some("/albums/90/tracks/4")));
    assert_eq!(client.put("/albums/91/tracks/4", &json!({ "title": "Kashmir" })).status(), 409);
    assert_eq!(client.put("/albums/999/tracks/5", &json!({ "title": "x" })).status(), 404);
    assert_eq!(client.patch("/albums/777", &json!({ "title": "x" })).status(), 404);

    let exists = [("if-none-match", "*"), ("content-type", "application/json")];
    let body = br#"{"title":"other"}"#;
    assert_eq!(client.request("PUT", "/albums/90", &exists, Some(body)).status(), 412);
    assert_eq!(client.request("PUT", "/albums/94", &exists, Some(body)).status(), 201);
}

#[test]
fn a_taken_id_is_a_conflict_and_an_array_with_one_creates_nothing() {
    let (_server, mut client) = albums();
    client.create("/albums", &json!({ "id": 7, "title": "a" }));
    let taken = client.post("/albums", &json!({ "id": 7, "title": "b" }));
    assert_eq!(taken.status_line, "HTTP/1.1 409 Conflict");
    assert_eq!(
        (taken.problem().as_str(), taken.faults().as_str()),
        ("already-exists", "/id unique")
    );
    assert_eq!(taken.detail(), "Another `album` already has the same `id`.");
    let array =
        client.post("/albums", &json!([{ "id": 8, "title": "c" }, { "id": 8, "title": "d" }]));
    assert_eq!((array.status(), array.faults().as_str()), (409, "/1/id unique"));
    assert_eq!(client.get("/albums/8").status(), 404);
    assert_eq!(client.put("/albums/9", &json!({ "title": "a" })).faults(), "/title unique");
}

#[test]
fn a_request_that_is_sent_again_makes_one_member_with_its_id() {
    let (_server, mut client) = albums();
    let fields = [("idempotency-key", "\"one\""), ("content-type", "application/json")];
    let body = br#"{"id":41,"title":"a"}"#;
    let first = client.request("POST", "/albums", &fields, Some(body));
    let again = client.request("POST", "/albums", &fields, Some(body));
    assert_eq!((first.status(), again.status()), (201, 201));
    assert_eq!((again.field("location"), &again.body), (Some("/albums/41"), &first.body));
    let other = client.request("POST", "/albums", &fields, Some(br#"{"id":42,"title":"b"}"#));
    assert_eq!(other.status(), 422);
}

#[test]
fn a_uuid_may_be_brought_too() {
    let (_server, mut client) = albums();
    let id = "01890a5d-ac96-474b-8cce-b302099a8057";
    let brought = client.create("/devices", &json!({ "id": id.to_uppercase(), "title": "a" }));
    assert_eq!(brought.json()["id"], id);
    let created = client.create("/devices", &json!({ "title": "b" }));
    assert_eq!(&created.json()["id"].as_str().unwrap()[14..15], "7");
    let put = client.put("/devices/01890a5d-ac96-474b-8cce-b302099a8058", &json!({ "title": "c" }));
    assert_eq!(put.status(), 201);
    assert_eq!(client.post("/devices", &json!({ "id": "7", "title": "d" })).faults(), "/id type");
    assert_eq!(client.post("/devices", &json!({ "id": id, "title": "d" })).faults(), "/id unique");
}

#[test]
fn options_says_that_an_id_may_be_brought_and_from_where_to_where() {
    let (_server, mut client) = albums();
    let field = |client: &mut Client, target: &str| -> Json {
        client.request("OPTIONS", target, &[], None).json()["fields"][0].clone()
    };
    let id = field(&mut client, "/albums");
    assert_eq!(
        (&id["name"], &id["required"], &id["mode"]),
        (&json!("id"), &json!(false), &json!("create_only"))
    );
    assert_eq!((&id["minimum"], &id["maximum"]), (&json!(1), &json!(MOST)));
    let id = field(&mut client, "/devices");
    assert_eq!(
        (&id["required"], &id["mode"], &id["minimum"]),
        (&json!(false), &json!("create_only"), &Json::Null)
    );
}
