//! Tests of compression (RFC 9110 §8.4, §12.5.3) and of digests (RFC 9530), both of responses and
//! of request bodies.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

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

fn coded(client: &mut Client, method: &str, target: &str, accept_encoding: &str) -> Answer {
    client.request(method, target, &[("accept-encoding", accept_encoding)], None)
}

/// The content without its content coding.
pub(crate) fn opened(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut opened = vec![];
    match coding {
        "gzip" => flate2::read::GzDecoder::new(bytes).read_to_end(&mut opened),
        "br" => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut opened),
        _ => zstd::stream::read::Decoder::new(bytes).unwrap().read_to_end(&mut opened),
    }
    .unwrap();
    opened
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Conformance 74, 75, 94, 96: a compressed response has its own `Content-Length` and `ETag`, and
/// `Vary: accept-encoding`.
#[test]
fn content_is_coded_as_it_is_accepted() {
    let (_server, mut client) = zoos();
    let plain = client.get("/zoos");
    for coding in ["gzip", "br", "zstd"] {
        let answer = coded(&mut client, "GET", "/zoos", coding);
        assert_eq!((answer.status(), answer.field("content-encoding")), (200, Some(coding)));
        assert_eq!(opened(coding, &answer.body), plain.body, "{coding}");
        assert!(answer.body.len() * 2 < plain.body.len(), "{coding}");
        assert_eq!(answer.field("content-length").unwrap(), answer.body.len().to_string());
        assert_eq!(answer.field("vary"), plain.field("vary"));
        let tag = answer.field("etag").unwrap().to_owned();
        assert_ne!(Some(&*tag), plain.field("etag"), "{coding}");
        let head = coded(&mut client, "HEAD", "/zoos", coding);
        assert_eq!(
            (head.field("etag"), head.field("content-encoding")),
            (Some(&*tag), Some(coding))
        );
        let conditions = [("accept-encoding", coding), ("if-none-match", &*tag)];
        let unchanged = client.request("GET", "/zoos", &conditions, None);
        assert_eq!((unchanged.status(), unchanged.field("etag")), (304, Some(&*tag)), "{coding}");
        let lost = [("accept-encoding", "identity"), ("if-none-match", &*tag)];
        assert_eq!(
            client.request("GET", "/zoos", &lost, None).status(),
            200,
            "a client that does not accept {coding} must get the content instead of 304"
        );
    }
}

/// Conformance 73: a 304 because of a date has the same `ETag` as the compressed 200.
#[test]
fn what_is_unchanged_since_a_date_has_its_coded_tag() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1"] {
        if target == "/zoos" && crate::database::is_postgres() {
            // Without an order of times, a date alone says nothing about a collection.
            continue;
        }
        for accepted in ["gzip", "identity", "br, zstd"] {
            let whole = coded(&mut client, "GET", target, accepted);
            let since = whole.field("last-modified").unwrap();
            let fields = [("accept-encoding", accepted), ("if-modified-since", since)];
            let answer = client.request("GET", target, &fields, None);
            assert_eq!(
                (answer.status(), answer.field("etag")),
                (304, whole.field("etag")),
                "{target} {accepted}"
            );
            assert_eq!(
                (answer.field("content-encoding"), answer.field("content-length")),
                (None, None)
            );
        }
    }
}

