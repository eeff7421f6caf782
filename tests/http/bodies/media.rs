//! Tests of the media types, the compression and the size of request bodies.

use super::board;

/// The problem's detail for a body with two content codings.
const SEVERAL: &str = "The body has several content codings (`gzip, gzip`); one is accepted: gzip, br, zstd, identity.";

const NOTE: &[u8] = br#"{"name":"Salt"}"#;

/// Conformance 24, 100: JSON has no charset, so that parameter is ignored. With PATCH,
/// `application/json` is a merge patch.
#[test]
fn json_is_accepted_under_its_names_and_without_one() {
    let (_server, mut client) = board();
    for name in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
    ] {
        let answer =
            client.request("POST", "/boards/1/notes", &[("content-type", name)], Some(NOTE));
        assert_eq!(answer.status_line, "HTTP/1.1 201 Created", "{name}");
    }
    assert_eq!(
        client.request("POST", "/boards/1/notes", &[], Some(NOTE)).status(),
        201,
        "a body without `Content-Type` must be JSON"
    );
    for name in
        ["application/json", "application/merge-patch+json", "APPLICATION/MERGE-PATCH+JSON; a=b"]
    {
        let answer =
            client.request("PATCH", "/boards/1/notes/1", &[("content-type", name)], Some(NOTE));
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{name}");
    }
    assert_eq!(client.request("PATCH", "/boards/1/notes/1", &[], Some(NOTE)).status(), 200);
    assert_eq!(client.request("PUT", "/boards/1/notes/1", &[], Some(NOTE)).status(), 200);
}

/// A body has one media type (RFC 9110 §5.3). Two `Content-Type` fields are 400, even if they are
/// equal.
#[test]
fn two_media_types_are_a_bad_request() {
    let (_server, mut client) = board();
    client.request("POST", "/boards/1/notes", &[], Some(NOTE));
    let before = client.get("/boards/1/notes").body;
    let json = ("content-type", "application/json");
    for other in ["application/json-patch+json", "application/json", "text/plain", ""] {
        for fields in [[json, ("content-type", other)], [("content-type", other), json]] {
            for (method, path) in [
                ("POST", "/boards/1/notes"),
                ("PATCH", "/boards/1/notes/1"),
                ("PUT", "/boards/1/notes/1"),
            ] {
                let answer = client.request(method, path, &fields, Some(NOTE));
                assert_eq!(
                    (answer.status(), answer.problem()),
                    (400, "malformed-request".to_owned())
                );
                assert!(
                    answer.detail().starts_with("`content-type` is sent more than once"),
                    "{answer:?}"
                );
            }
        }
    }
    assert_eq!(client.get("/boards/1/notes").body, before);
}

/// Conformance 23, 49: 415 lists the accepted media types, in `Accept-Post` or `Accept-Patch`.
#[test]
fn another_media_type_is_refused_with_those_that_are_accepted() {
    let (_server, mut client) = board();
    client.request("POST", "/boards/1/notes", &[], Some(NOTE));
    for name in ["text/plain", "application/xml", "multipart/form-data", "json", "*/*"] {
        let fields = [("content-type", name)];
        let post = client.request("POST", "/boards/1/notes", &fields, Some(NOTE));
        assert_eq!(post.status_line, "HTTP/1.1 415 Unsupported Media Type", "{name}");
        assert_eq!(post.problem(), "unsupported-media-type");
        assert_eq!(post.field("accept-post"), Some("application/json"));
        let patch = client.request("PATCH", "/boards/1/notes/1", &fields, Some(NOTE));
        assert_eq!(patch.status_line, "HTTP/1.1 415 Unsupported Media Type", "{name}");
        assert_eq!(
            patch.field("accept-patch"),
            Some("application/merge-patch+json, application/json-patch+json, application/json")
        );
        let put = client.request("PUT", "/boards/1/notes/1", &fields, Some(NOTE));
        assert_eq!(put.status_line, "HTTP/1.1 415 Unsupported Media Type", "{name}");
        assert_eq!(put.field("accept"), Some("application/json"));
    }
    let merge = [("content-type", "application/merge-patch+json")];
    assert_eq!(
        client.request("POST", "/boards/1/notes", &merge, Some(NOTE)).status(),
        415,
        "POST must refuse the media type of a patch"
    );
    assert_eq!(client.request("PUT", "/boards/1/notes/1", &merge, Some(NOTE)).status(), 415);
    assert_eq!(client.names("/boards/1/notes"), "Salt");
}

