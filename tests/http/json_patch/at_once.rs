//! Tests of concurrent JSON Patches of one member: each applies to the result of the previous ones,
//! and none is refused.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::{Value, json};

use super::{lamp_with, patch};
use crate::client::Client;

/// Returns the numbers in the list of device 1, sorted. Each patch adds one number.
fn listed(client: &mut Client) -> Vec<u64> {
    let found = client.get("/devices/1").json();
    let mut values: Vec<_> =
        found["settings"].as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect();
    values.sort_unstable();
    values
}

fn add(client: &mut Client, value: usize) {
    let operations = json!([{ "op": "add", "path": "/settings/-", "value": value }]);
    let answer = patch(client, &operations);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{answer:?}");
    assert!(answer.json()["settings"].as_array().unwrap().contains(&value.into()));
}

/// Conformance 22, 78: each concurrent patch applies to the result of the previous ones.
#[test]
fn patches_at_the_same_time_are_all_applied() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 25;
    let (server, mut client) = lamp_with(&json!([]));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let mut client = server.client();
            scope.spawn(move || {
                (0..ROUNDS).for_each(|round| add(&mut client, writer * ROUNDS + round));
            });
        }
    });
    assert_eq!(
        listed(&mut client),
        (0..(WRITERS * ROUNDS) as u64).collect::<Vec<_>>(),
        "each patch must have added its number"
    );
}

/// Conformance 22, 78: hundreds of concurrent patches of one member are applied one after another,
/// and none is lost.
#[test]
fn hundreds_of_patches_in_one_moment_are_all_applied() {
    const WRITERS: usize = 200;
    let (server, mut client) = lamp_with(&json!([]));
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (mut client, start) = (server.client(), &start);
            scope.spawn(move || {
                start.wait();
                add(&mut client, writer);
            });
        }
    });
    assert_eq!(
        listed(&mut client),
        (0..WRITERS as u64).collect::<Vec<_>>(),
        "each patch must have added its number"
    );
}

/// Conformance 22, 78: concurrent JSON Patches of a member do not overwrite the changes of a client
/// that sends merge patches meanwhile.
#[test]
fn other_writes_come_between_patches_that_wait() {
    const WRITERS: usize = 40;
    let (server, mut client) = lamp_with(&json!([]));
    let done = AtomicBool::new(false);
    let last = thread::scope(|scope| {
        let mut other = server.client();
        let done = &done;
        let others = scope.spawn(move || {
            let mut watts = 0;
            while !done.load(Ordering::Acquire) {
                watts += 1;
                assert_eq!(other.patch("/devices/1", &json!({ "watts": watts })).status(), 200);
                thread::sleep(std::time::Duration::from_millis(5));
            }
            watts
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let mut client = server.client();
                scope.spawn(move || add(&mut client, writer))
            })
            .collect();
        // Stops the other writer before the results of the patches are checked.
        let all: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        assert!(all.iter().all(Result::is_ok));
        others.join().unwrap()
    });
    assert_eq!(
        listed(&mut client),
        (0..WRITERS as u64).collect::<Vec<_>>(),
        "each patch must have added its number"
    );
    assert_eq!(client.get("/devices/1").json()["watts"], Value::from(last));
}
