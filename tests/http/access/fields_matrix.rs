//! Random rules of a field against a model of a few lines. Who may not read the field gets the same
//! responses whatever its values are, and who may not write it never changes them.

use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value as Json, json};

use super::matrix::{Bed, Rule, posts};

/// The values of the field in the two databases that a caller cannot tell apart.
const VALUES: [[i64; 3]; 2] = [[10, 30, 20], [30, 10, 20]];

/// Reads that could reveal a value: by a filter, an order, a count, a page, a format, an error.
const PROBES: [&str; 18] = [
    "GET /posts",
    "GET /posts?count=true&limit=1",
    "GET /posts?limit=2&offset=1",
    "GET /posts?secret=10",
    "GET /posts?secret[gt]=15&count=true",
    "GET /posts?filter[secret][lt]=15",
    "GET /posts?sortby=secret",
    "GET /posts?sortby=-secret&limit=1",
    "GET /posts?sortby=name&fields=name",
    "GET /posts?fields=name,secret",
    "GET /posts?secrt=1",
    "GET /posts?name=a&secret[null]=true",
    "GET /posts/1",
    "GET /posts/1?fields=secret",
    "OPTIONS /posts",
    "OPTIONS /posts/1",
    "DELETE /posts?secret=10",
    "PATCH /posts/2",
];

/// A rule that depends on the caller alone.
fn rule() -> impl Strategy<Value = Option<Rule>> {
    let roles = proptest::sample::subsequence(vec!["reader", "editor", "admin"], 1..=2);
    let leaf = prop_oneof![Just(Rule::Public), Just(Rule::SignedIn), roles.prop_map(Rule::Role)];
    let rule = leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..3).prop_map(Rule::All),
            proptest::collection::vec(inner.clone(), 1..3).prop_map(Rule::Any),
            inner.prop_map(|rule| Rule::Not(Box::new(rule))),
        ]
    });
    proptest::option::weighted(0.8, rule)
}

fn bed(read: Option<&Rule>, write: Option<&Rule>) -> Bed {
    let key = |name: &str, rule: Option<&Rule>| rule.map(|rule| format!("{name}: {}", rule.yaml()));
    let keys: Vec<_> = [key("read", read), key("write", write)].into_iter().flatten().collect();
    let access = if keys.is_empty() {
        String::new()
    } else {
        format!(", access: {{ {} }}", keys.join(", "))
    };
    Bed::of(&format!(
        "
nouns: 1
auth: {{ accounts: user, login: login }}
resources:
  user:
    fields:
      login: {{ type: string, required: true, unique: true }}
      password: {{ type: password, required: true }}
      role: {{ enum: [reader, editor, admin], required: true }}
  post:
    id: string
    sort: [secret]
    methods: [list, get, create, replace, update, delete, delete_many]
    fields:
      name: string
      secret: {{ type: integer, default: 7{access} }}
    access: {{ read: public, create: public, update: public, delete: public }}
"
    ))
}

fn restore(bed: &Bed, values: [i64; 3]) {
    let [a, b, c] = values;
    let at = "'2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', 5";
    bed.run(&format!(
        "DELETE FROM posts;
         INSERT INTO posts (id, name, secret, created_at, updated_at, revision)
         VALUES ('1', 'a', {a}, {at}), ('2', 'b', {b}, {at}), ('3', 'c', {c}, {at})"
    ));
}

fn stored(bed: &Bed, id: &str) -> Option<i64> {
    bed.cell(&format!("SELECT secret FROM posts WHERE id = '{id}'")).parse().ok()
}

/// A response without what differs between all responses.
fn plain((status, mut json): (u16, Json)) -> (u16, String) {
    json["request_id"] = json!(null);
    let text = json.to_string();
    let times = text.find("\"updated_at\":\"20").map(|_| json["updated_at"].take());
    (status, times.map_or(text, |_| json.to_string()))
}

fn probe(bed: &Bed, caller: Option<usize>) {
    let body = |request: &str| {
        if request.starts_with("PATCH") { json!({ "name": "n" }) } else { json!(null) }
    };
    for request in PROBES {
        let [one, other] = VALUES.map(|values| {
            restore(bed, values);
            plain(bed.ask(caller, request, &body(request)))
        });
        assert_eq!(one, other, "{caller:?}: {request}");
    }
}

fn check(read: Option<&Rule>, write: Option<&Rule>) {
    let bed = bed(read, write);
    let any = posts()[0];
    for caller in [None, Some(0), Some(1), Some(2)] {
        let may = |rule: Option<&Rule>| rule.is_none_or(|rule| rule.allows(caller, any));
        let (reads, writes) = (may(read), may(write.or(read)));
        if !reads {
            probe(&bed, caller);
        }
        restore(&bed, VALUES[0]);
        let (_, member) = bed.ask(caller, "GET /posts/1", &json!(null));
        assert_eq!(member.get("secret"), reads.then(|| json!(10)).as_ref(), "{caller:?}");
        let (_, list) = bed.ask(caller, "GET /posts", &json!(null));
        let order: String = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_str().unwrap())
            .collect();
        assert_eq!(order, if reads { "132" } else { "123" }, "{caller:?}");
        for (method, target, value, passes) in [
            ("PATCH", "/posts/1", 11, writes),
            ("PATCH", "/posts/1", 10, writes || reads),
            ("PUT", "/posts/1", 11, writes || reads),
            ("PUT", "/posts/new", 11, writes || reads),
            ("POST", "/posts", 11, writes),
        ] {
            restore(&bed, VALUES[0]);
            let mut body = json!({ "name": "x", "secret": value });
            let id = match method {
                "POST" => {
                    body["id"] = json!("new");
                    "new"
                }
                _ => target.trim_start_matches("/posts/"),
            };
            let (status, json) = bed.ask(caller, &format!("{method} {target}"), &body);
            assert_eq!(status < 300, passes, "{caller:?}: {method} {target} {json}");
            assert!(status < 300 || status == 422, "{caller:?}: {method} {target} {json}");
            match (passes, id) {
                (false, "new") => {}
                (false, id) => assert_eq!(stored(&bed, id), Some(10)),
                (true, "new") => assert_eq!(stored(&bed, id), Some(if writes { 11 } else { 7 })),
                (true, id) => assert_eq!(stored(&bed, id), Some(if writes { value } else { 10 })),
            }
            assert_eq!(json.get("secret").is_some(), reads && status < 300, "{json}");
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn a_field_is_read_and_written_by_whom_the_model_allows(read in rule(), write in rule()) {
        check(read.as_ref(), write.as_ref());
    }
}
