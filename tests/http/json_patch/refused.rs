//! Tests of refused JSON Patches: their errors, and that they change nothing.

use serde_json::{Value, json};

use super::{lamp, patch};

/// Returns a patch with a valid operation before this invalid one. The valid operation must have no
/// effect.
fn after_a_good_one(operation: &Value) -> Value {
    json!([{ "op": "replace", "path": "/name", "value": "torch" }, operation])
}

/// Conformance 20: a patch with one invalid operation changes nothing.
#[test]
fn a_patch_is_applied_whole_or_not_at_all() {
    let (_server, mut client) = lamp();
    let before = client.get("/devices/1");
    for (operation, status, faults) in [
        (json!({ "op": "test", "path": "/watts", "value": 60 }), 409, "/1 test"),
        (json!({ "op": "test", "path": "/nothing", "value": null }), 409, "/1 test"),
        (json!({ "op": "remove", "path": "/nothing" }), 422, "/1/path path"),
        (json!({ "op": "replace", "path": "/settings/x", "value": 1 }), 422, "/1/path path"),
        (json!({ "op": "add", "path": "/settings/x/y", "value": 1 }), 422, "/1/path path"),
        (json!({ "op": "add", "path": "/settings/list/3", "value": 1 }), 422, "/1/path path"),
        (json!({ "op": "add", "path": "/settings/list/01", "value": 1 }), 422, "/1/path path"),
        (json!({ "op": "add", "path": "/watts/0", "value": 1 }), 422, "/1/path path"),
        (json!({ "op": "remove", "path": "/settings/list/-" }), 422, "/1/path path"),
        (json!({ "op": "remove", "path": "" }), 422, "/1/path path"),
        (json!({ "op": "move", "from": "/nothing", "path": "/watts" }), 422, "/1/from path"),
        (json!({ "op": "copy", "from": "/nothing", "path": "/watts" }), 422, "/1/from path"),
        (json!({ "op": "move", "from": "/settings", "path": "/settings/x" }), 422, "/1/path path"),
        (json!({ "op": "add", "path": "/watts", "value": -1 }), 422, "/watts minimum"),
        (json!({ "op": "add", "path": "/watts", "value": "40" }), 422, "/watts type"),
        (json!({ "op": "add", "path": "/wats", "value": 1 }), 422, "/wats unknown"),
        (json!({ "op": "remove", "path": "/name" }), 422, "/name required"),
        (json!({ "op": "replace", "path": "/id", "value": 2 }), 422, "/id read_only"),
        (json!({ "op": "remove", "path": "/id" }), 422, "/id read_only"),
        (json!({ "op": "replace", "path": "/serial", "value": "L2" }), 422, "/serial read_only"),
        (
            json!({ "op": "replace", "path": "/created_at", "value": "2020-01-01T00:00:00Z" }),
            422,
            "/created_at read_only",
        ),
    ] {
        let answer = patch(&mut client, &after_a_good_one(&operation));
        assert_eq!((answer.status(), &*answer.faults()), (status, faults), "{operation}");
        let after = client.get("/devices/1");
        assert_eq!(
            (&after.body, after.field("etag")),
            (&before.body, before.field("etag")),
            "{operation}"
        );
    }
}

/// Conformance 22: the response to an invalid list of operations lists all errors.
#[test]
fn all_faults_of_a_patch_are_said_at_once() {
    let (_server, mut client) = lamp();
    let answer = patch(
        &mut client,
        &json!([
            { "op": "ad", "path": "/name", "value": "x" },
            { "path": "/name" },
            { "op": 1, "path": "/name" },
            "add",
            { "op": "add", "path": "/name" },
            { "op": "remove" },
            { "op": "remove", "path": "name" },
            { "op": "remove", "path": "/a~2" },
            { "op": "move", "path": 1 },
            { "op": "test", "path": "/watts", "value": null },
        ]),
    );
    assert_eq!(answer.status(), 422);
    assert_eq!(
        answer.faults(),
        "/0/op unknown, /1/op required, /2/op type, /3 type, /4/value required, /5/path required, \
         /6/path format, /7/path format, /8/path type, /8/from required"
    );
    assert_eq!(answer.json()["errors"][0]["hint"], "Did you mean `add`?");
    for none in [json!({ "op": "add" }), json!(null), json!("[]")] {
        assert_eq!(patch(&mut client, &none).faults(), " type", "{none}");
    }
    let fields = [("content-type", "application/json-patch+json")];
    for broken in [&b"["[..], b"", b"[{]", b"[] x"] {
        assert_eq!(
            client.request("PATCH", "/devices/1", &fields, Some(broken)).problem(),
            "malformed-body"
        );
    }
}

