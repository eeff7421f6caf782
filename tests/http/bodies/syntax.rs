//! Tests of bodies that are not JSON, and of JSON at its limits (RFC 8259).

use super::board;
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

fn post(client: &mut Client, body: &[u8]) -> Answer {
    client.request("POST", "/boards/1/notes", &[("content-type", "application/json")], Some(body))
}

/// Conformance 37: a body that is not valid JSON is 400.
#[test]
fn what_is_not_json_is_a_bad_request() {
    let (_server, mut client) = board();
    let bodies: [&[u8]; 24] = [
        b"{",
        b"}",
        b"{\"name\":\"a\"",
        b"{\"name\":\"a\"}}",
        b"{\"name\":\"a\"} x",
        b"{\"name\":\"a\",}",
        b"{name:\"a\"}",
        b"{'name':'a'}",
        b"{\"name\":\"a\" \"rank\":1}",
        b"{\"name\":\"a\nb\"}",
        b"{\"name\":\"\\x\"}",
        b"{\"name\":\"\\u12\"}",
        b"{\"name\":\"a\",\"weight\":NaN}",
        b"{\"name\":\"a\",\"weight\":Infinity}",
        b"{\"name\":\"a\",\"weight\":01}",
        b"{\"name\":\"a\",\"weight\":+1}",
        b"{\"name\":\"a\",\"weight\":.5}",
        b"{\"name\":\"a\",\"weight\":5.}",
        b"{\"name\":\"a\",\"weight\":0x10}",
        b"{\"name\":\"a\"/* comment */}",
        b"[{\"name\":\"a\"}",
        b"[{\"name\":\"a\"},]",
        b"nothing",
        b"   ",
    ];
    for body in bodies {
        let answer = post(&mut client, body);
        assert_eq!(
            answer.status_line,
            "HTTP/1.1 400 Bad Request",
            "{}",
            String::from_utf8_lossy(body)
        );
        assert_eq!(answer.problem(), "malformed-body");
    }
    assert_eq!(client.names("/boards/1/notes"), "");
}

#[test]
fn the_place_of_the_fault_is_said() {
    let (_server, mut client) = board();
    let answer = post(&mut client, b"{\n  \"name\": \"a\",\n}");
    assert_eq!(answer.detail(), "The body is not JSON: trailing comma at line 3 column 1.");
    let answer = post(&mut client, b"{\"name\":");
    assert_eq!(
        answer.detail(),
        "The body ends too early: EOF while parsing a value at line 1 column 8."
    );
}

#[test]
fn an_empty_body_ends_too_early() {
    let (_server, mut client) = board();
    client.create("/boards/1/notes", &serde_json::json!({ "name": "Salt" }));
    for (method, target) in
        [("POST", "/boards/1/notes"), ("PUT", "/boards/1/notes/1"), ("PATCH", "/boards/1/notes/1")]
    {
        for body in [None, Some(&b""[..])] {
            let answer = client.request(method, target, &[], body);
            assert_eq!(
                (answer.status(), answer.problem().as_str()),
                (400, "malformed-body"),
                "{method}"
            );
        }
    }
}

/// Conformance 21: a merge patch that is not an object is 422, because a member is always an
/// object.
#[test]
fn a_scalar_or_null_is_no_object() {
    let (_server, mut client) = board();
    for body in ["5", "-0.5", "\"name\"", "true", "null"] {
        let answer = post(&mut client, body.as_bytes());
        assert_eq!((answer.status(), answer.faults().as_str()), (422, " type"), "{body}");
    }
}