/// Conformance 49, 101: 415 lists the accepted content codings. A coding must match a whole name.
#[test]
fn a_content_coding_that_is_none_of_ours_is_refused_with_those_that_are() {
    let (_server, mut client) = board();
    for coding in ["deflate", "compress", "xgzip", "gzip, identity"] {
        let answer =
            client.request("POST", "/boards/1/notes", &[("content-encoding", coding)], Some(NOTE));
        assert_eq!(answer.status_line, "HTTP/1.1 415 Unsupported Media Type", "{coding}");
        assert_eq!(answer.problem(), "unsupported-media-type");
        assert_eq!(answer.field("accept-encoding"), Some("gzip, br, zstd, identity"));
    }
    for (lines, detail) in [
        (
            &["deflate"][..],
            "The content coding `deflate` is not supported; gzip, br, zstd, identity are.",
        ),
        (&["gzip", "gzip"], SEVERAL),
        (&["gzip, gzip"], SEVERAL),
        (&["gzip,", ",gzip"], SEVERAL),
    ] {
        let fields: Vec<_> = lines.iter().map(|line| ("content-encoding", *line)).collect();
        let answer = client.request("POST", "/boards/1/notes", &fields, Some(NOTE));
        assert_eq!((answer.status(), answer.detail().as_str()), (415, detail), "{lines:?}");
    }
    for coding in ["identity", "Identity", "", ",", " , ", "identity,"] {
        let answer =
            client.request("POST", "/boards/1/notes", &[("content-encoding", coding)], Some(NOTE));
        assert_eq!(answer.status_line, "HTTP/1.1 201 Created", "{coding}");
    }
}

/// Conformance 46, 149: a larger body is a 413, at once if its length is announced.
#[test]
fn a_body_has_a_mebibyte() {
    let (server, mut client) = board();
    let mut body = NOTE.to_vec();
    body.resize(1024 * 1024, b' ');
    assert_eq!(client.request("POST", "/boards/1/notes", &[], Some(&body)).status(), 201);

    let head = "POST /boards/1/notes HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-type: application/json\r\n";
    for length in ["1048577", "9999999999"] {
        let answer = server
            .client()
            .raw(format!("{head}content-length: {length}\r\n\r\n").as_bytes(), false);
        assert_eq!(answer.status_line, "HTTP/1.1 413 Content Too Large", "{length}");
        assert_eq!(answer.problem(), "content-too-large");
        assert_eq!(answer.detail(), "A body has at most 1048576 bytes here.");
        assert_eq!(
            answer.field("connection"),
            Some("close"),
            "the server must close the connection instead of reading the body"
        );
    }
    assert_eq!(client.names("/boards/1/notes"), "Salt");
}

#[test]
fn a_body_in_chunks_is_the_same_body() {
    let (server, mut client) = board();
    let head = "POST /boards/1/notes HTTP/1.1\r\nhost: zoo.localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = client.raw(
        format!("{head}8\r\n{{\"name\":\r\n7;x=y\r\n\"Salt\"}}\r\n0\r\n\r\n").as_bytes(),
        false,
    );
    assert_eq!(answer.status_line, "HTTP/1.1 201 Created");
    assert_eq!(answer.json()["name"], "Salt");

    let blanks = |count: usize| format!("{head}{count:x}\r\n{}\r\n0\r\n\r\n", " ".repeat(count));
    let answer = server.client().raw(blanks(1024 * 1024).as_bytes(), false);
    assert_eq!(answer.status(), 400, "a body of 1 MiB of spaces must be read, and is not JSON");
    let answer = server.client().raw(blanks(1024 * 1024 + 1).as_bytes(), false);
    assert_eq!(answer.status_line, "HTTP/1.1 413 Content Too Large");
    assert_eq!(answer.problem(), "content-too-large");
    assert_eq!(answer.field("connection"), Some("close"));
}

/// Conformance 9: the body of a GET changes neither its response nor the response to the next
/// request.
#[test]
fn a_body_that_nobody_asked_for_is_passed_over() {
    let (_server, mut client) = board();
    assert_eq!(client.request("GET", "/boards/1", &[], Some(b"what?")).status(), 200);
    assert_eq!(
        client
            .request("GET", "/boards", &[("content-type", "text/plain")], Some(b"what?"))
            .status(),
        200
    );
    assert_eq!(client.request("DELETE", "/boards/1", &[], Some(b"{")).status(), 204);
    assert_eq!(
        client.get("/boards").status(),
        200,
        "the connection must stay usable after the body of the GET"
    );
}

/// Conformance 23: a client that sends a JSON Patch as plain JSON gets a hint with the media type
/// of a JSON Patch.
#[test]
fn an_array_of_changes_names_the_media_type_of_a_json_patch() {
    let (_server, mut client) = board();
    client.request("POST", "/boards/1/notes", &[], Some(NOTE));
    let operations = br#" [{"op":"remove","path":"/text"}]"#;
    for name in ["application/json", "application/merge-patch+json"] {
        let answer = client.request(
            "PATCH",
            "/boards/1/notes/1",
            &[("content-type", name)],
            Some(operations),
        );
        assert_eq!(answer.faults(), " type", "{name}");
        let hint = &answer.json()["errors"][0]["hint"];
        assert_eq!(
            hint, "For a JSON Patch send `Content-Type: application/json-patch+json`.",
            "{name}"
        );
    }
    let put = client.request("PUT", "/boards/1/notes/1", &[], Some(operations));
    assert_eq!(
        put.json()["errors"][0].get("hint"),
        None,
        "an array in a PUT must not get the hint for a JSON Patch"
    );
}
