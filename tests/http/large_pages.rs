//! Tests of pages with large members, which end early: their content, their links, and responses
//! that cannot be split.

use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value as Json, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  shelf:
    fields: { label: string }
  note:
    parent: shelf
    routes: both
    fields:
      name: { type: string, required: true }
      text: string
    limit: { default: 20, maximum: 100 }
";

/// The maximum size in bytes of a page's members. A page with a single member may be larger.
const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The number of bytes that a page may have beyond `PAGE_BYTES_MAX`, for its links and for the
/// small fields of its members.
const OTHER_BYTES: usize = 32 * 1024;
const MB: usize = 1_000_000;

/// Creates a shelf with a note for each size, in bytes. The notes are named `0`, `1`, `2` and so
/// on. Returns the path of the notes.
fn shelf(server: &TestServer, client: &mut Client, sizes: &[usize]) -> String {
    let shelf = client.create("/shelves", &json!({})).json()["id"].as_i64().unwrap();
    for (name, size) in sizes.iter().enumerate() {
        let text = "x".repeat(*size);
        server.elsewhere(&format!(
            "INSERT INTO notes (shelf_id, name, text) VALUES ({shelf}, '{name}', '{text}')"
        ));
    }
    format!("/shelves/{shelf}/notes")
}

fn notes(sizes: &[usize]) -> (TestServer, Client, String) {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let path = shelf(&server, &mut client, sizes);
    (server, client, path)
}

/// Returns the names of the members on a page in any format. Checks the size of the page.
fn names(page: &Answer) -> Vec<String> {
    assert_eq!(page.status(), 200, "{page:?}");
    let text = str::from_utf8(&page.body).unwrap();
    let name = |member: &Json| member["name"].as_str().unwrap().to_owned();
    let names: Vec<_> = match page.field("content-type").unwrap().split(';').next().unwrap() {
        "text/csv" => {
            text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect()
        }
        "application/x-ndjson" => {
            text.lines().map(|line| name(&serde_json::from_str(line).unwrap())).collect()
        }
        _ => page.json()["items"].as_array().unwrap().iter().map(name).collect(),
    };
    let is_bounded = page.body.len() <= PAGE_BYTES_MAX + OTHER_BYTES || names.len() == 1;
    assert!(
        is_bounded,
        "the page is too large: {} members, {} bytes",
        names.len(),
        page.body.len()
    );
    names
}

fn count(names: std::ops::Range<usize>) -> Vec<String> {
    names.map(|name| name.to_string()).collect()
}

fn get(client: &mut Client, target: &str, accept: &str) -> Answer {
    client.request("GET", target, &[("accept", accept)], None)
}

/// Conformance 194: a page that would be too large ends after the last member that fits, in every
/// format. The link `next` continues after that member.
#[test]
fn next_follows_the_last_member_that_was_sent() {
    let (_server, mut client, path) = notes(&[MB; 10]);
    for accept in ["application/json", "application/x-ndjson", "text/csv"] {
        let mut next = Some(format!("{path}?limit=100"));
        let mut pages = vec![];
        while let Some(target) = next {
            let page = get(&mut client, &target, accept);
            next = page.link("next");
            pages.push(names(&page));
        }
        assert_eq!(pages, [count(0..4), count(4..8), count(8..10)], "{accept}");
    }
    let page = client.get(&format!("{path}?limit=100&count=true")).json();
    assert_eq!(
        (&page["limit"], &page["total"]),
        (&json!(100), &json!(10)),
        "`limit` and `total` must not depend on where the page ended"
    );
    let page = client.get(&format!("{path}?limit=4"));
    assert_eq!(
        (names(&page), page.link("next").is_some()),
        (count(0..4), true),
        "a page that is small enough must be complete"
    );
    assert_eq!(names(&client.get(&format!("{path}?limit=100&fields=name"))), count(0..10));
}

/// Conformance 194: a page before a cursor contains the members nearest to the cursor.
#[test]
fn a_page_that_goes_back_ends_where_it_was_asked_from() {
    let (_server, mut client, path) = notes(&[MB; 10]);
    let mut page = client.get(&format!("{path}?limit=100"));
    while let Some(next) = page.link("next") {
        page = client.get(&next);
    }
    let mut pages = vec![names(&page)];
    while let Some(prev) = page.link("prev") {
        page = client.get(&prev);
        pages.push(names(&page));
    }
    assert_eq!(pages, [count(8..10), count(4..8), count(0..4)]);
    assert_eq!(names(&client.get(&page.link("next").unwrap())), count(4..8));
}

/// Conformance 194: with offsets, `next` continues after the last returned member. With page
/// numbers, a page that is too large is 400, and the error names a page size that fits.
#[test]
fn pages_that_are_counted_leave_out_nothing() {
    let (_server, mut client, path) = notes(&[MB; 10]);
    let page = client.get(&format!("{path}?limit=100&offset=1"));
    assert_eq!(names(&page), count(1..5));
    assert_eq!(page.link("next"), Some(format!("{path}?limit=100&offset=5")));
    let refused = client.get(&format!("{path}?per_page=50&page=1"));
    assert_eq!((refused.status(), refused.faults().as_str()), (400, "per_page range"));
    let detail = refused.detail();
    assert!(detail.contains("4 MiB") && detail.contains("use `per_page=4`,"), "{detail}");
    assert_eq!(names(&client.get(&format!("{path}?per_page=4&page=2"))), count(4..8));
    assert_eq!(names(&client.get(&format!("{path}?per_page=50&page=1&fields=name"))), count(0..10));
}

