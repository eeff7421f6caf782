//! Tests of plain requests, which share the connections of a worker.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value as Json, json};

use crate::{
    access::{PASSWORD, add_accounts, basic},
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo:
    fields:
      name: { type: string, required: true, unique: true }
      about: string
      stars: { type: integer, minimum: 0 }
  animal:
    parent: zoo
    fields: { name: { type: string, required: true } }
    sort: [name]
";

/// Posts that only their authors change, and only as long as they are drafts.
const POSTS: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true }
    access: { read: { where: { id: $account.id } } }
  post:
    methods: [list, get, create, replace, update, delete]
    fields:
      author_id: { references: user, required: true, default: $account.id }
      editor_id: { references: user }
      title: { type: string, required: true }
      status: { enum: [draft, published], required: true, default: draft }
    access:
      read: { where: { author_id: $account.id } }
      create: { where: { status: draft } }
      update: { where: { author_id: $account.id, status: draft } }
      delete: { where: { author_id: $account.id } }
";

/// The number of requests until each worker has opened its connections, and knows the statements.
const ROUNDS: usize = 60;

/// A write that waits for a row keeps no other waiting: not those that were sent on the same
/// connection, and not those that come later.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_write_that_waits_for_a_row_keeps_no_other_waiting() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for zoo in ["North", "South"] {
        client.create("/zoos", &json!({ "name": zoo }));
    }
    let south = |round: usize| json!({ "stars": round });
    for round in 0..ROUNDS {
        assert_eq!(server.client().patch("/zoos/2", &south(round)).status(), 200);
    }
    let mut holder = server.database.session();
    holder.rows("BEGIN; UPDATE zoos SET stars = 1 WHERE name = 'North'");
    let is_answered = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let answer = server.client().patch("/zoos/1", &json!({ "stars": 5 }));
                is_answered.store(true, Ordering::Relaxed);
                assert_eq!(answer.status(), 200);
            });
        }
        for round in 0..ROUNDS {
            assert_eq!(server.client().patch("/zoos/2", &south(round)).status(), 200);
        }
        assert!(!is_answered.load(Ordering::Relaxed), "the row was not held");
        holder.rows("COMMIT");
    });
    assert_eq!(client.get("/zoos/1").json()["stars"], 5);
}

/// An operation that a plain request cannot do has the same responses as ever: the reason is found
/// afterwards, and nothing is written.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn what_plain_requests_cannot_do_is_said_and_leaves_no_trace() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for zoo in ["North", "South"] {
        client.create("/zoos", &json!({ "name": zoo }));
    }
    client.create("/zoos/1/animals", &json!({ "name": "Bella" }));
    for _ in 0..ROUNDS {
        let mut other = server.client();
        let tags: Vec<_> = ["/zoos", "/zoos/1/animals"]
            .map(|target| other.get(target).field("etag").unwrap().to_owned())
            .into();
        assert_eq!(other.get("/zoos/9").status(), 404);
        assert_eq!(other.get("/zoos/2/animals/1").status(), 404);
        assert_eq!(other.get("/zoos/9/animals").status(), 404);
        assert_eq!(other.get("/zoos/2/animals").json()["items"], json!([]));
        assert_eq!(other.patch("/zoos/9", &json!({ "stars": 1 })).status(), 404);
        assert_eq!(other.patch("/zoos/2/animals/1", &json!({ "name": "Rex" })).status(), 404);
        assert_eq!(other.delete("/zoos/9").status(), 404);
        let taken = other.patch("/zoos/2", &json!({ "name": "North" }));
        assert_eq!(taken.status(), 409);
        assert!(taken.faults().contains("name"), "{taken:?}");
        assert_eq!(other.post("/zoos/9/animals", &json!({ "name": "Rex" })).status(), 404);
        let now: Vec<_> = ["/zoos", "/zoos/1/animals"]
            .map(|target| other.get(target).field("etag").unwrap().to_owned())
            .into();
        assert_eq!(now, tags, "nothing was written");
    }
    assert_eq!(server.client().delete("/zoos/1").status(), 409, "it has animals");
}

