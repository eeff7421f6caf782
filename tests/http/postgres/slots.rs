//! Tests of slots: where transactions count their changes.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  counter: { fields: { value: { type: integer, required: true } } }
";

/// The number of slots that processes have leased.
const LEASED: &str = "SELECT count(*) FROM _nouns_slots WHERE slot > 0";

/// Adds slots whose leases ended at a time, with counters for all tables.
fn add_slots(server: &TestServer, first: u32, until: &str) {
    let slots = format!("generate_series({first}, {first} + 8)");
    server.elsewhere(&format!(
        "INSERT INTO _nouns_slots SELECT s, 'somebody', {until} FROM {slots} AS s;
         INSERT INTO _nouns_counters
           SELECT DISTINCT name, s, 7, timestamptz '2020-02-03 04:05:06Z' FROM _nouns_counters, {slots} AS s"
    ));
}

fn tag(client: &mut Client) -> String {
    client.get("/counters").field("etag").unwrap().to_owned()
}

fn write_again_and_again(client: &mut Client) {
    for value in 0..50 {
        client.create("/counters", &json!({ "value": value }));
        let last = format!("/counters/{}", value + 1);
        assert_eq!(client.patch(&last, &json!({ "value": -value })).status(), 200);
    }
}

/// Each read of a state adds the counters of all slots.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn writes_one_after_the_other_share_a_slot() {
    let server = TestServer::of(SCHEMA);
    assert_eq!(server.cell(LEASED), "0", "nobody has written");
    write_again_and_again(&mut server.client());
    assert_eq!(server.cell(LEASED), "1");
}

/// A server that starts finds slots that nobody holds, and tags stay as they are.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn slots_that_nobody_holds_are_folded_and_tags_stay() {
    let mut server = TestServer::of(SCHEMA);
    server.client().create("/counters", &json!({ "value": 1 }));
    add_slots(&server, 101, "'-infinity'");
    add_slots(&server, 201, "now() - interval '61 minutes'");
    add_slots(&server, 301, "now() - interval '1 minute'");
    let (before, state) =
        (tag(&mut server.client()), "SELECT sum(count), max(changed_at) FROM _nouns_counters");
    let counted = server.database.rows(state);
    server.restart();
    assert_eq!(
        server.cell("SELECT count(*) FROM _nouns_slots WHERE slot > 100"),
        "9",
        "a lease of 301 may be held"
    );
    assert_eq!(
        server.cell("SELECT count(*) FROM _nouns_counters WHERE slot BETWEEN 101 AND 300"),
        "0"
    );
    assert_eq!(server.database.rows(state), counted);
    let mut client = server.client();
    assert_eq!(tag(&mut client), before);
    client.create("/counters", &json!({ "value": 2 }));
    assert_ne!(tag(&mut client), before);
}

/// Those who write at once have slots of their own, which are given back when they are not used any
/// more: reads of a state take as long as before then.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn slots_are_given_back_after_a_burst_of_writes() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    write_again_and_again(&mut client);
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| write_again_and_again(&mut server.client()));
        }
    });
    let (most, before) = (server.cell(LEASED).parse::<u32>().unwrap(), tag(&mut client));
    assert!(most > 1, "all writes had one slot");
    let until = Instant::now() + Duration::from_secs(60);
    while server.cell(LEASED) != "1" {
        assert!(Instant::now() < until, "the slots are kept");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(tag(&mut client), before);
    write_again_and_again(&mut client);
    assert_ne!(tag(&mut client), before);
}

/// While a migration holds the state of the database, nobody can lease a new slot. Writes share one
/// then, and none waits for the migration.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn writes_go_on_while_the_state_is_locked() {
    let server = TestServer::of(SCHEMA);
    write_again_and_again(&mut server.client());
    let mut holder = server.database.session();
    holder.rows("BEGIN; SELECT 1 FROM _nouns_state FOR UPDATE");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| write_again_and_again(&mut server.client()));
        }
    });
    assert_eq!(server.cell(LEASED), "1");
    holder.rows("COMMIT");
}

/// A server gets a slot again that it has lost, and no client notices.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_slot_that_is_gone_is_leased_again() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    write_again_and_again(&mut client);
    let before = tag(&mut client);
    server.elsewhere(
        "UPDATE _nouns_counters AS c SET count = (SELECT sum(count) FROM _nouns_counters AS o WHERE o.name = c.name) WHERE slot = 0;
         DELETE FROM _nouns_counters WHERE slot > 0; DELETE FROM _nouns_slots WHERE slot > 0",
    );
    assert_eq!(tag(&mut client), before);
    write_again_and_again(&mut client);
    assert_ne!(tag(&mut client), before);
}
