//! Threads that use a store: workers with their own connections (lanes), other threads, and many
//! writers at once.

use std::{collections::BTreeSet, sync::Arc, thread};

use nouns_runtime::{
    Store,
    def::FieldMode,
    plan::{Outcome, Plan},
    store::PlanResult,
};

use super::bed::{Bed, changed, field, int, json, options, text, wait};

fn count(result: PlanResult) -> usize {
    assert!(matches!(result.outcome, Outcome::Page { .. }), "{:?}", result.outcome);
    json(result.sink).as_array().unwrap().len()
}

#[test]
fn a_worker_reads_on_its_own_lane() {
    let (one, two) = (Bed::filled(), Bed::filled());
    two.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    let _workers = [&one, &two]
        .map(|bed| (bed.store.enter_worker().unwrap(), bed.store.enter_worker().unwrap()));
    assert_eq!(count(one.read(&one.all("pupil", &[]))), 1);
    assert_eq!(count(two.read(&two.all("pupil", &[]))), 2);
    one.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    assert_eq!(
        count(one.read(&one.all("pupil", &[]))),
        2,
        "a worker must read a row after it was written"
    );
    wait(one.store.ready()).unwrap();
}

#[test]
fn foreign_threads_share_lanes() {
    let bed = Arc::new(Bed::filled());
    let threads: Vec<_> = (0..24)
        .map(|_| {
            let bed = Arc::clone(&bed);
            thread::spawn(move || {
                (0..20).map(|_| count(bed.read(&bed.all("pupil", &[1, 1, 1])))).sum::<usize>()
            })
        })
        .collect();
    assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>(), 24 * 20);
}

#[test]
fn many_writers_are_all_heard() {
    let bed = Bed::filled();
    let plan: Plan = bed.plan(vec![bed.insert("pupil", &[1, 1, 1], &[("name", text("x"))])]);
    let written: Vec<_> = wait(async {
        let tasks: Vec<_> = (0..32)
            .map(|_| {
                let (store, plan, sink) = (bed.store.clone(), plan.clone(), bed.sink(&plan));
                tokio::spawn(async move { store.write(plan, sink).await.unwrap() })
            })
            .collect();
        let mut written = vec![];
        for task in tasks {
            let result = task.await.unwrap();
            let Outcome::Members { written: one, .. } = result.outcome else {
                panic!("an insert must return the new member")
            };
            assert_eq!(json(result.sink).as_array().unwrap().len(), 1);
            written.extend(one);
        }
        written
    });
    assert_eq!(written.iter().map(|(_, tag)| tag).collect::<BTreeSet<_>>().len(), 32);
    for (id, tag) in written {
        assert_eq!(bed.member_tag("pupil", id), Some(tag));
    }
}

#[test]
fn futures_may_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn is_shared<T: Clone + Send + Sync>(_: &T) {}
    let bed = Bed::new();
    is_shared(&bed.store);
    fn may_be_sent<T: Send>() {}
    may_be_sent::<nouns_runtime::store::Tx<'_>>();
    may_be_sent::<nouns_runtime::store::Tx<'_, nouns_runtime::AsCaller>>();
    let plan = bed.all("pupil", &[]);
    is_send(&bed.store.read(&plan, bed.sink(&plan)));
    is_send(&bed.store.write(plan.clone(), bed.sink(&plan)));
    is_send(&bed.store.close());
    is_send(&bed.store.ready());
}

#[test]
fn a_closed_store_has_done_what_was_queued_and_refuses_the_rest() {
    let bed = Bed::filled();
    let plan = bed.plan(vec![bed.insert("pupil", &[1, 1, 1], &[("name", text("x"))])]);
    wait(async {
        let (store, write, sink) = (bed.store.clone(), plan.clone(), bed.sink(&plan));
        let queued = tokio::spawn(async move { store.write(write, sink).await });
        tokio::task::yield_now().await;
        bed.store.close().await;
        assert!(queued.await.unwrap().is_ok());
        bed.store.close().await;
    });
    let error = bed.try_write(plan).unwrap_err();
    assert_eq!(error.status(), 503);
    let log = bed.path().with_extension("db-wal");
    assert_eq!(log.metadata().map_or(0, |log| log.len()), 0, "the WAL must stay empty");
    assert!(bed.revision("pupil", int(2)).is_some(), "reads must still work");
}

#[test]
fn a_new_model_has_statements_of_its_own() {
    let bed = Bed::filled();
    let _worker = bed.store.enter_worker().unwrap();
    bed.write(bed.plan(vec![bed.update("pupil", &[], int(1), &[("nickname", text("x"))])]));
    assert_eq!(json(bed.read(&bed.all("pupil", &[])).sink)[0]["nickname"], "x");
    let hidden =
        changed("pupil", |def| field(def, "nickname", |name| name.mode = FieldMode::Hidden));
    let applied = options(bed.database.location()).apply(true);
    let (store, _) = Store::open(&hidden, &applied).unwrap();
    let other = Bed { model: hidden, store, ..bed };
    let pupil = &json(other.read(&other.all("pupil", &[])).sink)[0];
    assert!(pupil.get("nickname").is_none());
    assert!(pupil["born"].is_null());
    let result = other.write(other.plan(vec![other.update(
        "pupil",
        &[],
        int(1),
        &[("born", text("2020-02-02"))],
    )]));
    assert_eq!(json(result.sink)[0]["born"], "2020-02-02");
}
