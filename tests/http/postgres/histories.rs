//! Tests of what a server of PostgreSQL may forget, and of what it must not forget.

use serde_json::json;

use crate::{client::Answer, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo: { fields: { name: { type: string, required: true } } }
";

fn tag(answer: &Answer) -> String {
    answer.field("etag").unwrap().to_owned()
}

/// The revision that the tag of a member hides.
fn revision(server: &TestServer, tag: &str) -> u64 {
    let number = tag.trim_matches('"').split('-').next().unwrap().parse().unwrap();
    server.cipher().decrypt(number)
}

/// A server with another history may lack what clients have seen. So their tags of collections are
/// not valid, and it assigns no revision that they may have seen.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn another_history_makes_another_database() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "North" }));
    let (page, member) = (tag(&client.get("/zoos")), tag(&client.get("/zoos/1")));
    let history = || server.cell("SELECT history FROM _nouns_state");
    let database = || server.cell("SELECT database FROM _nouns_state");
    let (true_history, before) = (history(), database());
    server.elsewhere("UPDATE _nouns_state SET history = 'another'");
    let schema = server.database.schema();
    server.elsewhere(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema}'"
    ));
    let fresh = client.request("GET", "/zoos", &[("if-none-match", &page)], None);
    assert_eq!(fresh.status(), 200, "{fresh:?}");
    assert_ne!(tag(&fresh), page);
    assert_eq!(history(), true_history, "the history of the server is recorded again");
    assert_ne!(database(), before);
    let patched = client.patch("/zoos/1", &json!({ "name": "South" }));
    let [before, after] = [&member, &tag(&patched)].map(|tag| revision(&server, tag));
    assert!(after > before + 1000, "{patched:?} after {member}");
}

/// A crash must not take back what a node has shown. So what another program changes is on the disk
/// before it can be seen, also if that program does not want to wait.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn changes_of_other_programs_wait_for_the_disk() {
    let server = TestServer::of(SCHEMA);
    server.client().create("/zoos", &json!({ "name": "North" }));
    let setting = |change: &str| {
        let show = "SELECT current_setting('synchronous_commit')";
        server.cell(&format!("SET synchronous_commit = off; BEGIN; {change}; {show}; COMMIT"))
    };
    assert_eq!(setting("UPDATE zoos SET name = 'South'"), "on");
    assert_eq!(setting("DELETE FROM zoos WHERE id = 7"), "off", "it changes nothing");
    assert_eq!(setting("DELETE FROM zoos"), "on");
    assert_eq!(setting("TRUNCATE zoos"), "on");
}
