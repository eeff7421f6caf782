//! Tests that the slow lane (low-priority threads) executes the reads that are too slow for a
//! worker, and no other reads.

use std::{future::Future, pin::Pin, sync::atomic::Ordering, task::Poll};

use rusqlite::StatementStatus;
use tempfile::TempDir;

use super::{thread::run, *};
use crate::{
    model::{FieldIx, Layout, Place, ResourceIx, View, value::Value},
    plan::{Filter, Op, Outcome, Part, Shape, Sources, Step},
    store::{
        StoreOptions, Synchronous,
        sink::{JsonSink, ValueSink},
        sqlite::{Sqlite, bed::API},
    },
};

/// Creates a store with `count` notes. Their texts are `note 1`, `note 2` and so on.
pub(in crate::store::sqlite) fn notes(count: u32) -> (TempDir, Arc<Model>, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let model = Arc::new(Model::link(&API).unwrap());
    let options = StoreOptions::new(&path).synchronous(Synchronous::Normal);
    let (store, _) = Sqlite::open(&model, &path, &options).unwrap();
    let fill = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
         INSERT INTO notes (text, created_at, updated_at) SELECT 'note ' || i, 'x', 'x' FROM n"
    );
    rusqlite::Connection::open(path).unwrap().execute_batch(&fill).unwrap();
    (folder, model, store)
}

/// A plan that lists the first page of notes whose text contains `text`.
pub(in crate::store::sqlite) fn containing(model: &Model, text: &str) -> Plan {
    listing(model, Filter::test(FieldIx(1), Op::Contains), vec![Value::Text(text.into())])
}

/// A plan that lists the first page of all notes.
pub(in crate::store::sqlite) fn all(model: &Model) -> Plan {
    listing(model, Filter::EVERY, vec![])
}

fn listing(model: &Model, filter: Filter, mut values: Vec<Value>) -> Plan {
    let place = Place::new(ResourceIx(0), 0);
    let shape = Shape::List {
        place,
        filter,
        sort: model[place.resource].sort.to_vec(),
        selection: View::Shown.into(),
        part: Part::Counted,
        beyond: vec![],
    };
    values.extend([Value::Integer(1), Value::Integer(0)]);
    let steps = vec![Step { shape, values }];
    Plan::read(Some(Sources::of(place)), steps)
}

pub(in crate::store::sqlite) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn found(store: &Sqlite, model: &Arc<Model>, plan: &Plan) -> String {
    let sink = Sink::Json(JsonSink::new(Layout::of(model, ResourceIx(0), None), ""));
    let result = wait(store.read(model, plan, sink)).unwrap();
    assert!(matches!(result.outcome, Outcome::Page { .. }), "{result:?}");
    let Sink::Json(json) = result.sink else { panic!("a read returns the sink that it was given") };
    String::from_utf8(json.into_bytes()).unwrap()
}

fn is_slow(store: &Sqlite, plan: &Plan) -> bool {
    wait(store.lanes.with(|lane| lane.is_slow_at(plan))).unwrap()
}

#[test]
fn a_scan_leaves_its_worker_and_is_remembered_until_it_is_fast() {
    let (_folder, model, store) = notes(60_000);
    let _worker = store.enter_worker(usize::MAX).unwrap();
    let (none, first) = (containing(&model, "no such text"), containing(&model, "note 1"));
    assert!(found(&store, &model, &first).contains("note 1"));
    assert!(!is_slow(&store, &none), "a read that fills its page at once is fast");
    assert_eq!(found(&store, &model, &none), "");
    assert!(is_slow(&store, &none), "the same shape without a match is slow");
    assert!(
        found(&store, &model, &first).contains("note 1"),
        "the slow lane executes reads of the slow shape"
    );
    assert!(
        !is_slow(&store, &none),
        "a fast read on the slow lane makes the shape count as fast again"
    );
}

