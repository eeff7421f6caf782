//! Tests of exports: whole collections as streams of NDJSON and CSV.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::{self, Read, Seek, SeekFrom, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// A number of zoos whose export does not fit in the buffers of a connection and a channel.
pub(crate) const MANY: usize = 60_000;

/// The limit of the write-ahead log in docs/limits.md.
const LOG_BYTES_MAX: u64 = 2 * nouns::__runtime::limits::WAL_BYTES as u64;

pub(crate) fn zoos(count: usize) -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "first", "city": "Berlin" }, { "name": "second" }]));
    server.elsewhere(&format!(
        "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
        INSERT INTO zoos (name, city, revision) SELECT 'zoo ' || i, 'a city with a long name ' || i % 7, i + 100 FROM n
        WHERE {count} > 2"
    ));
    (server, client)
}

pub(crate) fn export(client: &mut Client, target: &str, accept: &str) -> Answer {
    client.request("GET", target, &[("accept", accept)], None)
}

fn ids(answer: &Answer) -> Vec<i64> {
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap();
    text.lines().map(id).collect()
}

#[test]
fn all_of_a_collection_is_sent_unless_a_page_is_asked_for() {
    let (_server, mut client) = zoos(MANY);
    let all = export(&mut client, "/zoos", "application/x-ndjson");
    assert_eq!((all.status(), all.field("transfer-encoding")), (200, Some("chunked")));
    assert_eq!(all.field("content-type"), Some("application/x-ndjson"));
    assert_eq!(all.field("vary"), Some("accept, accept-encoding"));
    let found = ids(&all);
    assert_eq!((found.len(), found.iter().collect::<HashSet<_>>().len()), (MANY, MANY));
    assert!(found.is_sorted(), "the export must have the declared order");
    let table = export(&mut client, "/zoos?fields=id&sortby=-id&count=true", "text/csv");
    let text = String::from_utf8(table.body.clone()).unwrap();
    assert!(text.starts_with(&format!("id\r\n{MANY}\r\n")) && text.ends_with("\r\n1\r\n"));
    assert_eq!((text.lines().count(), table.field("x-total-count")), (MANY + 1, Some("60000")));
    for page in ["/zoos?limit=5", "/zoos?offset=3", "/zoos?page=2", "/zoos?per_page=3"] {
        let page = export(&mut client, page, "application/x-ndjson");
        assert!(page.field("content-length").is_some() && ids(&page).len() <= 20);
    }
}

#[test]
fn filters_hold_and_an_empty_export_is_whole() {
    let (_server, mut client) = zoos(2);
    assert_eq!(ids(&export(&mut client, "/zoos?city=Berlin", "application/x-ndjson")), [1]);
    assert_eq!(
        ids(&export(&mut client, "/zoos?name=none", "application/x-ndjson")),
        Vec::<i64>::new()
    );
    let table = export(&mut client, "/zoos?name=none&fields=id,name", "text/csv");
    assert_eq!(table.body, b"id,name\r\n");
    assert_eq!(export(&mut client, "/zoos/9/animals", "text/csv").status(), 404);
    assert_eq!(export(&mut client, "/zoos/1/animals?fields=id", "text/csv").body, b"id\r\n");
    assert_eq!(export(&mut client, "/zoos?limt=3", "text/csv").status(), 400);
}

/// Conformance 73, 74: an export has `ETag` and `Last-Modified`, as a page has.
#[test]
fn an_export_has_validators() {
    let (_server, mut client) = zoos(2);
    let all = export(&mut client, "/zoos", "text/csv");
    let tag = all.field("etag").unwrap();
    assert!(all.field("last-modified").is_some());
    let again = [("accept", "text/csv"), ("if-none-match", tag)];
    assert_eq!(client.request("GET", "/zoos", &again, None).status(), 304);
    let head = client.request("HEAD", "/zoos", &[("accept", "text/csv")], None);
    assert_eq!(
        (head.status(), head.field("etag"), head.field("content-length")),
        (200, Some(tag), None)
    );
    client.create("/zoos", &json!({ "name": "third" }));
    assert_eq!(client.request("GET", "/zoos", &again, None).status(), 200);
    let lost = [("accept", "text/csv"), ("if-match", tag)];
    assert_eq!(client.request("GET", "/zoos", &lost, None).status(), 412);
}

/// An export is a snapshot, and writers do not wait for it.
#[test]
fn an_export_is_one_snapshot_and_holds_up_nobody() {
    let (server, mut client) = zoos(MANY);
    let mut slow = server.client();
    let begun = slow.begin(
        b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\naccept: application/x-ndjson\r\n\r\n",
    );
    assert_eq!(
        client.patch(&format!("/zoos/{MANY}"), &json!({ "name": "changed meanwhile" })).status(),
        200
    );
    assert_eq!(client.get("/zoos?limit=1").status(), 200);
    let answer = slow.content(begun, false);
    let last = String::from_utf8(answer.body).unwrap().lines().last().unwrap().to_owned();
    assert!(last.contains(&format!("zoo {MANY}")), "{last}");
}

