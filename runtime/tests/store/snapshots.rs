//! Snapshots that a worker holds until its event loop is idle: what they contain, and that they do
//! not delay checkpoints of the WAL.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use nouns_runtime::{Store, limits};
use tokio::runtime::{Builder, Runtime};

use super::bed::{Bed, int, json, text};

/// An async runtime like that of a worker thread.
fn worker(store: &Store) -> Runtime {
    let store = store.clone();
    Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || store.end_turn())
        .build()
        .unwrap()
}

/// Reads the nickname of the pupil, as a worker reads it while it holds a snapshot.
async fn nickname(bed: &Bed) -> String {
    let plan = bed.get("pupil", &[1, 1, 1], int(1));
    let result = bed.store.read(&plan, bed.sink(&plan)).await.unwrap();
    json(result.sink)[0]["nickname"].as_str().unwrap_or_default().to_owned()
}

fn rename(bed: &Bed, name: &str) -> nouns_runtime::plan::Plan {
    bed.plan(vec![bed.update("pupil", &[], int(1), &[("nickname", text(name))])])
}

#[test]
fn a_worker_sees_every_commit_of_every_program_within_its_turn() {
    let bed = Bed::filled();
    let _worker = bed.store.enter_worker().unwrap();
    bed.store.end_turn();
    let other = bed.other();
    worker(&bed.store).block_on(async {
        assert_eq!(nickname(&bed).await, "");
        let plan = rename(&bed, "Countess");
        bed.store.write(plan.clone(), bed.sink(&plan)).await.unwrap();
        assert_eq!(
            nickname(&bed).await,
            "Countess",
            "a read after a write must not use the snapshot from before"
        );
        other.execute("UPDATE pupils SET nickname = 'Lady'", []).unwrap();
        assert_eq!(
            nickname(&bed).await,
            "Lady",
            "a read after another program's commit must not use the snapshot from before"
        );
        for at in 0..1000 {
            let name = format!("Byron {at}");
            other.execute("UPDATE pupils SET nickname = ?1", [&name]).unwrap();
            assert_eq!(nickname(&bed).await, name);
            other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
            assert_eq!(nickname(&bed).await, name);
        }
    });
}

#[test]
fn who_never_says_that_a_turn_ends_reads_anew_each_time() {
    let bed = Bed::filled();
    let _worker = bed.store.enter_worker().unwrap();
    let (other, runtime) = (bed.other(), Builder::new_current_thread().build().unwrap());
    runtime.block_on(async {
        assert_eq!(nickname(&bed).await, "");
        other.execute("UPDATE pupils SET nickname = 'Lady'", []).unwrap();
        assert_eq!(nickname(&bed).await, "Lady");
    });
}

#[test]
fn the_log_stays_short_under_writes_while_workers_read() {
    let bed = Arc::new(Bed::filled());
    let stopped = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (bed, stopped) = (Arc::clone(&bed), Arc::clone(&stopped));
            thread::spawn(move || {
                let _worker = bed.store.enter_worker().unwrap();
                worker(&bed.store).block_on(async {
                    let mut reads = 0;
                    while !stopped.load(Ordering::Relaxed) {
                        for _ in 0..50 {
                            nickname(&bed).await;
                        }
                        reads += 50;
                        tokio::time::sleep(std::time::Duration::from_micros(100)).await;
                    }
                    reads
                })
            })
        })
        .collect();
    let log = bed.path().with_extension("db-wal");
    let (large, mut longest, mut written) = ("x".repeat(200_000), 0, 0);
    while written < 4 * limits::WAL_BYTES {
        bed.write(rename(&bed, &large));
        written += large.len();
        longest = longest.max(log.metadata().unwrap().len());
    }
    stopped.store(true, Ordering::Relaxed);
    assert!(readers.into_iter().all(|reader| reader.join().unwrap() > 0));
    let most = 2 * limits::WAL_BYTES as u64;
    assert!(
        longest < most,
        "the WAL has {longest} bytes after {written} written bytes; the limit is {most}"
    );
}
