//! A database file that disappears under the server: no write to it is acknowledged, and no
//! response claims what another file contains now.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(30);

/// The statuses of the readiness check, and of reads of a member, a page and an export.
fn seen(client: &mut Client) -> [u16; 4] {
    let export = [("accept", "application/x-ndjson")];
    [
        client.get("/-/ready").status(),
        client.get("/zoos/1").status(),
        client.get("/zoos").status(),
        client.request("GET", "/zoos", &export, None).status(),
    ]
}

#[test]
fn a_write_to_a_deleted_database_is_refused_until_the_file_is_back() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    let aside = server.database.with_extension("aside");
    fs::rename(&server.database, &aside).unwrap();
    let answer = client.post("/zoos", &json!({ "name": "lost" }));
    assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")), "{answer:?}");
    assert_eq!(answer.problem(), "unavailable");
    assert_eq!(seen(&mut client), [503, 200, 200, 503], "what is open is read on");
    fs::rename(&aside, &server.database).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}

#[test]
fn a_database_in_whose_place_another_is_found_is_not_served_until_it_is_back() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    assert_eq!(seen(&mut client), [200; 4]);
    let (aside, other) =
        (server.database.with_extension("aside"), server.database.with_extension("other"));
    fs::write(&other, b"").unwrap();
    fs::rename(&server.database, &aside).unwrap();
    fs::rename(&other, &server.database).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "lost" })).status(), 503);
    assert_eq!(seen(&mut client), [503; 4]);
    let answer = client.get("/zoos");
    assert_eq!((answer.problem(), answer.field("retry-after")), ("unavailable".into(), Some("10")));
    fs::rename(&aside, &server.database).unwrap();
    assert_eq!(client.get("/-/ready").status(), 200, "it looks for itself");
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(seen(&mut client), [200; 4]);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}

/// It is noticed without any write.
#[test]
fn a_database_that_is_replaced_while_nothing_is_written_is_noticed() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    let other = server.database.with_extension("other");
    fs::write(&other, b"").unwrap();
    fs::rename(&other, &server.database).unwrap();
    let until = Instant::now() + PATIENCE;
    while client.get("/zoos/1").status() == 200 {
        assert!(Instant::now() < until, "nobody has looked");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(seen(&mut client), [503; 4]);
}