/// A row of several megabytes is written once, and read whole, whatever the connections of workers
/// collect.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_large_row_is_written_once_and_read_whole() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for zoo in ["North", "South"] {
        client.create("/zoos", &json!({ "name": zoo }));
    }
    server.elsewhere("UPDATE zoos SET about = repeat('a', 2000000)");
    for round in 0..ROUNDS {
        let mut other = server.client();
        let answer = other.patch("/zoos/1", &json!({ "stars": round }));
        assert_eq!((answer.status(), &answer.json()["stars"]), (200, &json!(round)));
        assert_eq!(other.get("/zoos/1").json()["about"].as_str().map(str::len), Some(2_000_000));
    }
    let page = client.get("/zoos");
    assert_eq!(page.json()["items"].as_array().map(Vec::len), Some(2));
}

/// The number of statements that the requests of a server have run.
pub(super) fn statements(server: &TestServer) -> u64 {
    let page = server.client().get("http://localhost/-/metrics");
    let text = String::from_utf8(page.body).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("nouns_statements_total "));
    line.unwrap().parse::<f64>().unwrap() as u64
}

/// Writes under access rules, of callers whose accounts are confirmed, and with `If-Match`, are a
/// single statement each. What such a statement refuses is refused with the reason, and leaves no
/// trace.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_statement_tests_rules_accounts_and_preconditions() {
    let server = TestServer::of(POSTS);
    add_accounts(&server, &[("ann", "reader"), ("bob", "reader")]);
    let ask = |login: &str, request: &str, tag: Option<&str>, body: &Json| {
        let (method, target) = request.split_once(' ').unwrap();
        let (credentials, body) = (basic(login, PASSWORD), body.to_string());
        let mut fields = vec![("authorization", &*credentials)];
        fields.push(("content-type", "application/merge-patch+json"));
        if method == "POST" {
            fields[1].1 = "application/json";
        }
        fields.extend(tag.map(|tag| ("if-match", tag)));
        let body = (method != "DELETE").then_some(body.as_bytes());
        let before = statements(&server);
        let answer = server.client().request(method, target, &fields, body);
        (answer, statements(&server) - before)
    };
    // The fewest statements that each request took: those of the first rounds ran elsewhere.
    let mut fewest = [u64::MAX; 3];
    for round in 0..ROUNDS {
        let (created, creation) = ask("ann", "POST /posts", None, &json!({ "title": "a" }));
        assert_eq!((created.status(), &created.json()["author_id"]), (201, &json!(1)));
        let target = created.field("location").unwrap().to_owned();
        let (tag, title) = (created.field("etag").unwrap(), json!({ "title": "b" }));
        let (changed, change) = ask("ann", &format!("PATCH {target}"), Some(tag), &title);
        assert_eq!((changed.status(), &changed.json()["title"]), (200, &json!("b")));
        let now = changed.field("etag").unwrap();
        let refused = [
            // The tag is of the state before.
            ("ann", "PATCH", Some(tag), json!({ "title": "c" }), 412),
            // It is a draft of another author, which is not to be seen either.
            ("bob", "PATCH", None, json!({ "title": "c" }), 404),
            ("bob", "DELETE", None, json!(null), 404),
            // It would not be a draft any more.
            ("ann", "PATCH", Some(now), json!({ "status": "published" }), 403),
            // The account is hidden from the caller.
            ("ann", "PATCH", Some(now), json!({ "editor_id": 2 }), 409),
        ];
        for (login, method, tag, body, status) in refused {
            let (answer, _) = ask(login, &format!("{method} {target}"), tag, &body);
            assert_eq!(answer.status(), status, "{login} {method} {body} {answer:?}");
        }
        let published = json!({ "title": "a", "status": "published" });
        assert_eq!(ask("ann", "POST /posts", None, &published).0.status(), 403);
        let row = "SELECT title || status || author_id FROM posts ORDER BY id DESC LIMIT 1";
        assert_eq!(server.cell(row), "bdraft1");
        let (gone, deletion) = ask("ann", &format!("DELETE {target}"), Some(now), &json!(null));
        assert_eq!(gone.status(), 204, "round {round}: {gone:?}");
        for (at, count) in [creation, change, deletion].into_iter().enumerate() {
            fewest[at] = fewest[at].min(count);
        }
    }
    assert_eq!(server.cell("SELECT count(*) FROM posts"), "0");
    assert_eq!(fewest, [1; 3], "creation, change, deletion");
}
