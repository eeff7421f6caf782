//! Tests of slow and fast reads with the same SQL text and different values: only the clients of
//! the slow reads wait.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{client::Client, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  place:
    fields: { city: { type: string, required: true } }
    limit: { default: 2 }
";

const ROWS: usize = 200_000;
/// The number of connections with slow reads: more than the slow lane (a queue for slow reads)
/// accepts.
const HOSTILE: usize = 70;

/// Starts a server with many places. Only the first ten contain `Berlin0.` to `Berlin99.`.
fn server() -> TestServer {
    let server = TestServer::of(SCHEMA);
    let cities: String = (0..100).map(|number| format!("Berlin{number}.")).collect();
    let at = "'2026-01-01T00:00:00.000000Z'";
    server.elsewhere(&format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) \
         INSERT INTO places (city, created_at, updated_at) \
         SELECT CASE WHEN i <= 10 THEN '{cities}' ELSE 'Somewhere ' || i END, {at}, {at} FROM n"
    ));
    server
}

/// Tells the slow clients to stop, also when the test fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends 60 fast requests while many connections send slow ones without a pause. The first is sent
/// when a slow one has been refused. Returns the statuses of the fast requests. Every target
/// differs, so no response comes from the cache.
fn beside(slow: impl Fn(usize) -> String + Sync, fast: impl Fn(usize) -> String) -> Vec<u16> {
    let server = server();
    let (is_full, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let hostile = |connection: usize| {
        let mut client = server.client();
        let mut number = connection;
        while !stop.load(Ordering::Relaxed) {
            let answer = client.get(&slow(number));
            assert!([200, 503].contains(&answer.status()), "{answer:?}");
            is_full.fetch_or(answer.status() == 503, Ordering::Relaxed);
            number += HOSTILE;
            // A connection has a limited number of requests, and refusals take little time.
            if answer.field("connection") == Some("close") {
                client = server.client();
            }
        }
    };
    thread::scope(|scope| {
        for connection in 0..HOSTILE {
            let hostile = &hostile;
            scope.spawn(move || hostile(connection));
        }
        let _stop = Stop(&stop);
        let begun = Instant::now();
        while !is_full.load(Ordering::Relaxed) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no slow read was refused");
            thread::sleep(Duration::from_millis(10));
        }
        let mut kept = server.client();
        let mut ask = |number: usize| {
            thread::sleep(Duration::from_millis(20));
            let mut new: Client;
            let client = if number.is_multiple_of(2) {
                &mut kept
            } else {
                new = server.client();
                &mut new
            };
            client.get(&fast(number)).status()
        };
        (0..60).map(&mut ask).collect()
    })
}

#[test]
fn a_fast_filter_is_answered_beside_slow_ones_of_its_shape() {
    let statuses = beside(
        |number| format!("/places?city[contains]=q{number}"),
        |number| format!("/places?city[contains]=Berlin{number}."),
    );
    assert_eq!(statuses, [200; 60]);
}

#[test]
fn an_early_page_is_answered_beside_late_ones() {
    let statuses = beside(
        |number| format!("/places?offset={}", ROWS - 100 - number % 50_000),
        |number| format!("/places?offset={}", 20 + number),
    );
    assert_eq!(statuses, [200; 60]);
}
