//! The shipped schema `newsroom.yaml`: its flow of articles, its administrators, and what people
//! try who want more than their role allows.

use serde_json::{Value as Json, json};

use super::{HASH, PASSWORD, all, basic, cookie, nothing, with};
use crate::{
    client::{Answer, Client},
    database::{self, TestSession},
    server::TestServer,
};

/// A newsroom with an account of each role, whose login is the role. The ids count from 1.
fn newsroom() -> TestServer {
    let server = TestServer::of(include_str!("../../../schemas/newsroom.yaml"));
    for (name, role) in [
        ("ada", "admin"),
        ("eve", "editor"),
        ("ann", "author"),
        ("bob", "author"),
        ("rob", "reader"),
        ("root", "admin"),
    ] {
        server.elsewhere(&format!(
            "INSERT INTO users (email, password, name, role) \
             VALUES ('{name}@example.org', '{HASH}', '{name}', '{role}')"
        ));
    }
    server.elsewhere("INSERT INTO sections (name) VALUES ('Politics')");
    server
}

fn ask(client: &mut Client, name: &str, request: &str, body: &Json) -> Answer {
    if name.is_empty() {
        return with(client, ("x-nobody", "1"), request, body);
    }
    let login = format!("{name}@example.org");
    with(client, ("authorization", &basic(&login, PASSWORD)), request, body)
}

/// Changes an article in its present version.
fn change(client: &mut Client, name: &str, target: &str, body: &Json) -> Answer {
    let tag = ask(client, name, &format!("GET {target}"), &nothing());
    let tag = tag.field("etag").unwrap_or("\"0-json-00000000\"").to_owned();
    let authorization = basic(&format!("{name}@example.org"), PASSWORD);
    let fields = [
        ("authorization", authorization.as_str()),
        ("if-match", &tag),
        ("content-type", "application/json"),
    ];
    client.request("PATCH", target, &fields, Some(body.to_string().as_bytes()))
}

#[test]
fn an_article_goes_from_draft_to_publication() {
    let server = newsroom();
    let client = &mut server.client();
    let article = json!({ "section_id": 1, "title": "Vote", "text": "…" });
    let made = ask(client, "ann", "POST /articles", &article);
    assert_eq!((made.status(), &made.json()["author_id"]), (201, &json!(3)));
    let target = made.field("location").unwrap().to_owned();
    let get = format!("GET {target}");
    let statuses = |client: &mut Client| {
        ["", "rob", "bob", "ann", "eve"].map(|name| ask(client, name, &get, &nothing()).status())
    };
    assert_eq!(statuses(client), [404, 404, 404, 200, 200]);
    let publish = json!({ "status": "published" });
    assert_eq!(change(client, "ann", &target, &publish).status(), 403, "authors do not publish");
    assert_eq!(change(client, "ann", &target, &json!({ "status": "review" })).status(), 200);
    assert_eq!(change(client, "bob", &target, &json!({ "title": "x" })).status(), 404);
    let noted = change(client, "eve", &target, &json!({ "note": "Check the names." }));
    assert_eq!(noted.status(), 200);
    let comment = json!({ "text": "Good!" });
    let comments = format!("POST {target}/comments");
    assert_eq!(ask(client, "ann", &comments, &comment).status(), 403, "it is not published");
    let out = json!({ "status": "published", "published_at": "2026-01-01T00:00:00Z" });
    assert_eq!(change(client, "eve", &target, &out).status(), 200);
    assert_eq!(statuses(client), [200; 5]);
    assert_eq!(change(client, "ann", &target, &json!({ "title": "x" })).status(), 403);
    for (name, has_note) in [("", false), ("rob", false), ("bob", true), ("eve", true)] {
        let shown = ask(client, name, &get, &nothing()).json();
        assert_eq!(shown.get("note").is_some(), has_note, "{name}: {shown}");
        let filtered = ask(client, name, "GET /articles?note=x", &nothing()).status();
        assert_eq!(filtered, if has_note { 200 } else { 400 }, "{name}");
    }
    assert_eq!(ask(client, "", &comments, &comment).status(), 401);
    let said = ask(client, "rob", &comments, &comment);
    assert_eq!((said.status(), &said.json()["author_id"]), (201, &json!(5)));
    let comment = format!("DELETE {}", said.field("location").unwrap());
    assert_eq!(ask(client, "bob", &comment, &nothing()).status(), 403);
    assert_eq!(ask(client, "rob", &comment, &nothing()).status(), 204);
}