/// Conformance 102: `5.0` and other spellings of a whole number are accepted as an integer.
#[test]
fn integers_are_whole_numbers_of_64_bits_however_they_are_written() {
    let (_server, mut client) = board();
    for (written, kept) in [
        ("5", 5),
        ("5.0", 5),
        ("5.000", 5),
        ("5e0", 5),
        ("1e3", 1000),
        ("50e-1", 5),
        ("-0", 0),
        ("-0.0", 0),
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
        ("9007199254740991.0", 9_007_199_254_740_991),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("1e18", 1_000_000_000_000_000_000),
        ("9.223372036854775807e18", i64::MAX),
        ("-9223372036854775808000E-3", i64::MIN),
    ] {
        let answer = post(&mut client, format!("{{\"name\":\"a\",\"rank\":{written}}}").as_bytes());
        assert_eq!(answer.status(), 201, "{written}");
        assert_eq!(answer.json()["rank"], kept, "{written}");
    }
    for written in [
        "5.5",
        "5e-1",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "1e19",
        "1e308",
        "1e400",
        "1.0000000000000000000001",
        "9007199254740992.5",
    ] {
        let answer = post(&mut client, format!("{{\"name\":\"a\",\"rank\":{written}}}").as_bytes());
        assert_eq!((answer.status(), answer.faults().as_str()), (422, "/rank type"), "{written}");
        let rule =
            "`rank` must be a whole number from -9223372036854775808 to 9223372036854775807.";
        assert_eq!(answer.detail(), rule, "{written}");
    }
}

