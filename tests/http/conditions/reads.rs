//! Tests of the entity tags of reads: when a tag changes, and 304 while it does not.

use serde_json::json;

use super::{OTHERS, tag, zoos};

/// Conformance 65, 66, 67, 69, 73: `If-None-Match` compares each tag of the list weakly. The 304
/// has the current tag.
#[test]
fn what_is_unchanged_is_answered_without_content() {
    let (_server, mut client) = zoos();
    for target in [
        "/zoos/1",
        "/zoos",
        "/zoos?limit=1&sortby=-name",
        "/zoos/1/animals",
        "/zoos/1/animals/1",
        "/zoos?count=true",
    ] {
        let current = tag(&mut client, target);
        for condition in [
            current.clone(),
            format!("{OTHERS}, {current}"),
            format!("W/{current}"),
            "*".to_owned(),
        ] {
            for method in ["GET", "HEAD"] {
                let answer = client.request(method, target, &[("if-none-match", &condition)], None);
                assert_eq!(
                    answer.status_line, "HTTP/1.1 304 Not Modified",
                    "{method} {target}: {condition}"
                );
                assert_eq!(answer.field("etag"), Some(&*current));
                assert_eq!(answer.field("content-type"), None);
            }
        }
        let answer = client.request("GET", target, &[("if-none-match", OTHERS)], None);
        assert_eq!((answer.status(), answer.field("etag")), (200, Some(&*current)));
    }
}

/// Conformance 62, 64, 80: `If-Match` compares strongly and takes precedence over `If-None-Match`.
/// The 412 contains nothing of the member.
#[test]
fn if_match_on_a_read_must_name_the_current_tag() {
    let (_server, mut client) = zoos();
    for target in ["/zoos/1", "/zoos", "/zoos/1/animals"] {
        let current = tag(&mut client, target);
        for condition in [current.clone(), "*".to_owned(), format!("{OTHERS}, {current}")] {
            assert_eq!(
                client.request("GET", target, &[("if-match", &condition)], None).status(),
                200,
                "{condition}"
            );
        }
        for condition in [OTHERS.to_owned(), format!("W/{current}")] {
            let answer = client.request("GET", target, &[("if-match", &condition)], None);
            assert_eq!(
                answer.status_line, "HTTP/1.1 412 Precondition Failed",
                "{target}: {condition}"
            );
            assert_eq!(answer.problem(), "precondition-failed");
        }
        let both = client.request(
            "GET",
            target,
            &[("if-match", OTHERS), ("if-none-match", &current)],
            None,
        );
        assert_eq!(
            both.status(),
            412,
            "a failed `If-Match` must take precedence over `If-None-Match`"
        );
    }
}

/// Conformance 62, 64: `If-Match` on a read must name the tag of the returned representation,
/// including its compression.
#[test]
fn if_match_on_a_read_must_name_the_coding_that_is_sent() {
    let (_server, mut client) = zoos();
    let many: Vec<_> =
        (0..20).map(|n| json!({ "name": format!("Zoo {n}"), "city": "Berlin" })).collect();
    client.create("/zoos", &json!(many));
    // The targets are a large page, a small page that is not compressed, and an export, which is
    // always compressed.
    let targets =
        [("/zoos?limit=20", "gzip"), ("/zoos?limit=1&fields=name", ""), ("/zoos", "gzip")];
    for (at, (target, sent)) in targets.into_iter().enumerate() {
        let accept = ["application/json", "application/json", "text/csv"][at];
        let whole = client.request("GET", target, &[("accept", accept)], None);
        let plain = whole.field("etag").unwrap().to_owned();
        let coded = |coding: &str| match coding {
            "" => plain.clone(),
            coding => format!("{}-{coding}\"", plain.trim_end_matches('"')),
        };
        for coding in ["", "gzip", "zstd"] {
            let tag = coded(coding);
            for range in [None, Some(("range", "bytes=0-3"))] {
                for method in ["GET", "HEAD"] {
                    let mut fields = vec![
                        ("accept", accept),
                        ("accept-encoding", "gzip, zstd;q=0.5"),
                        ("if-match", &*tag),
                    ];
                    fields.extend(range);
                    let answer = client.request(method, target, &fields, None);
                    let expected = match (coding == sent, range.is_some() && method == "GET") {
                        (false, _) => 412,
                        (true, true) => 206,
                        (true, false) => 200,
                    };
                    assert_eq!(answer.status(), expected, "{method} {target} {tag} {range:?}");
                }
            }
            let fields = [("accept-encoding", "gzip"), ("accept", accept), ("if-match", "*")];
            assert_eq!(
                client.request("GET", target, &fields, None).status(),
                200,
                "`If-Match: *` must match any representation"
            );
        }
    }
}

