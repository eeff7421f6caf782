//! Tests of byte ranges (RFC 9110 §14) of members and of pages, in every format.

use serde_json::json;

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    let names: Vec<_> =
        (0..20).map(|n| json!({ "name": format!("Zoo {n}"), "city": "Berlin" })).collect();
    client.create("/zoos", &json!(names));
    (server, client)
}

fn ranged(client: &mut Client, target: &str, fields: &[(&str, &str)]) -> Answer {
    client.request("GET", target, fields, None)
}

/// Conformance 82, 83, 90: a range returns that part, with the header fields of the whole
/// representation.
#[test]
fn a_part_is_sent_with_the_header_of_the_whole() {
    let (_server, mut client) = zoos();
    for target in ["/zoos/1", "/zoos?limit=20", "/zoos?limit=3&fields=name"] {
        for accept in ["application/json", "text/csv", "application/x-ndjson"] {
            let whole = ranged(&mut client, target, &[("accept", accept)]);
            assert_eq!((whole.status(), whole.field("accept-ranges")), (200, Some("bytes")));
            let length = whole.body.len();
            let last = format!("bytes={}-", length - 1);
            let parts = [
                ("bytes=0-9", 0, 10),
                ("bytes=-5", length - 5, length),
                ("bytes=3-99999", 3, length),
            ];
            for (range, first, end) in parts.into_iter().chain([(&*last, length - 1, length)]) {
                let part = ranged(&mut client, target, &[("accept", accept), ("range", range)]);
                assert_eq!(
                    part.status_line, "HTTP/1.1 206 Partial Content",
                    "{target} {accept} {range}"
                );
                assert_eq!(part.body, whole.body[first..end]);
                let content_range = format!("bytes {first}-{}/{length}", end - 1);
                assert_eq!(part.field("content-range"), Some(&*content_range));
                for name in ["etag", "last-modified", "vary", "content-type", "cache-control"] {
                    assert_eq!(part.field(name), whole.field(name), "{name}");
                }
            }
        }
    }
}

/// Conformance 50, 83: a range beyond the end of the content is 416.
#[test]
fn a_range_beyond_the_end_is_a_416() {
    let (_server, mut client) = zoos();
    let length = client.get("/zoos/1").body.len();
    for range in [format!("bytes={length}-"), "bytes=-0".into(), "bytes=100000-200000".into()] {
        let answer = ranged(&mut client, "/zoos/1", &[("range", &range)]);
        assert_eq!(answer.status_line, "HTTP/1.1 416 Range Not Satisfiable", "{range}");
        assert_eq!(answer.field("content-range"), Some(&*format!("bytes */{length}")));
        assert_eq!(
            (answer.problem().as_str(), answer.field("etag")),
            ("range-not-satisfiable", None)
        );
    }
}

