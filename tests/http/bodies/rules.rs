//! Tests of every constraint of a field: valid values, and the code of the error for invalid ones.

use serde_json::{Value, json};

use crate::server::TestServer;

const RULES: &str = r#"
nouns: 1
types:
  status: { enum: [draft, published] }
  small:  { type: integer, minimum: -9, maximum: 9 }
resources:
  sample:
    fields:
      least:    { type: integer, minimum: 0 }
      most:     { type: integer, maximum: 10 }
      both:     small
      weight:   { type: number, minimum: 0.5, maximum: 1.5 }
      price:    { type: decimal, scale: 2, minimum: 0, maximum: 100 }
      day:      { type: date, minimum: 2000-01-01, maximum: 2030-12-31 }
      clock:    { type: time, minimum: "08:00:00", maximum: "17:00:00" }
      moment:   { type: datetime, minimum: "2026-01-01T00:00:00Z" }
      short:    { type: string, max_length: 3 }
      long:     { type: string, min_length: 2 }
      plate:    { type: string, pattern: "^[A-Z]{1,3}-[0-9]+$" }
      status:   status
      level:    { type: integer, enum: [1, 2, 4] }
      mood:     { enum: [good, bad], ignore_case: true }
      email:    { type: string, format: email }
      page:     { type: string, format: uri }
      host:     { type: string, format: hostname }
      slug:     { type: string, format: slug }
      v4:       { type: string, format: ipv4 }
      v6:       { type: string, format: ipv6 }
"#;

/// A field, the error code of its constraint, valid values, and values that violate the constraint.
type Case = (&'static str, &'static str, Vec<Value>, Vec<Value>);

fn numbers() -> Vec<Case> {
    vec![
        ("least", "minimum", vec![json!(0), json!(i64::MAX)], vec![json!(-1), json!(i64::MIN)]),
        (
            "most",
            "maximum",
            vec![json!(10), json!(10.0), json!(i64::MIN)],
            vec![json!(11), json!(i64::MAX)],
        ),
        ("both", "minimum", vec![json!(-9), json!(9)], vec![json!(-10)]),
        ("both", "maximum", vec![], vec![json!(10)]),
        (
            "weight",
            "minimum",
            vec![json!(0.5), json!(1), json!(1.5)],
            vec![json!(0.499), json!(0), json!(-1e300)],
        ),
        ("weight", "maximum", vec![], vec![json!(1.500_001), json!(2)]),
        ("price", "minimum", vec![json!("0"), json!("-0.00"), json!("100")], vec![json!("-0.01")]),
        ("price", "maximum", vec![json!("100.00")], vec![json!("100.01")]),
        ("level", "enum", vec![json!(1), json!(4)], vec![json!(3), json!(0)]),
    ]
}

fn times() -> Vec<Case> {
    vec![
        ("day", "minimum", vec![json!("2000-01-01")], vec![json!("1999-12-31")]),
        ("day", "maximum", vec![json!("2030-12-31")], vec![json!("2031-01-01")]),
        ("clock", "minimum", vec![json!("08:00:00")], vec![json!("07:59:59.999999")]),
        ("clock", "maximum", vec![json!("17:00:00")], vec![json!("17:00:00.000001")]),
        (
            "moment",
            "minimum",
            vec![json!("2026-01-01T00:00:00Z"), json!("2026-01-01T01:00:00+01:00")],
            vec![json!("2025-12-31T23:59:59.999999Z"), json!("2026-01-01T00:59:59+01:00")],
        ),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        (
            "short",
            "max_length",
            vec![json!(""), json!("äöü"), json!("🦁🦁🦁")],
            vec![json!("abcd"), json!("e\u{301}e\u{301}")],
        ),
        ("long", "min_length", vec![json!("ab"), json!("🦁🦁")], vec![json!(""), json!("🦁")]),
        (
            "plate",
            "pattern",
            vec![json!("B-42")],
            vec![json!(""), json!("b-42"), json!("B-42\n"), json!(" B-42"), json!("B-٤")],
        ),
        (
            "status",
            "enum",
            vec![json!("draft"), json!("published")],
            vec![json!("Draft"), json!(""), json!("draft ")],
        ),
        ("mood", "enum", vec![json!("good"), json!("GOOD")], vec![json!("so-so")]),
        (
            "email",
            "format",
            vec![json!("bella@zoo.example"), json!("stanisław.wójcik@wp.pl")],
            vec![
                json!("bella"),
                json!("a b@c"),
                json!("a@@b"),
                json!("@b"),
                json!(""),
                json!("a@b"),
            ],
        ),
        (
            "page",
            "format",
            vec![json!("https://zoo.example/?a=b#c"), json!("urn:x")],
            vec![json!("zoo.example"), json!("https://a b/"), json!("://x"), json!("http://[::1")],
        ),
        (
            "host",
            "format",
            vec![json!("zoo.example"), json!("localhost")],
            vec![json!("-a.b"), json!("a..b"), json!("a_b"), json!(""), json!("192.0.2.1")],
        ),
        (
            "slug",
            "format",
            vec![json!("city-zoo-2")],
            vec![json!("City"), json!("a--b"), json!("-a"), json!("a_b"), json!("")],
        ),
        (
            "v4",
            "format",
            vec![json!("192.0.2.1")],
            vec![json!("192.0.2"), json!("192.0.2.256"), json!("192.0.2.01")],
        ),
        (
            "v6",
            "format",
            vec![json!("2001:db8::1"), json!("::")],
            vec![json!("2001:db8"), json!("::1%eth0"), json!("[::1]")],
        ),
    ]
}

