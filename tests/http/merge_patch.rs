//! Tests of JSON Merge Patch (RFC 7396), which merges only fields of type json.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  device:
    fields:
      name: { type: string, required: true }
      settings: json
      hidden: { type: json, write_only: true }
";

/// Creates a device with these settings, patches the settings, and returns the result.
fn patched(settings: &Value, patch: &Value) -> Value {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let device = json!({ "name": "lamp", "settings": settings });
    assert_eq!(client.post("/devices", &device).status(), 201);
    let answer = client.patch("/devices/1", &json!({ "settings": patch }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.json()["name"], "lamp");
    assert_eq!(client.get("/devices/1").json(), answer.json());
    answer.json()["settings"].clone()
}

/// Conformance 21: each example of RFC 7396, Appendix A, gives the result in the RFC. Its document
/// is stored in a field of type json.
#[test]
fn every_example_of_the_rfc_holds() {
    // The examples of RFC 7396, Appendix A, whose patches are objects, arrays, strings or null.
    let cases = [
        (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
        (json!({"a": "b"}), json!({"a": null}), json!({})),
        (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
        (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
        (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
        (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
        (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
        (json!({"a": "b"}), json!(["c"]), json!(["c"])),
        (json!({"a": "foo"}), json!(null), json!(null)),
        (json!({"a": "foo"}), json!("bar"), json!("bar")),
        (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
        (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
        (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        (json!(null), json!({"a": 1, "b": null}), json!({"a": 1})),
    ];
    for (settings, patch, expected) in cases {
        assert_eq!(patched(&settings, &patch), expected, "{settings} patched by {patch}");
    }
}

/// Conformance 19, 21: null in a json field is a value in PUT, and removes a member in PATCH.
#[test]
fn put_replaces_what_patch_would_merge() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.post("/devices", &json!({ "name": "lamp", "settings": { "a": 1 } }));
    let answer = client.put("/devices/1", &json!({ "name": "lamp", "settings": { "b": null } }));
    assert_eq!(answer.json()["settings"], json!({ "b": null }));
}

/// The size in bytes of a text that almost fills a body. The rest is for the names around the text.
const MOST: usize = 1024 * 1024 - 1000;

fn device(server: &TestServer) -> Client {
    let mut client = server.client();
    assert_eq!(client.post("/devices", &json!({ "name": "lamp" })).status(), 201);
    client
}

/// Conformance 20, 21: a json field that grows by merges has the size limit of a body, also if it
/// is hidden.
#[test]
fn a_field_does_not_outgrow_a_body() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    for field in ["settings", "hidden"] {
        let grow = |name: &str, bytes| json!({ field: { name: "x".repeat(bytes) } });
        assert_eq!(client.patch("/devices/1", &grow("a", MOST)).status(), 200);
        let before = client.get("/devices/1");
        let mut refused = grow("b", 1000);
        refused["name"] = json!("torch");
        for _ in 0..2 {
            let answer = client.patch("/devices/1", &refused);
            assert_eq!((answer.status(), answer.problem()), (422, "invalid-content".to_owned()));
            assert!(
                answer.detail().contains("1048576 bytes"),
                "the problem must name the limit: {}",
                answer.detail()
            );
        }
        let after = client.get("/devices/1");
        assert_eq!((&after.body, after.field("etag")), (&before.body, before.field("etag")));
        assert_eq!(
            client.patch("/devices/1", &grow("b", 900)).status(),
            200,
            "a merge that stays below the limit must succeed"
        );
        let shrink = json!({ field: { "a": null, "c": 1 } });
        assert_eq!(client.patch("/devices/1", &shrink).status(), 200);
    }
}

/// Conformance 20: fields that one patch merges share the size limit of one body. Other fields do
/// not count.
#[test]
fn fields_that_are_merged_together_are_no_larger_than_a_body() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    let large = || json!({ "a": "x".repeat(600_000) });
    assert_eq!(client.patch("/devices/1", &json!({ "settings": large() })).status(), 200);
    assert_eq!(client.patch("/devices/1", &json!({ "hidden": large() })).status(), 200);
    let both = json!({ "settings": { "b": 1 }, "hidden": { "b": 1 } });
    assert_eq!(client.patch("/devices/1", &both).status(), 422);
    assert_eq!(client.patch("/devices/1", &json!({ "settings": { "b": 1 } })).status(), 200);
    assert_eq!(client.patch("/devices/1", &json!({ "name": "torch" })).status(), 200);
}

/// Conformance 21: the result of a merge is no deeper than the patch and the stored value.
#[test]
fn a_merge_is_no_deeper_than_a_body_may_be() {
    let nested =
        |levels: usize| (0..levels).fold(json!({ "end": 1 }), |inner, _| json!({ "a": inner }));
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    for levels in [63, 30, 63, 10] {
        let mut patch = nested(levels);
        patch["b"] = nested(62);
        let answer = client.patch("/devices/1", &json!({ "settings": patch }));
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{levels}");
        let whole = json!({ "name": "lamp", "settings": answer.json()["settings"] });
        assert_eq!(client.put("/devices/1", &whole).status(), 200, "{levels}");
    }
    assert_eq!(
        client.patch("/devices/1", &json!({ "settings": nested(64) })).faults(),
        "/settings type"
    );
}

/// Returns a large patch. The server merges such a patch before the write transaction.
fn large(name: &str) -> Value {
    let members = (0..6_000).map(|at| (format!("k{at:05}"), json!(at)));
    json!({ "settings": { name: members.collect::<serde_json::Map<_, _>>() } })
}

/// Conformance 20, 21: large and small concurrent patches of one member do not overwrite each
/// other's changes.
#[test]
fn large_patches_lose_nothing_that_others_merge_meanwhile() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    thread::scope(|scope| {
        for writer in 0..3 {
            let mut client = server.client();
            scope.spawn(move || {
                for round in 0..3 {
                    let name = format!("large {writer} {round}");
                    assert_eq!(
                        client.patch("/devices/1", &large(&name)).status_line,
                        "HTTP/1.1 200 OK"
                    );
                }
            });
        }
        let mut client = server.client();
        scope.spawn(move || {
            for round in 0..100 {
                let patch =
                    json!({ "settings": { format!("small {round}"): round, "last": { "of": round } } });
                assert_eq!(client.patch("/devices/1", &patch).status_line, "HTTP/1.1 200 OK");
            }
        });
    });
    let settings = client.get("/devices/1").json()["settings"].clone();
    let members = settings.as_object().unwrap();
    assert_eq!((members.len(), &members["last"]), (9 + 100 + 1, &json!({ "of": 99 })));
    let whole =
        |(name, value): (&String, &Value)| !name.starts_with("large") || value["k05999"] == 5_999;
    assert!(members.iter().all(whole));
}

/// Conformance 21: a large patch succeeds even if small patches change the member before each of
/// its attempts.
#[test]
fn small_patches_cannot_keep_a_large_one_from_being_done() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    let is_done = AtomicBool::new(false);
    let answers = thread::scope(|scope| {
        for name in ["a", "b"] {
            let (mut client, is_done) = (server.client(), &is_done);
            scope.spawn(move || {
                for round in 0.. {
                    if is_done.load(Ordering::Relaxed) {
                        return;
                    }
                    let answer =
                        client.patch("/devices/1", &json!({ "settings": { name: round } }));
                    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
                }
            });
        }
        let large = |round: i32| client.patch("/devices/1", &large(&round.to_string()));
        let answers: Vec<_> = (0..5).map(large).collect();
        is_done.store(true, Ordering::Relaxed);
        answers
    });
    for answer in answers {
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{}", answer.detail());
    }
    let settings = client.get("/devices/1").json()["settings"].clone();
    assert!((0..5).all(|round| settings[round.to_string()]["k05999"] == 5_999));
}

/// Conformance 62: preconditions and errors in the URL take precedence over errors in the patch,
/// whatever its size.
#[test]
fn a_large_patch_is_answered_as_a_small_one_is() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    assert_eq!(client.patch("/devices/2", &large("a")).status(), 404);
    let json = ("content-type", "application/merge-patch+json");
    let patch = large("a").to_string();
    let before = client.get("/devices/1").field("etag").unwrap().to_owned();
    let mut with = |name, value: &str| {
        client.request("PATCH", "/devices/1", &[json, (name, value)], Some(patch.as_bytes()))
    };
    assert_eq!(with("if-match", "\"1-json-00000000\"").status(), 412);
    assert_eq!(with("if-none-match", &before).status(), 412);
    let changed = with("if-match", &before);
    assert_eq!((changed.status(), &changed.json()["settings"]["a"]["k00007"]), (200, &json!(7)));
    assert_eq!(with("if-match", &before).status(), 412);
    let minimal = with("prefer", "return=minimal");
    assert_eq!((minimal.status(), minimal.body.len()), (204, 0));
    let wrong = json!({ "settings": { "a": "x".repeat(70_000) }, "name": null });
    let wrong = client.patch("/devices/1", &wrong);
    assert_eq!((wrong.status(), &wrong.json()["errors"][0]["pointer"]), (422, &json!("/name")));
    let gone = json!({ "settings": { "a": null, "b": "x".repeat(70_000) } });
    assert_eq!(client.patch("/devices/1", &gone).json()["settings"].as_object().unwrap().len(), 1);
}

/// Conformance 21: a stored replacement character survives a merge of a large patch.
#[test]
fn a_replacement_character_that_is_stored_stays() {
    let server = TestServer::of(SCHEMA);
    let mut client = device(&server);
    assert_eq!(
        client.patch("/devices/1", &json!({ "settings": { "x": "\u{fffd}" } })).status(),
        200
    );
    let settings = client.patch("/devices/1", &large("a")).json()["settings"].clone();
    assert_eq!((&settings["x"], &settings["a"]["k00001"]), (&json!("\u{fffd}"), &json!(1)));
}

/// Conformance 54: a missing precondition is 428 before any other condition is tested, for patches
/// of any size and format.
#[test]
fn a_patch_that_must_name_a_state_and_does_not_is_told_so() {
    let server =
        TestServer::of(&SCHEMA.replace("  device:\n", "  device:\n    precondition: required\n"));
    let mut client = device(&server);
    let small = json!({ "settings": { "a": 1 } }).to_string();
    let operations = json!([{ "op": "add", "path": "/settings", "value": 1 }]).to_string();
    let (merge, patch) = ("application/merge-patch+json", "application/json-patch+json");
    for (format, body) in [(merge, small), (merge, large("a").to_string()), (patch, operations)] {
        for condition in [None, Some(("if-none-match", "*"))] {
            let fields: Vec<_> = [("content-type", format)].into_iter().chain(condition).collect();
            let answer = client.request("PATCH", "/devices/1", &fields, Some(body.as_bytes()));
            assert_eq!(answer.status(), 428, "{format} of {} bytes, {condition:?}", body.len());
        }
    }
}