/// An article that is published later does not exist before, not even for a cache.
#[test]
fn an_article_appears_when_its_time_comes() {
    let server = newsroom();
    let client = &mut server.client();
    let article = json!({ "section_id": 1, "title": "Later", "text": "…" });
    let target = ask(client, "ann", "POST /articles", &article);
    let target = target.field("location").unwrap().to_owned();
    let out = json!({ "status": "published", "published_at": "2099-01-01T00:00:00Z" });
    assert_eq!(change(client, "eve", &target, &out).status(), 200);
    for _ in 0..3 {
        assert_eq!(client.get(&target).status(), 404);
        assert!(all(&client.get("/articles"), "title").is_empty());
    }
}

/// Only an administrator adds, lists and deletes administrators, and none deletes itself. So the
/// last one cannot be deleted.
#[test]
fn administrators_keep_the_accounts() {
    let server = newsroom();
    let client = &mut server.client();
    let new = json!({ "email": "new@example.org", "password": "correct horse battery", "name": "New", "role": "admin" });
    for (name, add, delete) in
        [("", 401, 401), ("rob", 403, 403), ("ann", 403, 403), ("eve", 403, 403)]
    {
        assert_eq!(ask(client, name, "POST /users", &new).status(), add, "{name}");
        assert_eq!(ask(client, name, "DELETE /users/1", &nothing()).status(), delete, "{name}");
    }
    let added = ask(client, "ada", "POST /users", &new);
    assert_eq!((added.status(), &added.json()["role"]), (201, &json!("admin")));
    let admins = ask(client, "ada", "GET /users?role=admin&sortby=id", &nothing());
    assert_eq!(all(&admins, "name"), ["ada", "root", "New"]);
    for user in ["/users/6", added.field("location").unwrap()] {
        assert_eq!(ask(client, "ada", &format!("DELETE {user}"), &nothing()).status(), 204);
    }
    assert_eq!(ask(client, "ada", "DELETE /users/1", &nothing()).status(), 403, "the last one");
    // Addresses are for administrators, also in filters and orders.
    assert!(ask(client, "eve", "GET /users/1", &nothing()).json().get("email").is_none());
    for query in ["email=ada@example.org", "sortby=email", "fields=email", "email[starts_with]=a"] {
        let status = |client: &mut Client, name| {
            ask(client, name, &format!("GET /users?{query}"), &nothing()).status()
        };
        assert_eq!((status(client, "ada"), status(client, "eve")), (200, 400), "{query}");
    }
}

/// Nobody gets another role than an administrator gives it, whichever way it tries.
#[test]
fn nobody_promotes_itself() {
    let server = newsroom();
    let client = &mut server.client();
    let admin = json!({ "role": "admin" });
    let refused = ask(client, "rob", "PATCH /users/5", &admin);
    assert_eq!((refused.status(), refused.faults()), (422, "/role read_only".to_owned()));
    assert_eq!(ask(client, "rob", "PATCH /users/5", &json!({ "role": "reader" })).status(), 200);
    let patch = json!([{ "op": "replace", "path": "/role", "value": "admin" }]).to_string();
    let rob = basic("rob@example.org", PASSWORD);
    let fields = [("authorization", &*rob), ("content-type", "application/json-patch+json")];
    let patched = client.request("PATCH", "/users/5", &fields, Some(patch.as_bytes()));
    assert_eq!(patched.status(), 422, "{patched:?}");
    assert_eq!(
        ask(client, "rob", "PATCH /users/1", &json!({ "password": "correct horse 2" })).status(),
        403
    );
    // With a session and with a token it is the same.
    let body = json!({ "email": "rob@example.org", "password": PASSWORD }).to_string();
    let json = [("content-type", "application/json")];
    let session = cookie(&client.request("POST", "/sessions", &json, Some(body.as_bytes())));
    assert_eq!(with(client, ("cookie", &session), "PATCH /users/5", &admin).status(), 422);
    let token = ask(client, "rob", "POST /tokens", &json!({ "name": "t" })).json();
    let token = format!("Bearer {}", token["token"].as_str().unwrap());
    assert_eq!(with(client, ("authorization", &token), "PATCH /users/5", &admin).status(), 422);
    assert_eq!(ask(client, "rob", "GET /users/5", &nothing()).json()["role"], "reader");
    assert_eq!(ask(client, "ada", "PATCH /users/5", &json!({ "role": "author" })).status(), 200);
    let article = json!({ "section_id": 1, "title": "a", "text": "b" });
    assert_eq!(ask(client, "rob", "POST /articles", &article).status(), 201, "it acts at once");
}

