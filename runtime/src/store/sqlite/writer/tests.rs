//! Tests of the writer in situations that are hard to cause over HTTP: a full disk, a moved file,
//! and idle time.

mod bounds;

use std::{fs, path::PathBuf, time::Instant};

use rusqlite::StatementStatus;

use super::*;
use crate::{
    base::limits,
    model::{Chain, FieldIx, Layout, Model, Place, ResourceIx, View, value::Value},
    plan::{
        Caller, CallerValues, Filter, Op, Outcome, Part, Plan, Refusal, Shape, Step,
        idempotency::IdempotentRequest,
    },
    store::{
        StoreOptions, Synchronous,
        job::PendingWrite,
        sink::{JsonSink, Sink},
        sqlite::{bed::API, opening},
    },
};

pub(in crate::store::sqlite) fn note(model: &Arc<Model>, text: &str) -> (Box<Job>, PendingWrite) {
    let resource = ResourceIx(0);
    let shape = Shape::Insert {
        place: Place::new(resource, 0),
        columns: vec![FieldIx(1)],
        view: View::Shown,
    };
    let steps = vec![Step { shape, values: vec![Value::Text(text.into())] }];
    let plan = Plan::write(vec![resource], steps);
    Job::of_plan(
        Arc::clone(model),
        plan,
        Sink::Json(JsonSink::new(Layout::of(model, resource, None), "")),
        None,
    )
}

pub(in crate::store::sqlite) fn open(folder: &tempfile::TempDir, model: &Model) -> Writer {
    let path = path(folder);
    let options = StoreOptions::new(&path).synchronous(Synchronous::Normal);
    Writer::new(opening::open(model, &path, &options).unwrap().0, Arc::default()).unwrap()
}

pub(in crate::store::sqlite) fn path(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("notes.db")
}

/// Writes `count` notes of 10,000 characters, each in its own transaction.
pub(in crate::store::sqlite) fn write(writer: &mut Writer, model: &Arc<Model>, count: usize) {
    for _ in 0..count {
        writer.begin().unwrap();
        let (job, answer) = note(model, &"x".repeat(10_000));
        writer.batch(vec![job]);
        assert!(answer.now().is_ok());
    }
}

/// The number of notes in a copy of a database file without its WAL.
fn alone(folder: &tempfile::TempDir, file: &PathBuf) -> i64 {
    let copy = folder.path().join("copy.db");
    fs::copy(file, &copy).unwrap();
    let count = "SELECT count(*) FROM notes";
    Connection::open(&copy).unwrap().query_row(count, [], |row| row.get(0)).unwrap()
}

pub(in crate::store::sqlite) fn log_bytes(folder: &tempfile::TempDir) -> u64 {
    fs::metadata(folder.path().join("notes.db-wal")).unwrap().len()
}

#[test]
fn while_nothing_is_written_the_log_is_brought_into_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    write(&mut writer, &model, 10);
    assert_eq!(alone(&folder, &path(&folder)), 0);
    writer.rest();
    assert_eq!(alone(&folder, &path(&folder)), 10);
    let bytes = log_bytes(&folder);
    write(&mut writer, &model, 9);
    assert_eq!(log_bytes(&folder), bytes, "the WAL is overwritten from its beginning");
}

#[test]
fn who_reads_is_not_disturbed_by_that_and_it_goes_on_when_he_has_read() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    write(&mut writer, &model, 1);
    let reader = Connection::open(path(&folder)).unwrap();
    reader.busy_timeout(Duration::ZERO).unwrap();
    let notes =
        || reader.query_row("SELECT count(*) FROM notes", [], |row| row.get::<_, i64>(0)).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(notes(), 1);
    write(&mut writer, &model, 1);
    writer.rest();
    assert_eq!(notes(), 1, "an open read transaction keeps its snapshot");
    reader.execute_batch("COMMIT").unwrap();
    writer.rest();
    assert_eq!((notes(), alone(&folder, &path(&folder))), (2, 2));
}

