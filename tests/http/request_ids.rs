//! Tests of request ids: in a response, in a problem and in the log.

use crate::server::TestServer;

/// Conformance 145: an error has a unique id, in the header field `Request-Id` and in its problem.
#[test]
fn every_error_has_an_id() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let mut ids = vec![];
    for target in ["/nowhere", "/nowhere", "/zoos/9", "/zoos?x=1"] {
        let answer = client.get(target);
        let id = answer.field("request-id").unwrap().to_owned();
        assert_eq!(id.len(), 36, "{id}");
        let problem: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(problem["request_id"], *id);
        assert!(!ids.contains(&id));
        ids.push(id);
    }
    assert!(ids.is_sorted(), "the ids must ascend over time");
    assert_eq!(
        client.get("/zoos").field("request-id"),
        None,
        "a success without an id in the request must have no id"
    );
}

/// Conformance 145: the id from a client is used if it is a short token, and is ignored otherwise.
#[test]
fn a_short_token_is_taken() {
    let server = TestServer::zoo();
    let mut client = server.client();
    for target in ["/zoos", "/zoos/9"] {
        for name in ["request-id", "x-request-id"] {
            for id in ["a", "0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10", "A.b_c-9", &"x".repeat(64)] {
                let answer = client.request("GET", target, &[(name, id)], None);
                assert_eq!(answer.field("request-id"), Some(id), "{name}");
            }
            for other in ["", "a b", "a,b", "<b>", "a\u{e9}", "a=1;b", &"x".repeat(65)] {
                let answer = client.request("GET", target, &[(name, other)], None);
                assert_ne!(answer.field("request-id"), Some(other), "{name}: {other}");
                assert_eq!(answer.field("request-id").is_some(), answer.status() == 404);
            }
        }
    }
}
