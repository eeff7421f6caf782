//! Access rules of fields: what a caller may not read does not exist for it, and what it may not
//! write stays as it is.

use serde_json::{Value as Json, json};

use super::{PASSWORD, add_accounts, ask, basic, nothing};
use crate::{client::Client, server::TestServer};

const STAFF: &str = "
nouns: 1
api: { title: Staff }
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, editor, admin], required: true, default: reader, access: { write: { role: admin } } }
    access: { read: public, create: public, update: public }
  person:
    id: string
    sort: [-salary, name]
    unique: [[name, salary]]
    fields:
      name: { type: string, required: true }
      salary: { type: integer, access: { read: { role: [editor, admin] }, write: { role: admin } } }
      pin: { type: string, unique: true, access: { read: { role: admin }, write: signed_in } }
      boss_id: { references: person, access: { read: signed_in } }
      grade: { type: string, default: b, access: { write: { role: editor } } }
      badge: { type: string, create_only: true, access: { write: { role: admin } } }
    access: { read: public, create: public, update: public, delete: public }
";

fn staff() -> TestServer {
    let server = TestServer::of(STAFF);
    add_accounts(&server, &[("ann", "reader"), ("eve", "editor"), ("root", "admin")]);
    let rows = "INSERT INTO people (id, name, salary, pin, boss_id, badge) VALUES
        ('a', 'Ada', 10, '1111', NULL, 'x'), ('b', 'Bob', 30, '2222', 'a', 'y'),
        ('c', 'Cem', 20, '3333', 'a', 'z');";
    server.elsewhere(rows);
    server
}

fn names(json: &Json) -> Vec<String> {
    json.as_object().unwrap().keys().cloned().collect()
}

