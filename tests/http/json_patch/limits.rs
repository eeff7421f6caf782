//! Tests of the limits of a patched member: it may be no larger and no deeper than a body.

use serde_json::{Value, json};

use super::{lamp_with, patch};

/// Conformance 22: repeated `copy` operations are refused when the member exceeds the size limit of
/// a body.
#[test]
fn copies_of_copies_end_where_a_body_would() {
    let (_server, mut client) = lamp_with(&json!({ "a": "x".repeat(1000) }));
    let before = client.get("/devices/1").body;
    let copies: Vec<_> = (0..15)
        .map(|at| json!({ "op": "copy", "from": "/settings", "path": format!("/settings/{at}") }))
        .collect();
    let answer = patch(&mut client, &json!(copies));
    assert_eq!((answer.status(), answer.problem()), (422, "invalid-content".to_owned()));
    assert!(
        answer.detail().contains("1048576 bytes"),
        "the problem must name the limit: {}",
        answer.detail()
    );
    assert_eq!(client.get("/devices/1").body, before);
}

/// Conformance 22: a member that grows by patches has the size limit of a body.
#[test]
fn a_member_does_not_outgrow_a_body() {
    let (_server, mut client) = lamp_with(&json!({ "a": "x".repeat(600_000) }));
    let grow = json!([{ "op": "add", "path": "/settings/b", "value": "x".repeat(600_000) }]);
    assert_eq!(patch(&mut client, &grow).status(), 422);
    let fits = json!([{ "op": "add", "path": "/settings/b", "value": "x".repeat(300_000) }]);
    assert_eq!(patch(&mut client, &fits).status(), 200);
}

/// Conformance 22: no operation nests a member deeper than a body may be.
#[test]
fn nothing_is_nested_deeper_than_in_a_body() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let (_server, mut client) = lamp_with(&json!({ "deep": nested(40), "list": nested(30) }));
    let deepest = format!("/settings/list{}", "/0".repeat(29));
    for operation in ["copy", "move"] {
        let deeper = json!([{ "op": operation, "from": "/settings/deep", "path": deepest }]);
        assert_eq!(patch(&mut client, &deeper).faults(), "/0 max_depth");
    }
    let add = json!([{ "op": "add", "path": "/settings/new", "value": nested(64) }]);
    assert_eq!(patch(&mut client, &add).faults(), "/0 max_depth");
    let fits = json!([{ "op": "add", "path": "/settings/new", "value": nested(63) }]);
    assert_eq!(patch(&mut client, &fits).status(), 200);
    let deep = format!(
        "[{{\"op\":\"test\",\"path\":\"\",\"value\":{}{}}}]",
        "[".repeat(500),
        "]".repeat(500)
    );
    let fields = [("content-type", "application/json-patch+json")];
    assert_eq!(
        client.request("PATCH", "/devices/1", &fields, Some(deep.as_bytes())).faults(),
        "/0 syntax"
    );
}

/// Conformance 22: the number of operations in a patch is limited.
#[test]
fn a_patch_has_not_too_many_operations() {
    let (_server, mut client) = lamp_with(&Value::Null);
    let tests =
        |count: usize| json!(vec![json!({ "op": "test", "path": "/watts", "value": 40 }); count]);
    assert_eq!(patch(&mut client, &tests(250)).status(), 200);
    assert_eq!(patch(&mut client, &tests(251)).faults(), " max_items");
}
