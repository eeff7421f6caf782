//! Tests of stored responses to requests with an `Idempotency-Key`: they survive a restart, and
//! expire.

use serde_json::json;

use super::{assert_same, post};
use crate::server::TestServer;

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
