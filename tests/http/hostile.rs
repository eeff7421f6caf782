//! Tests with malformed and random requests: each gets a problem or another valid response, never a
//! 5xx.

use std::cell::RefCell;

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  maker:
    id: string
    fields:
      name: { type: string, required: true, unique: true, ignore_case: true }
  thing:
    methods: [list, create, get, replace, update, delete, delete_many]
    fields:
      name:     { type: string, required: true, max_length: 9 }
      rank:     { type: integer, minimum: -5, maximum: 5 }
      weight:   number
      price:    { type: decimal, scale: 2 }
      active:   boolean
      day:      date
      clock:    time
      moment:   datetime
      code:     { type: uuid, unique: true }
      extra:    json
      maker_id: { references: maker }
      next_id:  { references: { resource: thing, as: next, on_delete: set_null } }
      hush:     { type: string, write_only: true }
      once:     { type: string, create_only: true }
      seen:     { type: integer, read_only: true, default: 3 }
  part:
    parent: { resource: thing, on_delete: cascade }
    routes: both
    fields: { name: { type: string, required: true } }
    unique: [[thing_id, name]]
";

/// Names of fields and parameters. Some are unknown, and some are malformed.
#[rustfmt::skip]
const NAMES: [&str; 32] = [
    "id", "name", "rank", "weight", "price", "active", "day", "clock", "moment", "code", "extra", "maker_id", "next_id",
    "hush", "once", "seen", "created_at", "thing_id", "revision", "limit", "offset", "page", "per_page", "sortby",
    "order", "count", "after", "filter", "filter[name]", "", "n%61me", "%ff",
];

const OPERATORS: [&str; 12] = [
    "",
    "",
    "",
    "[eq]",
    "[ne]",
    "[lt]",
    "[gte]",
    "[in]",
    "[nin]",
    "[contains]",
    "[between]",
    "[null]",
];

/// Values as JSON texts. In a query, they have no quotes.
#[rustfmt::skip]
const VALUES: [&str; 36] = [
    "null", "true", "1", "-1", "5", "5.0", "0.5", "1e3", "1e400", "9223372036854775807", "9223372036854775808", "[]", "{}",
    "[1,{\"a\":null}]", "{\"a\":{\"b\":null}}", "\"\"", "\"a\"", "\"b\"", "\"name,-rank\"", "\"asc\"", "\"1,2\"", "\"\\\\,\"",
    "\"2026-11-20\"", "\"0000-01-01\"", "\"08:30:00\"", "\"2026-11-20T08:30:00Z\"", "\"9999-12-31T23:59:59.999999Z\"",
    "\"01890a5d-ac96-774b-bcce-b302099a8057\"", "\"12.34\"", "\"1.005\"", "\"%\"", "\"\\u0000\"", "\"\\ud800\"",
    "\"\u{1f981}\"", "\"'\"", "\"x\n\"",
];

#[rustfmt::skip]
const PATHS: [&str; 18] = [
    "/things", "/things", "/things/1", "/things/2", "/things/3", "/things/1/parts", "/things/2/parts/1", "/parts", "/parts/1",
    "/makers", "/makers/a", "/makers/%2F", "/things/0", "/things/%zz", "/things/", "/nothing", "/", "/-/problems",
];

const METHODS: [&str; 10] =
    ["GET", "GET", "POST", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const TAGS: [&str; 6] = ["", "", "", "*", "\"1-json\"", "broken"];

fn query() -> impl Strategy<Value = String> {
    let parameter = (select(&NAMES[..]), select(&OPERATORS[..]), select(&VALUES[..]));
    let encoded =
        |text: &str| text.trim_matches('"').replace(['"', '\n', ' ', '\u{1f981}'], "%F0%9F%A6%81");
    vec(parameter.prop_map(move |(name, op, value)| format!("{name}{op}={}", encoded(value))), 0..4)
        .prop_map(|parameters| parameters.join("&"))
}

fn body() -> impl Strategy<Value = String> {
    let object = vec((select(&NAMES[..]), select(&VALUES[..])), 0..6).prop_map(|members| {
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{\"name\":\"a\",{}}}", members.join(",")).replace(",}", "}")
    });
    prop_oneof![
        8 => object.clone(),
        2 => vec(object, 0..4).prop_map(|objects| format!("[{}]", objects.join(","))),
        1 => select(&VALUES[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

#[test]
fn no_request_is_answered_by_a_5xx() {
    let server = TestServer::of(SCHEMA);
    let client = RefCell::new(server.client());
    let request = (
        select(&METHODS[..]),
        select(&PATHS[..]),
        query(),
        body(),
        select(&TAGS[..]),
        select(&TAGS[..]),
    );
    let config = Config { cases: 2_000, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&request, |(method, path, query, body, if_match, if_none_match)| {
            let writes = ["POST", "PUT", "PATCH"].contains(&method);
            let target = if query.is_empty() || writes {
                path.to_owned()
            } else {
                format!("{path}?{query}")
            };
            let mut fields = vec![("if-match", if_match), ("if-none-match", if_none_match)];
            fields.retain(|(_, tag)| !tag.is_empty());
            check(
                &mut client.borrow_mut(),
                method,
                &target,
                &fields,
                writes.then_some(body.as_bytes()),
            );
            Ok(())
        })
        .unwrap();
}

/// Sends a request, and checks what must be true for every response.
fn check(
    client: &mut Client,
    method: &str,
    target: &str,
    fields: &[(&str, &str)],
    body: Option<&[u8]>,
) {
    let answer = client.request(method, target, fields, body);
    let shown = body.map(String::from_utf8_lossy);
    assert!(answer.status() < 500, "{method} {target} {fields:?} {shown:?}: {answer:?}");
    assert_eq!(
        answer.field("server"),
        Some("nouns"),
        "the response to {method} {target} does not have the server's `Server` field"
    );
    if method == "HEAD" || matches!(answer.status(), 204 | 301 | 304 | 308) {
        return;
    }
    if answer.status() >= 400 {
        answer.problem();
    } else if method == "POST" && answer.field("location").is_some() {
        let found = client.get(answer.field("location").unwrap());
        assert_eq!(
            (&found.body, found.field("etag")),
            (&answer.body, answer.field("etag")),
            "{target} {shown:?}"
        );
    } else {
        answer.json();
    }
}