/// A worker refuses to read a page that is too large, so that another thread reads the page. This
/// holds for fast and slow reads. Typed calls, hooks and threads that are no workers may read pages
/// of any size.
#[test]
fn a_large_page_is_left_to_another_thread() {
    let (_folder, model, store) = notes(60_000);
    let page = |mut plan: Plan, members: i64, is_movable: bool| {
        let step = &mut plan.steps[0];
        let at = step.values.len() - 2;
        step.values[at] = Value::Integer(members);
        plan.is_movable = is_movable;
        wait(store.read(
            &model,
            &plan,
            Sink::Json(JsonSink::new(Layout::of(&model, ResourceIx(0), None), "")),
        ))
    };
    let is_left = |plan: Plan, members: i64, is_movable: bool| {
        let result = page(plan, members, is_movable).unwrap();
        let is_left = result.outcome == Outcome::TooLarge;
        let is_rendered = result.sink.content().is_some_and(|(_, bytes)| bytes.len() > 50);
        assert_ne!(is_left, is_rendered, "{result:?}");
        is_left
    };
    let (all, slow) = (|| all(&model), || containing(&model, "9999"));
    assert!(!is_left(all(), 100, true), "a thread that is no worker has no limit");
    let worker = store.enter_worker(300).unwrap();
    assert!(!is_left(all(), 1, true) && is_left(all(), 100, true));
    assert!(!is_slow(&store, &all()), "the page is large, but the read takes few steps");
    assert!(!is_left(all(), 100, false), "not each plan has another thread for large pages");
    let mut of_a_hook = all();
    of_a_hook.is_movable = true;
    let at = of_a_hook.steps[0].values.len() - 2;
    of_a_hook.steps[0].values[at] = Value::Integer(100);
    let values = Sink::Values(ValueSink::new(ResourceIx(0)));
    assert!(wait(store.read(&model, &of_a_hook, values)).is_ok(), "a read of a hook has no limit");
    assert!(!is_left(slow(), 1, true) && is_slow(&store, &slow()));
    assert!(is_left(slow(), 6, true), "the limit also applies after a read on the slow lane");
    drop(worker);
    let _worker = store.enter_worker(usize::MAX).unwrap();
    assert!(!is_left(all(), 100, true) && !is_left(slow(), 6, true));
}

#[test]
fn a_scan_nobody_waits_for_ends() {
    let (_folder, model, store) = notes(10);
    let mut lane = store.lanes.slow().unwrap();
    let nobody_waits = Arc::new(AtomicBool::new(true));
    let sink = || Sink::Json(JsonSink::new(Layout::of(&model, ResourceIx(0), None), ""));
    let plan = containing(&model, "no such text");
    assert!(
        run(&mut lane, &model, &plan, sink(), Arc::clone(&nobody_waits)).is_ok(),
        "a short read ends before the progress handler is called"
    );
    drop((lane, store));
    let (_folder, model, store) = notes(60_000);
    let mut lane = store.lanes.slow().unwrap();
    let error = run(&mut lane, &model, &plan, sink(), Arc::clone(&nobody_waits)).unwrap_err();
    assert_eq!(error.status(), 503);
    nobody_waits.store(false, Ordering::Relaxed);
    assert!(
        run(&mut lane, &model, &plan, sink(), nobody_waits).is_ok(),
        "a read completes after an interrupted one on the same lane"
    );
}

#[test]
fn a_panic_fails_its_read_alone() {
    let (_folder, model, store) = notes(10);
    let plan = all(&model);
    let read = |ix| {
        wait(store.slow.read(
            &model,
            &plan,
            Sink::Json(JsonSink::new(Layout::of(&model, ResourceIx(ix), None), "")),
        ))
    };
    // The test causes more panics than there are threads, so each thread must survive a panic.
    for _ in 0..64 {
        let error = read(9).unwrap_err();
        assert_eq!(
            error.status(),
            500,
            "a sink of a resource that does not exist panics at the first row"
        );
        assert!(
            error.source().unwrap().to_string().starts_with("a slow read panicked: index out of")
        );
    }
    assert!(read(0).is_ok());
}

/// Polls the future of a read once.
async fn poll(read: &mut Pin<Box<impl Future<Output = SlowReadResult>>>) -> Poll<SlowReadResult> {
    std::future::poll_fn(|context| Poll::Ready(read.as_mut().poll(context))).await
}

fn refusal(polled: Poll<SlowReadResult>) -> (u16, String) {
    let Poll::Ready(Err(error)) = polled else { panic!("{polled:?}") };
    (error.status().as_u16(), error.headers()[0].1.to_str().unwrap().into())
}

