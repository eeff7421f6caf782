//! Tests the examples of RFC 6902, Appendix A, on a field of type json.

use serde_json::{Value, json};

use super::{lamp_with, patch};

/// Returns the operations with all paths below `/settings`, since the documents of the RFC are
/// stored in that field.
fn below(operations: &Value) -> Value {
    let mut operations = operations.clone();
    for operation in operations.as_array_mut().unwrap() {
        for name in ["path", "from"] {
            if let Some(Value::String(path)) = operation.get_mut(name) {
                path.insert_str(0, "/settings");
            }
        }
    }
    operations
}

/// Examples of the RFC: the name, the document, the operations and the result.
const EXAMPLES: [[&str; 4]; 12] = [
    [
        "A.1",
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/baz","value":"qux"}]"#,
        r#"{"baz":"qux","foo":"bar"}"#,
    ],
    [
        "A.2",
        r#"{"foo":["bar","baz"]}"#,
        r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
        r#"{"foo":["bar","qux","baz"]}"#,
    ],
    [
        "A.3",
        r#"{"baz":"qux","foo":"bar"}"#,
        r#"[{"op":"remove","path":"/baz"}]"#,
        r#"{"foo":"bar"}"#,
    ],
    [
        "A.4",
        r#"{"foo":["bar","qux","baz"]}"#,
        r#"[{"op":"remove","path":"/foo/1"}]"#,
        r#"{"foo":["bar","baz"]}"#,
    ],
    [
        "A.5",
        r#"{"baz":"qux","foo":"bar"}"#,
        r#"[{"op":"replace","path":"/baz","value":"boo"}]"#,
        r#"{"baz":"boo","foo":"bar"}"#,
    ],
    [
        "A.6",
        r#"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
        r#"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
        r#"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#,
    ],
    [
        "A.7",
        r#"{"foo":["all","grass","cows","eat"]}"#,
        r#"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
        r#"{"foo":["all","cows","eat","grass"]}"#,
    ],
    [
        "A.8",
        r#"{"baz":"qux","foo":["a",2,"c"]}"#,
        r#"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
        r#"{"baz":"qux","foo":["a",2,"c"]}"#,
    ],
    [
        "A.10",
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
        r#"{"foo":"bar","child":{"grandchild":{}}}"#,
    ],
    [
        "A.11",
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
        r#"{"foo":"bar","baz":"qux"}"#,
    ],
    [
        "A.14",
        r#"{"/":9,"~1":10}"#,
        r#"[{"op":"test","path":"/~01","value":10}]"#,
        r#"{"/":9,"~1":10}"#,
    ],
    [
        "A.16",
        r#"{"foo":["bar"]}"#,
        r#"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
        r#"{"foo":["bar",["abc","def"]]}"#,
    ],
];

/// Conformance 22: each example of the RFC that has a result gives that result.
#[test]
fn every_example_of_the_rfc_holds() {
    for [name, document, operations, expected] in EXAMPLES {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (_server, mut client) = lamp_with(&json(document));
        let answer = patch(&mut client, &below(&json(operations)));
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{name}: {answer:?}");
        assert_eq!(answer.json()["settings"], json(expected), "{name}");
        assert_eq!(client.get("/devices/1").json()["settings"], json(expected), "{name}");
    }
}

/// Conformance 22: each example of the RFC that is an error is an error here, and changes nothing.
#[test]
fn every_example_of_the_rfc_that_fails_fails() {
    let cases = [
        (
            "A.9",
            json!({"baz": "qux"}),
            json!([{"op": "test", "path": "/baz", "value": "bar"}]),
            409,
        ),
        (
            "A.12",
            json!({"foo": "bar"}),
            json!([{"op": "add", "path": "/baz/bat", "value": "qux"}]),
            422,
        ),
        (
            "A.15",
            json!({"/": 9, "~1": 10}),
            json!([{"op": "test", "path": "/~01", "value": "10"}]),
            409,
        ),
    ];
    for (name, document, operations, status) in cases {
        let (_server, mut client) = lamp_with(&document);
        let before = client.get("/devices/1").body;
        assert_eq!(patch(&mut client, &below(&operations)).status(), status, "{name}");
        assert_eq!(client.get("/devices/1").body, before, "{name}");
    }
}

/// Conformance 22: an operation with two members `op` (A.13) is invalid.
#[test]
fn an_operation_that_says_twice_what_it_is_is_refused() {
    let (_server, mut client) = lamp_with(&json!({ "foo": "bar" }));
    let twice = br#"[{ "op": "add", "path": "/settings/baz", "value": "qux", "op": "remove" }]"#;
    let fields = [("content-type", "application/json-patch+json")];
    let answer = client.request("PATCH", "/devices/1", &fields, Some(twice));
    assert_eq!((answer.status(), answer.faults()), (422, "/0 syntax".to_owned()));
    assert_eq!(answer.detail(), "Operation 0 cannot be read: duplicate field `op`.");
}

/// Conformance 22: `test` compares numbers by value and strings by character, not by their JSON
/// text (RFC 6902 §4.6).
#[test]
fn a_test_compares_values_and_not_their_spelling() {
    let document = json!({ "n": 10, "f": 2.5, "big": 9_007_199_254_740_993_i64, "o": { "a": [1, null], "b": true } });
    let (_server, mut client) = lamp_with(&document);
    let fields = [("content-type", "application/json-patch+json")];
    for (path, value, status) in [
        ("n", "10.0", 200),
        ("n", "1e1", 200),
        ("n", "10.5", 409),
        ("n", "\"10\"", 409),
        ("f", "25e-1", 200),
        ("big", "9007199254740992", 409),
        ("o", r#"{ "b": true, "a": [1.0, null] }"#, 200),
        ("o", r#"{ "b": true, "a": [null, 1] }"#, 409),
        ("o", r#"{ "a": [1, null] }"#, 409),
        ("o/a/1", "null", 200),
        ("o/a/2", "null", 409),
    ] {
        let test = format!(r#"[{{ "op": "test", "path": "/settings/{path}", "value": {value} }}]"#);
        let answer = client.request("PATCH", "/devices/1", &fields, Some(test.as_bytes()));
        assert_eq!(answer.status(), status, "{test}");
    }
}