/// Conformance 102: a number beyond the range of a double is 422.
#[test]
fn a_number_beyond_all_doubles_is_no_value() {
    let (_server, mut client) = board();
    for field in ["rank", "weight"] {
        for written in ["1e400", "-1e400", "1e99999999999999999999"] {
            let answer =
                post(&mut client, format!("{{\"name\":\"a\",\"{field}\":{written}}}").as_bytes());
            assert_eq!(
                (answer.status(), answer.faults()),
                (422, format!("/{field} type")),
                "{written}"
            );
        }
    }
    let infinite = post(&mut client, br#"{"name":"a","weight":1e400}"#);
    assert_eq!(infinite.detail(), "`weight` must be a finite number, such as 2.5.");
    let small = post(&mut client, br#"{"name":"a","weight":1e-400}"#);
    assert_eq!(small.json()["weight"], 0.0, "a number too small for a double must become 0.0");
    let large = post(&mut client, br#"{"name":"a","weight":1.7976931348623157e308}"#);
    assert_eq!(large.json()["weight"], f64::MAX);
}

#[test]
fn json_in_a_field_is_held_to_the_same_rules() {
    let (_server, mut client) = board();
    for extra in
        ["1e400", "[1,{\"a\":-1e999}]", r#""\ud800""#, r#"{"\udc00":1}"#, r#"["\ud83d\u0041"]"#]
    {
        let answer = post(&mut client, format!("{{\"name\":\"a\",\"extra\":{extra}}}").as_bytes());
        assert!(matches!(answer.status(), 400 | 422), "{extra}: {answer:?}");
        answer.problem();
    }
    assert_eq!(client.names("/boards/1/notes"), "");
}

/// Conformance 102: a name that occurs twice in an object is 422.
#[test]
fn a_name_that_stands_twice_is_a_fault() {
    let (_server, mut client) = board();
    let answer = post(&mut client, br#"{"name":"a","rank":1,"name":"b"}"#);
    assert_eq!((answer.status(), answer.faults().as_str()), (422, "/name duplicate"));
    let answer = post(&mut client, br#"{"name":"a","n\u0061me":"a"}"#);
    assert_eq!(
        (answer.status(), answer.faults().as_str()),
        (422, "/name duplicate"),
        "names must be compared after `\\u` escapes are decoded"
    );
    let answer = post(&mut client, br#"{"name":"a","rank":"x","rank":1}"#);
    assert_eq!((answer.status(), answer.faults().as_str()), (422, "/rank type, /rank duplicate"));
}

/// A name that occurs twice inside of a value is refused like one of the member.
#[test]
fn a_name_that_stands_twice_in_a_json_value_is_a_fault() {
    let server = TestServer::of("nouns: 1\nresources: { item: { fields: { doc: json } } }");
    let mut client = server.client();
    let json = [("content-type", "application/json")];
    for (body, fault) in [
        (r#"{"doc":{"a":1,"a":2}}"#, "/doc/a duplicate"),
        (r#"{"doc":[{"b":{"a/":1,"a\u002f":2}}]}"#, "/doc/0/b/a~1 duplicate"),
    ] {
        let answer = client.request("POST", "/items", &json, Some(body.as_bytes()));
        assert_eq!((answer.status(), answer.faults().as_str()), (422, fault), "{body}");
    }
    client.create("/items", &serde_json::json!({ "doc": { "a": { "a": 1 } } }));
    let patch = [("content-type", "application/json-patch+json")];
    let body = br#"[{ "op": "add", "path": "/doc/b", "value": { "c": 1, "c": 2 } }]"#;
    let answer = client.request("PATCH", "/items/1", &patch, Some(body));
    assert_eq!((answer.status(), answer.faults().as_str()), (422, "/0/value/c duplicate"));
}

/// Conformance 102: an escape of half a surrogate pair is 400.
#[test]
fn half_characters_are_a_bad_request() {
    let (_server, mut client) = board();
    for body in [
        &br#"{"name":"\ud800"}"#[..],
        br#"{"name":"\udc00"}"#,
        br#"{"name":"\ud800x"}"#,
        br#"{"name":"a","\ud800":1}"#,
        b"{\"name\":\"\xff\"}",
        b"{\"name\":\"\xc0\xaf\"}",
        b"{\"name\":\"\xed\xa0\x80\"}",
        b"{\"name\":\"a\",\"extra\":\"\xff\"}",
    ] {
        let answer = post(&mut client, body);
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (400, "malformed-body"),
            "{body:?}"
        );
    }
    let whole = post(&mut client, br#"{"name":"\ud83e\udd81"}"#);
    assert_eq!(whole.json()["name"], "🦁");
}

/// Conformance 100: a body with a byte order mark is 400.
#[test]
fn a_byte_order_mark_is_not_json() {
    let (_server, mut client) = board();
    let answer = post(&mut client, b"\xef\xbb\xbf{\"name\":\"a\"}");
    assert_eq!((answer.status(), answer.problem().as_str()), (400, "malformed-body"));
    let answer = post(&mut client, b"\xff\xfe{\0}\0");
    assert_eq!(
        (answer.status(), answer.problem().as_str()),
        (400, "malformed-body"),
        "a body in UTF-16 must be 400"
    );
}

#[test]
fn no_text_holds_a_nul() {
    let (_server, mut client) = board();
    let answer = post(&mut client, br#"{"name":"a\u0000b"}"#);
    assert_eq!((answer.status(), answer.faults().as_str()), (422, "/name type"));
    assert_eq!(answer.detail(), "`name` must be text without U+0000.");
    assert_eq!(post(&mut client, br#"{"name":5}"#).detail(), "`name` must be text, not a number.");
    assert_eq!(post(&mut client, b"{\"name\":\"a\0b\"}").problem(), "malformed-body");
    let escaped = post(&mut client, br#"{"name":"a","extra":{"a":"\u0000"}}"#);
    assert_eq!((escaped.status(), escaped.json()["extra"]["a"].as_str()), (201, Some("\0")));
}

/// Conformance 102: a body that is nested too deeply is 400 or 422, at any depth.
#[test]
fn deep_nesting_costs_the_client_a_4xx_and_the_server_nothing() {
    let (_server, mut client) = board();
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let deeper = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    for nested in [deep(20_000), deeper(20_000), "[".repeat(20_000), "{\"a\":".repeat(20_000)] {
        for body in [
            nested.clone(),
            format!("{{\"name\":{nested}}}"),
            format!("{{\"name\":\"a\",\"extra\":{nested}}}"),
            format!("{{\"name\":\"a\",\"colour\":{nested}}}"),
            format!("[{{\"name\":\"a\"}},{nested}]"),
        ] {
            let answer = post(&mut client, body.as_bytes());
            assert!(matches!(answer.status(), 400 | 422), "{}: {answer:?}", &body[..40]);
        }
    }
    let most = post(&mut client, format!("{{\"name\":\"a\",\"extra\":{}}}", deep(64)).as_bytes());
    assert_eq!(most.status(), 201);
    let more = post(&mut client, format!("{{\"name\":\"a\",\"extra\":{}}}", deep(65)).as_bytes());
    assert_eq!((more.status(), more.faults().as_str()), (422, "/extra type"));
}
