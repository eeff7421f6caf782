//! Tests of fields that can be set only when a member is created, and of hidden fields.

use serde_json::json;

use crate::server::TestServer;

const SCHEMA: &str = "
nouns: 1
resources:
  device:
    id: string
    fields:
      name:   { type: string, required: true }
      serial: { type: string, required: true, create_only: true }
      made:   { type: json, create_only: true }
      batch:  { type: string, hidden: true, unique: true, default: first }
";

#[test]
fn a_put_that_would_create_says_what_it_lacks() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let answer = client.put("/devices/lamp", &json!({ "name": "Lamp" }));
    assert_eq!(
        (answer.status(), answer.faults().as_str()),
        (422, "/serial required"),
        "{answer:?}"
    );
    assert_eq!(
        client.put("/devices/lamp", &json!({ "name": "Lamp", "serial": "1" })).status(),
        201
    );
    assert_eq!(
        client.put("/devices/lamp", &json!({ "name": "Lamp 2" })).status(),
        200,
        "PUT may omit `serial`, since the member has it already"
    );
}

#[test]
fn a_hidden_field_is_not_named_where_its_value_is_taken() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/devices", &json!({ "id": "a", "name": "A", "serial": "1" }));
    let answer = client.post("/devices", &json!({ "id": "b", "name": "B", "serial": "2" }));
    assert_eq!((answer.status(), answer.problem().as_str()), (409, "already-exists"));
    assert!(
        !String::from_utf8_lossy(&answer.body).contains("batch"),
        "the conflict must not name the hidden field: {answer:?}"
    );
}

#[test]
fn an_echo_of_json_is_the_same_however_it_is_written() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let lamp =
        json!({ "id": "lamp", "name": "Lamp", "serial": "1", "made": { "b": 1, "a": [1, 2] } });
    client.create("/devices", &lamp);
    let fields = [("content-type", "application/json")];
    for (text, status) in [("{ \"a\" : [1,2],\"b\":1}", 200), ("{\"a\":[2,1],\"b\":1}", 422)] {
        let body = format!("{{\"name\":\"Lamp\",\"made\":{text}}}");
        let answer = client.request("PUT", "/devices/lamp", &fields, Some(body.as_bytes()));
        assert_eq!(answer.status(), status, "{text}");
    }
}