/// The number of concurrent exports is limited, of one address and of all; another export is 503. A
/// client that disconnects ends its export.
#[test]
fn only_so_many_are_made_at_the_same_time() {
    let (server, mut client) = zoos(MANY);
    let request = b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\naccept: text/csv\r\n\r\n";
    let mut slow: Vec<_> = (0..3).map(|_| server.client()).collect();
    let of_another = || Client::connect_from([127, 0, 0, 2], server.address());
    let begin = |slow: &mut Client| assert_eq!(slow.begin(request).status(), 200);
    slow.iter_mut().for_each(begin);
    let refused = export(&mut server.client(), "/zoos", "text/csv");
    assert_eq!((refused.status(), refused.problem().as_str()), (503, "unavailable"));
    assert!(refused.detail().starts_with("This client has too many exports"));
    slow.push(of_another());
    slow.iter_mut().skip(3).for_each(begin);
    let refused = export(&mut of_another(), "/zoos", "text/csv");
    assert_eq!((refused.status(), refused.field("retry-after")), (503, Some("10")));
    assert_eq!(refused.problem(), "unavailable");
    assert_eq!(client.get("/zoos").status(), 200, "the limit of exports must not apply to pages");
    let head = client.request("HEAD", "/zoos", &[("accept", "text/csv")], None);
    assert_eq!(
        (head.status(), head.field("content-length")),
        (200, None),
        "the limit of exports must not apply to HEAD"
    );
    let unchanged = [("accept", "text/csv"), ("if-none-match", head.field("etag").unwrap())];
    assert_eq!(
        client.request("GET", "/zoos", &unchanged, None).status(),
        304,
        "the limit of exports must not apply to 304"
    );
    drop(slow);
    assert_eq!(
        export(&mut client, "/zoos?fields=id", "text/csv").status(),
        200,
        "an export must succeed after other exports ended"
    );
}

/// A slow export keeps the write-ahead log from being reset. It ends before the log is too long,
/// and never looks complete. Other exports begin afterwards.
#[test]
fn a_slow_export_gives_way_before_the_log_is_too_long() {
    let (server, mut client) = zoos(MANY);
    let mut slow = server.client();
    let request = b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\naccept: text/csv\r\n\r\n";
    assert_eq!(slow.begin(request).status(), 200);
    let log = server.database.file.with_extension("db-wal");
    let (city, mut longest) = ("x".repeat(900), 0);
    for round in 0..50 {
        let member = |at| json!({ "name": format!("new {round} {at}"), "city": city });
        client.create("/zoos", &(0..1000).map(member).collect());
        longest = longest.max(log.metadata().unwrap().len());
    }
    assert!(longest > LOG_BYTES_MAX / 2, "the test writes too little: {longest}");
    assert!(longest < LOG_BYTES_MAX, "the write-ahead log has {longest} bytes");
    assert_eq!(slow.chunks(), None, "an export that was ended must not look complete");
    assert_eq!(export(&mut client, "/zoos?fields=id&city=Berlin", "text/csv").status(), 200);
}

/// A server with a damaged database page, so that the collection cannot be read to its end.
fn damaged() -> TestServer {
    let (server, _) = zoos(MANY);
    let database = rusqlite::Connection::open(&server.database.file).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let (page, pages): (u32, u32) = database
        .query_row(
            "SELECT page_size, page_count FROM pragma_page_size, pragma_page_count",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let mut file = OpenOptions::new().write(true).open(&server.database.file).unwrap();
    file.seek(SeekFrom::Start(u64::from(pages / 2 * page))).unwrap();
    file.write_all(&vec![0xff; page as usize]).unwrap();
    server
}

/// RFC 9112 §6.3, §8: a client recognizes the end of the content by the last chunk, or without
/// chunks by the end of the connection.
#[test]
fn an_export_that_is_cut_off_never_looks_complete() {
    let server = damaged();
    let mut client = server.client();
    let head =
        client.begin(b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\naccept: text/csv\r\n\r\n");
    assert_eq!(
        (head.status(), client.chunks()),
        (200, None),
        "a failed export must end without the last chunk"
    );
    let mut old = TcpStream::connect(server.address()).unwrap();
    old.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    old.write_all(b"GET /zoos HTTP/1.0\r\naccept: text/csv\r\n\r\n").unwrap();
    let end = old.read_to_end(&mut vec![]);
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
}
