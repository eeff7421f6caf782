//! A database that goes away under the server: nothing is acknowledged that is written to nowhere.

use std::fs;

use serde_json::json;

use crate::server::TestServer;

#[test]
fn a_write_to_a_deleted_database_is_refused_until_the_file_is_back() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    let aside = server.database.with_extension("aside");
    fs::rename(&server.database, &aside).unwrap();
    let answer = client.post("/zoos", &json!({ "name": "lost" }));
    assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")), "{answer:?}");
    assert_eq!(answer.problem(), "unavailable");
    fs::rename(&aside, &server.database).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}

#[test]
fn an_echo_of_json_is_the_same_however_it_is_written() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  device: { fields: { name: string, made: { type: json, create_only: true } } }
",
    );
    let mut client = server.client();
    client.post("/devices", &json!({ "name": "lamp", "made": { "b": 1, "a": [1, 2] } }));
    let body = br#"{"name":"lamp","made":{ "a" : [1,2],"b":1}}"#;
    let fields = [("content-type", "application/json")];
    assert_eq!(client.request("PUT", "/devices/1", &fields, Some(body)).status(), 200);
    let body = br#"{"name":"lamp","made":{"a":[2,1],"b":1}}"#;
    assert_eq!(client.request("PUT", "/devices/1", &fields, Some(body)).status(), 422);
}