/// The ids of a list in its order.
fn ids(client: &mut Client, login: &str, query: &str) -> String {
    let answer = ask(client, login, &format!("GET /people{query}"), &nothing());
    let json = answer.json();
    let items = json["items"].as_array().unwrap_or_else(|| panic!("{json}"));
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn a_representation_has_the_fields_that_its_reader_may_read() {
    let server = staff();
    let mut client = server.client();
    for (login, hidden) in [
        ("", vec!["salary", "pin", "boss_id"]),
        ("ann", vec!["salary", "pin"]),
        ("eve", vec!["pin"]),
        ("root", vec![]),
    ] {
        let get = |client: &mut Client, request: &str| ask(client, login, request, &nothing());
        let member = get(&mut client, "GET /people/b").json();
        let first = get(&mut client, "GET /people?limit=1").json()["items"][0].clone();
        let changed = ask(&mut client, login, "PATCH /people/b", &json!({ "name": "Bob" })).json();
        for json in [member, first, changed] {
            for name in ["id", "name", "salary", "pin", "boss_id", "grade", "badge"] {
                assert_eq!(names(&json).contains(&name.into()), !hidden.contains(&name), "{json}");
            }
        }
        for format in ["text/csv", "application/x-ndjson"] {
            let authorization = basic(login, PASSWORD);
            let mut fields = vec![("accept", format)];
            if !login.is_empty() {
                fields.push(("authorization", authorization.as_str()));
            }
            let answer = client.request("GET", "/people", &fields, None);
            let text = String::from_utf8(answer.body.clone()).unwrap();
            for (name, value) in [("salary", "30"), ("pin", "2222")] {
                let forms = [format!(",{value},"), format!(":{value},"), format!("\"{value}\"")];
                let is_there = forms.iter().any(|form| text.contains(form));
                assert_eq!(is_there, !hidden.contains(&name), "{login} {text}");
                assert_eq!(text.contains(name), !hidden.contains(&name), "{login} {text}");
            }
        }
        let described = get(&mut client, "OPTIONS /people").json().to_string();
        for name in ["salary", "boss_id"] {
            assert_eq!(described.contains(name), !hidden.contains(&name), "{login} {described}");
        }
    }
}

/// A name that a caller may not read is as unknown as one that does not exist.
#[test]
fn a_hidden_field_is_no_parameter() {
    let server = staff();
    let mut client = server.client();
    for query in [
        "salary=30",
        "salary[gt]=1",
        "filter[salary]=30",
        "filter[salary][lt]=3",
        "sortby=salary",
        "sortby=-salary,name",
        "fields=name,salary",
        "sallary=1",
        "salary__gt=3",
        "boss=1",
    ] {
        let problem = |client: &mut Client, query: &str| {
            let answer = ask(client, "", &format!("GET /people?{query}"), &nothing());
            assert_eq!(answer.status(), 400, "{query}");
            let mut json = answer.json();
            json["request_id"] = json!(null);
            json.to_string()
        };
        let other = query.replace("sallary", "s0llary").replace("salary", "s0lary");
        let other = other.replace("boss", "bxss");
        let found = problem(&mut client, query);
        let expected = problem(&mut client, &other).replace("s0l", "sal").replace("bxss", "boss");
        assert_eq!(found, expected);
        assert!(!found.contains("boss_id"), "{found}");
    }
    assert_eq!(ask(&mut client, "eve", "GET /people?salary[gt]=10", &nothing()).status(), 200);
}

/// The default order has none of the hidden keys, so neither the order nor a cursor reveals them.
#[test]
fn a_default_order_leaves_hidden_keys_out() {
    let server = staff();
    let mut client = server.client();
    assert_eq!(
        (ids(&mut client, "eve", ""), ids(&mut client, "ann", "")),
        ("bca".into(), "abc".into())
    );
    for (login, expected) in [("eve", "bca"), ("ann", "abc"), ("", "abc")] {
        let (mut target, mut walked) = ("/people?limit=1".to_owned(), String::new());
        loop {
            let page = ask(&mut client, login, &format!("GET {target}"), &nothing());
            walked.push_str(page.json()["items"][0]["id"].as_str().unwrap());
            match page.link("next") {
                Some(next) => target = next,
                None => break,
            }
        }
        assert_eq!(walked, expected, "{login}");
    }
    let page = ask(&mut client, "eve", "GET /people?limit=1", &nothing());
    let foreign =
        ask(&mut client, "ann", &format!("GET {}", page.link("next").unwrap()), &nothing());
    assert_eq!(foreign.status(), 400, "a cursor has values of the keys of its order");
}

#[test]
fn only_who_may_write_a_field_changes_it() {
    let server = staff();
    let mut client = server.client();
    for (login, body, expected) in [
        ("", json!({ "salary": 1 }), 422),
        ("ann", json!({ "salary": 10 }), 422),
        ("eve", json!({ "salary": 10 }), 200),
        ("eve", json!({ "salary": 11 }), 422),
        ("root", json!({ "salary": 10 }), 200),
        ("", json!({ "pin": "1111" }), 422),
        ("ann", json!({ "pin": "4444" }), 200),
        ("ann", json!({ "pin": "2222" }), 409),
        ("ann", json!({ "grade": "b" }), 200),
        ("ann", json!({ "grade": "a" }), 422),
        ("eve", json!({ "grade": "a" }), 200),
        ("ann", json!({ "badge": "x" }), 200),
        ("root", json!({ "badge": "q" }), 422),
        ("", json!({ "boss_id": "b" }), 422),
        ("ann", json!({ "boss_id": "b" }), 200),
    ] {
        let answer = ask(&mut client, login, "PATCH /people/a", &body);
        let expected = if login.is_empty() && expected == 409 { 401 } else { expected };
        assert_eq!(answer.status(), expected, "{login} {body} {answer:?}");
    }
    let refused = ask(&mut client, "eve", "PATCH /people/a", &json!({ "salary": 11 }));
    assert_eq!(refused.faults(), "/salary read_only");
    let unknown = ask(&mut client, "", "PATCH /people/a", &json!({ "salary": 11 }));
    assert_eq!(unknown.faults(), "/salary unknown");
    // A new member has the default; who may not write the field may not send it.
    let new = json!({ "id": "d", "name": "Dan", "grade": "b" });
    assert_eq!(ask(&mut client, "ann", "POST /people", &new).faults(), "/grade read_only");
    let new = json!({ "id": "d", "name": "Dan" });
    let created = ask(&mut client, "ann", "POST /people", &new);
    assert_eq!((created.status(), &created.json()["grade"]), (201, &json!("b")));
    let user = json!({ "login": "x", "password": PASSWORD, "role": "admin" });
    assert_eq!(ask(&mut client, "", "POST /users", &user).faults(), "/role read_only");
    assert_eq!(ask(&mut client, "root", "POST /users", &user).status(), 201);
}

/// PUT replaces what its caller may write, and keeps the rest.
#[test]
fn put_keeps_what_its_caller_may_not_write() {
    let server = staff();
    let mut client = server.client();
    let body = json!({ "name": "Ada", "grade": "z", "badge": "other" });
    let put = ask(&mut client, "ann", "PUT /people/a", &body);
    assert_eq!(put.status(), 200, "{put:?}");
    let all = ask(&mut client, "root", "GET /people/a", &nothing()).json();
    assert_eq!((&all["grade"], &all["badge"]), (&json!("b"), &json!("x")));
    assert_eq!((&all["salary"], &all["pin"]), (&json!(10), &json!("1111")), "they are hidden");
    let new = ask(&mut client, "ann", "PUT /people/n", &json!({ "name": "New", "grade": "z" }));
    assert_eq!((new.status(), &new.json()["grade"]), (201, &json!("b")));
}

#[test]
fn a_json_patch_reads_and_writes_what_its_caller_may() {
    let server = staff();
    let mut client = server.client();
    let mut patch = |login: &str, body: Json| {
        let authorization = basic(login, PASSWORD);
        let mut fields = vec![("content-type", "application/json-patch+json")];
        if !login.is_empty() {
            fields.push(("authorization", authorization.as_str()));
        }
        let body = body.to_string();
        client.request("PATCH", "/people/a", &fields, Some(body.as_bytes())).status()
    };
    let test = |value: i64| json!([{ "op": "test", "path": "/salary", "value": value }]);
    assert_eq!((patch("eve", test(10)), patch("eve", test(11))), (200, 409));
    assert_eq!(patch("ann", test(10)), patch("ann", test(11)), "the value cannot be guessed");
    let copy = json!([{ "op": "copy", "from": "/salary", "path": "/name" }]);
    assert_eq!(patch("ann", copy), 422);
    let set = |path: &str, value: Json| json!([{ "op": "add", "path": path, "value": value }]);
    assert_eq!(patch("ann", set("/grade", json!("z"))), 422);
    assert_eq!(patch("ann", set("/pin", json!("9999"))), 200, "it may be written, not read");
    assert_eq!(patch("", set("/pin", json!("9999"))), 422);
}

/// Callers who see other fields have other validators, and no cache gives one the response of
/// another.
#[test]
fn validators_and_caches_are_of_a_class_of_callers() {
    let server = staff();
    let mut client = server.client();
    for target in ["/people", "/people/a", "/people?sortby=name&limit=2"] {
        let request = format!("GET {target}");
        let tag = |client: &mut Client, login: &str| {
            let answer = ask(client, login, &request, &nothing());
            answer.field("etag").unwrap().to_owned()
        };
        let tags = ["", "ann", "eve", "root"].map(|login| tag(&mut client, login));
        for (at, one) in tags.iter().enumerate() {
            assert!(!tags[..at].contains(one), "{target} {tags:?}");
        }
        for _ in 0..3 {
            for (login, sees) in [("eve", true), ("ann", false), ("", false), ("root", true)] {
                let answer = ask(&mut client, login, &request, &nothing());
                assert_eq!(answer.json().to_string().contains("salary"), sees, "{login}");
            }
        }
        let authorization = basic("ann", PASSWORD);
        let fields = [("authorization", authorization.as_str()), ("if-none-match", &*tags[2])];
        assert_eq!(client.request("GET", target, &fields, None).status(), 200);
    }
    // A tag of any class is good for a change: it names the revision.
    let tag = ask(&mut client, "root", "GET /people/a", &nothing());
    let authorization = basic("ann", PASSWORD);
    let fields = [
        ("authorization", authorization.as_str()),
        ("if-match", tag.field("etag").unwrap()),
        ("content-type", "application/json"),
    ];
    assert_eq!(
        client.request("PATCH", "/people/a", &fields, Some(b"{\"name\":\"A\"}")).status(),
        200
    );
}

/// The text of an error has no name that its reader may not know.
#[test]
fn errors_do_not_name_hidden_fields() {
    let server = staff();
    let mut client = server.client();
    let restricted = ask(&mut client, "", "DELETE /people/a", &nothing());
    assert_eq!(restricted.status(), 409, "{restricted:?}");
    assert!(!restricted.json().to_string().contains("`people`"), "{restricted:?}");
    let named = ask(&mut client, "ann", "DELETE /people/a", &nothing());
    assert!(named.json().to_string().contains("`people`"), "{named:?}");
    let taken =
        ask(&mut client, "root", "PATCH /people/a", &json!({ "name": "Bob", "salary": 30 }));
    assert_eq!(taken.faults(), "/name unique, /salary unique");
    ask(&mut client, "root", "PATCH /people/a", &json!({ "salary": 30 }));
    let taken = ask(&mut client, "ann", "PATCH /people/a", &json!({ "name": "Bob" }));
    assert_eq!(taken.faults(), "/name unique");
    assert!(!taken.json().to_string().contains("salary"), "{taken:?}");
}

/// The stored response to a request with `Idempotency-Key` has fields that its caller may no longer
/// read.
#[test]
fn a_repeated_request_follows_the_present_role() {
    let server = staff();
    let mut client = server.client();
    let mut post = || {
        let authorization = basic("root", PASSWORD);
        let fields = [
            ("authorization", authorization.as_str()),
            ("content-type", "application/json"),
            ("idempotency-key", "\"k\""),
        ];
        let body = b"{\"id\":\"k\",\"name\":\"Kim\",\"pin\":\"777\"}";
        client.request("POST", "/people", &fields, Some(body))
    };
    assert_eq!(post().json()["pin"], "777");
    assert_eq!(post().json()["pin"], "777");
    server.elsewhere("UPDATE users SET role = 'reader' WHERE login = 'root'");
    let again = post();
    assert_eq!((again.status(), again.field("location")), (201, Some("/people/k")));
    assert!(!String::from_utf8_lossy(&again.body).contains("777"), "{again:?}");
}
