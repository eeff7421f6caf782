//! Tests of JSON Patch (RFC 6902) on members. The operations apply in order, all or none, and the
//! result is validated like any body.

mod at_once;
mod limits;
mod numbers;
mod refused;
mod rfc;

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  device:
    fields:
      name:     { type: string, required: true, max_length: 20 }
      watts:    { type: integer, minimum: 0 }
      price:    { type: decimal, scale: 2 }
      settings: json
      secret:   { type: string, write_only: true }
      serial:   { type: string, create_only: true }
";

fn lamp() -> (TestServer, Client) {
    lamp_with(&json!({ "a": 1, "list": [1, 2] }))
}

fn lamp_with(settings: &Value) -> (TestServer, Client) {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let lamp = json!({
        "name": "lamp", "watts": 40, "price": "9.90", "settings": settings, "secret": "s", "serial": "L1",
    });
    client.create("/devices", &lamp);
    (server, client)
}

/// Sends a JSON Patch for the device 1.
fn patch(client: &mut Client, operations: &Value) -> Answer {
    patch_with(client, operations, &[])
}

fn patch_with(client: &mut Client, operations: &Value, fields: &[(&str, &str)]) -> Answer {
    let fields: Vec<_> =
        [("content-type", "application/json-patch+json")].iter().chain(fields).copied().collect();
    client.request("PATCH", "/devices/1", &fields, Some(operations.to_string().as_bytes()))
}

/// Conformance 22: operations apply in order. Each operation sees the result of the previous ones.
#[test]
fn operations_apply_in_order() {
    let (_server, mut client) = lamp();
    let answer = patch(
        &mut client,
        &json!([
            { "op": "test", "path": "/name", "value": "lamp" },
            { "op": "replace", "path": "/name", "value": "desk lamp" },
            { "op": "test", "path": "/name", "value": "desk lamp" },
            { "op": "add", "path": "/settings/list/-", "value": 3 },
            { "op": "add", "path": "/settings/list/0", "value": 0 },
            { "op": "move", "from": "/settings/a", "path": "/settings/b" },
            { "op": "copy", "from": "/settings/list/3", "path": "/watts" },
            { "op": "replace", "path": "/price", "value": "12.5" },
        ]),
    );
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{answer:?}");
    assert_eq!(
        answer.still(),
        json!({
            "id": 1, "name": "desk lamp", "watts": 3, "price": "12.50",
            "settings": { "b": 1, "list": [0, 1, 2, 3] }, "serial": "L1",
            "created_at": "T", "updated_at": "T",
        })
    );
    let found = client.get("/devices/1");
    assert_eq!((&found.body, found.field("etag")), (&answer.body, answer.field("etag")));
}

/// Conformance 22: in a JSON Pointer, `~0` stands for `~` and `~1` for `/`.
#[test]
fn escapes_in_a_path_name_what_they_stand_for() {
    let (_server, mut client) = lamp_with(&json!({ "a/b": 1, "m~n": 2, "~1": 3, "": 4 }));
    let answer = patch(
        &mut client,
        &json!([
            { "op": "test", "path": "/settings/a~1b", "value": 1 },
            { "op": "test", "path": "/settings/m~0n", "value": 2 },
            { "op": "test", "path": "/settings/~01", "value": 3 },
            { "op": "test", "path": "/settings/", "value": 4 },
            { "op": "replace", "path": "/settings/a~1b", "value": "slash" },
            { "op": "move", "from": "/settings/m~0n", "path": "/settings/x~0~1y" },
        ]),
    );
    assert_eq!(answer.json()["settings"], json!({ "a/b": "slash", "x~/y": 2, "~1": 3, "": 4 }));
}

/// Conformance 22: a removed field becomes null. An operation can add a write-only field, which
/// responses do not have.
#[test]
fn a_field_is_removed_by_null_and_a_hidden_value_is_added() {
    let (_server, mut client) = lamp();
    let answer = patch(
        &mut client,
        &json!([
            { "op": "remove", "path": "/watts" },
            { "op": "remove", "path": "/settings" },
            { "op": "add", "path": "/secret", "value": "other" },
        ]),
    );
    assert_eq!(answer.status(), 200, "{answer:?}");
    assert_eq!((&answer.json()["watts"], &answer.json()["settings"]), (&Value::Null, &Value::Null));
    let removed = patch(&mut client, &json!([{ "op": "remove", "path": "/secret" }]));
    assert_eq!(removed.faults(), "/0/path path", "`remove` of a write-only field must be an error");
}