#[test]
fn a_full_queue_refuses_whoever_has_cost_most_and_a_client_that_has_gone_frees_its_place() {
    let (_folder, model, _store) = notes(1);
    let slow = SlowLane::new(0);
    let plan = |number| Plan { client: ClientKey::Connection(number), ..all(&model) };
    let plans: Vec<_> = (0..100).map(plan).collect();
    let read = |number: usize| Box::pin(slow.read(&model, &plans[number], Sink::Nothing));
    let waiting = || slow.0.lock().queue.len();
    wait(async {
        slow.0.note(ClientKey::Connection(5), Event::Failure);
        let mut reads: Vec<_> = (0..limits::SLOW_WAITING_MAX).map(read).collect();
        for read in &mut reads {
            assert!(poll(read).await.is_pending());
        }
        slow.0.note(ClientKey::Connection(90), Event::Failure);
        slow.0.note(ClientKey::Connection(90), Event::Failure);
        assert_eq!(
            refusal(poll(&mut read(90)).await),
            (503, "2".into()),
            "client 90 has a higher cost than all other clients"
        );
        let mut new = read(91);
        assert!(
            poll(&mut new).await.is_pending(),
            "client 91 gets the place of client 5, which has a higher cost"
        );
        assert_eq!(refusal(poll(&mut reads[5]).await), (503, "2".into()));
        assert!(slow.is_busy() && waiting() == limits::SLOW_WAITING_MAX);
        drop(new);
        assert_eq!(waiting(), limits::SLOW_WAITING_MAX - 1);
        drop(reads);
        assert_eq!(waiting(), 0);
    });
}

#[test]
fn who_waits_too_long_is_refused_and_frees_the_place() {
    let (_folder, model, _store) = notes(1);
    let slow = SlowLane::new(0);
    let (answer, answered) = oneshot::channel();
    let nobody_waits = Arc::<AtomicBool>::default();
    let (plan, sink) = (all(&model), Sink::Nothing);
    let work = SlowRead { model, plan, sink, nobody_waits: Arc::clone(&nobody_waits), answer };
    let number = slow.0.put(Box::new(work)).unwrap();
    let waiting = SlowReadWaiter { shared: &slow.0, number, nobody_waits };
    let error = wait(waiting.answer(answered, Some(Duration::ZERO))).unwrap_err();
    assert_eq!(error.status(), 503);
    assert_eq!(slow.0.lock().queue.len(), 0);
}

#[test]
fn while_the_slow_lane_is_busy_a_worker_makes_the_fast_reads_of_a_slow_shape() {
    let (_folder, model, mut store) = notes(60_000);
    let _worker = store.enter_worker(usize::MAX).unwrap();
    let (none, first) = (containing(&model, "no such text"), containing(&model, "note 1"));
    assert_eq!(found(&store, &model, &none), "");
    assert!(is_slow(&store, &none));
    // A slow lane without threads always counts as busy.
    store.slow = SlowLane::new(0);
    let attempt = |plan: &Plan| {
        let mut sink = Sink::Json(JsonSink::new(Layout::of(&model, ResourceIx(0), None), ""));
        wait(store.lanes.with(|lane| store.slow.attempt(lane, &model, plan, &mut sink)))
            .unwrap()
            .unwrap()
    };
    assert!(matches!(attempt(&none), Attempt::TooSlow) && is_slow(&store, &none));
    let begun = Instant::now();
    let mut fast = 0;
    while is_slow(&store, &first) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "after {fast} fast tries the shape still counts as slow"
        );
        match attempt(&first) {
            Attempt::Done { .. } => fast += 1,
            // The worker's credit (time for tries) is used up, so the test waits for new credit.
            _ => threads::sleep(Duration::from_millis(5)),
        }
    }
    assert!(fast > 8, "the shape counts as fast after only {fast} fast tries");
}

#[test]
fn tries_of_slow_reads_end_with_the_credit() {
    let (_folder, model, mut store) = notes(60_000);
    let _worker = store.enter_worker(usize::MAX).unwrap();
    let none = containing(&model, "no such text");
    assert_eq!(found(&store, &model, &none), "");
    store.slow = SlowLane::new(0);
    let attempt = |lane: &mut Lane| {
        let attempt = store.slow.attempt(lane, &model, &none, &mut Sink::Nothing).unwrap();
        assert!(matches!(attempt, Attempt::TooSlow));
    };
    let runs = |lane: &mut Lane| lane.handle.counted(&none.steps[0].shape, StatementStatus::Run);
    let tries = wait(store.lanes.with(|lane| {
        let before = runs(lane);
        (0..1000).for_each(|_| attempt(lane));
        runs(lane) - before
    }));
    let tries = tries.unwrap();
    assert!((1..500).contains(&tries), "{tries} of 1000 reads were tried");
}
