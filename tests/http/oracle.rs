//! Compares lists with an oracle: a second implementation in memory. The rows, filters, sort
//! orders, limits and offsets are random.

mod expected;
mod rows;

use std::cell::RefCell;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value as Json, json};

use self::{
    expected::{Query, ask, expected, query},
    rows::{Row, SCHEMA, body, row, shown},
};
use crate::{client::Client, server::TestServer};

/// The number of random queries for each set of rows.
const QUERIES: std::ops::Range<usize> = 1..8;

/// Returns a configuration of 256 cases (or `PROPTEST_CASES`) divided by `share`.
fn config(share: u32) -> Config {
    let base = Config::default();
    Config {
        cases: base.cases.div_ceil(share),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..base
    }
}

/// Creates a herd with these rows as animals. Returns the URL of the animals, and the animals as
/// the server returns them, by ascending id.
fn herd(client: &mut Client, rows: &[Row]) -> (String, Vec<Json>) {
    let herd = client.post("/herds", &json!({}));
    let path = format!("{}/animals", herd.field("location").unwrap());
    if rows.is_empty() {
        return (path, vec![]);
    }
    let bodies: Vec<_> = rows.iter().map(body).collect();
    let answer = client.post(&path, &Json::Array(bodies));
    assert_eq!(answer.status(), 201, "{}", answer.json());
    let Json::Array(items) = answer.json()["items"].take() else {
        panic!("the page must have an array `items`")
    };
    (path, items)
}

fn items(page: &Json) -> &[Json] {
    page["items"].as_array().unwrap()
}

fn link(page: &Json, relation: &str) -> Option<String> {
    Some(page["links"].get(relation)?.as_str().unwrap().to_owned())
}

/// Conformance 190, 192, 198: filters, sort orders, limits and offsets give the same lists as the
/// second implementation (the oracle).
#[test]
fn every_list_is_the_one_of_the_oracle() {
    let server = TestServer::of(SCHEMA);
    let client = RefCell::new(server.client());
    let cases = (prop::collection::vec(row(), 0..30), prop::collection::vec(query(), QUERIES));
    let outcome = TestRunner::new(config(1)).run(&cases, |(rows, queries)| {
        let client = &mut *client.borrow_mut();
        let (path, members) = herd(client, &rows);
        for (row, member) in rows.iter().zip(&members) {
            prop_assert_eq!(&shown(row, member), member, "GET must return the posted values");
        }
        for query in &queries {
            check(client, &path, &rows, &members, query)?;
        }
        Ok(())
    });
    outcome.unwrap();
}

fn check(
    client: &mut Client,
    path: &str,
    rows: &[Row],
    members: &[Json],
    query: &Query,
) -> Result<(), TestCaseError> {
    let answer = client.get(&ask(path, query));
    prop_assert_eq!(answer.status(), 200, "{}", answer.json());
    let page = answer.json();
    let all = expected(rows, query);
    let (limit, offset) = query.window.resolve();
    let window: Vec<_> =
        all.iter().skip(offset).take(limit).map(|at| members[*at].clone()).collect();
    prop_assert_eq!(items(&page), window.as_slice());
    prop_assert_eq!(&page["limit"], limit);
    prop_assert_eq!(page.get("total").cloned(), query.count.then(|| all.len().into()));
    prop_assert_eq!(link(&page, "next").is_some(), offset + limit < all.len(), "the link `next`");
    prop_assert_eq!(link(&page, "prev").is_some(), offset > 0, "the link `prev`");
    prop_assert_eq!(link(&page, "self"), Some(ask(path, query)));
    Ok(())
}

/// Conformance 190, 194: following `next` or `prev` returns each member once.
#[test]
fn walking_the_pages_meets_each_member_once_in_both_directions() {
    let server = TestServer::of(SCHEMA);
    let client = RefCell::new(server.client());
    let cases = (prop::collection::vec(row(), 0..40), query(), 1..7usize);
    let outcome = TestRunner::new(config(3)).run(&cases, |(rows, query, limit)| {
        let client = &mut *client.borrow_mut();
        let (path, members) = herd(client, &rows);
        let query = query.begun(limit);
        let all: Vec<_> =
            expected(&rows, &query).into_iter().map(|at| members[at].clone()).collect();
        let mut last = ask(&path, &query);
        let mut seen = vec![];
        let mut next = Some(last.clone());
        while let Some(target) = next {
            let page = client.get(&target).json();
            seen.extend_from_slice(items(&page));
            next = link(&page, "next");
            last = target;
        }
        prop_assert_eq!(&seen, &all);
        let mut behind = vec![];
        let mut before = Some(last);
        while let Some(target) = before {
            let page = client.get(&target).json();
            behind.splice(0..0, items(&page).iter().cloned());
            before = link(&page, "prev");
        }
        prop_assert_eq!(behind, all);
        Ok(())
    });
    outcome.unwrap();
}

/// Changes the collection between two page requests: creates a member, and sometimes first deletes
/// the oldest member that it created.
struct ConcurrentChanges<'rows> {
    path: String,
    rows: std::iter::Cycle<std::slice::Iter<'rows, Row>>,
    here: Vec<i64>,
}

impl ConcurrentChanges<'_> {
    fn happen(&mut self, client: &mut Client, goes: bool) {
        if goes && !self.here.is_empty() {
            client.delete(&format!("{}/{}", self.path, self.here.remove(0)));
        }
        let row = self.rows.next().unwrap();
        self.here.push(client.post(&self.path, &body(row)).json()["id"].as_i64().unwrap());
    }
}

/// Conformance 194: members are created and deleted between the pages. The members that exist all
/// the time are returned once, in order.
#[test]
fn who_is_there_all_the_time_is_met_once_in_both_directions() {
    let server = TestServer::of(SCHEMA);
    let client = RefCell::new(server.client());
    let others = prop::collection::vec((row(), any::<bool>()), 1..6);
    let cases = (prop::collection::vec(row(), 0..20), others, query(), 1..5usize);
    let outcome = TestRunner::new(config(3)).run(&cases, |(rows, others, query, limit)| {
        let client = &mut *client.borrow_mut();
        let (path, members) = herd(client, &rows);
        let query = query.walked(limit);
        let all: Vec<_> =
            expected(&rows, &query).into_iter().map(|at| members[at]["id"].clone()).collect();
        let theirs = |page: &Json| -> Vec<Json> {
            let ids = items(page).iter().map(|item| item["id"].clone());
            ids.filter(|id| members.iter().any(|member| member["id"] == *id)).collect()
        };
        let (others, goes): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let mut changes =
            ConcurrentChanges { path: path.clone(), rows: others.iter().cycle(), here: vec![] };
        let mut page = client.get(&ask(&path, &query)).json();
        let (mut seen, mut pages) = (theirs(&page), 1);
        while let Some(target) = link(&page, "next") {
            // After 30 pages nothing is created any more, since a walk could otherwise last
            // forever.
            if pages < 30 {
                changes.happen(client, goes[pages % goes.len()]);
            }
            page = client.get(&target).json();
            seen.extend(theirs(&page));
            pages += 1;
        }
        prop_assert_eq!(&seen, &all, "following `next`");
        let (mut behind, mut pages) = (theirs(&page), 1);
        while let Some(target) = link(&page, "prev") {
            if pages < 30 {
                changes.happen(client, goes[pages % goes.len()]);
            }
            page = client.get(&target).json();
            behind.splice(0..0, theirs(&page));
            pages += 1;
        }
        prop_assert_eq!(behind, all, "following `prev`");
        Ok(())
    });
    outcome.unwrap();
}