/// Conformance 22: operations can test and replace the whole member.
#[test]
fn the_whole_member_is_a_document() {
    let (_server, mut client) = lamp();
    let before = client.get("/devices/1").json();
    let mut after = before.clone();
    after["name"] = "torch".into();
    after["watts"] = Value::Null;
    let answer = patch(
        &mut client,
        &json!([
            { "op": "test", "path": "", "value": before },
            { "op": "replace", "path": "", "value": after },
        ]),
    );
    assert_eq!((answer.status(), &answer.json()["name"]), (200, &json!("torch")));
    let lost = patch(&mut client, &json!([{ "op": "replace", "path": "", "value": [] }]));
    assert_eq!((lost.status(), lost.faults()), (422, " type".to_owned()));
}

/// Conformance 22: a patch that changes nothing is 200, and keeps the entity tag.
#[test]
fn a_patch_that_changes_nothing_is_a_success() {
    let (_server, mut client) = lamp();
    let before = client.get("/devices/1");
    for operations in [
        json!([]),
        json!([{ "op": "test", "path": "/watts", "value": 40.0 }]),
        json!([{ "op": "replace", "path": "/id", "value": 1 }]),
        json!([
            { "op": "add", "path": "/watts", "value": 1 },
            { "op": "replace", "path": "/watts", "value": 4e1 },
        ]),
    ] {
        let answer = patch(&mut client, &operations);
        assert_eq!((answer.status(), &answer.body), (200, &before.body), "{operations}");
        assert_eq!(answer.field("etag"), before.field("etag"));
    }
    assert_eq!(client.get("/devices/1").body, before.body);
}

/// Conformance 20, 22: preconditions are tested before the operations apply, and again in the write
/// transaction.
#[test]
fn preconditions_go_before_the_operations() {
    let (_server, mut client) = lamp();
    let tag = client.get("/devices/1").field("etag").unwrap().to_owned();
    let rename = json!([{ "op": "replace", "path": "/name", "value": "torch" }]);
    assert_eq!(patch_with(&mut client, &rename, &[("if-match", &tag)]).status(), 200);
    let failing = json!([{ "op": "test", "path": "/name", "value": "lamp" }]);
    for fields in [("if-match", tag.as_str()), ("if-none-match", "*")] {
        assert_eq!(patch_with(&mut client, &failing, &[fields]).problem(), "precondition-failed");
        assert_eq!(patch_with(&mut client, &rename, &[fields]).status(), 412);
    }
    assert_eq!(patch(&mut client, &failing).problem(), "patch-test-failed");
}

/// Conformance 22: a patch applies to JSON. The response has the format that the client accepts and
/// prefers.
#[test]
fn the_answer_is_what_the_client_prefers() {
    let (_server, mut client) = lamp();
    for (value, watts) in [(41, "41"), (41, "41"), (42, "42")] {
        let operations = json!([{ "op": "replace", "path": "/watts", "value": value }]);
        let csv = patch_with(&mut client, &operations, &[("accept", "text/csv")]);
        let text = String::from_utf8(csv.body.clone()).unwrap();
        assert_eq!(csv.status(), 200);
        assert!(text.starts_with("id,name,") && text.contains(&format!(",{watts},")), "{text}");
    }
    for value in [43, 43] {
        let operations = json!([{ "op": "replace", "path": "/watts", "value": value }]);
        let minimal = patch_with(&mut client, &operations, &[("prefer", "return=minimal")]);
        assert_eq!((minimal.status(), minimal.body.len()), (204, 0));
        assert_eq!(minimal.field("preference-applied"), Some("return=minimal"));
        assert_eq!(minimal.field("etag"), client.get("/devices/1").field("etag"));
    }
}

/// Conformance 22: a patch of a member that does not exist is 404, whatever the patch contains.
#[test]
fn a_member_that_is_not_there_is_not_patched() {
    let (_server, mut client) = lamp();
    let fields = [("content-type", "application/json-patch+json")];
    let answer = client.request("PATCH", "/devices/9", &fields, Some(b"[]"));
    assert_eq!((answer.status(), answer.detail()), (404, "There is no device `9`.".to_owned()));
}
