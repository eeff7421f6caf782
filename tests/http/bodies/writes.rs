//! Tests of PATCH and PUT: PATCH changes the fields in its body, and PUT replaces all fields (RFC
//! 7396, RFC 9110 §9.3.4).

use serde_json::{Value, json};

use super::board;
use crate::{client::Client, server::TestServer};

/// Starts a server with a note that has a value in every field. Returns the note, too.
fn note() -> (TestServer, Client, Value) {
    let (server, mut client) = board();
    let body = json!({
        "name": "Salt", "rank": 3, "weight": 0.5, "price": "1.20", "done": true, "due": "2026-11-20", "extra": { "a": [1] },
    });
    let note = client.create("/boards/1/notes", &body).json();
    (server, client, note)
}

/// Returns a note with these fields replaced, and with `T` as its `created_at` and `updated_at`.
fn with(note: &Value, changes: &Value) -> Value {
    let mut note = note.clone();
    for (name, value) in changes.as_object().unwrap() {
        note[name] = value.clone();
    }
    note["created_at"] = "T".into();
    note["updated_at"] = "T".into();
    note
}

/// Conformance 21: PATCH keeps the fields that its body does not have.
#[test]
fn patch_leaves_what_it_does_not_name() {
    let (_server, mut client, note) = note();
    let answer = client.patch("/boards/1/notes/1", &json!({ "rank": 4 }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.still(), with(&note, &json!({ "rank": 4 })));
    let answer = client.patch("/boards/1/notes/1", &json!({}));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(
        answer.still(),
        with(&note, &json!({ "rank": 4 })),
        "an empty patch must change nothing"
    );
}

/// Conformance 20: a patch with one invalid field changes nothing.
#[test]
fn a_patch_with_one_fault_changes_nothing() {
    let (_server, mut client, note) = note();
    for wrong in [json!({ "name": "Pepper", "rank": "x" }), json!({ "done": false, "wieght": 1 })] {
        assert_eq!(client.patch("/boards/1/notes/1", &wrong).status(), 422);
    }
    assert_eq!(client.get("/boards/1/notes/1").json(), note);
}

/// Conformance 21: null in a merge patch removes the value.
#[test]
fn null_in_a_patch_removes_the_value() {
    let (_server, mut client, note) = note();
    let gone = json!({ "weight": null, "price": null, "done": null, "due": null, "extra": null });
    let answer = client.patch("/boards/1/notes/1", &gone);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.still(), with(&note, &gone), "null must not become the default");
    let answer = client.patch("/boards/1/notes/1", &json!({ "name": null, "rank": null }));
    assert_eq!(
        (answer.status(), answer.faults().as_str()),
        (422, "/name required, /rank required")
    );
    assert_eq!(answer.json()["errors"][0]["detail"], "`name` is required, so it must not be null.");
}