/// Conformance 84, 85: an invalid range is ignored, and so is a range in a request that is not a
/// read.
#[test]
fn what_is_no_range_is_passed_over() {
    let (_server, mut client) = zoos();
    for twice in ["range", "if-range"] {
        let tag = client.get("/zoos/1").field("etag").unwrap().to_owned();
        let second = if twice == "range" { "bytes=1-2" } else { &*tag };
        let fields = [("range", "bytes=0-1"), ("if-range", &*tag), (twice, second)];
        assert_eq!(
            ranged(&mut client, "/zoos/1", &fields).status(),
            200,
            "two fields `{twice}` must be ignored"
        );
    }
    for odd in ["bytes=9-3", "bytes=abc", "lines=0-1", "bytes", ""] {
        assert_eq!(ranged(&mut client, "/zoos", &[("range", odd)]).status(), 200, "{odd}");
    }
    let head = client.request("HEAD", "/zoos/1", &[("range", "bytes=0-1")], None);
    assert_eq!((head.status(), head.field("accept-ranges")), (200, Some("bytes")));
    assert_eq!(ranged(&mut client, "/zoos/99", &[("range", "bytes=0-1")]).status(), 404);
    let fields = [("range", "bytes=0-1"), ("content-type", "application/json")];
    assert_eq!(client.request("POST", "/zoos", &fields, Some(br#"{"name":"x"}"#)).status(), 201);
    assert_eq!(client.request("PATCH", "/zoos/1", &fields, Some(b"{}")).status(), 200);
    assert_eq!(client.request("DELETE", "/zoos/1", &fields, None).status(), 204);
}

/// Conformance 86, 87: several ranges return several parts. If the parts would be larger than the
/// whole, the whole is returned.
#[test]
fn several_parts_are_one_content_that_is_no_larger_than_the_whole() {
    let (_server, mut client) = zoos();
    let whole = client.get("/zoos").body;
    let answer = ranged(&mut client, "/zoos", &[("range", "bytes=0-9, 500-509")]);
    assert_eq!((answer.status(), answer.field("content-range")), (206, None));
    let boundary = answer
        .field("content-type")
        .unwrap()
        .strip_prefix("multipart/byteranges; boundary=")
        .unwrap();
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let parts: Vec<_> = text.split(&format!("\r\n--{boundary}")).collect();
    assert_eq!((parts.len(), parts[0], parts[3]), (4, "", "--\r\n"));
    for (part, first) in parts[1..3].iter().zip([0, 500]) {
        let (head, content) = part.trim_start().split_once("\r\n\r\n").unwrap();
        let range = format!("Content-Range: bytes {first}-{}/{}", first + 9, whole.len());
        assert_eq!(head, format!("Content-Type: application/json\r\n{range}"));
        assert_eq!(content.as_bytes(), &whole[first..first + 10]);
    }
    let many: Vec<_> = (0..200).map(|at| format!("{at}-{}", at + 5)).collect();
    let tiny: Vec<_> = (0..200).map(|at| format!("{}-{}", at * 3, at * 3)).collect();
    for ranges in [many.join(","), tiny.join(","), "0-,0-,0-,0-".into(), "0-900,902-".into()] {
        let answer = ranged(&mut client, "/zoos", &[("range", &format!("bytes={ranges}"))]);
        assert!([200, 206].contains(&answer.status()), "{ranges}");
        assert!(answer.body.len() <= whole.len(), "{ranges}");
    }
}

/// Conformance 88: with `If-Range`, a part is returned only if the representation has not changed.
#[test]
fn if_range_sends_the_whole_of_what_has_changed() {
    let (_server, mut client) = zoos();
    let whole = client.get("/zoos/1");
    let (tag, date) = (whole.field("etag").unwrap(), whole.field("last-modified").unwrap());
    let mut status = |known: &str| {
        ranged(&mut client, "/zoos/1", &[("range", "bytes=0-9"), ("if-range", known)]).status()
    };
    assert_eq!(status(tag), 206);
    for other in
        ["\"other\"", &format!("W/{tag}"), date, "Thu, 02 Jan 2020 03:04:05 GMT", "", "odd"]
    {
        assert_eq!(status(other), 200, "{other}");
    }
    client.patch("/zoos/1", &json!({ "city": "Bonn" }));
    let answer = ranged(&mut client, "/zoos/1", &[("range", "bytes=0-9"), ("if-range", tag)]);
    assert_eq!((answer.status(), answer.json()["city"].as_str()), (200, Some("Bonn")));
}

/// Conformance 62, 89: preconditions take precedence over ranges.
#[test]
fn conditions_come_before_ranges() {
    let (_server, mut client) = zoos();
    let tag = client.get("/zoos").field("etag").unwrap().to_owned();
    let mut status = |name, tag: &str| {
        ranged(&mut client, "/zoos", &[("range", "bytes=0-9"), (name, tag)]).status()
    };
    assert_eq!(status("if-none-match", &tag), 304);
    assert_eq!(status("if-none-match", "*"), 304);
    assert_eq!(status("if-match", "\"other\""), 412);
    assert_eq!(status("if-match", &tag), 206);
}
