//! Tests of stored responses to requests with an `Idempotency-Key`: they survive a restart, and
//! expire.

use serde_json::json;

use super::{assert_same, post};
use crate::server::TestServer;

/// The size of a large text, which fits into a body.
const ONE_BYTES: usize = 900_000;

fn kept(server: &TestServer) -> i64 {
    server.cell("SELECT count(*) FROM _nouns_answers").parse().unwrap()
}

/// Conformance 161: a stored response survives a restart.
#[test]
fn a_restart_forgets_no_answer() {
    let mut server = TestServer::zoo();
    let body = json!({ "name": "Tierpark" });
    let first = post(&mut server.client(), "/zoos", "\"a\"", &body);
    server.restart();
    let mut client = server.client();
    assert_same(&post(&mut client, "/zoos", "\"a\"", &body), &first);
    assert_eq!(client.names("/zoos"), "Tierpark");
}

/// Conformance 74, 161: a stored response is not returned after the declaration has changed. Its
/// entity tag would match no current representation.
#[test]
fn another_declaration_shows_no_former_answer() {
    let model = |yaml: &str| {
        let schema = nouns::codegen::read_yaml("zoo.yaml", yaml).unwrap();
        std::sync::Arc::new(nouns::Model::link(nouns::interpret::api_def(&schema)).unwrap())
    };
    let open = "nouns: 1\nresources:\n  zoo:\n    fields: { name: string, pin: string }\n";
    let mut server = TestServer::serve(model(open));
    let body = json!({ "name": "Tierpark", "pin": "1234" });
    let first = post(&mut server.client(), "/zoos", "\"a\"", &body);
    assert_eq!(first.json()["pin"], "1234");
    server.model = model(&open.replace("pin: string", "pin: { type: string, write_only: true }"));
    server.restart();
    let again = post(&mut server.client(), "/zoos", "\"a\"", &body);
    assert_eq!((again.status(), again.field("location")), (201, first.field("location")));
    assert_eq!((again.body.len(), again.field("etag")), (0, None));
    assert_eq!(
        server.client().names("/zoos"),
        "Tierpark",
        "the repeated request must not create a second zoo"
    );
}

/// Conformance 161: a stored response expires, and then its key can be used again.
#[test]
fn a_key_is_free_after_its_time() {
    let server = TestServer::zoo();
    let mut client = server.client();
    post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Tierpark" }));
    let day = 24 * 60 * 60;
    let age = |seconds: i64| {
        server.elsewhere(&format!("UPDATE _nouns_answers SET at = at - {seconds}"));
    };
    age(day - 100);
    assert_eq!(post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Bergzoo" })).status(), 422);
    age(101);
    let second = post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Bergzoo" }));
    assert_eq!(second.status(), 201);
    assert_same(&post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Bergzoo" })), &second);
    assert_eq!((client.names("/zoos"), kept(&server)), ("Tierpark Bergzoo".to_owned(), 1));
}

/// Conformance 161: storing a response deletes a limited number of expired ones.
#[test]
fn old_answers_go_with_each_new_one() {
    let server = TestServer::zoo();
    let mut client = server.client();
    for at in 0..40 {
        post(&mut client, "/zoos", &format!("\"{at}\""), &json!({ "name": at.to_string() }));
    }
    assert_eq!(kept(&server), 40);
    server.elsewhere("UPDATE _nouns_answers SET at = 0");
    for (at, left) in [(40, 25), (41, 10), (42, 3), (43, 4)] {
        post(&mut client, "/zoos", &format!("\"{at}\""), &json!({ "name": at.to_string() }));
        assert_eq!(kept(&server), left);
    }
}

/// Conformance 161: no response is stored for a request without the field, or for a refused
/// request.
#[test]
fn nothing_is_kept_that_nobody_asked_for() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "a" }));
    assert_eq!(post(&mut client, "/zoos", "\"a\"", &json!({ "name": "a" })).status(), 409);
    assert_eq!(kept(&server), 0);
}

