//! What only the writer itself can be made to meet: a full disk, and the end of its thread.

use crate::sink::JsonSink;
use rusqlite::StatementStatus;

use super::*;
use crate::{
    identify::Caller,
    limits,
    model::{FieldIx, ResourceIx},
    once::Once,
    plan::{Filter, Guard, Op, Outcome, Part, Place, Refusal, Shape, Step, View},
    route::Chain,
    store::{
        StoreOptions, Synchronous,
        sqlite::{bed::API, opening},
    },
    value::Value,
};

fn note(model: &Arc<Model>, text: &str) -> (Job, oneshot::Receiver<Answer>) {
    let resource = ResourceIx(0);
    let shape =
        Shape::Insert { place: Place { resource, depth: 0 }, columns: vec![FieldIx(1)], view: View::Shown };
    let steps = vec![Step { shape, values: vec![Value::Text(text.into())] }];
    let plan =
        Plan { guard: Guard::default(), reads: vec![], writes: vec![resource], steps, otherwise: None };
    Job::new(Arc::clone(model), plan, Sink::Json(JsonSink::new(resource, "")), None)
}

fn open(folder: &tempfile::TempDir, model: &Model) -> Writer {
    let path = folder.path().join("notes.db");
    let options = StoreOptions { path, synchronous: Synchronous::Normal, apply: false };
    Writer::new(opening::open(model, &options).unwrap().0, Arc::default()).unwrap()
}

#[test]
fn a_full_disk_fails_the_write_that_needs_the_room() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    writer.handle.connection().pragma_update_and_check(None, "max_page_count", 40, |_| Ok(())).unwrap();
    let large = "x".repeat(1 << 20);
    let (jobs, answers): (Vec<_>, Vec<_>) =
        ["a", &large, "b"].map(|text| note(&model, text)).into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap()).collect();
    let error = answers[1].as_ref().unwrap_err();
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "10"));
    assert!(answers[0].is_ok() && answers[2].is_ok());
    let texts: i64 =
        writer.handle.connection().query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap();
    assert_eq!(texts, 2);
}

/// HTTP 20: a merge that comes out too large is undone alone, though it shares its transaction.
#[test]
fn a_merge_that_is_too_large_harms_no_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let half = "x".repeat(limits::BODY_BYTES_MAX / 2);
    let merge = |name: &str| {
        let (mut job, answer) = note(&model, "");
        let (place, text) = (Place { resource: ResourceIx(0), depth: 0 }, vec![FieldIx(1)]);
        let shape = Shape::Update { place, columns: text.clone(), merged: text, view: View::Shown };
        let patch = format!(r#"{{"{name}":"{half}"}}"#);
        job.plan.steps = vec![Step { shape, values: vec![Value::Integer(1), Value::Text(patch)] }];
        (job, answer)
    };
    let jobs = [note(&model, "{}"), merge("a"), note(&model, "1"), merge("b"), merge("a"), note(&model, "2")];
    let (jobs, answers): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let ran: Vec<_> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()).collect();
    let refused: Vec<_> = ran.iter().map(|ran| ran.outcome == Outcome::Refused(Refusal::TooLarge)).collect();
    assert_eq!(refused, [false, false, false, true, false, false]);
    assert!(ran.iter().all(|ran| ran.statements == 1), "nothing more is asked");
    let kept: (i64, i64) = writer
        .handle
        .connection()
        .query_row("SELECT count(*), max(length(text)) FROM notes", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(kept, (3, half.len() as i64 + 8));
}

/// HTTP 161: the write itself looks for the first answer, so that even two in one transaction are done once.
#[test]
fn a_request_that_is_done_once_is_done_once_in_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let chain = Chain { resource: ResourceIx(0), ids: vec![] };
    let keyed = |text: &str| {
        let (mut job, answer) = note(&model, text);
        let once = Once::new(&model, &Caller::Anonymous, &chain, "a".into(), text.as_bytes());
        job.plan.guard.once = Some(Arc::new(once));
        (job, answer)
    };
    let (jobs, answers): (Vec<_>, Vec<_>) = ["x", "x", "y"].map(keyed).into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let ran: Vec<_> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()).collect();
    let (Outcome::Members { written, .. }, Outcome::Repeated(first)) = (&ran[0].outcome, &ran[1].outcome)
    else {
        panic!("{ran:?}")
    };
    let made = first.made.as_ref().map(|(format, made)| (*format, made.as_slice()));
    assert_eq!((written, ran[0].sink.made()), (&first.written, made));
    assert_eq!(ran[2].outcome, Outcome::Refused(Refusal::Reused));
    let texts: i64 =
        writer.handle.connection().query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap();
    assert_eq!(texts, 1);
}

#[test]
fn who_waits_is_told_when_the_thread_ends() {
    let model = Arc::new(Model::link(&API).unwrap());
    let (sender, inbox) = mpsc::channel(1);
    let queue = Queue(sender);
    let (job, answer) = note(&model, "a");
    queue.put(job).unwrap();
    assert_eq!(queue.put(note(&model, "b").0).unwrap_err().status(), 503, "the queue has room for one");
    drop(inbox);
    assert!(answer.blocking_recv().is_err());
    assert_eq!(queue.put(note(&model, "c").0).unwrap_err().status(), 503);
}

#[test]
fn a_statement_is_prepared_once_whatever_is_bound() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let Writer { mut handle, .. } = open(&folder, &model);
    let place = Place { resource: ResourceIx(0), depth: 0 };
    let filter = Filter::Test { field: FieldIx(1), op: Op::Gt };
    let shape = Shape::List {
        place,
        filter,
        sort: model[place.resource].sort.to_vec(),
        view: View::Shown,
        part: Part::Counted,
    };
    for number in 0..5 {
        let values = [Value::Text(number.to_string()), Value::Integer(number), Value::Integer(number)];
        handle.rows(&model, &shape, &values, |_| true).unwrap();
    }
    assert_eq!(handle.counted(&shape, StatementStatus::Run), 5);
    assert_eq!(handle.counted(&shape, StatementStatus::RePrepare), 0);
}

#[test]
fn the_shape_that_was_longest_not_asked_for_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let Writer { mut handle, .. } = open(&folder, &model);
    let place = Place { resource: ResourceIx(0), depth: 0 };
    let shapes: Vec<_> = (1..200)
        .map(|tests| {
            let filter = Filter::All(vec![Filter::Test { field: FieldIx(1), op: Op::Gt }; tests]);
            (Shape::Count { place, filter }, vec![Value::Text("a".into()); tests])
        })
        .collect();
    for (shape, values) in &shapes {
        handle.rows(&model, shape, values, |_| true).unwrap();
        handle.rows(&model, &shapes[0].0, &shapes[0].1, |_| true).unwrap();
    }
    assert_eq!(handle.counted(&shapes[0].0, StatementStatus::Run), 200, "it was never prepared anew");
    let known = shapes.iter().filter(|(shape, _)| handle.knows(shape)).count();
    assert_eq!(known, 128);
    assert!(handle.knows(&shapes[198].0) && !handle.knows(&shapes[1].0));
}
