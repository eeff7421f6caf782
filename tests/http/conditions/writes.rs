//! Tests of preconditions of writes, with which no client overwrites the changes of another client.

use serde_json::json;

use super::{OTHERS, tag, zoos};
use crate::server::TestServer;

/// The methods that write a member, each with its body. DELETE has no body.
const WRITES: [(&str, Option<&[u8]>); 3] =
    [("PUT", Some(br#"{"name":"Zoo"}"#)), ("PATCH", Some(br#"{"name":"Zoo"}"#)), ("DELETE", None)];

/// Conformance 64, 68: a write succeeds with the current tag, with a list that contains it, and
/// with `*`.
#[test]
fn a_write_goes_through_while_the_tag_is_current() {
    let (_server, mut client) = zoos();
    for (method, body) in WRITES {
        for current in ["the tag", "*", "in a list"] {
            let created = client.create("/zoos", &json!({ "name": format!("{method} {current}") }));
            let target = created.field("location").unwrap();
            let etag = created.field("etag").unwrap();
            let condition = match current {
                "the tag" => etag.to_owned(),
                "*" => "*".into(),
                _ => format!("{OTHERS}, {etag}"),
            };
            let answer = client.request(method, target, &[("if-match", &condition)], body);
            assert!(answer.status() < 300, "{method} {condition}: {}", answer.status_line);
            client.delete(target);
        }
    }
}

/// Conformance 64, 66, 67, 80, 81: a write with an old tag is 412 with a problem, and changes
/// nothing.
#[test]
fn a_write_with_an_old_tag_is_refused_and_changes_nothing() {
    let (_server, mut client) = zoos();
    let old = tag(&mut client, "/zoos/1");
    let current =
        client.patch("/zoos/1", &json!({ "city": "Berlin" })).field("etag").unwrap().to_owned();
    assert_ne!(old, current);
    let before = client.get("/zoos/1").body;
    for (method, body) in WRITES {
        for condition in [old.clone(), OTHERS.to_owned(), format!("W/{current}")] {
            let answer = client.request(method, "/zoos/1", &[("if-match", &condition)], body);
            assert_eq!(
                answer.status_line, "HTTP/1.1 412 Precondition Failed",
                "{method} {condition}"
            );
            let detail = match condition == old {
                true => "`zoo` `1` has changed since the `ETag` in `If-Match`; GET it again.",
                false => "The current representation does not match the precondition.",
            };
            assert_eq!(
                answer.json(),
                json!({
                    "type": "/-/problems/precondition-failed", "title": "Precondition failed", "status": 412,
                    "detail": detail,
                    "instance": "/zoos/1",
                })
            );
        }
        let answer = client.request(method, "/zoos/1", &[("if-none-match", &current)], body);
        assert_eq!(answer.status(), 412, "{method} with a failed `If-None-Match` must be 412");
        let answer = client.request(method, "/zoos/1", &[("if-none-match", "*")], body);
        assert_eq!(
            (answer.status(), &*answer.detail()),
            (412, "`zoo` `1` exists already."),
            "{method}"
        );
    }
    assert_eq!(client.get("/zoos/1").body, before);
}

/// Conformance 63, 68: a write to a member that does not exist is 404, also with `If-Match: *`.
#[test]
fn a_write_to_nothing_is_not_found_before_its_condition_is_looked_at() {
    let (_server, mut client) = zoos();
    for (method, body) in WRITES {
        for condition in ["*", OTHERS] {
            for target in ["/zoos/9", "/zoos/2/animals/1", "/zoos/9/animals/1"] {
                let answer = client.request(
                    method,
                    target,
                    &[("if-match", condition)],
                    body.map(|_| &b"{\"name\":\"a\",\"animal_type_id\":1}"[..])
                        .filter(|_| target != "/zoos/9")
                        .or(body),
                );
                assert_eq!(
                    answer.status_line, "HTTP/1.1 404 Not Found",
                    "{method} {target} {condition}"
                );
            }
        }
    }
}

/// Conformance 17, 79: the responses to POST and PATCH have the new tag. The response to PUT has
/// none, since the stored bytes may differ from those sent.
#[test]
fn what_a_write_answers_is_the_tag_that_a_read_has() {
    let (_server, mut client) = zoos();
    let created = client.create("/zoos", &json!({ "name": "Aquarium" }));
    assert_eq!(created.field("etag").unwrap(), tag(&mut client, "/zoos/3"));
    let changed = client.patch("/zoos/3", &json!({ "city": "Genoa" }));
    assert_eq!(changed.field("etag").unwrap(), tag(&mut client, "/zoos/3"));
    let replaced = client.put("/zoos/3", &json!({ "name": "Acquario" }));
    assert_eq!(
        replaced.field("etag"),
        None,
        "the response to PUT must have no `ETag` (RFC 9110 §9.3.4)"
    );
}

/// Conformance 78: of concurrent writes with the same tag, one succeeds.
#[test]
fn of_two_who_change_the_same_one_wins() {
    let (server, mut client) = zoos();
    let etag = tag(&mut client, "/zoos/1");
    let change = |name: String| {
        let (mut client, etag) = (server.client(), etag.clone());
        move || {
            let body = json!({ "city": name }).to_string();
            client
                .request("PATCH", "/zoos/1", &[("if-match", &etag)], Some(body.as_bytes()))
                .status()
        }
    };
    let mut statuses: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|at| scope.spawn(change(at.to_string()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412]);
}

/// Conformance 67, 68: with `If-None-Match: *`, PUT only creates. If the member does not exist, PUT
/// with `If-Match: *` is 412.
#[test]
fn put_creates_only_what_is_not_there_if_none_match_says_so() {
    let server = TestServer::of(
        "nouns: 1\nresources:\n  country:\n    id: string\n    fields: { name: string }\n",
    );
    let mut client = server.client();
    let body = &br#"{"name":"Germany"}"#[..];
    let absent = client.request("PUT", "/countries/de", &[("if-match", "*")], Some(body));
    assert_eq!(
        absent.status_line, "HTTP/1.1 412 Precondition Failed",
        "`If-Match: *` must fail if the member does not exist"
    );
    let created = client.request("PUT", "/countries/de", &[("if-none-match", "*")], Some(body));
    assert_eq!(created.status_line, "HTTP/1.1 201 Created");
    let again = client.request("PUT", "/countries/de", &[("if-none-match", "*")], Some(body));
    assert_eq!(again.status_line, "HTTP/1.1 412 Precondition Failed");
    assert_eq!(client.names("/countries"), "Germany");
}

/// Conformance 63: the precondition takes precedence over errors that depend on the stored member.
#[test]
fn a_precondition_comes_before_what_the_body_repeats() {
    let (_server, mut client) = zoos();
    let old = client.get("/zoos/1");
    client.patch("/zoos/1", &json!({ "city": "Berlin" }));
    let mut body = old.json();
    body["city"] = "Bonn".into();
    let etag = old.field("etag").unwrap();
    let answer =
        client.request("PUT", "/zoos/1", &[("if-match", etag)], Some(body.to_string().as_bytes()));
    assert_eq!(
        answer.status(),
        412,
        "a failed `If-Match` must take precedence over the read-only `updated_at`"
    );
    let blind = client.put("/zoos/1", &body);
    assert_eq!(
        (blind.status(), blind.faults().as_str()),
        (422, "/updated_at read_only"),
        "without `If-Match`, an old `updated_at` must be 422"
    );
}

/// Conformance 64: a tag that the server cannot have sent does not match. The tag of another format
/// or of another declaration matches if it has the same revision.
#[test]
fn a_tag_has_the_spelling_that_we_give_it() {
    let (_server, mut client) = zoos();
    for (method, target) in [("PATCH", "/zoos/1"), ("POST", "/zoos")] {
        let etag = tag(&mut client, target);
        let etag = etag.trim_matches('"');
        let (number, _) = etag.split_once('-').unwrap();
        let look = if method == "PATCH" { "-c0ffee00" } else { "" };
        let others =
            ["xml", "json-zzz", "json-gzip-zzz", "json-identity", "json-GZIP", "json-", ""];
        let others = others
            .map(|form| format!("{number}-{}", form.replacen("json", &format!("json{look}"), 1)));
        let mut write = |tag: &str| {
            let fields =
                [("if-match", &*format!("\"{tag}\"")), ("content-type", "application/json")];
            let body = json!({ "name": tag }).to_string();
            client.request(method, target, &fields, Some(body.as_bytes())).status()
        };
        for other in
            others.iter().map(|other| &**other).chain([&*format!("{etag}-whatever"), number])
        {
            assert_eq!(write(other), 412, "{method} {other}");
        }
        let same = format!("{number}-csv{look}-br");
        assert!([200, 201].contains(&write(&same)), "{method} {same}");
    }
}
