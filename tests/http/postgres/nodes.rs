//! Tests of several servers of one PostgreSQL database.

use std::{
    collections::HashMap,
    sync::{
        Barrier, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::{Value as Json, json};

use crate::server::TestServer;

const SCHEMA: &str = "
nouns: 1
resources:
  counter:
    fields: { value: { type: integer, required: true }, name: string }
    limit: { default: 20, maximum: 1000 }
";

/// The number of servers that start at the same time.
const STARTS: usize = 6;
/// The number of rounds of a write on one server and a read on another.
const ROUNDS: i64 = 200;

/// One of the servers makes the tables, and all serve them.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn any_number_of_servers_may_start_at_once() {
    let first =
        TestServer::of("nouns: 1\nresources: { counter: { fields: { value: integer } } }\n");
    for table in ["counters", "_nouns_state", "_nouns_counters", "_nouns_slots", "_nouns_ids"] {
        first.elsewhere(&format!("DROP TABLE {table} CASCADE"));
    }
    first.elsewhere(
        "DROP TABLE _nouns_answers, _nouns_grants, _nouns_attempts; DROP SEQUENCE _nouns_revisions; \
         DROP FUNCTION _nouns_after, _nouns_stamp, _nouns_touch",
    );
    let start = Barrier::new(STARTS);
    let servers: Vec<_> = thread::scope(|scope| {
        let open = || {
            start.wait();
            first.another()
        };
        let threads: Vec<_> = (0..STARTS).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (at, server) in servers.iter().enumerate() {
        server.client().create("/counters", &json!({ "value": at }));
    }
    assert_eq!(
        servers[0].client().get("/counters").json()["items"].as_array().unwrap().len(),
        STARTS
    );
}

/// A write that one server has answered is seen by all, also through their caches.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn no_server_returns_what_another_has_changed() {
    let servers = [TestServer::of(SCHEMA)];
    let servers = [&servers[0], &servers[0].another(), &servers[0].another()];
    let mut clients = servers.map(TestServer::client);
    clients[0].create("/counters", &json!({ "value": 0 }));
    for round in 1..=ROUNDS {
        let (writer, reader) = (round as usize % 3, (round / 3) as usize % 3);
        let patched = clients[writer].patch("/counters/1", &json!({ "value": round }));
        assert_eq!(patched.status(), 200, "{patched:?}");
        assert_eq!(clients[reader].get("/counters/1").json()["value"], round);
        assert_eq!(clients[reader].get("/counters").json()["items"][0]["value"], round);
    }
}

/// Conformance 78, on several servers: each success is one increment.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn each_success_with_if_match_is_one_increment() {
    let first = TestServer::of(SCHEMA);
    let servers = [&first, &first.another(), &first.another()];
    first.client().create("/counters", &json!({ "value": 0 }));
    let wins: i64 = thread::scope(|scope| {
        let work = |at: usize| {
            let mut client = servers[at % 3].client();
            let mut won = 0;
            for _ in 0..10 {
                let read = client.get("/counters/1");
                let tag = read.field("etag").unwrap().to_owned();
                let body =
                    json!({ "value": read.json()["value"].as_i64().unwrap() + 1 }).to_string();
                let fields = [("content-type", "application/json"), ("if-match", tag.as_str())];
                let answer = client.request("PATCH", "/counters/1", &fields, Some(body.as_bytes()));
                assert!([200, 412].contains(&answer.status()), "{answer:?}");
                won += i64::from(answer.status() == 200);
            }
            won
        };
        let threads: Vec<_> = (0..12).map(|at| scope.spawn(move || work(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(wins > 0);
    assert_eq!(first.client().get("/counters/1").json()["value"], wins);
}

/// While several servers and another program write, a tag of a page stands for one content, and a
/// later answer never has an older content.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_tag_of_a_collection_stands_for_one_content() {
    let first = TestServer::of(SCHEMA);
    let servers = [&first, &first.another()];
    for at in 0..8 {
        first.client().create("/counters", &json!({ "value": at }));
    }
    let (seen, is_over) = (Mutex::new(HashMap::<String, Json>::new()), AtomicBool::new(false));
    thread::scope(|scope| {
        for server in servers {
            for id in [1, 3, 5] {
                let is_over = &is_over;
                scope.spawn(move || {
                    let mut client = server.client();
                    for value in 0.. {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        let answer =
                            client.patch(&format!("/counters/{id}"), &json!({ "value": value }));
                        assert_eq!(answer.status(), 200, "{answer:?}");
                    }
                });
            }
            let (seen, is_over) = (&seen, &is_over);
            scope.spawn(move || {
                let mut client = server.client();
                while !is_over.load(Ordering::Relaxed) {
                    let page = client.get("/counters");
                    let tag = page.field("etag").unwrap().to_owned();
                    let items = page.json()["items"].clone();
                    let mut seen = seen.lock().unwrap();
                    if let Some(before) = seen.insert(tag.clone(), items.clone()) {
                        assert_eq!(before, items, "{tag} stands for two contents");
                    }
                }
            });
        }
        for round in 0..300 {
            first.elsewhere(&format!("UPDATE counters SET name = '{round}' WHERE id = 8"));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(seen.lock().unwrap().len() > 10);
}