/// Conformance 74, 75, 91, 94, 96: the server's own documents are compressed like members.
#[test]
fn documents_are_coded_as_they_are_accepted() {
    let (_server, mut client) = zoos();
    let html = ("accept", "text/html");
    for (target, accept) in [
        ("/", None),
        ("/-/problems", None),
        ("/-/problems", Some(html)),
        ("/-/problems/not-found", Some(html)),
    ] {
        let mut ask = |method, fields: &[(&str, &str)]| {
            let accept: Vec<_> = accept.into_iter().collect();
            client.request(method, target, &[&accept[..], fields].concat(), None)
        };
        let plain = ask("GET", &[]);
        let plain_tag = plain.field("etag").unwrap().to_owned();
        assert!(plain.field("vary").unwrap().ends_with("accept-encoding"), "{plain:?}");
        for coding in ["gzip", "br", "zstd"] {
            let wanted = ("accept-encoding", coding);
            let answer = ask("GET", &[wanted]);
            assert_eq!((answer.status(), answer.field("content-encoding")), (200, Some(coding)));
            assert_eq!(opened(coding, &answer.body), plain.body, "{target} {coding}");
            assert_eq!(answer.field("content-length").unwrap(), answer.body.len().to_string());
            assert_eq!(answer.field("vary"), plain.field("vary"));
            let tag = answer.field("etag").unwrap().to_owned();
            assert_eq!(tag, format!("{}-{coding}\"", plain_tag.trim_end_matches('"')));
            let head = ask("HEAD", &[wanted]);
            assert_eq!(
                (head.field("etag"), head.field("content-encoding")),
                (Some(&*tag), Some(coding))
            );
            assert_eq!(head.field("content-length"), answer.field("content-length"));
            for condition in [&*tag, "*"] {
                let unchanged = ask("GET", &[wanted, ("if-none-match", condition)]);
                assert_eq!(
                    (unchanged.status(), unchanged.field("etag")),
                    (304, Some(&*tag)),
                    "{target}"
                );
                assert_eq!(unchanged.field("vary"), plain.field("vary"));
                assert_eq!(unchanged.field("content-encoding"), None);
            }
            let elsewhere = ask("GET", &[("if-none-match", &tag)]);
            assert_eq!(
                elsewhere.status(),
                200,
                "a client that does not accept {coding} must get the content instead of 304"
            );
            let has_plain = ask("GET", &[wanted, ("if-none-match", &plain_tag)]);
            assert_eq!((has_plain.status(), has_plain.field("etag")), (304, Some(&*plain_tag)));
            assert_eq!(ask("GET", &[wanted, ("if-match", &tag)]).body, answer.body);
            assert_eq!(
                ask("GET", &[wanted, ("if-match", &plain_tag)]).status(),
                412,
                "`If-Match` must compare the tag of the compressed representation"
            );
            let part = ask("GET", &[wanted, ("range", "bytes=10-19"), ("if-range", &tag)]);
            assert_eq!((part.status(), part.field("content-encoding")), (206, Some(coding)));
            assert_eq!(part.body, answer.body[10..20]);
            let whole = ask("GET", &[wanted, ("range", "bytes=10-19"), ("if-range", &plain_tag)]);
            assert_eq!(whole.status(), 200);
        }
    }
}

/// Conformance 91: the response to OPTIONS is compressed and has no `ETag`. Small responses are not
/// compressed.
#[test]
fn descriptions_are_coded_and_small_answers_are_not() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1"] {
        let plain = client.request("OPTIONS", target, &[], None);
        for coding in ["gzip", "br", "zstd"] {
            let answer = coded(&mut client, "OPTIONS", target, coding);
            assert_eq!((answer.status(), answer.field("content-encoding")), (200, Some(coding)));
            assert_eq!(opened(coding, &answer.body), plain.body, "{target} {coding}");
            assert_eq!(answer.field("allow"), plain.field("allow"));
            assert_eq!(
                (answer.field("etag"), answer.field("vary")),
                (None, Some("accept-encoding"))
            );
        }
    }
    for (method, target) in
        [("GET", "/-/health"), ("OPTIONS", "/"), ("GET", "/nowhere"), ("GET", "/zoos/")]
    {
        let answer = coded(&mut client, method, target, "gzip");
        assert_eq!(answer.field("content-encoding"), None, "{method} {target}");
    }
}

