//! Tests of concurrent requests: of several writes with one precondition, one succeeds. Pages are
//! snapshots. Acknowledged writes are stored.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::{Value as Json, json};

use crate::{client::Answer, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  counter: { fields: { value: { type: integer, required: true } } }
  entry:
    fields:
      pair:  { type: string, required: true, index: true }
      value: { type: integer, required: true }
    limit: { default: 20, maximum: 1000 }
";

/// The number of concurrent writers of each of two kinds, and the number of concurrent readers. A
/// small server has about as many database connections.
const WRITERS: usize = 8;
const READERS: usize = 4;
const ROUNDS: usize = 20;

fn revision(answer: &Answer) -> u64 {
    answer.field("etag").unwrap().trim_matches('"').split('-').next().unwrap().parse().unwrap()
}

/// Conformance 78: of concurrent writes with one `If-Match`, one succeeds, and all others get 412.
#[test]
fn of_many_writers_with_one_if_match_exactly_one_wins() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let created = client.post("/counters", &json!({ "value": 0 }));
    let member = created.field("location").unwrap().to_owned();
    let mut tag = created.field("etag").unwrap().to_owned();
    for _ in 0..ROUNDS {
        let start = Barrier::new(WRITERS);
        let attempt = |at: usize| {
            let mut client = server.client();
            let body = json!({ "value": at }).to_string();
            let fields = [("content-type", "application/json"), ("if-match", tag.as_str())];
            start.wait();
            (at, client.request("PATCH", &member, &fields, Some(body.as_bytes())))
        };
        let answers: Vec<(usize, Answer)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..WRITERS).map(|at| scope.spawn(move || attempt(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|(_, answer)| answer.status() == 200);
        let [(winner, answer)] = won.as_slice() else {
            panic!("{} writers won instead of one", won.len())
        };
        assert!(
            lost.iter()
                .all(|(_, answer)| answer.status() == 412
                    && answer.problem() == "precondition-failed")
        );
        let current = client.get(&member);
        assert_eq!(current.json()["value"], *winner);
        assert_eq!(current.field("etag"), answer.field("etag"));
        answer.field("etag").unwrap().clone_into(&mut tag);
    }
}

#[test]
fn of_many_deletions_exactly_one_finds_the_member() {
    let server = TestServer::of(SCHEMA);
    for _ in 0..ROUNDS {
        let created = server.client().post("/counters", &json!({ "value": 0 }));
        let member = created.field("location").unwrap();
        let start = Barrier::new(WRITERS);
        let attempt = || {
            let mut client = server.client();
            start.wait();
            client.delete(member).status()
        };
        let mut statuses: Vec<u16> = thread::scope(|scope| {
            let threads: Vec<_> = (0..WRITERS).map(|_| scope.spawn(attempt)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        statuses.sort_unstable();
        assert_eq!((statuses[0], &statuses[1..]), (204, &[404; WRITERS - 1][..]));
    }
}

/// The acknowledged writes of a writer: the last value of each member by id, and the revisions in
/// the responses.
#[derive(Default)]
struct AcknowledgedWrites {
    values: BTreeMap<i64, i64>,
    revisions: Vec<u64>,
}

/// Creates members in pairs. A pair is one request, so both members or none are created.
fn write_pairs(server: &TestServer, writer: usize) -> AcknowledgedWrites {
    let (mut client, mut writes) = (server.client(), AcknowledgedWrites::default());
    for round in 0..ROUNDS {
        let member = json!({ "pair": format!("{writer}-{round}"), "value": round });
        let answer = client.post("/entries", &json!([member, member]));
        assert_eq!(answer.status(), 201);
        let items = answer.json();
        let ids =
            items["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap());
        writes.values.extend(ids.map(|id| (id, round as i64)));
    }
    writes
}

/// Creates members one by one, and changes each member twice.
fn write_singles(server: &TestServer, writer: usize) -> AcknowledgedWrites {
    let (mut client, mut writes) = (server.client(), AcknowledgedWrites::default());
    for round in 0..ROUNDS {
        let answer =
            client.post("/entries", &json!({ "pair": format!("single {writer}"), "value": 0 }));
        assert_eq!(answer.status(), 201);
        let member = answer.field("location").unwrap().to_owned();
        let id = answer.json()["id"].as_i64().unwrap();
        writes.revisions.push(revision(&answer));
        for value in [round as i64, -(round as i64)] {
            let answer = client.patch(&member, &json!({ "value": value }));
            assert_eq!((answer.status(), &answer.json()["value"]), (200, &json!(value)));
            writes.revisions.push(revision(&answer));
            assert_eq!(
                client.get(&member).json()["value"],
                value,
                "a GET after a write must return the written value"
            );
            writes.values.insert(id, value);
        }
    }
    writes
}

/// Reads pages until `done`, and returns their number. A page must contain both members of a pair
/// or none, and its total must match its rows.
fn read_pages(server: &TestServer, done: &AtomicBool) -> usize {
    let (mut client, mut pages) = (server.client(), 0);
    let mut seen = 0;
    while !done.load(Ordering::Acquire) {
        let page = client.get("/entries?limit=1000&count=true&sortby=-value,pair").json();
        let items = page["items"].as_array().unwrap();
        assert_eq!(page["total"], items.len(), "the total must equal the number of rows");
        let mut pairs: BTreeMap<&str, usize> = BTreeMap::new();
        let of_pair = items.iter().map(|item| item["pair"].as_str().unwrap());
        for pair in of_pair.filter(|pair| !pair.starts_with("single")) {
            *pairs.entry(pair).or_default() += 1;
        }
        assert!(
            pairs.values().all(|count| *count == 2),
            "a page has only one member of a pair: {pairs:?}"
        );
        let values: Vec<_> = items.iter().map(|item| item["value"].as_i64().unwrap()).collect();
        assert!(values.is_sorted_by(|one, other| one >= other), "the rows must be sorted");
        assert!(items.len() >= seen, "a later page must not have fewer rows");
        seen = items.len();
        pages += 1;
    }
    pages
}

#[test]
fn every_acknowledged_row_is_there_and_every_page_is_a_snapshot() {
    let server = TestServer::of(SCHEMA);
    let done = AtomicBool::new(false);
    let (writes, pages) = thread::scope(|scope| {
        let readers: Vec<_> =
            (0..READERS).map(|_| scope.spawn(|| read_pages(&server, &done))).collect();
        let server = &server;
        let writers: Vec<_> = (0..WRITERS)
            .flat_map(|at| {
                [
                    scope.spawn(move || write_pairs(server, at)),
                    scope.spawn(move || write_singles(server, at)),
                ]
            })
            .collect();
        let writes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        let pages: usize = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        (writes.into_iter().map(Result::unwrap).collect::<Vec<_>>(), pages)
    });
    assert!(pages >= READERS);
    let revisions: Vec<_> = writes.iter().flat_map(|writes| &writes.revisions).collect();
    let distinct: BTreeSet<_> = revisions.iter().collect();
    assert_eq!((revisions.len(), distinct.len()), (WRITERS * ROUNDS * 3, WRITERS * ROUNDS * 3));
    let expected: BTreeMap<i64, i64> =
        writes.iter().flat_map(|writes| writes.values.clone()).collect();
    let page = server.client().get("/entries?limit=1000").json();
    let pair = |item: &Json| (item["id"].as_i64().unwrap(), item["value"].as_i64().unwrap());
    let found: BTreeMap<i64, i64> = page["items"].as_array().unwrap().iter().map(pair).collect();
    assert_eq!(found, expected);
}
