//! Tests of byte ranges of exports (RFC 9110 §14): an interrupted download continues where it
//! ended.

use serde_json::json;

use crate::{
    client::{Answer, Client},
    exports::{MANY, export, zoos},
    server::TestServer,
};

/// The header fields that a part and the whole export must have in common.
const SAME: [&str; 6] =
    ["etag", "last-modified", "vary", "content-type", "content-encoding", "cache-control"];

fn ranged(client: &mut Client, range: &str, more: &[(&str, &str)]) -> Answer {
    let fields = [&[("accept", "text/csv"), ("range", range)], more].concat();
    client.request("GET", "/zoos", &fields, None)
}

/// The number of zoos whose export has several chunks, but is quick to compress in a debug build.
const SEVERAL: usize = 8_000;

/// The number of zoos whose export has more than two megabytes.
const LARGE: usize = 20_000;

/// Checks that a response is 206 with the bytes from `first` to before `end` of the whole export.
fn assert_part(part: &Answer, whole: &Answer, first: usize, end: usize) {
    assert_eq!(part.status_line, "HTTP/1.1 206 Partial Content");
    assert_eq!(
        part.field("content-range"),
        Some(&*format!("bytes {first}-{}/{}", end - 1, whole.body.len()))
    );
    assert_eq!(part.field("content-length"), Some(&*(end - first).to_string()));
    assert!(part.body == whole.body[first..end], "{first}..{end}");
    for name in SAME {
        assert_eq!(part.field(name), whole.field(name), "{name}");
    }
}

/// Conformance 82, 83, 88, 90: after a broken download, the received bytes and the requested rest
/// are the whole export.
#[test]
fn a_download_that_broke_off_goes_on() {
    let (server, mut client) = zoos(LARGE);
    for accept in ["text/csv", "application/x-ndjson"] {
        let mut broken = server.client();
        let request =
            format!("GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\naccept: {accept}\r\n\r\n");
        let begun = broken.begin(request.as_bytes());
        assert_eq!((begun.status(), begun.field("accept-ranges")), (200, Some("bytes")));
        drop(broken);
        let whole = export(&mut client, "/zoos", accept);
        let length = whole.body.len();
        for first in [1, 65_535, 65_536, 1_234_567, length - 1] {
            let rest = format!("bytes={first}-");
            let fields =
                [("accept", accept), ("range", &*rest), ("if-range", begun.field("etag").unwrap())];
            assert_part(&client.request("GET", "/zoos", &fields, None), &whole, first, length);
        }
        let head =
            client.request("HEAD", "/zoos", &[("accept", accept), ("range", "bytes=0-9")], None);
        assert_eq!((head.status(), head.field("accept-ranges")), (200, Some("bytes")));
        assert_eq!((head.field("content-range"), head.field("content-length")), (None, None));
    }
}

/// Conformance 50, 82, 83, 84: a valid range returns that part. A range beyond the end is 416. With
/// an invalid range, the whole export is returned.
#[test]
fn a_part_of_an_export_is_sent_or_nothing_or_all() {
    let (_server, mut client) = zoos(LARGE);
    let whole = export(&mut client, "/zoos", "text/csv");
    let length = whole.body.len();
    let parts = [("bytes=0-", 0, length), ("bytes=-5", length - 5, length), ("bytes=0-0", 0, 1)];
    let over = [("bytes=65000-200000", 65_000, 200_001), ("bytes=7-99999999999", 7, length)];
    for (range, first, end) in parts.into_iter().chain(over) {
        assert_part(&ranged(&mut client, range, &[]), &whole, first, end);
    }
    for range in [format!("bytes={length}-"), "bytes=-0".into()] {
        let answer = ranged(&mut client, &range, &[]);
        assert_eq!(answer.status_line, "HTTP/1.1 416 Range Not Satisfiable", "{range}");
        assert_eq!(answer.field("content-range"), Some(&*format!("bytes */{length}")));
        assert_eq!(
            (answer.problem().as_str(), answer.field("etag")),
            ("range-not-satisfiable", None)
        );
    }
    let tiny: Vec<_> = (0..100).map(|at| format!("{}-{}", at * 3, at * 3)).collect();
    for passed in ["bytes=9-3", "lines=0-1", "bytes", &format!("bytes={}", tiny.join(","))] {
        let answer = ranged(&mut client, passed, &[]);
        assert_eq!(
            (answer.status(), answer.field("transfer-encoding")),
            (200, Some("chunked")),
            "{passed}"
        );
        assert!(answer.body == whole.body);
    }
    let all = ranged(&mut client, "bytes=0-99,101-", &[]);
    assert_eq!((all.status(), all.field("content-length")), (200, Some(&*length.to_string())));
    assert!(all.body == whole.body);
}