/// Conformance 22: the result of the operations is validated as a whole, and all errors are listed.
#[test]
fn all_faults_of_the_member_are_said_at_once() {
    let (_server, mut client) = lamp();
    let answer = patch(
        &mut client,
        &json!([
            { "op": "replace", "path": "/name", "value": "a name of more than twenty" },
            { "op": "replace", "path": "/watts", "value": -1 },
            { "op": "replace", "path": "/price", "value": 1 },
        ]),
    );
    assert_eq!(answer.faults(), "/price type, /name max_length, /watts minimum");
}

/// Conformance 22: a failed `test` is 409 and names the path. The page of the problem type explains
/// what to do.
#[test]
fn a_failed_test_is_a_conflict() {
    let (_server, mut client) = lamp();
    let answer = patch(&mut client, &json!([{ "op": "test", "path": "/watts", "value": 60 }]));
    let detail = "Operation 0: `/watts` differs from the tested value.";
    assert_eq!(
        answer.json(),
        json!({
            "type": "/-/problems/patch-test-failed", "title": "Patch test failed", "status": 409,
            "detail": detail, "instance": "/devices/1",
            "errors": [{ "pointer": "/0", "code": "test", "detail": detail }],
        })
    );
    assert_eq!(client.get("/-/problems/patch-test-failed").status(), 200);
}

/// If the path of an operation is `""` (the whole member), the error message says "the member"
/// instead of the path.
#[test]
fn an_operation_on_the_whole_member_is_told_what_is_wrong() {
    let (_server, mut client) = lamp();
    for (operation, faults, detail) in [
        (
            json!({ "op": "remove", "path": "" }),
            "/1/path path",
            "A patch cannot remove the whole member; DELETE does.",
        ),
        (
            json!({ "op": "test", "path": "", "value": {} }),
            "/1 test",
            "Operation 1: the member differs from the tested value.",
        ),
        (
            json!({ "op": "move", "from": "", "path": "" }),
            "/1/from path",
            "The whole member cannot be moved; name a part of it.",
        ),
        (
            json!({ "op": "move", "from": "", "path": "/settings" }),
            "/1/from path",
            "The whole member cannot be moved; name a part of it.",
        ),
        (
            json!({ "op": "replace", "path": "", "value": 1 }),
            " type",
            "After the operations, the member is not an object.",
        ),
        (
            json!({ "op": "add", "path": "", "value": [] }),
            " type",
            "After the operations, the member is not an object.",
        ),
    ] {
        let answer = patch(&mut client, &after_a_good_one(&operation));
        assert_eq!(answer.faults(), faults, "{operation}");
        assert_eq!(answer.json()["errors"][0]["detail"], detail, "{operation}");
    }
}

/// Conformance 23: an unsupported patch format is 415, and `Accept-Patch` lists the three supported
/// formats.
#[test]
fn another_patch_format_is_refused_with_those_there_are() {
    let (_server, mut client) = lamp();
    let answer = client.request(
        "PATCH",
        "/devices/1",
        &[("content-type", "application/xml-patch+xml")],
        Some(b"x"),
    );
    assert_eq!(answer.problem(), "unsupported-media-type");
    let patches = "application/merge-patch+json, application/json-patch+json, application/json";
    assert_eq!(answer.field("accept-patch"), Some(patches));
    assert_eq!(
        client.request("OPTIONS", "/devices/1", &[], None).field("accept-patch"),
        Some(patches)
    );
    let put = client.request(
        "PUT",
        "/devices/1",
        &[("content-type", "application/json-patch+json")],
        Some(b"[]"),
    );
    assert_eq!(put.status(), 415, "PUT must refuse the media type of a patch");
}
