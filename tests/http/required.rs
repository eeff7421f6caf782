//! Tests of resources with `precondition: required`: a change needs a precondition (RFC 6585 §3).

use std::sync::Arc;

use nouns::__runtime::{
    Model,
    def::{ApiDef, FieldDef, FieldKind, IdKind, Operation, Operations, Precondition, ResourceDef},
};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

static PAGE: ResourceDef = ResourceDef {
    precondition: Precondition::Required,
    fields: &[FieldDef::new("text", FieldKind::String)],
    methods: Operations::of(&Operation::ALL),
    ..ResourceDef::new("page", "pages", "Page")
};

static TAG: ResourceDef = ResourceDef {
    precondition: Precondition::Required,
    id: IdKind::String,
    optional_id: false,
    fields: &[FieldDef::new("text", FieldKind::String)],
    ..ResourceDef::new("tag", "tags", "Tag")
};

static API: ApiDef = ApiDef { resources: &[&PAGE, &TAG], ..ApiDef::new("Wiki") };

fn wiki() -> (TestServer, Client) {
    let server = TestServer::serve(Arc::new(Model::link(&API).unwrap()));
    let mut client = server.client();
    client.create("/pages", &json!({ "text": "first" }));
    client.create("/tags", &json!({ "id": "news", "text": "first" }));
    (server, client)
}

fn send(client: &mut Client, method: &str, target: &str, fields: &[(&str, &str)]) -> Answer {
    let body = json!({ "text": "second" }).to_string();
    let body = ["PUT", "PATCH"].contains(&method).then_some(body.as_bytes());
    client.request(method, target, fields, body)
}

fn assert_required(answer: &Answer) {
    assert_eq!(answer.status_line, "HTTP/1.1 428 Precondition Required", "{answer:?}");
    assert_eq!(answer.problem(), "precondition-required");
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    assert!(answer.detail().contains("`If-Match`"), "{}", answer.detail());
}

/// Conformance 54: a change without a precondition is 428 and changes nothing. The problem explains
/// how to send a precondition.
#[test]
fn a_change_without_a_precondition_says_how_it_is_done() {
    let (_server, mut client) = wiki();
    let before = client.get("/pages/1");
    for method in ["PUT", "PATCH", "DELETE"] {
        let answer = send(&mut client, method, "/pages/1", &[]);
        assert_required(&answer);
        assert_eq!(
            answer.detail(),
            "A change of a `page` needs `If-Match`: GET the member, and send its `ETag`."
        );
        assert_required(&send(&mut client, method, "/pages/1", &[("if-none-match", "\"0-json\"")]));
    }
    let after = client.get("/pages/1");
    assert_eq!((&after.body, after.field("etag")), (&before.body, before.field("etag")));
}

/// Conformance 54: a change with the current tag succeeds, as the problem explains, and an old tag
/// is 412.
#[test]
fn a_change_with_the_tag_of_the_member_is_made() {
    let (_server, mut client) = wiki();
    let old = client.get("/pages/1").field("etag").unwrap().to_owned();
    for method in ["PUT", "PATCH", "DELETE"] {
        let tag = client.get("/pages/1").field("etag").unwrap().to_owned();
        let answer = send(&mut client, method, "/pages/1", &[("if-match", &tag)]);
        assert!([200, 204].contains(&answer.status()), "{method}: {answer:?}");
        if method != "DELETE" {
            assert_eq!(send(&mut client, method, "/pages/1", &[("if-match", &old)]).status(), 412);
        }
    }
    assert_eq!(client.get("/pages/1").status(), 404);
}

/// Conformance 54, 77: a date is not enough as a precondition, since two changes within one second
/// have the same date. A date that fails is 412 as usual.
#[test]
fn a_time_is_not_enough_for_a_change() {
    let (_server, mut client) = wiki();
    let modified = client.get("/pages/1").field("last-modified").unwrap().to_owned();
    assert_required(&send(&mut client, "PATCH", "/pages/1", &[("if-unmodified-since", &modified)]));
    assert_required(&send(
        &mut client,
        "PATCH",
        "/pages/1",
        &[("if-unmodified-since", "yesterday")],
    ));
    assert_required(&send(&mut client, "PATCH", "/pages/1", &[("if-modified-since", &modified)]));
    let tag = client.get("/pages/1").field("etag").unwrap().to_owned();
    let both = [("if-match", &*tag), ("if-unmodified-since", &*modified)];
    assert_eq!(send(&mut client, "PATCH", "/pages/1", &both).status(), 200);
}