/// Conformance 75: a write accepts the `ETag` of a compressed response, as long as the member is
/// unchanged.
#[test]
fn a_coded_tag_admits_a_write() {
    let (_server, mut client) = zoos();
    client.patch("/zoos/1", &json!({ "city": "b".repeat(500) }));
    let answer = coded(&mut client, "GET", "/zoos/1", "gzip");
    assert_eq!(answer.field("content-encoding"), Some("gzip"));
    let tag = answer.field("etag").unwrap();
    assert_eq!(client.request("PATCH", "/zoos/1", &[("if-match", tag)], Some(b"{}")).status(), 200);
    assert_eq!(client.request("PATCH", "/zoos/1", &[("if-match", tag)], Some(b"{}")).status(), 412);
    let list = coded(&mut client, "GET", "/zoos", "br").field("etag").unwrap().to_owned();
    let fields = [("if-match", &*list), ("content-type", "application/json")];
    assert_eq!(client.request("POST", "/zoos", &fields, Some(br#"{"name":"x"}"#)).status(), 201);
}

/// Conformance 95, 96, 97: small or empty content is not compressed unless the client refuses
/// identity.
#[test]
fn what_is_small_stays_as_it_is() {
    let (_server, mut client) = zoos();
    for accepted in ["gzip", "gzip, br, zstd", "*", "gzip;q=0", "xgzip", "identity", "*;q=0", ""] {
        let answer = coded(&mut client, "GET", "/zoos/1", accepted);
        assert_eq!((answer.status(), answer.field("content-encoding")), (200, None), "{accepted}");
    }
    for (accepted, coding) in [
        ("identity;q=0, gzip", Some("gzip")),
        ("gzip;q=0.5, br;q=0.8", Some("br")),
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("gzip;q=0", None),
        ("deflate", None),
    ] {
        assert_eq!(
            coded(&mut client, "GET", "/zoos", accepted).field("content-encoding"),
            coding,
            "{accepted}"
        );
    }
    assert_eq!(coded(&mut client, "GET", "/zoos/99", "gzip").field("content-encoding"), None);
    assert_eq!(coded(&mut client, "DELETE", "/zoos/1", "gzip").field("content-encoding"), None);
}

/// Conformance 91: a range counts the compressed bytes, and their `ETag` is in the response.
#[test]
fn ranges_are_of_what_is_sent() {
    let (_server, mut client) = zoos();
    let whole = coded(&mut client, "GET", "/zoos", "gzip");
    let fields = [
        ("accept-encoding", "gzip"),
        ("range", "bytes=10-19"),
        ("if-range", whole.field("etag").unwrap()),
    ];
    let part = client.request("GET", "/zoos", &fields, None);
    assert_eq!((part.status(), part.field("content-encoding")), (206, Some("gzip")));
    assert_eq!(part.body, whole.body[10..20]);
    let other = [("range", "bytes=10-19"), ("if-range", whole.field("etag").unwrap())];
    assert_eq!(client.request("GET", "/zoos", &other, None).status(), 200);
}

#[test]
fn exports_are_coded_while_they_are_made() {
    let (_server, mut client) = zoos();
    let plain = client.request("GET", "/zoos", &[("accept", "application/x-ndjson")], None);
    for coding in ["gzip", "br", "zstd"] {
        let fields = [("accept", "application/x-ndjson"), ("accept-encoding", coding)];
        let answer = client.request("GET", "/zoos", &fields, None);
        assert_eq!((answer.status(), answer.field("content-encoding")), (200, Some(coding)));
        assert_eq!(opened(coding, &answer.body), plain.body, "{coding}");
    }
}

fn post(client: &mut Client, fields: &[(&str, &str)], body: &[u8]) -> Answer {
    let json = [("content-type", "application/json")];
    client.request("POST", "/zoos", &[&json[..], fields].concat(), Some(body))
}

/// Conformance 101: a request body may be compressed too. The size limit applies to the
/// decompressed bytes.
#[test]
fn a_body_may_be_coded() {
    let (_server, mut client) = zoos();
    let body = gzipped(br#"{"name":"Coded"}"#);
    for name in ["gzip", "x-gzip", "GZIP"] {
        let answer = post(&mut client, &[("content-encoding", name)], &body);
        assert!([201, 409].contains(&answer.status()), "{name}: {}", answer.status_line);
    }
    assert_eq!(client.names("/zoos?name=Coded"), "Coded");
    let zstd = zstd::bulk::compress(br#"{"name":"Z"}"#, 1).unwrap();
    assert_eq!(post(&mut client, &[("content-encoding", "zstd")], &zstd).status(), 201);
    let broken = post(&mut client, &[("content-encoding", "gzip")], b"not gzip");
    assert_eq!((broken.status(), broken.problem().as_str()), (400, "malformed-body"));
    let unknown = post(&mut client, &[("content-encoding", "deflate")], &body);
    assert_eq!(
        (unknown.status(), unknown.field("accept-encoding")),
        (415, Some("gzip, br, zstd, identity"))
    );
    let twice = post(&mut client, &[("content-encoding", "gzip, gzip")], &body);
    assert_eq!(twice.status(), 415);
    let mut other = _server.client();
    let bomb = gzipped(&vec![b' '; 50 << 20]);
    let large = post(&mut other, &[("content-encoding", "gzip")], &bomb);
    assert_eq!((large.status(), large.problem().as_str()), (413, "content-too-large"));
}

/// Conformance 162, 215: a body that does not match its digest is refused. A client that requests a
/// digest gets one.
#[test]
fn digests_are_looked_at_and_given() {
    let (_server, mut client) = zoos();
    let body = br#"{"name":"Digested"}"#;
    let right = "sha-256=:TTDfFPIrqGP8AlZoDhIAqt8qBQ0jDkkqSB+x9ebIk8c=:";
    let computed = client_digest(body);
    let wrong = post(&mut client, &[("content-digest", right)], body);
    assert_eq!((wrong.status(), wrong.problem().as_str()), (400, "digest-mismatch"));
    assert_eq!(post(&mut client, &[("repr-digest", right)], body).status(), 400);
    for passed in ["md5=:AAAA:", "sha-256=broken", "odd"] {
        let answer = post(&mut client, &[("content-digest", passed)], body);
        assert!([201, 409].contains(&answer.status()), "{passed}: {}", answer.status_line);
    }
    let answer = post(&mut client, &[("content-digest", &computed)], body);
    assert_eq!(
        answer.status(),
        409,
        "a correct digest must not be refused; the name exists already"
    );
    let wants =
        [("want-repr-digest", "sha-256=10"), ("want-content-digest", "sha-256=5, sha-512=3")];
    let whole = client.request("GET", "/zoos/1", &wants, None);
    let digest = client_digest(&whole.body);
    assert_eq!(
        (whole.field("repr-digest"), whole.field("content-digest")),
        (Some(&*digest), Some(&*digest))
    );
    let part =
        client.request("GET", "/zoos/1", &[&wants[..], &[("range", "bytes=0-4")]].concat(), None);
    let of_part = client_digest(&whole.body[..5]);
    assert_eq!(
        (part.field("repr-digest"), part.field("content-digest")),
        (Some(&*digest), Some(&*of_part))
    );
    let head = client.request("HEAD", "/zoos/1", &wants, None);
    assert_eq!((head.field("repr-digest"), head.field("content-digest")), (Some(&*digest), None));
    let none = client.request("GET", "/zoos/1", &[("want-repr-digest", "md5=10, sha-256=0")], None);
    assert_eq!(none.field("repr-digest"), None);
    let _: Value = whole.json();
}

/// The digest field of these bytes, computed without the server's code.
fn client_digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    format!("sha-256=:{}:", base64(&sha2::Sha256::digest(bytes)))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let number = three.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        let letter = |at: usize| char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]);
        (0..4).map(move |at| if at <= three.len() { letter(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
