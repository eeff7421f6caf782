//! Clients that leave while their read runs.

use std::{future::poll_fn, pin::pin, task::Poll};

use nouns_runtime::plan::{Outcome, Plan};

use super::bed::{Bed, int, json, text};
use crate::database::is_postgres;

/// A read waits fewer times than this.
const POLLS_MAX: u32 = 200;

/// A busy machine may have an answer before the first poll ends, but not as often as this in turn.
const TRIES_MAX: u32 = 1_000;

/// Polls a future at most this many times, and drops it. Returns whether that was before its end.
async fn is_left(future: impl Future, polls: u32) -> bool {
    let (mut future, mut count) = (pin!(future), 0);
    poll_fn(|context| {
        if future.as_mut().poll(context).is_ready() {
            return Poll::Ready(false);
        }
        count += 1;
        if count == polls { Poll::Ready(true) } else { Poll::Pending }
    })
    .await
}

/// Leaves a read after one poll more each time, until it ends, and counts how often. `after` runs
/// between two of them.
async fn leave_at_each_wait(bed: &Bed, plan: &Plan, mut after: impl AsyncFnMut(u32)) -> u32 {
    let mut polls = 1;
    while is_left(bed.store.read(plan, bed.sink(plan)), polls).await {
        after(polls).await;
        polls += 1;
        assert!(polls < POLLS_MAX, "a read must end");
    }
    polls - 1
}

async fn found(bed: &Bed, plan: &Plan) -> (Outcome, serde_json::Value) {
    let result = bed.store.read(plan, bed.sink(plan)).await.unwrap();
    (result.outcome, json(result.sink))
}

#[test]
fn a_read_that_is_left_at_any_wait_leaves_nothing_to_the_next_one() {
    let bed = Bed::filled();
    for number in 2..30 {
        bed.add("pupil", &[1, 1, 1], &[("name", text(&format!("Pupil {number}")))]);
    }
    // A page, a member, and one whose URL is explained by a second statement.
    let (page, member) = (bed.all("pupil", &[]), bed.get("pupil", &[], int(1)));
    let plans = [page, member, bed.get("pupil", &[1, 1, 1], int(99))];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for is_worker in [false, true] {
            let worker = is_worker.then(|| bed.store.enter_worker().unwrap());
            let mut expected = vec![];
            for plan in &plans {
                expected.push(found(&bed, plan).await);
            }
            for (at, plan) in plans.iter().enumerate() {
                let departures = || {
                    leave_at_each_wait(&bed, plan, async |polls| {
                        // The next read has another statement.
                        let next = (at + polls as usize) % plans.len();
                        let found = found(&bed, &plans[next]).await;
                        assert_eq!(found, expected[next], "{polls} polls");
                    })
                };
                let mut tries = 0;
                while departures().await == 0 && is_postgres() {
                    tries += 1;
                    assert!(tries < TRIES_MAX, "a read waits for the server");
                }
                assert_eq!(found(&bed, plan).await, expected[at]);
            }
            drop(worker);
        }
    });
}
