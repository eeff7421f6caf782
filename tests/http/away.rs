//! Tests of a database file, a WAL or an index of the WAL that is deleted or replaced while the
//! server runs. The server acknowledges no write to such a file, and returns nothing from a file in
//! its place.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The statuses of four requests: the readiness check, a member, a page and an export.
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
    let aside = server.database.file.with_extension("aside");
    fs::rename(&server.database.file, &aside).unwrap();
    let answer = client.post("/zoos", &json!({ "name": "lost" }));
    assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")), "{answer:?}");
    assert_eq!(answer.problem(), "unavailable");
    assert_eq!(
        seen(&mut client),
        [503, 200, 200, 503],
        "open connections must still read the deleted file; a new one must not"
    );
    fs::rename(&aside, &server.database.file).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}

#[test]
fn a_database_in_whose_place_another_is_found_is_not_served_until_it_is_back() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    assert_eq!(seen(&mut client), [200; 4]);
    let (aside, other) = (
        server.database.file.with_extension("aside"),
        server.database.file.with_extension("other"),
    );
    fs::write(&other, b"").unwrap();
    fs::rename(&server.database.file, &aside).unwrap();
    fs::rename(&other, &server.database.file).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "lost" })).status(), 503);
    assert_eq!(seen(&mut client), [503; 4]);
    let answer = client.get("/zoos");
    assert_eq!((answer.problem(), answer.field("retry-after")), ("unavailable".into(), Some("10")));
    fs::rename(&aside, &server.database.file).unwrap();
    assert_eq!(client.get("/-/ready").status(), 200, "`/-/ready` must look for the file again");
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(seen(&mut client), [200; 4]);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}

/// The names in a copy of the database file, without its WAL.
fn copied(server: &TestServer) -> String {
    let copy = server.database.file.with_extension("copy");
    fs::copy(&server.database.file, &copy).unwrap();
    let names = "SELECT group_concat(name, ' ' ORDER BY id) FROM zoos";
    let database = rusqlite::Connection::open(copy).unwrap();
    let names = database.query_row(names, [], |row| row.get::<_, Option<String>>(0));
    names.unwrap().unwrap_or_default()
}

/// An acknowledged write is in the database file itself, when the server has noticed that the WAL
/// or its index is not where other programs would look for it. No other write is acknowledged.
#[test]
fn a_write_ahead_log_that_is_removed_is_noticed_and_loses_nothing() {
    for (end, is_replaced) in [("-wal", false), ("-wal", true), ("-shm", false), ("-shm", true)] {
        let mut server = TestServer::zoo();
        let mut client = server.client();
        let names: Vec<_> = (0..20).map(|at| format!("kept{at}")).collect();
        for name in &names {
            assert_eq!(client.post("/zoos", &json!({ "name": name })).status(), 201);
        }
        let file = server.database.file.with_extension(format!("db{end}"));
        fs::remove_file(&file).unwrap();
        if is_replaced {
            fs::write(&file, vec![0; 64]).unwrap();
        }
        let answer = client.post("/zoos", &json!({ "name": "lost" }));
        assert_eq!(
            (answer.status(), answer.field("retry-after")),
            (503, Some("10")),
            "{end} {is_replaced}: {answer:?}"
        );
        assert_eq!(copied(&server), names.join(" "), "{end} {is_replaced}");
        assert_eq!(seen(&mut client), [503, 200, 200, 503], "{end} {is_replaced}");
        server.restart();
        let mut client = server.client();
        assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
        let all = format!("{} later", names.join(" "));
        assert_eq!(client.names("/zoos?sortby=id&limit=100"), all, "{end} {is_replaced}");
    }
}

/// Without a write, the server notices it, too.
#[test]
fn a_write_ahead_log_that_is_removed_while_nothing_is_written_is_noticed() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    fs::remove_file(server.database.file.with_extension("db-wal")).unwrap();
    assert_eq!(client.get("/-/ready").status(), 503);
    let until = Instant::now() + PATIENCE;
    while copied(&server) != "kept" {
        assert!(Instant::now() < until, "the server did not copy the log");
        thread::sleep(Duration::from_millis(50));
    }
}

/// The server notices the replaced file without a write.
#[test]
fn a_database_that_is_replaced_while_nothing_is_written_is_noticed() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    let other = server.database.file.with_extension("other");
    fs::write(&other, b"").unwrap();
    fs::rename(&other, &server.database.file).unwrap();
    let until = Instant::now() + PATIENCE;
    while client.get("/zoos/1").status() == 200 {
        assert!(Instant::now() < until, "the server did not notice the replaced file");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(seen(&mut client), [503; 4]);
}