/// Conformance 86, 87: several ranges return several parts, in the order of the content.
#[test]
fn several_parts_of_an_export_are_one_content() {
    let (_server, mut client) = zoos(LARGE);
    let whole = export(&mut client, "/zoos", "text/csv");
    let answer = ranged(&mut client, "bytes=-9, 65530-200000, 0-9, 5-19", &[]);
    assert_eq!((answer.status(), answer.field("content-range")), (206, None));
    assert_eq!(answer.field("content-length"), Some(&*answer.body.len().to_string()));
    let boundary = answer
        .field("content-type")
        .unwrap()
        .strip_prefix("multipart/byteranges; boundary=")
        .unwrap();
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let parts: Vec<_> = text.split(&format!("\r\n--{boundary}")).collect();
    assert_eq!((parts.len(), parts[0], parts[4]), (5, "", "--\r\n"));
    let length = whole.body.len();
    for (part, (first, end)) in
        parts[1..4].iter().zip([(0, 20), (65_530, 200_001), (length - 9, length)])
    {
        let (head, content) = part.trim_start().split_once("\r\n\r\n").unwrap();
        let range = format!("Content-Range: bytes {first}-{}/{length}", end - 1);
        assert_eq!(
            head,
            format!("Content-Type: {}\r\n{range}", whole.field("content-type").unwrap())
        );
        assert!(content.as_bytes() == &whole.body[first..end], "{range}");
    }
    let again = ranged(&mut client, "bytes=0-9, 100-109", &[]);
    assert_ne!(
        again.field("content-type"),
        answer.field("content-type"),
        "two responses must have different boundaries"
    );
}

/// Conformance 75, 91: a range counts compressed bytes. Each compression of an export gives the
/// same bytes.
#[test]
fn the_parts_of_a_coded_export_are_its_whole() {
    let (_server, mut client) = zoos(SEVERAL);
    let plain = export(&mut client, "/zoos", "text/csv");
    for coding in ["gzip", "br", "zstd"] {
        let accepted = ("accept-encoding", coding);
        let whole = client.request("GET", "/zoos", &[("accept", "text/csv"), accepted], None);
        assert_eq!((whole.status(), whole.field("content-encoding")), (200, Some(coding)));
        let (tag, length) = (whole.field("etag").unwrap(), whole.body.len());
        assert!(length < plain.body.len() / 2);
        for first in [1, length / 3, length - 1] {
            let before = ranged(&mut client, &format!("bytes=0-{}", first - 1), &[accepted]);
            assert_part(&before, &whole, 0, first);
            let rest =
                ranged(&mut client, &format!("bytes={first}-"), &[accepted, ("if-range", tag)]);
            assert_part(&rest, &whole, first, length);
        }
        let other = ranged(&mut client, "bytes=9-", &[("if-range", tag)]);
        assert_eq!(
            (other.status(), other.field("etag")),
            (200, plain.field("etag")),
            "`If-Range` with the tag of {coding} must not match"
        );
        assert!(other.body == plain.body);
    }
}