#[test]
fn a_file_that_was_moved_has_all_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    write(&mut writer, &model, 3);
    let aside = folder.path().join("aside.db");
    fs::rename(path(&folder), &aside).unwrap();
    writer.rest();
    assert_eq!(
        (alone(&folder, &aside), log_bytes(&folder)),
        (3, 0),
        "the moved file has all notes, and the WAL at the old path is empty"
    );
    assert!(writer.begin().is_err());
    fs::rename(&aside, path(&folder)).unwrap();
    write(&mut writer, &model, 1);
    writer.rest();
    assert_eq!(alone(&folder, &path(&folder)), 4);
}

/// A queued write that fails rolls back the transaction that it shares with other writes. The other
/// writes are retried, except those whose client has disconnected.
#[test]
fn a_write_that_is_to_be_done_again_is_not_where_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let (mut failing, failed) = note(&model, "");
    let plan = failing.plan();
    plan.steps[0].shape =
        Shape::Get { place: plan.steps[0].shape.place(), selection: View::Shown.into() };
    let (waited_for, answer) = note(&model, "a");
    let (gone, _) = note(&model, "b");
    writer.begin().unwrap();
    writer.batch(vec![waited_for, failing, gone]);
    assert_eq!(failed.now().unwrap_err().status(), 500);
    assert!(answer.now().is_ok());
    writer.rest();
    assert_eq!(alone(&folder, &path(&folder)), 1);
}

#[test]
fn a_full_disk_fails_the_write_that_needs_the_room() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    writer
        .handle
        .connection()
        .pragma_update_and_check(None, "max_page_count", 40, |_| Ok(()))
        .unwrap();
    let large = "x".repeat(1 << 20);
    let (jobs, answers): (Vec<_>, Vec<_>) =
        ["a", &large, "b"].map(|text| note(&model, text)).into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let answers: Vec<_> = answers.into_iter().map(PendingWrite::now).collect();
    let error = answers[1].as_ref().unwrap_err();
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "10"));
    assert!(answers[0].is_ok() && answers[2].is_ok());
    let texts: i64 = writer
        .handle
        .connection()
        .query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
        .unwrap();
    assert_eq!(texts, 2);
}

/// Conformance 20: a merge patch with a result that is too large is undone. The other writes in its
/// transaction are not undone.
#[test]
fn a_merge_that_is_too_large_harms_no_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let half = "x".repeat(limits::BODY_BYTES_MAX / 2);
    let merge = |name: &str| {
        let (mut job, answer) = note(&model, "");
        let (place, text) = (Place::new(ResourceIx(0), 0), vec![FieldIx(1)]);
        let shape = Shape::Update { place, columns: text.clone(), merged: text, view: View::Shown };
        let patch = format!(r#"{{"{name}":"{half}"}}"#);
        job.plan().steps =
            vec![Step { shape, values: vec![Value::Integer(1), Value::Text(patch)] }];
        (job, answer)
    };
    let jobs = [
        note(&model, "{}"),
        merge("a"),
        note(&model, "1"),
        merge("b"),
        merge("a"),
        note(&model, "2"),
    ];
    let (jobs, answers): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let results: Vec<_> = answers.into_iter().map(|answer| answer.now().unwrap()).collect();
    let refused: Vec<_> = results
        .iter()
        .map(|result| result.outcome == Outcome::Refused(Refusal::TooLarge))
        .collect();
    assert_eq!(refused, [false, false, false, true, false, false]);
    assert!(results.iter().all(|result| result.statements == 1), "each job executes one statement");
    let count_and_length: (i64, i64) = writer
        .handle
        .connection()
        .query_row("SELECT count(*), max(length(text)) FROM notes", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(count_and_length, (3, half.len() as i64 + 8));
}

/// The time that the writer takes to apply a merge patch with `members` members to an object with
/// the same member names.
fn merge_time(members: usize) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let names: Vec<_> = (0..members).map(|number| format!("\"{number}\":0")).collect();
    let object = format!("{{{}}}", names.join(","));
    writer.begin().unwrap();
    let (insertion, answer) = note(&model, &object);
    writer.batch(vec![insertion]);
    assert!(answer.now().is_ok());
    let (mut job, answer) = note(&model, "");
    let (place, text) = (job.plan().steps[0].shape.place(), vec![FieldIx(1)]);
    let shape = Shape::Update { place, columns: text.clone(), merged: text, view: View::Shown };
    job.plan().steps = vec![Step { shape, values: vec![Value::Integer(1), Value::Text(object)] }];
    writer.begin().unwrap();
    let begun = Instant::now();
    writer.batch(vec![job]);
    let time = begun.elapsed();
    assert!(matches!(answer.now().unwrap().outcome, Outcome::Members { .. }));
    time
}

