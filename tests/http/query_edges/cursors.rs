//! Tests of pages that begin after a cursor or end before one: `after` and `before`.

mod refused;

use serde_json::json;

use self::refused::{base64, spelled};
use super::links::{link, walk, zoo};
use crate::client::{Answer, Client};

fn ids(answer: &Answer) -> Vec<i64> {
    assert_eq!(answer.status(), 200, "{:?}", answer.json());
    answer.json()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_i64().unwrap())
        .collect()
}

/// Returns the cursor in a link. Checks that it has only characters of base64url.
fn cursor(link: &str) -> &str {
    let cursor = link.split("after=").nth(1).or(link.split("before=").nth(1)).unwrap();
    assert!(
        cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        "{cursor}"
    );
    cursor
}

/// Conformance 194: if a request has no offset and no page number, the links `next` and `prev` have
/// cursors.
#[test]
fn pages_go_on_at_a_place_unless_they_are_counted() {
    let (_server, mut client) = zoo();
    let first = client.get("/zoos/1/animals");
    assert_eq!((ids(&first).len(), link(&first, "prev")), (20, None));
    assert_eq!(first.link("first").unwrap(), "/zoos/1/animals?limit=20");
    let next = link(&first, "next").unwrap();
    assert!(next.starts_with("/zoos/1/animals?limit=20&after="), "{next}");
    let second = client.get(&next);
    assert_eq!((ids(&second).len(), link(&second, "next")), (3, None));
    assert_eq!(link(&second, "self").unwrap(), next);
    assert_eq!(second.link("first").unwrap(), "/zoos/1/animals?limit=20");
    let prev = link(&second, "prev").unwrap();
    assert!(prev.starts_with("/zoos/1/animals?limit=20&before="), "{prev}");
    let back = client.get(&prev);
    assert_eq!(
        (back.json()["items"].clone(), link(&back, "prev")),
        (first.json()["items"].clone(), None)
    );
    assert_eq!(ids(&client.get(&link(&back, "next").unwrap())), ids(&second));
    assert_ne!(
        first.field("etag"),
        back.field("etag"),
        "a page before a cursor must have an `ETag` of its own"
    );
}

/// Conformance 194: a cursor keeps the filters, the order and the count. The size of the page may
/// change.
#[test]
fn a_place_keeps_its_query_and_may_change_its_size() {
    let (_server, mut client) = zoo();
    let target = "/zoos/1/animals?weight_kg[gte]=1&sortby=-name,id&count=true&fields=id&limit=4";
    let all = walk(&mut client, &target.replace("limit=4", "limit=100"), "next");
    let first = client.get(target);
    let next = link(&first, "next").unwrap();
    assert!(next.starts_with(
        "/zoos/1/animals?weight_kg%5Bgte%5D=1&sortby=-name,id&count=true&fields=id&limit=4&after="
    ));
    let second = client.get(&next);
    assert_eq!(second.json()["total"], all.len(), "`total` must count all matching members");
    assert_eq!([ids(&first), ids(&second)].concat(), all[..8]);
    let after = cursor(&next).to_owned();
    let other = |rest: &str| {
        format!("/zoos/1/animals?sortby=-name,id&weight_kg[gte]=1&after={after}{rest}")
    };
    assert_eq!(
        ids(&client.get(&other("&limit=2"))),
        all[4..6],
        "the order of parameters must not matter"
    );
    assert_eq!(ids(&client.get(&other(""))), all[4..]);
    assert_eq!(ids(&client.get(&other("&limit=3").replace("after", "before"))), all[..3]);
}

/// Conformance 189, 194: a page without members, beyond either end of the list, links back to the
/// members.
#[test]
fn a_page_beyond_the_end_leads_back() {
    let (_server, mut client) = zoo();
    let target = "/zoos/1/animals?sortby=id&limit=5";
    let all: Vec<i64> = (1..=23).collect();
    let (mut last, mut first) = (client.get(target), None);
    while let Some(next) = link(&last, "next") {
        last = client.get(&next);
        first.get_or_insert(next);
    }
    assert_eq!(ids(&last), all[20..]);
    let prev = link(&last, "prev").unwrap();
    for id in 21..=23 {
        client.delete(&format!("/zoos/1/animals/{id}"));
    }
    let empty = client.get(&link(&last, "self").unwrap());
    assert_eq!((ids(&empty), link(&empty, "next")), (vec![], None));
    let back = client.get(&link(&empty, "prev").unwrap());
    assert_eq!((ids(&back), link(&back, "next").is_some()), (all[15..20].to_vec(), true));
    let before = client.get(&prev);
    assert_eq!(ids(&before), all[15..20]);
    assert_eq!(ids(&client.get(&link(&before, "next").unwrap())), Vec::<i64>::new());
    let second = client.get(&first.unwrap());
    let before = link(&second, "prev").unwrap();
    for id in 1..=5 {
        client.delete(&format!("/zoos/1/animals/{id}"));
    }
    let empty = client.get(&before);
    assert_eq!((ids(&empty), link(&empty, "prev")), (vec![], None));
    assert_eq!(
        link(&empty, "next").unwrap(),
        target,
        "an empty page before the first member must link to the start"
    );
}