#[test]
fn every_constraint_is_tested_by_every_writing_method() {
    let server = TestServer::of(RULES);
    let mut client = server.client();
    client.create("/samples", &json!({}));
    for (field, code, right, wrong) in [numbers(), times(), texts()].concat() {
        for value in right {
            for method in ["POST", "PUT", "PATCH"] {
                let target = if method == "POST" { "/samples" } else { "/samples/1" };
                let answer = client.request(
                    method,
                    target,
                    &[],
                    Some(json!({ field: value }).to_string().as_bytes()),
                );
                assert!(
                    answer.status() < 300,
                    "{method} {field}: {value}: {}",
                    String::from_utf8_lossy(&answer.body)
                );
            }
        }
        for value in wrong {
            for method in ["POST", "PUT", "PATCH"] {
                let target = if method == "POST" { "/samples" } else { "/samples/1" };
                let answer = client.request(
                    method,
                    target,
                    &[],
                    Some(json!({ field: value }).to_string().as_bytes()),
                );
                assert_eq!(
                    answer.status_line, "HTTP/1.1 422 Unprocessable Content",
                    "{method} {field}: {value}"
                );
                assert_eq!(answer.faults(), format!("/{field} {code}"), "{value}");
            }
        }
    }
}

#[test]
fn every_constraint_says_what_it_asks_for() {
    let server = TestServer::of(RULES);
    let mut client = server.client();
    for (field, value, detail) in [
        ("least", json!(-1), "must be at least 0."),
        ("most", json!(11), "must be at most 10."),
        ("weight", json!(9), "must be at most 1.5."),
        ("price", json!("-1"), "must be at least 0.00."),
        ("day", json!("1999-12-31"), "must be at least 2000-01-01."),
        ("short", json!("abcd"), "must have at most 3 characters."),
        ("long", json!("a"), "must have at least 2 characters."),
        ("plate", json!("x"), "must match `^[A-Z]{1,3}-[0-9]+$`."),
        ("status", json!("x"), "must be one of `draft`, `published`."),
        ("level", json!(3), "must be one of `1`, `2`, `4`."),
        ("email", json!("x"), "must be an e-mail address, such as bella@zoo.example."),
    ] {
        let expected = format!("`{field}` {detail}");
        assert_eq!(client.post("/samples", &json!({ field: value })).detail(), expected);
    }
}

#[test]
fn no_value_breaks_no_constraint() {
    let server = TestServer::of(RULES);
    let mut client = server.client();
    let fields = [numbers(), times(), texts()].concat();
    let body: serde_json::Map<_, _> =
        fields.iter().map(|(field, ..)| ((*field).to_owned(), Value::Null)).collect();
    let answer = client.create("/samples", &body.clone().into());
    assert!(body.keys().all(|field| answer.json()[field].is_null()));
}

#[test]
fn a_value_can_break_several_constraints_and_a_body_several_fields() {
    let server = TestServer::of(
        r#"
nouns: 1
resources:
  user:
    fields:
      login: { type: string, required: true, min_length: 3, pattern: "^[a-z]+$", format: slug }
      age:   { type: integer, minimum: 0 }
"#,
    );
    let mut client = server.client();
    let answer = client.post("/users", &json!({ "login": "A!", "age": -1 }));
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    assert_eq!(answer.faults(), "/login min_length, /login pattern, /login format, /age minimum");
}

/// A pattern means what JSON Schema says: ECMA-262 with the flag `u`.
#[test]
fn a_pattern_means_the_same_in_the_document_and_in_the_server() {
    let cases = [
        (r"^\d{3}$", "123", "\u{661}\u{662}\u{663}"),
        (r"^\D$", "\u{661}", "1"),
        (r"^\w+$", "ete_1", "\u{e9}t\u{e9}"),
        (r"^[\w-]+$", "a-b", "\u{e9}"),
        (r"^.{2}$", "\u{1f600}\u{1f600}", "a\r"),
        (r"^\S+$", "a\u{85}b", "a\u{feff}b"),
        (r"^a\sb$", "a\u{feff}b", "a\u{85}b"),
        (r"\bcat\b", "\u{e9}cat\u{e9}", "acat"),
        (r"^[^\s\d]$", "x", "\u{2003}"),
    ];
    let fields = cases.iter().enumerate();
    let fields: String = fields
        .map(|(at, (pattern, ..))| {
            format!("      f{at}: {{ type: string, pattern: '{pattern}' }}\n")
        })
        .collect();
    let server = TestServer::of(&format!("nouns: 1\nresources:\n  thing:\n    fields:\n{fields}"));
    let mut client = server.client();
    let document = client.get("/openapi.json").json();
    let properties = &document["components"]["schemas"]["NewThing"]["properties"];
    for (at, (pattern, valid, invalid)) in cases.into_iter().enumerate() {
        let field = format!("f{at}");
        assert_eq!(properties[&field]["pattern"], pattern);
        assert_eq!(client.post("/things", &json!({ &field: valid })).status(), 201, "{pattern}");
        let refused = client.post("/things", &json!({ &field: invalid }));
        assert_eq!(refused.faults(), format!("/{field} pattern"), "{pattern}");
        assert_eq!(
            refused.json()["errors"][0]["detail"],
            format!("`{field}` must match `{pattern}`.")
        );
    }
}
