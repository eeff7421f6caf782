//! Tests of preconditions on collections of a PostgreSQL database.

use std::{
    collections::BTreeSet,
    sync::{Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::own_database;
use crate::{database::TestDatabase, server::TestServer};

/// A write of an animal also writes its zoo's table, so it takes counters of several tables.
const SCHEMA: &str = "
nouns: 1
resources:
  zoo: { fields: { name: string } }
  animal:
    parent: { resource: zoo, on_delete: cascade }
    fields: { name: { type: string, required: true } }
    limit: { default: 1000, maximum: 1000 }
";

/// The number of clients that write at the same time, and the rounds of each.
const CLIENTS: usize = 8;
const ROUNDS: usize = 12;
/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writers that test the tag of the same collection wait for each other: each tag has one success.
/// They and writers without preconditions never wait in a circle, and no job runs twice.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn writers_with_the_same_tag_of_a_collection_do_not_deadlock() {
    let (name, folder) = ("nouns_preconditions", tempfile::tempdir().unwrap());
    let other = TestDatabase::new(folder.path().join("other.db"));
    let first = TestServer::at(SCHEMA, own_database(&other, name));
    let second = first.another();
    for zoo in ["North", "South"] {
        first.client().create("/zoos", &json!({ "name": zoo }));
    }
    let (start, used) = (Barrier::new(CLIENTS + 2), Mutex::new(BTreeSet::new()));
    let (servers, animal) = ([&first, &second], json!({ "name": "Bella" }).to_string());
    let refused: usize = thread::scope(|scope| {
        let conditional = |at: usize| {
            let (mut client, mut refused) = (servers[at % 2].client(), 0);
            start.wait();
            for round in 0..ROUNDS {
                // Half of the collections are made from two tables.
                let target = ["/zoos", "/zoos/1/animals"][round % 2];
                let tag = client.get(target).field("etag").unwrap().to_owned();
                let fields = [("content-type", "application/json"), ("if-match", tag.as_str())];
                let answer = client.request("POST", target, &fields, Some(animal.as_bytes()));
                match answer.status() {
                    201 => assert!(used.lock().unwrap().insert(tag), "two writes with one tag"),
                    412 => refused += 1,
                    _ => panic!("{answer:?}"),
                }
            }
            refused
        };
        let plain = |at: usize| {
            let mut client = servers[at].client();
            start.wait();
            for _ in 0..ROUNDS {
                let zoo = client.create("/zoos", &json!({ "name": "x" })).json()["id"].clone();
                // A deletion writes the tables of cascades, too.
                assert_eq!(client.delete(&format!("/zoos/{zoo}")).status(), 204);
                client.create("/zoos/2/animals", &json!({ "name": "Rex" }));
            }
            0
        };
        let threads: Vec<_> = (0..CLIENTS).map(|at| scope.spawn(move || conditional(at))).collect();
        let others: Vec<_> = (0..2).map(|at| scope.spawn(move || plain(at))).collect();
        threads.into_iter().chain(others).map(|thread| thread.join().unwrap()).sum()
    });
    let used = used.into_inner().unwrap().len();
    assert!(refused > 0 && used > 0, "the writers did not meet: {refused} {used}");
    let mut client = first.client();
    let members = ["/zoos", "/zoos/1/animals", "/zoos/2/animals"].map(|target| {
        client.get(&format!("{target}?count=true")).json()["total"].as_u64().unwrap()
    });
    assert_eq!(members.iter().sum::<u64>() as usize, 2 + used + 2 * ROUNDS);
    // A connection tells its figures at its end.
    drop((client, first, second));
    let open = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND backend_type = 'client backend'"
    );
    let until = Instant::now() + PATIENCE;
    while other.cell(&open) != "0" {
        assert!(Instant::now() < until, "the connections are still open");
        thread::sleep(Duration::from_millis(10));
    }
    let figures =
        format!("SELECT deadlocks, xact_rollback FROM pg_stat_database WHERE datname = '{name}'");
    let row = &other.rows(&figures)[0];
    assert_eq!(row[0], "0", "deadlocks");
    let undone: usize = row[1].parse().unwrap();
    // A read may end so, too. So does a write that is refused, and one that runs again.
    let reads = CLIENTS * ROUNDS + members.len();
    assert!(undone <= refused + reads, "{undone} transactions: {refused} refused, {reads} reads");
    other.run(&format!("DROP DATABASE {name}"));
}
