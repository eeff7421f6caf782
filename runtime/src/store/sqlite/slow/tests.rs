//! Reads that take too long for a worker are made elsewhere, and those that do not are not.

use std::{future::Future, sync::atomic::Ordering};

use tempfile::TempDir;

use super::*;
use crate::{
    model::{FieldIx, ResourceIx},
    plan::{Filter, Guard, Op, Outcome, Part, Place, Shape, Step, View},
    sink::JsonSink,
    store::{
        StoreOptions, Synchronous,
        sqlite::{Sqlite, bed::API},
    },
    value::Value,
};

/// A store of so many notes with the texts `note 1`, `note 2` and so on.
pub(in crate::store::sqlite) fn notes(count: u32) -> (TempDir, Arc<Model>, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let model = Arc::new(Model::link(&API).unwrap());
    let options = StoreOptions { synchronous: Synchronous::Normal, ..StoreOptions::new(&path) };
    let (store, _) = Sqlite::open(&model, &options).unwrap();
    let fill = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
         INSERT INTO notes (text, created_at, updated_at) SELECT 'note ' || i, 'x', 'x' FROM n"
    );
    rusqlite::Connection::open(path).unwrap().execute_batch(&fill).unwrap();
    (folder, model, store)
}

/// The first notes whose text contains another.
pub(in crate::store::sqlite) fn containing(model: &Model, text: &str) -> Plan {
    listing(model, Filter::Test { field: FieldIx(1), op: Op::Contains }, vec![Value::Text(text.into())])
}

/// The first notes.
pub(in crate::store::sqlite) fn all(model: &Model) -> Plan {
    listing(model, Filter::EVERY, vec![])
}

fn listing(model: &Model, filter: Filter, mut values: Vec<Value>) -> Plan {
    let place = Place { resource: ResourceIx(0), depth: 0 };
    let shape = Shape::List {
        place,
        filter,
        sort: model[place.resource].sort.to_vec(),
        view: View::Shown,
        part: Part::Counted,
        beyond: vec![],
    };
    values.extend([Value::Integer(1), Value::Integer(0)]);
    let steps = vec![Step { shape, values }];
    Plan { guard: Guard::default(), reads: Some(place), writes: vec![], steps, otherwise: None }
}

pub(in crate::store::sqlite) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn found(store: &Sqlite, model: &Arc<Model>, plan: &Plan) -> String {
    let ran = wait(store.read(model, plan, Sink::Json(JsonSink::new(ResourceIx(0), "")))).unwrap();
    assert!(matches!(ran.outcome, Outcome::Page { .. }), "{ran:?}");
    let Sink::Json(json) = ran.sink else { panic!() };
    String::from_utf8(json.into_bytes()).unwrap()
}

fn is_slow(store: &Sqlite, plan: &Plan) -> bool {
    wait(store.lanes.with(|lane| lane.is_slow_at(plan))).unwrap()
}

#[test]
fn a_scan_leaves_its_worker_and_is_remembered_until_it_is_fast() {
    let (_folder, model, store) = notes(60_000);
    let _worker = store.enter_worker().unwrap();
    let (none, first) = (containing(&model, "no such text"), containing(&model, "note 1"));
    assert!(found(&store, &model, &first).contains("note 1"));
    assert!(!is_slow(&store, &none), "what is found at once takes no time");
    assert_eq!(found(&store, &model, &none), "");
    assert!(is_slow(&store, &none), "the same question takes some");
    assert!(found(&store, &model, &first).contains("note 1"), "the slow lane reads it as well");
    assert!(!is_slow(&store, &none), "and notices that it was fast");
}

#[test]
fn a_scan_nobody_waits_for_ends() {
    let (_folder, model, store) = notes(10);
    let mut lane = store.lanes.slow().unwrap();
    let gone = Arc::new(AtomicBool::new(true));
    let sink = || Sink::Json(JsonSink::new(ResourceIx(0), ""));
    let plan = containing(&model, "no such text");
    assert!(
        run(&mut lane, &model, &plan, sink(), Arc::clone(&gone)).is_ok(),
        "it was too short to be asked about"
    );
    drop((lane, store));
    let (_folder, model, store) = notes(60_000);
    let mut lane = store.lanes.slow().unwrap();
    let error = run(&mut lane, &model, &plan, sink(), Arc::clone(&gone)).unwrap_err();
    assert_eq!(error.status(), 503);
    gone.store(false, Ordering::Relaxed);
    assert!(run(&mut lane, &model, &plan, sink(), gone).is_ok(), "it is no slower for having been ended");
}

#[test]
fn a_panic_fails_its_read_alone() {
    let (_folder, model, store) = notes(10);
    let plan = all(&model);
    let read = |ix| wait(store.slow.read(&model, &plan, Sink::Json(JsonSink::new(ResourceIx(ix), ""))));
    // More often than there are threads.
    for _ in 0..64 {
        let error = read(9).unwrap_err();
        assert_eq!(error.status(), 500, "a sink of a resource that does not exist panics at the first row");
        assert!(error.cause().unwrap().to_string().starts_with("a slow read panicked: index out of"));
    }
    assert!(read(0).is_ok());
}

#[test]
fn who_finds_the_slow_lane_full_is_refused() {
    let (_folder, model, store) = notes(1);
    let (sender, work) = mpsc::sync_channel(0);
    let slow = Slow(sender);
    let plan = containing(&model, "x");
    let refused = |slow: &Slow| wait(slow.read(&model, &plan, Sink::Nothing)).unwrap_err();
    let error = refused(&slow);
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "2"));
    drop((work, store));
    assert_eq!(refused(&slow).status(), 500);
}
