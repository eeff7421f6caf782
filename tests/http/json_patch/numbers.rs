//! Tests of numbers in fields of type json that neither a double nor a 64-bit integer can
//! represent.

use serde_json::json;

use super::{SCHEMA, patch};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// Starts a server with a device whose settings have exactly this JSON text.
fn device(settings: &str) -> (TestServer, Client) {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let body = format!(r#"{{"name":"lamp","settings":{settings}}}"#);
    let fields = [("content-type", "application/json")];
    assert_eq!(client.request("POST", "/devices", &fields, Some(body.as_bytes())).status(), 201);
    (server, client)
}

/// Sends a JSON Patch with exactly this text.
fn patch_text(client: &mut Client, operations: &str) -> Answer {
    let fields = [("content-type", "application/json-patch+json")];
    client.request("PATCH", "/devices/1", &fields, Some(operations.as_bytes()))
}

/// Returns the JSON text of the settings in a response. The text ends at the first `}`.
fn settings(answer: &Answer) -> String {
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{answer:?}");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let start = text.find("\"settings\":").unwrap() + "\"settings\":".len();
    text[start..=start + text[start..].find('}').unwrap()].to_owned()
}

/// Conformance 22: a `test` distinguishes two integers that round to the same double.
#[test]
fn a_test_tells_large_integers_apart() {
    let (_server, mut client) = device(r#"{"n":12345678901234567890123}"#);
    let test = |value: &str| format!(r#"[{{"op":"test","path":"/settings/n","value":{value}}}]"#);
    for other in
        ["12345678901234567890124", "12345678901234567890123.5", "1.2345678901234567e22", "1E400"]
    {
        assert_eq!(patch_text(&mut client, &test(other)).problem(), "patch-test-failed", "{other}");
    }
    for equal in
        ["12345678901234567890123", "12345678901234567890123.0", "1.2345678901234567890123E+22"]
    {
        assert_eq!(patch_text(&mut client, &test(equal)).status(), 200, "{equal}");
    }
    let text = patch_text(&mut client, &test(r#""\u000012345678901234567890123""#));
    assert_eq!(text.problem(), "patch-test-failed", "a string must not equal a number");
}

/// Conformance 22: a patch keeps the JSON text of a number that it does not change, or only moves.
#[test]
fn numbers_keep_their_text() {
    const NUMBERS: &str = "[0.12345678901234567890,1.10,-0,1e5,12345678901234567890123]";
    let (_server, mut client) = device(&format!(r#"{{"list":{NUMBERS},"text":"\u00001.10"}}"#));
    let answer = patch(&mut client, &json!([{ "op": "add", "path": "/settings/a", "value": 1 }]));
    assert_eq!(settings(&answer), format!(r#"{{"a":1,"list":{NUMBERS},"text":"\u00001.10"}}"#));
    let moved = r#"[
        { "op": "move", "from": "/settings/list", "path": "/settings/b" },
        { "op": "remove", "path": "/settings/text" },
        { "op": "replace", "path": "/settings/a", "value": [10000000000000000000000, 2.50, "\u0000", "\u0000\u00001"] }
    ]"#;
    let expected =
        format!(r#"{{"a":[10000000000000000000000,2.50,"\u0000","\u0000\u00001"],"b":{NUMBERS}}}"#);
    assert_eq!(settings(&patch_text(&mut client, moved)), expected);
    assert_eq!(settings(&client.get("/devices/1")), expected);
}

/// Conformance 22: a patch cannot add a number that a body may not have. The error does not reveal
/// how the server stores numbers.
#[test]
fn a_number_that_no_body_may_have_is_refused() {
    let (_server, mut client) = device(r#"{"a":1}"#);
    let add = r#"[{ "op": "add", "path": "/settings/a", "value": 1E400 }]"#;
    let answer = patch_text(&mut client, add);
    assert_eq!((answer.status(), answer.faults()), (422, "/0 syntax".to_owned()));
    assert!(!answer.body.windows(6).any(|part| part == b"\\u0000"), "{answer:?}");
    let typed =
        r#"[{ "op": "replace", "path": "", "value": { "name": "lamp", "watts": -1E400 } }]"#;
    assert_eq!(patch_text(&mut client, typed).faults(), "/0 syntax");
    for (path, value) in [("watts", "12345678901234567890123"), ("name", "1.50"), ("price", "1.5")]
    {
        let replace = format!(r#"[{{"op":"replace","path":"/{path}","value":{value}}}]"#);
        let answer = patch_text(&mut client, &replace);
        assert_eq!(answer.faults(), format!("/{path} type"));
        assert!(!answer.body.windows(6).any(|part| part == b"\\u0000"), "{answer:?}");
    }
    let replace = r#"[{ "op": "replace", "path": "/watts", "value": 4.20e1 }]"#;
    assert_eq!(patch_text(&mut client, replace).json()["watts"], 42);
}