/// The writer needs about eight times as long for eight times as many members. SQLite's
/// `json_patch` would need 64 times as long.
#[test]
fn a_merge_patch_takes_the_writer_time_that_grows_with_its_bytes() {
    let least = |members| (0..3).map(|_| merge_time(members)).min().unwrap();
    let (few, many) = (least(10_000), least(80_000));
    assert!(many < few * 30, "merging 10,000 members took {few:?}, and 80,000 took {many:?}");
}

/// Conformance 161: each write itself checks whether a response is stored for its
/// `Idempotency-Key`. So of two requests with the same key in one transaction, only one writes.
#[test]
fn a_request_that_is_done_once_is_done_once_in_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = open(&folder, &model);
    let chain = Chain { resource: ResourceIx(0), ids: vec![] };
    let keyed = |text: &str| {
        let (mut job, answer) = note(&model, text);
        let once =
            IdempotentRequest::new(&model, &Caller::Anonymous, &chain, "a".into(), text.as_bytes());
        job.plan().guard.idempotency = Some(Arc::new(once));
        (job, answer)
    };
    let (jobs, answers): (Vec<_>, Vec<_>) = ["x", "x", "y"].map(keyed).into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    let results: Vec<_> = answers.into_iter().map(|answer| answer.now().unwrap()).collect();
    let (Outcome::Members { written, .. }, Outcome::Repeated(first)) =
        (&results[0].outcome, &results[1].outcome)
    else {
        panic!("{results:?}")
    };
    let content = first.content.as_ref().map(|(format, bytes)| (*format, bytes.as_slice()));
    assert_eq!((written, results[0].sink.content()), (&first.written, content));
    assert_eq!(results[2].outcome, Outcome::Refused(Refusal::Reused));
    let texts: i64 = writer
        .handle
        .connection()
        .query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
        .unwrap();
    assert_eq!(texts, 1);
}

#[test]
fn a_statement_is_prepared_once_whatever_is_bound() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let Writer { mut handle, .. } = open(&folder, &model);
    let (place, caller) = (Place::new(ResourceIx(0), 0), CallerValues::default());
    let filter = Filter::test(FieldIx(1), Op::Gt);
    let shape = Shape::List {
        place,
        filter,
        sort: model[place.resource].sort.to_vec(),
        selection: View::Shown.into(),
        part: Part::Counted,
        beyond: vec![],
    };
    for number in 0..5 {
        let values =
            [Value::Text(number.to_string()), Value::Integer(number), Value::Integer(number)];
        handle.rows(&model, &shape, &caller, values.as_slice().into(), |_| true).unwrap();
    }
    assert_eq!(handle.counted(&shape, StatementStatus::Run), 5);
    assert_eq!(handle.counted(&shape, StatementStatus::RePrepare), 0);
}

#[test]
fn the_shape_that_was_longest_not_asked_for_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let Writer { mut handle, .. } = open(&folder, &model);
    let (place, caller) = (Place::new(ResourceIx(0), 0), CallerValues::default());
    let shapes: Vec<_> = (1..200)
        .map(|tests| {
            let filter = Filter::All(vec![Filter::test(FieldIx(1), Op::Gt); tests]);
            (Shape::Count { place, filter }, vec![Value::Text("a".into()); tests])
        })
        .collect();
    for (shape, values) in &shapes {
        handle.rows(&model, shape, &caller, values.as_slice().into(), |_| true).unwrap();
        handle
            .rows(&model, &shapes[0].0, &caller, shapes[0].1.as_slice().into(), |_| true)
            .unwrap();
    }
    assert_eq!(
        handle.counted(&shapes[0].0, StatementStatus::Run),
        200,
        "the first shape was run 200 times by one statement"
    );
    let cached = shapes.iter().filter(|(shape, _)| handle.knows(shape)).count();
    assert_eq!(cached, 128);
    assert!(handle.knows(&shapes[198].0) && !handle.knows(&shapes[1].0));
}
