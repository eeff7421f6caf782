//! Tests of invalid bodies. A response lists all errors, each with its pointer, its code and a
//! hint.

use serde_json::{Value as Json, json};

use super::board;
use crate::server::TestServer;

/// Conformance 37, 141: values that violate the declaration are 422, and each error has a JSON
/// Pointer to its value.
#[test]
fn all_faults_of_a_body_are_listed_at_once() {
    let (_server, mut client) = board();
    let body = json!({
        "rank": "high", "weight": true, "price": 1.5, "done": "yes", "due": "2026-02-30", "extra": {}, "wieght": 1,
        "zoo": [1, 2], "id": 7, "board_id": 9, "created_at": "2026-11-20T00:00:00Z",
    });
    let answer = client.post("/boards/1/notes", &body);
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    let mut problem = answer.json();
    let mut errors: Vec<_> = problem["errors"].take().as_array().unwrap().clone();
    errors.sort_by_key(|error| error["pointer"].as_str().unwrap().to_owned());
    let integer = "`rank` must be a whole number from -9223372036854775808 to 9223372036854775807, not a string.";
    assert_eq!(
        errors,
        [
            json!({ "pointer": "/board_id", "code": "read_only", "detail": "`board_id` must be 1, as in the URL.", "hint": "Omit the field." }),
            json!({ "pointer": "/created_at", "code": "read_only", "detail": "`created_at` is set by the server.", "hint": "Omit the field." }),
            json!({ "pointer": "/done", "code": "type", "detail": "`done` must be true or false, not a string." }),
            json!({ "pointer": "/due", "code": "type", "detail": "`due` must be a valid date, such as 2026-11-20." }),
            json!({ "pointer": "/id", "code": "read_only", "detail": "`id` is set by the server.", "hint": "Omit the field." }),
            json!({ "pointer": "/name", "code": "required", "detail": "`name` is required." }),
            json!({ "pointer": "/price", "code": "type", "detail": "`price` must be a decimal number with at most 2 fraction digits, not a number.", "hint": "Write it as a JSON string, in quotes." }),
            json!({ "pointer": "/rank", "code": "type", "detail": integer }),
            json!({ "pointer": "/weight", "code": "type", "detail": "`weight` must be a finite number, such as 2.5, not a boolean." }),
            json!({ "pointer": "/wieght", "code": "unknown", "detail": "`note` has no field `wieght`.", "hint": "Did you mean `weight`?" }),
            json!({ "pointer": "/zoo", "code": "unknown", "detail": "`note` has no field `zoo`." }),
        ]
    );
    assert_eq!(
        problem,
        json!({
            "type": "/-/problems/invalid-content", "title": "Invalid content", "status": 422,
            "detail": "`done` must be true or false, not a string; and 10 more.", "instance": "/boards/1/notes", "errors": null,
        })
    );
    assert_eq!(client.names("/boards/1/notes"), "");
}

#[test]
fn one_fault_is_the_sentence_of_the_problem() {
    let (_server, mut client) = board();
    let answer = client.post("/boards/1/notes", &json!({}));
    assert_eq!(answer.status(), 422);
    assert_eq!(
        (answer.faults().as_str(), answer.detail().as_str()),
        ("/name required", "`name` is required.")
    );
}

/// Conformance 37, 141: PUT and PATCH list all errors of a body, as POST does.
#[test]
fn put_and_patch_list_all_faults_too() {
    let (_server, mut client) = board();
    client.create("/boards/1/notes", &json!({ "name": "Salt" }));
    let body = json!({ "name": null, "rank": null, "due": 20261120, "colour": "red" });
    for answer in [client.put("/boards/1/notes/1", &body), client.patch("/boards/1/notes/1", &body)]
    {
        assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
        let faults = answer.faults();
        let mut faults: Vec<_> = faults.split(", ").collect();
        faults.sort_unstable();
        assert_eq!(faults, ["/colour unknown", "/due type", "/name required", "/rank required"]);
    }
    assert_eq!(client.names("/boards/1/notes"), "Salt");
}

/// Conformance 141: the JSON Pointer is valid for any name. `/` and `~` are escaped.
#[test]
fn names_in_pointers_are_escaped_and_cut() {
    let (_server, mut client) = board();
    let long = "x".repeat(500);
    let answer = client.post("/boards/1/notes", &json!({ "name": "a", "a/b~c": 1 }));
    assert_eq!(answer.faults(), "/a~1b~0c unknown");
    let answer = client.post("/boards/1/notes", &json!({ "name": "a", "\u{1}\n\"": 1 }));
    assert_eq!(answer.json()["errors"][0]["pointer"], "/\u{1}\n\"");
    let answer = client.post("/boards/1/notes", &json!({ "name": "a", long: 1 }));
    assert_eq!(answer.faults(), format!("/{} unknown", "x".repeat(64)));
}

#[test]
fn a_hundred_faults_are_enough() {
    let (_server, mut client) = board();
    let body: serde_json::Map<_, _> = (0..5_000).map(|at| (format!("f{at}"), json!(1))).collect();
    let answer = client.post("/boards/1/notes", &body.into());
    assert_eq!(answer.status(), 422);
    assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 100);
}

