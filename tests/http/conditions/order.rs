//! Tests of the order of checks: which errors take precedence over a precondition, and which do not
//! (RFC 9110 §13.2).

use serde_json::json;

use super::{OTHERS, tag, zoos};

/// Conformance 63: a request that would fail without its preconditions fails in the same way with
/// them.
#[test]
fn what_is_wrong_without_a_precondition_is_said_first() {
    let (_server, mut client) = zoos();
    let current = tag(&mut client, "/zoos/1");
    let requests: [(&str, &str, &str, &[u8], u16); 13] = [
        ("GET", "/nowhere", "", b"", 404),
        ("GET", "/zoos/9", "", b"", 404),
        ("GET", "/zoos?x=1", "", b"", 400),
        ("PUT", "/zoos", "application/json", b"{}", 405),
        ("BREW", "/zoos/1", "", b"", 501),
        ("PATCH", "/zoos/1", "text/plain", b"{}", 415),
        ("PATCH", "/zoos/1", "application/json", b"{", 400),
        ("PATCH", "/zoos/1", "application/json", br#"{"name":1}"#, 422),
        ("PUT", "/zoos/1", "application/json", b"{}", 422),
        ("PUT", "/zoos/9", "application/json", br#"{"name":"a"}"#, 404),
        ("DELETE", "/zoos/9", "", b"", 404),
        ("POST", "/zoos", "application/json", b"{}", 422),
        ("POST", "/zoos/9/animals", "application/json", br#"{"name":"a","animal_type_id":1}"#, 404),
    ];
    for (method, target, kind, body, status) in requests {
        let kind = [("content-type", kind)];
        let kind = if kind[0].1.is_empty() { &[][..] } else { &kind };
        for precondition in [
            ("if-match", OTHERS),
            ("if-none-match", "*"),
            ("if-none-match", &current),
            ("if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ] {
            let fields = [kind, &[precondition]].concat();
            let answer = client.request(method, target, &fields, Some(body));
            assert_eq!(answer.status(), status, "{method} {target} {precondition:?}");
        }
    }
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
    let conflict = client.request("DELETE", "/zoos/1", &[("if-match", OTHERS)], None);
    assert_eq!(
        conflict.status(),
        412,
        "a failed precondition must take precedence over a conflict in the database"
    );
    assert_eq!(client.post("/zoos", &json!({ "name": "Tierpark" })).status(), 409);
}
