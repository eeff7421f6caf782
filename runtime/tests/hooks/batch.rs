//! Writes that share a transaction (a batch). A hook of one write does not affect the other writes.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use nouns_runtime::{Api, Error, error::Kind};
use rusqlite::Connection;

use super::bed::{Audit, Bed, NewAudit};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, NewZoo, Zoo},
};

/// Queues the creations of zoos while another connection holds the write lock, so that they share
/// one transaction. Returns the statuses.
fn together(bed: &Bed, names: &[&str]) -> Vec<u16> {
    let other = Connection::open(bed.folder.path().join("zoo.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    wait(async {
        let tasks: Vec<_> = names
            .iter()
            .map(|name| tokio::spawn(bed.store.of::<Zoo>().create(NewZoo::new((*name).into()))))
            .collect();
        // After a task has been polled once, its write is in the queue.
        for _ in 0..names.len() {
            tokio::task::yield_now().await;
        }
        other.execute_batch("ROLLBACK").unwrap();
        let mut statuses = vec![];
        for task in tasks {
            statuses
                .push(task.await.unwrap().map_or_else(|error| error.status().as_u16(), |_| 200));
        }
        statuses
    })
}

fn names(bed: &Bed) -> Vec<String> {
    let other = Connection::open(bed.folder.path().join("zoo.db")).unwrap();
    let mut statement = other.prepare("SELECT name FROM zoos ORDER BY id").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A store of zoos. Its hook panics or refuses if the name of the new zoo says so, and counts its
/// runs.
fn zoos(runs: &Arc<AtomicUsize>) -> Bed {
    let runs = Arc::clone(runs);
    let api = Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Audit>();
    Bed::new(api.hooks::<Zoo>(move |hooks| {
        hooks.within_create(move |tx, change| {
            runs.fetch_add(1, Ordering::Relaxed);
            let name = change.after.as_ref().map(|zoo| zoo.name.clone()).unwrap_or_default();
            tx.as_system().of::<Audit>().create(NewAudit { what: name.clone() })?;
            assert!(!name.starts_with("panics"), "secret");
            match name.starts_with("refuses") {
                true => Err(Error::new(Kind::ALREADY_EXISTS, "No.")),
                false => Ok(()),
            }
        })
    }))
}

#[test]
fn who_refuses_is_undone_alone() {
    let runs = Arc::default();
    let bed = zoos(&runs);
    let statuses = together(&bed, &["a", "refuses 1", "b", "refuses 2", "c"]);
    assert_eq!(statuses, [200, 409, 200, 409, 200]);
    assert_eq!(names(&bed), ["a", "b", "c"]);
    assert_eq!(wait(bed.audits()), ["a", "b", "c"]);
    assert_eq!(
        runs.load(Ordering::Relaxed),
        5,
        "each hook must run once, as no write was replayed"
    );
}

#[test]
fn who_panics_fails_alone_and_the_others_run_again() {
    let runs = Arc::default();
    let bed = zoos(&runs);
    let statuses = together(&bed, &["a", "panics 1", "b", "refuses", "panics 2", "c"]);
    assert_eq!(statuses, [200, 500, 200, 409, 500, 200]);
    assert_eq!(names(&bed), ["a", "b", "c"]);
    assert_eq!(
        wait(bed.audits()),
        ["a", "b", "c"],
        "the audit of a replayed write must be stored once"
    );
    assert!(
        runs.load(Ordering::Relaxed) > 6,
        "the hook of at least one write must run again, as its batch was replayed"
    );
}

#[test]
fn who_is_slow_holds_the_others_up_and_no_more() {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let may_go_on = Mutex::new(may_go_on);
    let api = Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Audit>();
    let bed = Bed::new(api.hooks::<Zoo>(move |hooks| {
        hooks.within_create(move |_, change| {
            if change.after.as_ref().is_some_and(|zoo| zoo.name == "slow") {
                begun.send(()).unwrap();
                may_go_on.lock().unwrap().recv().unwrap();
            }
            Ok(())
        })
    }));
    wait(async {
        let create =
            |name: &str| tokio::spawn(bed.store.of::<Zoo>().create(NewZoo::new(name.into())));
        let slow = create("slow");
        tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
        let others = ["a", "b", "c"].map(create);
        tokio::task::yield_now().await;
        assert_eq!(
            bed.ask("GET /zoos?count=true", "").await.json["total"],
            0,
            "reads must work while the writer runs a hook"
        );
        go_on.send(()).unwrap();
        slow.await.unwrap().unwrap();
        for other in others {
            other.await.unwrap().unwrap();
        }
        assert_eq!(names(&bed), ["slow", "a", "b", "c"]);
    });
}
