//! Entity tags tell that something has changed, and not how often: the counters of the database are
//! encrypted in them.

use serde_json::json;

use super::{tag, zoos};

/// The number in an entity tag.
fn number(tag: &str) -> u64 {
    let digits = tag.trim_matches('"').split('-').next().unwrap();
    let of_collection = || u64::from_str_radix(digits, 16).unwrap();
    if tag.matches('-').count() == 1 { of_collection() } else { digits.parse().unwrap() }
}

/// Two tags between which there are few writes are as far apart as any two, and no field of a
/// response has the counter.
#[test]
fn nobody_counts_the_writes_of_others() {
    let (server, mut client) = zoos();
    for target in ["/zoos", "/zoos/1", "/zoos/1/animals", "/zoos/1/animals/1"] {
        let mut before = number(&tag(&mut client, target));
        for turn in 0..4 {
            client.patch("/zoos/2", &json!({ "city": format!("{turn}") }));
            client.patch("/zoos/1/animals/1", &json!({ "name": format!("{turn}") }));
            client.patch("/zoos/1", &json!({ "city": format!("{turn}") }));
            let answer = client.get(target);
            let now = number(answer.field("etag").unwrap());
            assert!(now.abs_diff(before) > 1 << 32, "{target}: {before} and {now}");
            before = now;
            for table in ["zoos", "animals"] {
                let revision = server.cell(&format!("SELECT max(revision) FROM {table}"));
                let revision: u64 = revision.parse().unwrap();
                // A small number is in many fields by chance.
                if revision < 1 << 32 {
                    continue;
                }
                for (name, value) in &answer.fields {
                    assert!(!value.contains(&revision.to_string()), "{name}: {value}");
                    assert!(!value.contains(&format!("{revision:x}")), "{name}: {value}");
                }
            }
        }
        let encrypted = number(&tag(&mut client, target));
        let members = server.cell("SELECT max(revision) FROM zoos WHERE id = 1");
        if target == "/zoos/1" {
            assert_eq!(server.cipher().decrypt(encrypted).to_string(), members);
        }
    }
}

/// Conformance 109: the secret is that of the database, so a restart and another node have the same
/// tags.
#[test]
fn a_restart_and_another_node_have_the_same_tags() {
    let (mut server, mut client) = zoos();
    let targets = ["/zoos", "/zoos/1", "/zoos/1/animals/1"];
    let tags = targets.map(|target| tag(&mut client, target));
    let other = server.another();
    assert_eq!(targets.map(|target| tag(&mut other.client(), target)), tags);
    let fields = [("if-match", &*tags[1]), ("content-type", "application/json")];
    let patched = other.client().request("PATCH", "/zoos/1", &fields, Some(b"{}"));
    assert_eq!(patched.status(), 200);
    drop(other);
    let tags = targets.map(|target| tag(&mut client, target));
    server.restart();
    assert_eq!(targets.map(|target| tag(&mut server.client(), target)), tags);
    for (target, tag) in targets.iter().zip(&tags) {
        let same = server.client().request("GET", target, &[("if-none-match", tag)], None);
        assert_eq!(same.status(), 304, "{target}");
    }
}