/// Conformance 161: opening an older database migrates it.
#[test]
fn an_older_database_learns_to_keep_answers() {
    let mut server = TestServer::zoo();
    server.client().create("/zoos", &json!({ "name": "a" }));
    let database = rusqlite::Connection::open(&server.database.file).unwrap();
    let mut triggers =
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE '_nouns_grants%'").unwrap();
    let triggers: Vec<String> =
        triggers.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    for trigger in &triggers {
        database.execute_batch(&format!("DROP TRIGGER \"{trigger}\"")).unwrap();
    }
    let older = "DROP TABLE _nouns_answers; DROP TABLE _nouns_grants;
        DELETE FROM _nouns_tables WHERE name = '_nouns_grants';
        ALTER TABLE _nouns_state DROP COLUMN secret; ALTER TABLE _nouns_state DROP COLUMN stamped_at;
        UPDATE _nouns_state SET format = 2";
    database.execute_batch(older).unwrap();
    server.restart();
    let mut client = server.client();
    let first = post(&mut client, "/zoos", "\"a\"", &json!({ "name": "b" }));
    assert_same(&post(&mut client, "/zoos", "\"a\"", &json!({ "name": "b" })), &first);
    assert_eq!(client.names("/zoos"), "a b");
    let count =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%stamped_at%'";
    let total: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(total, triggers.len() as i64, "the migration must create all triggers again");
}

/// The stored responses of a caller have a limit in bytes. Beyond it, a response is stored as its
/// status and its `Location`, and the request takes effect once as before.
#[test]
fn large_answers_of_a_caller_have_a_limit() {
    let most = nouns::__runtime::limits::ANSWERS_BYTES_MAX;
    let long = "x".repeat(3400);
    let mut server = TestServer::of(&format!(
        "nouns: 1\nresources:\n  zoo:\n    fields:\n      name: string\n      text: {{ type: string, default: {long} }}\n"
    ));
    let bytes = |server: &TestServer| -> usize {
        let sum = "SELECT sum(octet_length(content) + octet_length(written)) FROM _nouns_answers";
        server.cell(sum).parse().unwrap()
    };
    let mut client = server.client();
    let members = json!((0..1000).map(|at| json!({ "name": at.to_string() })).collect::<Vec<_>>());
    let first = post(&mut client, "/zoos", "\"0\"", &members);
    assert_eq!(first.status(), 201);
    let each = bytes(&server);
    // Later members have longer ids.
    let fits = most / (each + 5000);
    for at in 1..fits {
        assert_eq!(post(&mut client, "/zoos", &format!("\"{at}\""), &members).status(), 201);
    }
    let one = json!({ "name": "one", "text": "y".repeat(ONE_BYTES) });
    let mut singles = 0;
    while bytes(&server) + ONE_BYTES + 1000 < most {
        assert_eq!(post(&mut client, "/zoos", &format!("\"s{singles}\""), &one).status(), 201);
        singles += 1;
    }
    for round in 0..2 {
        for (key, body) in [("\"many\"", &members), ("\"one\"", &one)] {
            let large = post(&mut client, "/zoos", key, body);
            assert_eq!(large.status(), 201);
            let again = post(&mut client, "/zoos", key, body);
            assert_eq!((again.status(), again.field("location")), (201, large.field("location")));
            assert_eq!((again.body.len(), again.field("etag")), (0, None));
            assert_eq!(post(&mut client, "/zoos", key, &json!({ "name": "x" })).status(), 422);
        }
        assert_eq!(kept(&server), (fits + singles) as i64 + 2);
        assert!(bytes(&server) <= most, "{} bytes", bytes(&server));
        let total = client.get("/zoos?limit=1&count=true").json()["total"].clone();
        assert_eq!(total, (fits + 1) * 1000 + singles + 1, "round {round}");
        // Another process counts what is stored, too.
        server.restart();
        client = server.client();
    }
    assert_same(&post(&mut client, "/zoos", "\"0\"", &members), &first);
    let small = json!({ "name": "small", "text": "z" });
    let stored = post(&mut client, "/zoos", "\"small\"", &small);
    assert_same(&post(&mut client, "/zoos", "\"small\"", &small), &stored);
}