/// Conformance 54: a JSON Patch needs a precondition, too. It is checked before the patch applies.
#[test]
fn a_json_patch_names_its_state_too() {
    let (_server, mut client) = wiki();
    let patch = [("content-type", "application/json-patch+json")];
    let failing = br#"[{ "op": "test", "path": "/text", "value": "other" }]"#;
    assert_required(&client.request("PATCH", "/pages/1", &patch, Some(failing)));
    assert_required(&client.request("PATCH", "/pages/1", &patch, Some(b"[]")));
    let tag = client.get("/pages/1").field("etag").unwrap().to_owned();
    let fields = [patch[0], ("if-match", &*tag)];
    assert_eq!(client.request("PATCH", "/pages/1", &fields, Some(failing)).status(), 409);
    assert_eq!(client.request("PATCH", "/pages/1", &fields, Some(b"[]")).status(), 200);
}

/// Conformance 54: a PUT that would only create needs `If-None-Match: *`.
#[test]
fn a_put_that_creates_says_that_it_does() {
    let (_server, mut client) = wiki();
    let absent = send(&mut client, "PUT", "/tags/art", &[]);
    assert_required(&absent);
    assert!(absent.detail().contains("`If-None-Match: *`"), "{}", absent.detail());
    let created = send(&mut client, "PUT", "/tags/art", &[("if-none-match", "*")]);
    assert_eq!(created.status_line, "HTTP/1.1 201 Created");
    assert_eq!(send(&mut client, "PUT", "/tags/art", &[("if-none-match", "*")]).status(), 412);
    assert_required(&send(&mut client, "PATCH", "/tags/art", &[("if-none-match", "*")]));
}

/// Conformance 54: a deletion with a filter needs the tag of the collection with the same filter.
#[test]
fn a_deletion_of_many_names_the_collection_that_was_seen() {
    let (_server, mut client) = wiki();
    assert_required(&client.delete("/pages?text=first"));
    let tag = client.get("/pages?text=first").field("etag").unwrap().to_owned();
    assert_eq!(
        client.request("DELETE", "/pages?text=first", &[("if-match", &tag)], None).status(),
        204
    );
    assert_eq!(client.get("/pages").json()["items"], json!([]));
}

/// Conformance 63: errors that do not depend on preconditions take precedence over 428.
#[test]
fn other_faults_go_before_the_missing_precondition() {
    let (_server, mut client) = wiki();
    for method in ["PUT", "PATCH", "DELETE"] {
        assert_eq!(send(&mut client, method, "/pages/9", &[]).status(), 404, "{method}");
    }
    assert_eq!(send(&mut client, "PUT", "/pages", &[]).status(), 405);
    assert_eq!(
        client.delete("/pages").status(),
        400,
        "DELETE on a collection without a filter must be 400"
    );
    let patch = |client: &mut Client, kind: &str, body: &[u8]| {
        client.request("PATCH", "/pages/1", &[("content-type", kind)], Some(body)).status()
    };
    assert_eq!(patch(&mut client, "text/plain", b"x"), 415);
    assert_eq!(patch(&mut client, "application/json", b"{"), 400);
    assert_eq!(patch(&mut client, "application/json", b"{\"text\":1}"), 422);
}

/// Conformance 54: POST overwrites nothing, so it needs no precondition.
#[test]
fn what_overwrites_nothing_needs_no_precondition() {
    let (_server, mut client) = wiki();
    assert_eq!(client.post("/pages", &json!({ "text": "other" })).status(), 201);
    assert_eq!(client.get("/pages?text=other").json()["items"][0]["text"], Value::from("other"));
}
