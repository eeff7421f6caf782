//! Tests of reads: their statements, and their connections. Slow ones have few of their own, and no
//! lane takes one from them.

use std::{thread, time::Duration};

use serde_json::json;

use super::{lanes::statements, own_database};
use crate::{
    client::{Answer, Client},
    database::url,
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo: { fields: { name: { type: string, required: true }, stars: integer } }
  keeper: { fields: { name: { type: string, required: true }, stars: integer } }
";

const NESTED: &str = "
nouns: 1
resources:
  zoo: { fields: { name: { type: string, required: true } } }
  animal:
    parent: zoo
    fields: { name: { type: string, required: true }, weight: integer }
";

/// More slow reads than there are connections for reads.
const SLOW: usize = 20;

/// Sends a read of a table that another program has locked, and does not wait for the response.
fn begin_slow(server: &TestServer, number: usize) -> Client {
    let mut client = server.client();
    let target = format!("/zoos?stars={number}");
    client.write(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
    client
}

/// Waits until so many statements of a server wait for a lock.
fn wait_for_locked(server: &TestServer, count: usize) {
    let name = server.database.schema();
    let query = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' AND wait_event_type = 'Lock'"
    );
    for _ in 0..500 {
        if server.cell(&query) == count.to_string() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{} statements wait for a lock, and not {count}", server.cell(&query));
}

/// However many reads take long, others are answered, also those that have never run before.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn fast_reads_are_answered_beside_any_number_of_slow_ones() {
    let server = TestServer::of(SCHEMA);
    server.client().create("/keepers", &json!({ "name": "Ada", "stars": 3 }));
    let mut holder = server.database.session();
    holder.rows("BEGIN; LOCK TABLE zoos IN ACCESS EXCLUSIVE MODE");
    let slow: Vec<_> = (0..SLOW).map(|number| begin_slow(&server, number)).collect();
    wait_for_locked(&server, 2);
    for filter in ["stars=3", "stars[gte]=2", "name=Ada", "name[contains]=d", "stars[lt]=9"] {
        for more in ["", "&sortby=name", "&sortby=-stars", "&count=true"] {
            let page = server.client().get(&format!("/keepers?{filter}{more}"));
            assert_eq!(page.status(), 200, "{filter}{more}: {page:?}");
        }
    }
    wait_for_locked(&server, 2);
    holder.rows("COMMIT");
    for mut client in slow {
        assert_eq!(client.begin(b"").status(), 200);
    }
}

/// A read whose client has gone is cancelled, whether it runs or waits.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn reads_of_clients_that_have_gone_are_cancelled() {
    let server = TestServer::of(SCHEMA);
    let mut holder = server.database.session();
    holder.rows("BEGIN; LOCK TABLE zoos IN ACCESS EXCLUSIVE MODE");
    let slow: Vec<_> = (0..SLOW).map(|number| begin_slow(&server, number)).collect();
    wait_for_locked(&server, 2);
    drop(slow);
    wait_for_locked(&server, 0);
    // Whoever comes now does not wait for them.
    let mut client = begin_slow(&server, 0);
    wait_for_locked(&server, 1);
    holder.rows("COMMIT");
    assert_eq!(client.begin(b"").status(), 200);
}

/// A page that ends early, since its members are large, has a statement whose further rows nobody
/// needs. If it is interrupted then, the page is read again.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn an_interrupted_rest_of_a_page_fails_no_request() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  note:
    fields: { text: { type: string, max_length: 2000000 } }
    limit: { maximum: 500 }
",
    );
    server.elsewhere(
        "INSERT INTO notes (text) SELECT repeat('a', 1000000) FROM generate_series(1, 400)",
    );
    let page = server.client().get("/notes?limit=400");
    assert_eq!(page.status(), 200, "{}", page.detail());
    assert!(page.link("next").is_some());
}

