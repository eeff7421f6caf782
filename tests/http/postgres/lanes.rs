//! Tests of plain requests, which share the connections of a worker.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::json;

use crate::server::TestServer;

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

/// What a plain request cannot do has the same answers as ever: the reason is found afterwards, and
/// nothing is written.
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