#[test]
fn every_type_refuses_every_other_type() {
    let (_server, mut client) = board();
    let values = [json!("text"), json!(7), json!(7.5), json!(true), json!([]), json!({})];
    for (field, accepted) in [
        ("name", vec![json!("text")]),
        ("rank", vec![json!(7)]),
        ("weight", vec![json!(7), json!(7.5)]),
        ("price", vec![]),
        ("done", vec![json!(true)]),
        ("due", vec![]),
        ("extra", values.to_vec()),
    ] {
        for value in &values {
            let mut body = json!({ "name": "a" });
            body[field] = value.clone();
            let answer = client.post("/boards/1/notes", &body);
            if accepted.contains(value) {
                assert_eq!(answer.status(), 201, "{field}: {value}");
            } else {
                assert_eq!(
                    (answer.status(), answer.faults()),
                    (422, format!("/{field} type")),
                    "{field}: {value}"
                );
            }
        }
    }
}

#[test]
fn the_parent_in_a_body_may_only_repeat_the_url() {
    let (_server, mut client) = board();
    client.create("/boards", &json!({ "name": "Garden" }));
    let equal = client.post("/boards/1/notes", &json!({ "name": "a", "board_id": 1 }));
    assert_eq!(equal.status_line, "HTTP/1.1 201 Created");
    assert_eq!(equal.json()["board_id"], 1);
    for (method, target) in
        [("POST", "/boards/1/notes"), ("PUT", "/boards/1/notes/1"), ("PATCH", "/boards/1/notes/1")]
    {
        for (other, code) in
            [(json!(2), "read_only"), (json!(9), "read_only"), (json!("1"), "type")]
        {
            let body = json!({ "name": "a", "board_id": other }).to_string();
            let answer = client.request(method, target, &[], Some(body.as_bytes()));
            assert_eq!(
                (answer.status(), answer.faults()),
                (422, format!("/board_id {code}")),
                "{method} {body}"
            );
        }
    }
    assert_eq!(client.names("/boards/2/notes"), "");
}

const ARTISTS: &str = "
nouns: 1
resources:
  artist:
    id: { type: integer, assigned: optional }
    fields:
      born:  { type: integer, minimum: 1000 }
      level: { type: integer, enum: [1, 2, 3] }
      state: { enum: [draft, published] }
      score: number
      alive: boolean
      at:    datetime
      opens: time
      led_by_id: { references: artist }
";

/// The detail says which values the field takes, and the hint is about the value that was sent.
#[test]
fn a_wrong_value_is_told_what_its_field_takes() {
    let server = TestServer::of(ARTISTS);
    let mut client = server.client();
    let mut said = |body: Json| {
        let answer = client.post("/artists", &body);
        assert_eq!(answer.status(), 422, "{body}");
        let error = answer.json()["errors"][0].clone();
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        [text("detail"), text("hint")]
    };
    let id = "must be a whole number from 1 to 9007199254740991, not a string.";
    let level = "`level` must be one of `1`, `2`, `3`, not";
    let state = "`state` must be one of `draft`, `published`, not a number.";
    let number = "Write it as a JSON number, without quotes.";
    let leap = "must be a time whose seconds are at most 59; leap seconds are not supported.";
    let moment =
        "`at` must be a valid RFC 3339 date-time with offset, such as 2026-11-20T08:30:00Z.";
    for (body, detail, hint) in [
        (json!({ "id": "7" }), format!("`id` {id}"), number),
        (json!({ "id": "seven" }), format!("`id` {id}"), ""),
        (json!({ "led_by_id": "7" }), format!("`led_by_id` {id}"), number),
        (
            json!({ "born": "1852" }),
            "`born` must be a whole number of at least 1000, not a string.".into(),
            number,
        ),
        (json!({ "level": "2" }), format!("{level} a string."), number),
        (json!({ "level": true }), format!("{level} a boolean."), ""),
        (json!({ "state": 5 }), state.into(), ""),
        (
            json!({ "score": "2.5" }),
            "`score` must be a finite number, such as 2.5, not a string.".into(),
            number,
        ),
        (
            json!({ "alive": "true" }),
            "`alive` must be true or false, not a string.".into(),
            "Write it without quotes.",
        ),
        (json!({ "at": "2016-12-31T23:59:60Z" }), format!("`at` {leap}"), ""),
        (json!({ "opens": "23:59:60" }), format!("`opens` {leap}"), ""),
        (json!({ "at": "2016-12-31T23:59:61Z" }), moment.into(), ""),
        (json!({ "at": "2016-12-31 23:59:60Z" }), moment.into(), ""),
        (
            json!({ "at": "9999-12-31T23:59:59-01:00" }),
            "`at` must be in the years 0000 to 9999 in UTC.".into(),
            "",
        ),
    ] {
        assert_eq!(said(body.clone()), [detail, hint.to_owned()], "{body}");
    }
}