/// Conformance 194: if the values of a cursor are too long for a link, following the links still
/// returns each member once.
#[test]
fn texts_that_are_too_long_for_a_link_are_counted_from_the_place_before() {
    let (_server, mut client) = zoo();
    client.create("/zoos", &json!({ "name": "long" }));
    for at in 0..12 {
        let long = if at % 4 == 1 { 30 } else { 900 };
        let name = format!("{at:02}{}", "x".repeat(long));
        client.create("/zoos/2/animals", &json!({ "name": name, "animal_type_id": 1 }));
    }
    let all: Vec<i64> = (24..36).collect();
    for (sort, expected) in [("name", all.clone()), ("-name", all.iter().rev().copied().collect())]
    {
        for limit in [1, 2, 3, 5] {
            let target = format!("/zoos/2/animals?sortby={sort}&limit={limit}");
            assert_eq!(
                walk(&mut client, &target, "next"),
                expected,
                "sorted by {sort}, in pages of {limit}"
            );
        }
    }
    let end = spelled(
        &[
            &base64(cursor(
                &link(&client.get("/zoos/2/animals?sortby=name&limit=2"), "next").unwrap(),
            ))[..8],
            b"[]",
        ]
        .concat(),
    );
    let target = format!("/zoos/2/animals?sortby=name&limit=2&before={end}");
    let mut back = walk(&mut client, &target, "prev");
    back.reverse();
    assert_eq!(back, all);
}

/// Conformance 194: in formats without links in the body, the header field `Link` has them.
#[test]
fn a_page_of_lines_goes_on_by_its_field() {
    let (_server, mut client) = zoo();
    for accept in ["application/x-ndjson", "text/csv"] {
        let mut lines = |target: &str| {
            let answer = client.request("GET", target, &[("accept", accept)], None);
            let header = usize::from(accept == "text/csv");
            let text = String::from_utf8(answer.body.clone()).unwrap();
            (text.lines().skip(header).map(str::to_owned).collect::<Vec<_>>(), answer)
        };
        let (all, _) = lines("/zoos/1/animals");
        let (mut seen, mut next) = (vec![], Some("/zoos/1/animals?limit=6".to_owned()));
        while let Some(target) = next {
            let (page, answer) = lines(&target);
            assert!(page.len() <= 6, "`limit` must give a page instead of an export: {target}");
            seen.extend(page);
            next = answer.link("next");
        }
        assert_eq!(seen, all, "{accept}");
        let next = lines("/zoos/1/animals?limit=1").1.link("next").unwrap();
        let (page, answer) = lines(&next.replace("limit=1&", ""));
        assert_eq!(
            (page.len(), answer.link("next").is_some()),
            (20, true),
            "a cursor without `limit` must give a page instead of an export"
        );
    }
}

/// Conformance 194: if members are created and deleted between pages, none of the remaining members
/// is omitted or repeated.
#[test]
fn who_comes_and_goes_moves_nobody() {
    let (_server, mut client) = zoo();
    let add = |client: &mut Client, name: &str| {
        client.create("/zoos/1/animals", &json!({ "name": name, "animal_type_id": 1 }));
    };
    let mut next = Some("/zoos/1/animals?sortby=name&limit=3".to_owned());
    let mut seen = vec![];
    while let Some(target) = next {
        let page = client.get(&target);
        seen.extend(ids(&page));
        next = link(&page, "next");
        add(&mut client, " at the start");
        if let Some(last) = ids(&page).last() {
            client.delete(&format!("/zoos/1/animals/{last}"));
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=23).collect::<Vec<_>>());
}