/// The key of a request belongs to its caller: another caller gets its own response.
#[test]
fn an_idempotency_key_of_another_caller_is_another_key() {
    let server = newsroom();
    let client = &mut server.client();
    let mut post = |name: &str| {
        let authorization = basic(&format!("{name}@example.org"), PASSWORD);
        let body = json!({ "section_id": 1, "title": "Same", "text": "…" }).to_string();
        let fields = [
            ("authorization", authorization.as_str()),
            ("idempotency-key", "\"k\""),
            ("content-type", "application/json"),
        ];
        let answer = client.request("POST", "/articles", &fields, Some(body.as_bytes()));
        (answer.json()["id"].clone(), answer.json()["author_id"].clone())
    };
    let first = post("ann");
    assert_eq!((post("ann"), post("bob").1), (first, json!(4)));
}

/// Exports and filtered deletions are of what the caller may read.
#[test]
fn many_members_at_once_follow_the_rules() {
    let server = newsroom();
    let client = &mut server.client();
    for (name, title) in [("ann", "of ann"), ("bob", "of bob")] {
        let article = json!({ "section_id": 1, "title": title, "text": "…" });
        assert_eq!(ask(client, name, "POST /articles", &article).status(), 201);
    }
    let bob = basic("bob@example.org", PASSWORD);
    for kind in ["application/x-ndjson", "text/csv", "application/json"] {
        let fields = [("authorization", bob.as_str()), ("accept", kind)];
        let export = client.request("GET", "/articles?limit=all", &fields, None);
        let text = match export.status() {
            200 => export,
            _ => client.request("GET", "/articles", &fields, None),
        };
        let text = String::from_utf8_lossy(&text.body).into_owned();
        assert!(text.contains("of bob") && !text.contains("of ann"), "{kind}: {text}");
    }
    let fields = [("authorization", bob.as_str()), ("if-match", "*")];
    let deleted = client.request("DELETE", "/articles?section_id=1", &fields, None);
    assert_eq!(deleted.status(), 204, "{deleted:?}");
    assert_eq!(all(&ask(client, "eve", "GET /articles", &nothing()), "title"), ["of ann"]);
}

/// Begins a transaction of another program that writes will wait for.
fn locked(server: &TestServer) -> TestSession {
    let mut session = server.database.session();
    session.rows(match database::is_postgres() {
        true => "BEGIN; LOCK TABLE _nouns_counters IN EXCLUSIVE MODE",
        false => "BEGIN IMMEDIATE",
    });
    session
}

/// Two administrators delete each other in the same moment: one of them stays. The database is
/// locked until both requests wait for it.
#[test]
fn two_administrators_do_not_delete_each_other() {
    let server = newsroom();
    let mut lock = locked(&server);
    let one = |name: &'static str, id: u32| {
        let mut client = server.client();
        std::thread::spawn(move || {
            ask(&mut client, name, &format!("DELETE /users/{id}"), &nothing()).status()
        })
    };
    let requests = [one("ada", 6), one("root", 1)];
    std::thread::sleep(std::time::Duration::from_secs(1));
    lock.rows("COMMIT");
    let mut statuses = requests.map(|request| request.join().unwrap());
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 503]);
    assert_eq!(server.cell("SELECT count(*) FROM users WHERE role = 'admin'"), "1");
}

/// A write of an account whose role is taken away while the write waits.
#[test]
fn a_role_that_is_taken_away_acts_on_waiting_writes() {
    let server = newsroom();
    let mut lock = locked(&server);
    let mut client = server.client();
    let request = std::thread::spawn(move || {
        let refused = ask(&mut client, "ada", "DELETE /users/5", &nothing());
        let again = ask(&mut client, "ada", "DELETE /users/5", &nothing());
        (refused.status(), refused.field("retry-after").map(str::to_owned), again.status())
    });
    std::thread::sleep(std::time::Duration::from_secs(1));
    lock.rows("UPDATE users SET role = 'reader' WHERE id = 1; COMMIT");
    assert_eq!(request.join().unwrap(), (503, Some("1".to_owned()), 403));
}