/// Conformance 63, 68: 404 takes precedence over every condition.
#[test]
fn a_condition_on_nothing_is_not_found() {
    let (_server, mut client) = zoos();
    for field in ["if-match", "if-none-match"] {
        for condition in ["*", OTHERS] {
            for target in ["/zoos/9", "/zoos/9/animals", "/zoos/2/animals/1", "/nowhere"] {
                assert_eq!(
                    client.request("GET", target, &[(field, condition)], None).status(),
                    404,
                    "{field} {target}"
                );
            }
        }
    }
}

/// Conformance 69: a field value that is not a list of entity tags is 400.
#[test]
fn what_is_no_list_of_tags_is_a_bad_request() {
    let (_server, mut client) = zoos();
    for field in ["if-match", "if-none-match"] {
        for condition in ["1", "\"open", "\"a\" \"b\"", "w/\"a\"", "*, \"a\"", "*,"] {
            for target in ["/zoos", "/zoos/1"] {
                let answer = client.request("GET", target, &[(field, condition)], None);
                assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{field}: {condition}");
                assert_eq!(answer.problem(), "malformed-request");
            }
        }
    }
}

/// Conformance 69: empty list elements are ignored, and a list without tags matches nothing.
#[test]
fn a_list_of_no_tags_matches_nothing() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1", "/", "/-/problems"] {
        let current = tag(&mut client, target);
        let date = ("if-modified-since", "Thu, 01 Jan 2026 00:00:00 GMT");
        for empty in ["", ",", " , ,", ",,,"] {
            let refused = client.request("GET", target, &[("if-match", empty)], None);
            assert_eq!(
                (refused.status(), refused.problem().as_str()),
                (412, "precondition-failed")
            );
            let shown = client.request("GET", target, &[("if-none-match", empty), date], None);
            assert_eq!(
                (shown.status(), shown.field("etag")),
                (200, Some(&*current)),
                "{target} {empty:?}"
            );
        }
        let list = format!(",, {current} ,");
        assert_eq!(client.request("GET", target, &[("if-match", &list)], None).status(), 200);
        assert_eq!(client.request("GET", target, &[("if-none-match", &list)], None).status(), 304);
        let lines = [("if-none-match", ""), ("if-none-match", &*current), ("if-none-match", ",")];
        assert_eq!(client.request("GET", target, &lines, None).status(), 304, "{target}");
    }
    for method in ["PATCH", "PUT", "DELETE"] {
        let body = (method != "DELETE").then_some(&br#"{"name":"x"}"#[..]);
        let refused = client.request(method, "/zoos/1", &[("if-match", "")], body);
        assert_eq!((refused.status(), refused.problem().as_str()), (412, "precondition-failed"));
        assert_eq!(client.request(method, "/zoos/9", &[("if-match", "")], body).status(), 404);
    }
    let guarded = client.request("PATCH", "/zoos/1", &[("if-none-match", "")], Some(b"{}"));
    assert_eq!(guarded.status(), 200, "an `If-Match` without tags must be ignored");
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

/// Conformance 69: several fields form one list. A tag may contain a comma or `W/`, and `*` must be
/// alone.
#[test]
fn a_list_may_stand_in_several_fields() {
    let (_server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1"] {
        let current = tag(&mut client, target);
        let mut status = |values: &[&str], name| {
            let fields: Vec<_> = values.iter().map(|value| (name, *value)).collect();
            client.request("GET", target, &fields, None).status()
        };
        for values in
            [&[OTHERS, &*current][..], &[&*current, OTHERS], &["\"a, b\"", "\"W/\" ", &*current]]
        {
            assert_eq!(status(values, "if-match"), 200, "{values:?}");
            assert_eq!(status(values, "if-none-match"), 304, "{values:?}");
        }
        let within = format!("\"a, {}, b\"", current.trim_matches('"'));
        assert_eq!(
            status(&[&within], "if-match"),
            412,
            "a tag that contains the current one must not match"
        );
        for values in [[OTHERS, "*"], ["*", OTHERS], ["*", "*"], [&*current, "open\""]] {
            assert_eq!(status(&values, "if-match"), 400, "{values:?}");
            assert_eq!(status(&values, "if-none-match"), 400, "{values:?}");
        }
    }
}

/// Conformance 74, 76, 109: the first read after a write has a new tag.
#[test]
fn every_write_changes_the_tag_of_its_collection_and_of_its_member() {
    let (_server, mut client) = zoos();
    let mut seen = vec![tag(&mut client, "/zoos")];
    let mut changed = |client: &mut crate::client::Client| {
        let now = tag(client, "/zoos");
        assert!(!seen.contains(&now), "the new tag {now} is among the earlier ones: {seen:?}");
        assert_eq!(tag(client, "/zoos"), now, "the tag must stay until the next write");
        seen.push(now);
    };
    let first = tag(&mut client, "/zoos/1");
    let second = tag(&mut client, "/zoos/2");
    client.create("/zoos", &json!({ "name": "Aquarium" }));
    changed(&mut client);
    client.patch("/zoos/1", &json!({ "city": "Berlin" }));
    changed(&mut client);
    assert_ne!(tag(&mut client, "/zoos/1"), first);
    client.put("/zoos/1", &json!({ "name": "Tierpark" }));
    changed(&mut client);
    assert_ne!(
        tag(&mut client, "/zoos/1"),
        first,
        "a write with the same values must change the tag"
    );
    client.delete("/zoos/3");
    changed(&mut client);
    assert_eq!(tag(&mut client, "/zoos/2"), second, "a member without a write must keep its tag");
}

#[test]
fn what_fails_changes_no_tag() {
    let (_server, mut client) = zoos();
    let (all, one) = (tag(&mut client, "/zoos"), tag(&mut client, "/zoos/1"));
    assert_eq!(client.post("/zoos", &json!({ "name": "Tierpark" })).status(), 409);
    assert_eq!(client.patch("/zoos/1", &json!({ "name": "Bergzoo" })).status(), 409);
    assert_eq!(client.post("/zoos", &json!([{ "name": "x" }, { "name": "x" }])).status(), 409);
    assert_eq!(client.delete("/zoos/1").status(), 409);
    assert_eq!(client.delete("/zoos/9").status(), 404);
    assert_eq!(client.patch("/zoos/1", &json!({ "name": null })).status(), 422);
    assert_eq!((tag(&mut client, "/zoos"), tag(&mut client, "/zoos/1")), (all, one));
}

/// Conformance 74, 76, 110: each query of a collection has a tag of its own.
#[test]
fn queries_have_tags_of_their_own() {
    let (_server, mut client) = zoos();
    let targets = [
        "/zoos",
        "/zoos?limit=1",
        "/zoos?limit=1&offset=1",
        "/zoos?sortby=name",
        "/zoos?name=Tierpark",
        "/zoos?count=true",
    ];
    let tags: Vec<_> = targets.map(|target| tag(&mut client, target)).into();
    for (at, etag) in tags.iter().enumerate() {
        assert!(!tags[..at].contains(etag), "another target has the same tag as {}", targets[at]);
    }
}

/// Conformance 76: the tag of a nested collection changes when the table of its members or a table
/// of its parents changes.
#[test]
fn a_nested_collection_changes_with_its_own_table_and_those_above() {
    let (_server, mut client) = zoos();
    let before = tag(&mut client, "/zoos/1/animals");
    client.create("/admin", &json!({ "name": "ada" }));
    assert_eq!(
        tag(&mut client, "/zoos/1/animals"),
        before,
        "a write to an unrelated table must not change the tag"
    );
    client.create("/zoos/1/animals", &json!({ "name": "Ada", "animal_type_id": 1 }));
    assert_ne!(tag(&mut client, "/zoos/1/animals"), before);
    assert_ne!(tag(&mut client, "/zoos/1/animals"), tag(&mut client, "/zoos/2/animals"));
    let second = tag(&mut client, "/zoos/2/animals");
    client.delete("/zoos/2");
    assert_eq!(
        client.request("GET", "/zoos/2/animals", &[("if-none-match", &second)], None).status(),
        404
    );
}

/// Conformance 74: a write of another program changes the tag, too.
#[test]
fn another_program_that_writes_changes_the_tags() {
    let (server, mut client) = zoos();
    let (all, first, second) =
        (tag(&mut client, "/zoos"), tag(&mut client, "/zoos/1"), tag(&mut client, "/zoos/2"));
    server.elsewhere("UPDATE zoos SET city = 'Bonn' WHERE id = 1");
    let answer = client.request("GET", "/zoos", &[("if-none-match", &all)], None);
    assert_eq!((answer.status(), &answer.json()["items"][0]["city"]), (200, &json!("Bonn")));
    assert_ne!(tag(&mut client, "/zoos/1"), first);
    assert_eq!(tag(&mut client, "/zoos/2"), second);

    let all = tag(&mut client, "/zoos");
    server.elsewhere("INSERT INTO zoos (name) VALUES ('Aquarium')");
    assert_eq!(client.request("GET", "/zoos", &[("if-none-match", &all)], None).status(), 200);
    let third = client.get("/zoos/3");
    assert_eq!(
        third.still(),
        json!({
            "id": 3, "name": "Aquarium", "city": null, "opened": null, "created_at": "T", "updated_at": "T",
        })
    );
    assert_eq!(
        client
            .request("PATCH", "/zoos/3", &[("if-match", third.field("etag").unwrap())], Some(b"{}"))
            .status(),
        200
    );

    let all = tag(&mut client, "/zoos");
    server.elsewhere("DELETE FROM zoos WHERE id = 3");
    assert_eq!(client.request("GET", "/zoos", &[("if-none-match", &all)], None).status(), 200);
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

#[test]
fn tags_survive_a_restart() {
    let (mut server, mut client) = zoos();
    let targets = ["/zoos/1", "/zoos", "/zoos?limit=1", "/zoos/1/animals", "/zoos/1/animals/1"];
    let before = targets.map(|target| tag(&mut client, target));
    drop(client);
    server.restart();
    let mut client = server.client();
    for (target, etag) in targets.iter().zip(&before) {
        let answer = client.request("GET", target, &[("if-none-match", etag)], None);
        assert_eq!(answer.status_line, "HTTP/1.1 304 Not Modified", "{target}");
    }
    let stored = before[0].clone();
    client.patch("/zoos/1", &json!({ "city": "Berlin" }));
    assert_ne!(tag(&mut client, "/zoos/1"), stored);
    assert_eq!(client.request("DELETE", "/zoos/1", &[("if-match", &stored)], None).status(), 412);
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

/// Conformance 109: each worker returns the new value right after a write, so no worker has a stale
/// cache.
#[test]
fn every_worker_sees_every_write_at_once() {
    let (server, mut writer) = zoos();
    let mut readers: Vec<_> = (0..6).map(|_| server.client()).collect();
    for round in 0..20 {
        let city = format!("c{round}");
        let etag =
            writer.patch("/zoos/1", &json!({ "city": city })).field("etag").unwrap().to_owned();
        for reader in &mut readers {
            let answer = reader.get("/zoos/1");
            assert_eq!(
                (answer.json()["city"].as_str(), answer.field("etag")),
                (Some(&*city), Some(&*etag))
            );
        }
    }
}

/// Conformance 74, 78: a new database has other tags, although its members have the same ids.
#[test]
fn a_new_database_has_no_tag_of_the_one_before() {
    let of_former = {
        let (_server, mut client) = zoos();
        tag(&mut client, "/zoos/1")
    };
    let (_server, mut client) = zoos();
    assert_eq!(
        client.request("GET", "/zoos/1", &[("if-none-match", &of_former)], None).status(),
        200
    );
    assert_eq!(
        client.request("PATCH", "/zoos/1", &[("if-match", &of_former)], Some(b"{}")).status(),
        412
    );
}
