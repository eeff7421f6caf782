//! Tests of lanes (read connections): an interrupted read has no effect on later reads, a lane with
//! an unfinished transaction is replaced, and a held snapshot is never outdated.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tempfile::TempDir;
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

use super::*;
use crate::{
    model::{Layout, Model, Place, ResourceIx},
    plan::{Outcome, Sources},
    store::{
        read::{self, Attempt},
        session::{ReadSession as _, Session as _},
        sink::{JsonSink, Sink},
        sqlite::{
            Sqlite,
            slow::tests::{containing, notes, wait},
        },
    },
};

/// The number of reads that the test interrupts on each kind of lane (read connection).
const READS: u32 = 12_000;

/// A log subscriber that counts the events of level ERROR.
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

/// A plan with a read that takes so many virtual machine steps that SQLite calls the progress
/// handler during the read.
struct Scan {
    model: Arc<Model>,
    plan: Plan,
}

impl Scan {
    /// Runs the plan on a lane. Returns true if the read was completed, and false if it was
    /// interrupted.
    fn ends_on(&self, lane: &mut Lane) -> Result<bool, Error> {
        for step in &self.plan.steps {
            lane.handle.note(&step.shape, false);
        }
        let mut sink = Sink::Json(JsonSink::new(Layout::of(&self.model, ResourceIx(0), None), ""));
        let read = read::run(lane, &self.model, &self.plan, &mut sink)?;
        assert!(
            matches!(read, Attempt::TooSlow | Attempt::Done { outcome: Outcome::Page { .. }, .. }),
            "{read:?}"
        );
        Ok(matches!(read, Attempt::Done { .. }))
    }
}

/// Interrupts `READS` reads, and then lets one complete. `on_lane` runs a closure, each time on the
/// same lane.
fn interrupt(store: &Sqlite, scan: &Scan, mut on_lane: impl FnMut(&mut dyn FnMut(&mut Lane))) {
    let watch = |lane: &mut Lane, gone: bool| {
        let end = Instant::now() + Duration::from_secs(600);
        lane.watch(&ReadDeadline::new(end, Arc::new(AtomicBool::new(gone)))).unwrap();
    };
    on_lane(&mut |lane| watch(lane, true));
    for read in 0..READS {
        on_lane(&mut |lane| {
            assert!(!scan.ends_on(lane).unwrap(), "read {read} should have been interrupted");
        });
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
        let _worker = store.enter_worker(usize::MAX).unwrap();
        store.lanes.end_turn();
        interrupt(&store, &scan, |work| wait(store.lanes.with(work)).unwrap());
    });
    assert_eq!(errors.0.load(Ordering::Relaxed), 0, "no error may be logged");
}

#[test]
fn a_lane_with_a_transaction_that_did_not_end_is_replaced_at_no_cost_for_the_next_read() {
    let (_folder, model, store) = notes(1);
    let scan = Scan { plan: containing(&model, "note"), model };
    let begin = |lane: &mut Lane| {
        lane.handle.connection().execute_batch("BEGIN; SELECT count(*) FROM notes").unwrap();
        assert!(lane.is_stuck() && !lane.is_usable());
    };
    let reads =
        || wait(store.lanes.with(|lane| scan.ends_on(lane).unwrap() && lane.is_usable())).unwrap();
    assert!(reads());
    wait(store.lanes.with(begin)).unwrap();
    assert!(reads(), "a stuck lane of the pool is replaced");
    let _worker = store.enter_worker(usize::MAX).unwrap();
    wait(store.lanes.with(begin)).unwrap();
    assert!(reads(), "a stuck lane of a worker is replaced");
    store.lanes.end_turn();
    wait(store.lanes.with(begin)).unwrap();
    store.lanes.end_turn();
    wait(store.lanes.with(|lane| assert!(lane.is_usable(), "`end_turn` replaces a stuck lane")))
        .unwrap();
    assert!(reads());
    assert!(
        wait(store.lanes.with(|lane| lane.has_turns)).unwrap(),
        "the new lane may hold snapshots"
    );
}

/// The number of reads that the held snapshot of this thread has served, without the first one.
/// `None` if the thread holds no snapshot.
fn reads_in_snapshot(store: &Sqlite) -> Option<u32> {
    wait(store.lanes.with(|lane| lane.held_snapshot.as_ref().map(|held| held.reads))).unwrap()
}