/// Conformance 88: if the export has changed since `If-Range`, it is sent whole.
#[test]
fn an_export_that_has_changed_is_sent_as_a_whole() {
    let (_server, mut client) = zoos(2);
    let whole = export(&mut client, "/zoos", "text/csv");
    let (tag, date) = (whole.field("etag").unwrap(), whole.field("last-modified").unwrap());
    assert_part(
        &ranged(&mut client, "bytes=5-", &[("if-range", tag)]),
        &whole,
        5,
        whole.body.len(),
    );
    for other in ["\"other\"", &format!("W/{tag}"), date, "", "odd"] {
        let answer = ranged(&mut client, "bytes=5-", &[("if-range", other)]);
        assert_eq!((answer.status(), &answer.body), (200, &whole.body), "{other}");
    }
    let twice = ranged(&mut client, "bytes=5-", &[("if-range", tag), ("if-range", tag)]);
    assert_eq!(twice.status(), 200);
    client.create("/zoos", &json!({ "name": "third" }));
    let changed = ranged(&mut client, "bytes=5-", &[("if-range", tag)]);
    assert_eq!((changed.status(), changed.field("content-range")), (200, None));
    assert!(String::from_utf8(changed.body).unwrap().contains("third"));
}

/// Conformance 62, 85, 89: preconditions take precedence over ranges. The range of a missing
/// collection is 404.
#[test]
fn conditions_come_before_the_ranges_of_an_export() {
    let (_server, mut client) = zoos(2);
    let tag = export(&mut client, "/zoos", "text/csv").field("etag").unwrap().to_owned();
    for range in ["bytes=0-4", "bytes=999999-"] {
        let mut status = |name, tag: &str| ranged(&mut client, range, &[(name, tag)]).status();
        assert_eq!(status("if-none-match", &tag), 304, "{range}");
        assert_eq!(status("if-none-match", "*"), 304, "{range}");
        assert_eq!(status("if-match", "\"other\""), 412, "{range}");
        let met = if range == "bytes=0-4" { 206 } else { 416 };
        assert_eq!(status("if-match", &tag), met, "{range}");
        let missing = [("accept", "text/csv"), ("range", range)];
        assert_eq!(client.request("GET", "/zoos/9/animals", &missing, None).status(), 404);
    }
    let empty = [("accept", "application/x-ndjson"), ("range", "bytes=0-")];
    let nothing = client.request("GET", "/zoos?name=none", &empty, None);
    assert_eq!((nothing.status(), nothing.field("content-range")), (416, Some("bytes */0")));
}

/// Conformance 29: a QUERY supports ranges as GET does. A streamed response has no digest.
#[test]
fn a_query_that_exports_has_parts() {
    let zoo = include_str!("../../schemas/zoo.yaml");
    let server = TestServer::of(&zoo.replacen("api:\n", "server: { query: true }\napi:\n", 1));
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "first" }, { "name": "second" }]));
    let mut query = |more: &[(&str, &str)]| {
        let form = [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/csv")];
        client.request("QUERY", "/zoos", &[&form[..], more].concat(), Some(b"fields=name"))
    };
    let whole = query(&[]);
    assert_eq!((whole.status(), &*whole.body), (200, &b"name\r\nfirst\r\nsecond\r\n"[..]));
    let wants = [("want-content-digest", "sha-256=1"), ("want-repr-digest", "sha-256=1")];
    let part = query(&[&wants[..], &[("range", "bytes=6-10")]].concat());
    assert_part(&part, &whole, 6, 11);
    assert_eq!((part.field("content-digest"), part.field("repr-digest")), (None, None));
}

/// A client that has received its range no longer counts as a running export, even if its
/// connection stays open.
#[test]
fn a_part_of_an_export_holds_its_place_no_longer_than_it_is_sent() {
    let (server, _client) = zoos(MANY);
    let mut clients = vec![];
    for _ in 0..8 {
        let mut client = server.client();
        assert_eq!(ranged(&mut client, "bytes=0-9", &[]).status(), 206);
        clients.push(client);
    }
    for client in &mut clients {
        assert_eq!(ranged(client, "bytes=99999999-", &[]).status(), 416);
    }
}