/// A server that has no room for the connections of workers still has it for other requests.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_lane_that_cannot_be_opened_does_not_harm_other_requests() {
    let other = TestServer::of(SCHEMA);
    drop(own_database(&other.database, "nouns_crowded"));
    other.elsewhere("DROP ROLE IF EXISTS nouns_crowded");
    other.elsewhere("CREATE ROLE nouns_crowded LOGIN");
    other.elsewhere("ALTER DATABASE nouns_crowded OWNER TO nouns_crowded");
    let location = url("dbname=nouns_crowded&user=nouns_crowded");
    let server = TestServer::at(SCHEMA, location.into());
    other.elsewhere("ALTER ROLE nouns_crowded CONNECTION LIMIT 2");
    assert_eq!(server.client().get("/zoos?count=true").status(), 200);
    for _ in 0..80 {
        assert_eq!(server.client().get("/zoos").status(), 200);
        thread::sleep(Duration::from_millis(25));
    }
    other.elsewhere("ALTER ROLE nouns_crowded CONNECTION LIMIT -1");
    let body = json!([{ "name": "North" }, { "name": "South" }]);
    assert_eq!(server.client().post("/zoos", &body).status(), 201);
}

/// The number of requests until each worker has opened its connections, and knows the statements.
const ROUNDS: usize = 60;

/// Returns the largest number of statements of a request.
fn statements_of(server: &TestServer, status: u16, target: impl Fn(usize) -> String) -> u64 {
    let counts = (0..ROUNDS).map(|round| {
        let before = statements(server);
        assert_eq!(server.client().get(&target(round)).status(), status);
        statements(server) - before
    });
    counts.max().unwrap()
}

/// Reads are one statement, from the first one of a shape: with a total, and with filters that
/// nobody has sent before. The reason for a 404 is a second one.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn every_read_is_one_statement() {
    let server = TestServer::of(NESTED);
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "North" }));
    for name in ["Bella", "Rex", "Tom"] {
        client.create("/zoos/1/animals", &json!({ "name": name, "weight": 3 }));
    }
    let page = client.get("/zoos/1/animals?count=true&limit=2");
    let items = page.json()["items"].as_array().map(Vec::len);
    assert_eq!((&page.json()["total"], items), (&json!(3), Some(2)));
    let most = |status: u16, target: &str| statements_of(&server, status, |_| target.to_owned());
    assert_eq!(most(200, "/zoos/1/animals?count=true"), 1);
    assert_eq!(most(404, "/zoos/9/animals?count=true"), 2);
    assert_eq!(most(404, "/zoos/9/animals/1"), 2);
    assert_eq!(most(404, "/zoos/9"), 1);
    let filtered = |round: usize| {
        let ops = ["ne", "gt", "gte", "lt", "lte", "in"];
        let tests = ops.iter().enumerate().filter(|(at, _)| round & (1 << at) != 0);
        let tests: Vec<_> = tests.map(|(at, op)| format!("&weight[{op}]={at}")).collect();
        format!("/zoos/1/animals?count=true{}", tests.concat())
    };
    assert_eq!(statements_of(&server, 200, filtered), 1);
}

/// A page of large rows is whole if little of them is sent. It ends early if its cursor needs them.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_page_of_large_rows_with_few_fields_is_whole_or_ends_early() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  note:
    fields: { text: { type: string, max_length: 2000000 } }
    limit: { maximum: 500 }
",
    );
    server.elsewhere(
        "INSERT INTO notes (text) SELECT repeat(chr(96 + i), 1000000) FROM generate_series(1, 20) AS i",
    );
    let ids = |page: &Answer| {
        assert_eq!(page.status(), 200, "{}", page.detail());
        let ids = page.json()["items"].as_array().unwrap().clone();
        ids.iter().map(|item| item["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let all: Vec<_> = (1..=20).collect();
    let mut client = server.client();
    assert_eq!(ids(&client.get("/notes?limit=30&fields=id")), all);
    let (mut target, mut pages) =
        (Some("/notes?limit=30&fields=id&sortby=text".to_owned()), vec![]);
    while let Some(next) = target {
        let page = client.get(&next);
        target = page.link("next");
        pages.push(ids(&page));
    }
    assert!(pages.len() > 1 && pages.concat() == all, "{pages:?}");
}