/// Makes this thread a worker that may hold a snapshot between reads. Also opens a second
/// connection to the database file.
fn in_a_turn(store: &Sqlite, folder: &TempDir) -> (Seat, Connection) {
    let worker = store.enter_worker(usize::MAX).unwrap();
    store.lanes.end_turn();
    (worker, Connection::open(folder.path().join("notes.db")).unwrap())
}

fn count(lane: &mut Lane) -> i64 {
    lane.handle.connection().query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap()
}

const INSERT: &str = "INSERT INTO notes (text, created_at, updated_at) VALUES ('more', 'x', 'x')";

#[test]
fn a_snapshot_is_held_until_somebody_commits() {
    let (folder, _, store) = notes(1);
    let (_worker, other) = in_a_turn(&store, &folder);
    let read =
        || wait(store.lanes.with(|lane| lane.snapshot(|lane| Ok(count(lane))))).unwrap().unwrap();
    assert_eq!((read(), reads_in_snapshot(&store)), (1, Some(0)));
    assert_eq!((read(), reads_in_snapshot(&store)), (1, Some(1)));
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other.execute_batch(INSERT).unwrap();
    assert_eq!((read(), reads_in_snapshot(&store)), (1, Some(2)), "the insert is not committed");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!((read(), reads_in_snapshot(&store)), (2, Some(0)));
    assert_eq!((read(), reads_in_snapshot(&store)), (2, Some(1)));
    store.lanes.end_turn();
    assert_eq!(reads_in_snapshot(&store), None);
}

/// Commits from another connection while a first read is in progress: before or after the read's
/// own statement.
#[test]
fn a_commit_beside_the_beginning_of_a_snapshot_is_not_missed() {
    let (folder, _, store) = notes(1);
    let (_worker, other) = in_a_turn(&store, &folder);
    let read = |before: bool, after: bool| {
        let read = |lane: &mut Lane| {
            before.then(|| other.execute_batch(INSERT).unwrap());
            let rows = count(lane);
            after.then(|| other.execute_batch(INSERT).unwrap());
            Ok(rows)
        };
        wait(store.lanes.with(|lane| lane.snapshot(read))).unwrap().unwrap()
    };
    assert_eq!(
        read(true, false),
        2,
        "the snapshot is taken at the first statement, after the insert"
    );
    assert_eq!(
        (read(false, false), reads_in_snapshot(&store)),
        (2, Some(0)),
        "the recorded WAL state is older than the snapshot, so the lane takes a new snapshot"
    );
    assert_eq!((read(false, false), reads_in_snapshot(&store)), (2, Some(1)));
    assert_eq!(read(false, true), 2);
    assert_eq!((read(false, true), reads_in_snapshot(&store)), (3, Some(0)));
    assert_eq!(read(false, false), 4);
}

#[test]
fn a_validator_is_of_the_snapshot_whose_rows_are_read() {
    let (folder, model, store) = notes(1);
    let (_worker, other) = in_a_turn(&store, &folder);
    let sources = Sources { seed: 7, ..Sources::of(Place::new(ResourceIx(0), 0)) };
    let read = |commits: bool| {
        let read = |lane: &mut Lane| {
            commits.then(|| other.execute_batch(INSERT).unwrap());
            Ok((lane.current(&model, &sources)?.tag, count(lane)))
        };
        wait(store.lanes.with(|lane| lane.snapshot(read))).unwrap().unwrap()
    };
    let (tag, rows) = read(false);
    store.lanes.end_turn();
    let (later, more) = read(true);
    assert!(
        more == rows + 1 && later != tag,
        "the snapshot contains the new row, so the validator must have changed"
    );
    assert_eq!(read(false), (later, more));
}

#[test]
fn the_state_of_an_answer_changes_with_a_commit_of_another_program() {
    let (folder, model, store) = notes(1);
    let (worker, other) = in_a_turn(&store, &folder);
    let sources = Sources { seed: 7, ..Sources::of(Place::new(ResourceIx(0), 0)) };
    let state = || wait(store.state_number(&model, &sources)).unwrap();
    let mut states = vec![state()];
    for _ in 0..300 {
        assert_eq!(Some(&state()), states.last());
        other.execute_batch(INSERT).unwrap();
        assert!(!states.contains(&state()));
        states.push(state());
    }
    drop(worker);
    assert_eq!(Some(&state()), states.last(), "a lane of the pool reads the same state");
    other.execute_batch(INSERT).unwrap();
    assert!(!states.contains(&state()));
}
