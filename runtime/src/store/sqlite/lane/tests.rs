//! Reads that are interrupted cost nothing but themselves, and a lane that is of no use is replaced.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

use super::*;
use crate::{
    model::{Model, ResourceIx},
    plan::Outcome,
    sink::{JsonSink, Sink},
    store::sqlite::{
        Sqlite, read,
        slow::tests::{containing, notes, wait},
    },
};

/// How many reads are interrupted on each kind of lane.
const READS: u32 = 12_000;

/// Counts the errors that are logged.
#[derive(Clone, Default)]
struct Errors(Arc<AtomicU32>);

impl Subscriber for Errors {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A plan that takes more steps than lie between two calls of a watch.
struct Scan {
    model: Arc<Model>,
    plan: Plan,
}

impl Scan {
    /// Whether it came to its end.
    fn ends_on(&self, lane: &mut Lane) -> Result<bool, Error> {
        for step in &self.plan.steps {
            lane.handle.note(&step.shape, false);
        }
        let mut sink = Sink::Json(JsonSink::new(ResourceIx(0), ""));
        let read = read::run(lane, &self.model, &self.plan, &mut sink)?;
        assert!(matches!(read, None | Some((Outcome::Page { .. }, _))), "{read:?}");
        Ok(read.is_some())
    }
}

/// Interrupts a great many reads, and then lets one come to its end. Each is run by the function, on the same lane.
fn interrupt(store: &Sqlite, scan: &Scan, mut on_lane: impl FnMut(&mut dyn FnMut(&mut Lane))) {
    let watch = |lane: &mut Lane, gone: bool| {
        let end = Instant::now() + Duration::from_secs(600);
        lane.watch(&Until::new(end, Arc::new(AtomicBool::new(gone)))).unwrap();
    };
    on_lane(&mut |lane| watch(lane, true));
    for read in 0..READS {
        on_lane(&mut |lane| assert!(!scan.ends_on(lane).unwrap(), "read {read} is interrupted"));
        if read % 7 == 0 {
            store.lanes.end_turn();
        }
        on_lane(&mut |lane| assert!(!lane.is_stuck(), "read {read} left its transaction open"));
    }
    on_lane(&mut |lane| {
        watch(lane, false);
        assert!(scan.ends_on(lane).unwrap());
    });
}

#[test]
fn an_interrupted_read_leaves_no_transaction_open_on_any_lane() {
    let (_folder, model, store) = notes(400);
    let scan = Scan { plan: containing(&model, "no such text"), model };
    let errors = Errors::default();
    tracing::subscriber::with_default(errors.clone(), || {
        let mut own = store.lanes.slow().unwrap();
        interrupt(&store, &scan, |work| work(&mut own));
        let mut own = store.lanes.long().unwrap();
        interrupt(&store, &scan, |work| work(&mut own));
        interrupt(&store, &scan, |work| wait(store.lanes.with(work)).unwrap());
        let _worker = store.enter_worker().unwrap();
        store.lanes.end_turn();
        interrupt(&store, &scan, |work| wait(store.lanes.with(work)).unwrap());
    });
    assert_eq!(errors.0.load(Ordering::Relaxed), 0, "errors were logged");
}

#[test]
fn a_lane_with_a_transaction_that_did_not_end_is_replaced_at_no_cost_for_the_next_read() {
    let (_folder, model, store) = notes(1);
    let scan = Scan { plan: containing(&model, "note"), model };
    let begin = |lane: &mut Lane| {
        lane.handle.connection().execute_batch("BEGIN; SELECT count(*) FROM notes").unwrap();
        assert!(lane.is_stuck() && !lane.is_usable());
    };
    let reads = || wait(store.lanes.with(|lane| scan.ends_on(lane).unwrap() && lane.is_usable())).unwrap();
    assert!(reads());
    wait(store.lanes.with(begin)).unwrap();
    assert!(reads(), "one of the pool");
    let _worker = store.enter_worker().unwrap();
    wait(store.lanes.with(begin)).unwrap();
    assert!(reads(), "one of a worker");
    store.lanes.end_turn();
    wait(store.lanes.with(begin)).unwrap();
    store.lanes.end_turn();
    wait(store.lanes.with(|lane| assert!(lane.is_usable(), "an idle worker is not in the way"))).unwrap();
    assert!(reads());
    assert!(wait(store.lanes.with(|lane| lane.has_turns)).unwrap(), "it still holds snapshots");
}