#[test]
fn a_member_that_is_larger_than_a_page_may_be_stands_alone() {
    let (_server, mut client, path) = notes(&[10, 5 * MB, 10, 10]);
    let first = client.get(&path);
    let second = client.get(&first.link("next").unwrap());
    let third = client.get(&second.link("next").unwrap());
    let pages = [&first, &second, &third].map(names);
    assert_eq!(pages, [count(0..1), count(1..2), count(2..4)]);
    assert_eq!(third.link("next"), None);
    let back = client.get(&third.link("prev").unwrap());
    assert_eq!(names(&back), count(1..2));
    assert_eq!(names(&client.get(&back.link("prev").unwrap())), count(0..1));
    let refused = client.get(&format!("{path}?per_page=2")).detail();
    assert!(refused.contains("use `per_page=1`,"), "{refused}");
    assert_eq!(names(&client.get(&format!("{path}?per_page=1&page=2"))), count(1..2));
}

/// Conformance 82: the header fields of a shortened page describe its content.
#[test]
fn its_validators_and_parts_are_those_of_what_is_sent() {
    let (_server, mut client, path) = notes(&[MB; 6]);
    let target = format!("{path}?limit=100");
    let whole = client.get(&target);
    let head = client.request("HEAD", &target, &[], None);
    for name in ["etag", "link", "content-length", "last-modified"] {
        assert!(whole.field(name).is_some() && whole.field(name) == head.field(name), "{name}");
    }
    let tag = whole.field("etag").unwrap();
    assert_eq!(client.request("GET", &target, &[("if-none-match", tag)], None).status(), 304);
    let part = client.request("GET", &target, &[("range", "bytes=-10"), ("if-range", tag)], None);
    assert_eq!((part.status(), &part.body[..]), (206, &whole.body[whole.body.len() - 10..]));
    assert_eq!(client.get(&target).body, whole.body);
    let coded = client.request("GET", &target, &[("accept-encoding", "gzip")], None);
    assert!(
        coded.body.len() < MB,
        "the size limit must apply before compression, but the body has {} bytes",
        coded.body.len()
    );
}

/// A posted array is refused if the response would be too large, since this response cannot be
/// shortened.
#[test]
fn an_array_that_makes_more_than_a_response_may_have_is_refused() {
    let text = "x".repeat(9_000);
    let server = TestServer::of(&format!(
        "nouns: 1\nresources: {{ note: {{ fields: {{ text: {{ type: string, default: {text} }} }} }} }}"
    ));
    let mut client = server.client();
    let refused = client.post("/notes", &json!(vec![json!({}); 1000]));
    assert_eq!((refused.status(), refused.problem().as_str()), (422, "invalid-content"));
    assert!(refused.detail().contains("4 MiB"), "{}", refused.detail());
    assert_eq!(client.get("/notes?count=true").json()["total"], 0);
    let created = client.create("/notes", &json!(vec![json!({}); 400])).json();
    assert_eq!(created["items"].as_array().unwrap().len(), 400);
}

/// Conformance 194: following the links returns each member once, whatever the sizes of the
/// members.
#[test]
fn walking_pages_of_large_members_meets_each_once_in_both_directions() {
    let server = TestServer::of(SCHEMA);
    let client = std::cell::RefCell::new(server.client());
    let size = select(&[10, 300_000, MB, MB, 3 * MB / 2, 5 * MB][..]);
    let order = select(&["", "&sortby=-id", "&sortby=name", "&sortby=-name", "&offset=0"][..]);
    let cases = (prop::collection::vec(size, 1..12), 2..12usize, order);
    let config =
        Config { cases: 12, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
    let outcome = TestRunner::new(config).run(&cases, |(sizes, limit, order)| {
        let client = &mut *client.borrow_mut();
        let path = shelf(&server, client, &sizes);
        let mut all = count(0..sizes.len());
        if order.contains("name") {
            all.sort();
        }
        if order.contains('-') {
            all.reverse();
        }
        let mut page = client.get(&format!("{path}?limit={limit}{order}"));
        let mut seen = names(&page);
        while let Some(next) = page.link("next") {
            page = client.get(&next);
            seen.extend(names(&page));
        }
        prop_assert_eq!(&seen, &all, "following `next`");
        if order.contains("offset") {
            return Ok(());
        }
        let mut behind = names(&page);
        while let Some(prev) = page.link("prev") {
            page = client.get(&prev);
            behind.splice(0..0, names(&page));
        }
        prop_assert_eq!(behind, all, "following `prev`");
        Ok(())
    });
    outcome.unwrap();
}