/// The stored value, the patch and the result, from the table in RFC 7396, Appendix A.
const PATCHES: [(&str, &str, &str); 15] = [
    (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
    (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
    (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
    (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
    (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
    (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
    (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
    (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
    (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
    (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
    (r#"{"a":"foo"}"#, "null", "null"),
    (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
    (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
    ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
    ("null", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
];

#[test]
fn a_patch_of_json_reaches_into_its_objects() {
    let (_server, mut client, note) = note();
    for (stored, patch, expected) in PATCHES {
        let body = |extra: &str| format!("{{\"name\":\"Salt\",\"extra\":{extra}}}");
        let put = client.request("PUT", "/boards/1/notes/1", &[], Some(body(stored).as_bytes()));
        assert_eq!(put.status(), 200, "{stored}");
        let merge = [("content-type", "application/merge-patch+json")];
        let answer =
            client.request("PATCH", "/boards/1/notes/1", &merge, Some(body(patch).as_bytes()));
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(
            (answer.status(), &answer.json()["extra"]),
            (200, &expected),
            "{stored} patched by {patch}"
        );
        assert_eq!(client.get("/boards/1/notes/1").json()["extra"], expected);
    }
    let replaced =
        client.put("/boards/1/notes/1", &json!({ "name": "Salt", "extra": { "b": null } }));
    assert_eq!(
        replaced.json()["extra"],
        json!({ "b": null }),
        "PUT must replace the whole JSON value"
    );
    assert_eq!(replaced.json()["created_at"], note["created_at"]);
}

/// Conformance 19: PUT merges nothing, and its error names each missing required field.
#[test]
fn put_replaces_every_field() {
    let (_server, mut client, note) = note();
    let answer = client.put("/boards/1/notes/1", &json!({ "name": "Pepper" }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    let bare = json!({
        "name": "Pepper", "rank": 5, "weight": null, "price": null, "done": false, "due": null, "extra": null,
    });
    assert_eq!(
        answer.still(),
        with(&note, &bare),
        "PUT must set each absent field to its default or to null"
    );
    assert_eq!(client.get("/boards/1/notes/1").still(), with(&note, &bare));
    let absent = client.put("/boards/1/notes/1", &json!({ "rank": 1 }));
    assert_eq!((absent.status(), absent.faults().as_str()), (422, "/name required"));
    let null =
        client.put("/boards/1/notes/1", &json!({ "name": "Pepper", "rank": null, "done": null }));
    assert_eq!(
        (null.status(), null.faults().as_str()),
        (422, "/rank required"),
        "an explicit null must not become the default"
    );
}

#[test]
fn what_was_fetched_can_be_edited_and_put_back() {
    let (_server, mut client, note) = note();
    let mut edited = client.get("/boards/1/notes/1").json();
    assert_eq!(edited, note);
    edited["name"] = "Pepper".into();
    let answer = client.put("/boards/1/notes/1", &edited);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.still(), with(&note, &json!({ "name": "Pepper" })));
    let again = client.get("/boards/1/notes/1").json();
    assert_eq!(
        client.patch("/boards/1/notes/1", &again).status_line,
        "HTTP/1.1 200 OK",
        "the body of a GET must also be a valid patch"
    );
}

#[test]
fn what_is_read_only_may_be_repeated_and_not_changed() {
    let (_server, mut client, note) = note();
    for method in ["PUT", "PATCH"] {
        let mut body = note.clone();
        body["id"] = 2.into();
        body["created_at"] = "2020-01-01T00:00:00Z".into();
        body["updated_at"] = "2020-01-01T00:00:00Z".into();
        let both =
            client.request(method, "/boards/1/notes/1", &[], Some(body.to_string().as_bytes()));
        assert_eq!(both.status_line, "HTTP/1.1 422 Unprocessable Content");
        assert!(both.faults().starts_with("/id read_only"), "{}", both.faults());
        body["id"] = 1.into();
        let times =
            client.request(method, "/boards/1/notes/1", &[], Some(body.to_string().as_bytes()));
        assert_eq!(times.status_line, "HTTP/1.1 422 Unprocessable Content");
        assert_eq!(
            times.json()["errors"],
            json!([
                {
                    "pointer": "/created_at", "code": "read_only",
                    "detail": "`created_at` is read-only, and the sent value differs from the stored one.",
                    "hint": "Omit the field, or send the stored value.",
                },
                {
                    "pointer": "/updated_at", "code": "read_only",
                    "detail": "`updated_at` is read-only, and the sent value differs from the stored one.",
                    "hint": "Omit the field, or send the stored value.",
                },
            ])
        );
        body["created_at"] = Value::Null;
        body["updated_at"] = 5.into();
        let odd =
            client.request(method, "/boards/1/notes/1", &[], Some(body.to_string().as_bytes()));
        assert_eq!(odd.status(), 422, "a value of `created_at` that is not a time must be 422");
    }
    assert_eq!(client.get("/boards/1/notes/1").json(), note);
}

#[test]
fn the_time_of_the_last_change_rises_and_that_of_creation_stays() {
    let (_server, mut client, note) = note();
    let mut last = note["updated_at"].as_str().unwrap().to_owned();
    assert_eq!(note["created_at"], note["updated_at"]);
    for rank in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let changed = client.patch("/boards/1/notes/1", &json!({ "rank": rank })).json();
        assert_eq!(changed["created_at"], note["created_at"]);
        let now = changed["updated_at"].as_str().unwrap().to_owned();
        assert!(now > last, "`updated_at` must rise: {now} after {last}");
        last = now;
    }
}

/// Conformance 16: if the server assigns the ids, PUT to a member that does not exist is 404.
#[test]
fn put_creates_nothing_where_the_server_makes_the_ids() {
    let (_server, mut client, _) = note();
    let answer = client.put("/boards/1/notes/2", &json!({ "name": "Pepper" }));
    assert_eq!(answer.status_line, "HTTP/1.1 404 Not Found");
    assert_eq!(
        answer.detail(),
        "There is no note `2` under board `1`. PUT creates a member only if clients choose the ids."
    );
    assert_eq!(client.names("/boards/1/notes"), "Salt");
}

/// Conformance 22: a JSON Patch that replaces the whole member is 422 unless it repeats the id. The
/// hint is to repeat a missing id, and to leave out a wrong one.
#[test]
fn the_hint_for_an_id_that_was_left_out_is_to_repeat_it() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    let fields = [("content-type", "application/json-patch+json")];
    for (value, hint) in [
        (json!({ "name": "Zoo" }), "Send the same value as in the URL."),
        (json!({ "id": 7, "name": "Zoo" }), "Omit the field."),
    ] {
        let patch = json!([{ "op": "replace", "path": "", "value": value }]).to_string();
        let answer = client.request("PATCH", "/zoos/1", &fields, Some(patch.as_bytes()));
        let problem = answer.json();
        assert_eq!(answer.status(), 422, "{problem}");
        let fault =
            problem["errors"].as_array().unwrap().iter().find(|fault| fault["pointer"] == "/id");
        assert_eq!(fault.unwrap()["hint"], hint, "{problem}");
    }
}
