//! A merge patch reaches into fields of type json (RFC 7396), and nowhere else.

use serde_json::{Value, json};

use crate::server::TestServer;

const SCHEMA: &str = "
nouns: 1
resources:
  device:
    fields:
      name: { type: string, required: true }
      settings: json
";

/// What a patch makes of settings.
fn patched(settings: &Value, patch: &Value) -> Value {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let device = json!({ "name": "lamp", "settings": settings });
    assert_eq!(client.post("/devices", &device).status(), 201);
    let answer = client.patch("/devices/1", &json!({ "settings": patch }));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.json()["name"], "lamp");
    assert_eq!(client.get("/devices/1").json(), answer.json());
    answer.json()["settings"].clone()
}

/// HTTP 21: every example of RFC 7396 that an object has.
#[test]
fn every_example_of_the_rfc_holds() {
    // RFC 7396, Appendix A, as far as patches are objects, arrays, strings and null.
    let cases = [
        (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
        (json!({"a": "b"}), json!({"a": null}), json!({})),
        (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
        (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
        (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
        (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
        (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
        (json!({"a": "b"}), json!(["c"]), json!(["c"])),
        (json!({"a": "foo"}), json!(null), json!(null)),
        (json!({"a": "foo"}), json!("bar"), json!("bar")),
        (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
        (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
        (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        (json!(null), json!({"a": 1, "b": null}), json!({"a": 1})),
    ];
    for (settings, patch, expected) in cases {
        assert_eq!(patched(&settings, &patch), expected, "{settings} patched by {patch}");
    }
}

/// HTTP 19, 21: null is a value for PUT, and an absence for PATCH.
#[test]
fn put_replaces_what_patch_would_merge() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.post("/devices", &json!({ "name": "lamp", "settings": { "a": 1 } }));
    let answer = client.put("/devices/1", &json!({ "name": "lamp", "settings": { "b": null } }));
    assert_eq!(answer.json()["settings"], json!({ "b": null }));
}
