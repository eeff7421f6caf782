//! Tests of jobs (queued writes) that take too long, or change too many rows.

use std::thread;

use rusqlite::StatementStatus;

use super::*;

/// A trigger that makes the insertion of a note with the text `slow` take practically forever.
const SLOW: &str = "CREATE TRIGGER slow AFTER INSERT ON notes WHEN new.text = 'slow' BEGIN
    SELECT count(*) FROM notes a, notes b, notes c, notes d, notes e, notes f, notes g, notes h; END";

/// The time limit of a test. It is much longer than any job of these tests may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A writer whose database has `notes` notes with the text `old`, and the trigger `SLOW`.
fn filled(folder: &tempfile::TempDir, model: &Arc<Model>, notes: usize) -> Writer {
    let writer = open(folder, model);
    let rows = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {notes})
         INSERT INTO notes (text) SELECT 'old' FROM n;{SLOW}"
    );
    writer.handle.connection().execute_batch(&rows).unwrap();
    writer
}

fn count(writer: &Writer, text: &str) -> i64 {
    let count = "SELECT count(*) FROM notes WHERE text = ?1";
    writer.handle.connection().query_row(count, [text], |row| row.get(0)).unwrap()
}

/// A queued write that deletes the notes whose text contains `text`. If `listed` is given, a JSON
/// array of ids, only notes with these ids are deleted.
fn deletion(model: &Arc<Model>, text: &str, listed: Option<&str>) -> (Box<Job>, PendingWrite) {
    let (mut job, answer) = note(model, "");
    let place = job.plan().steps[0].shape.place();
    let filter = Filter::test(FieldIx(1), Op::Contains);
    let shape = Shape::DeleteMany { place, filter, listed: listed.is_some() };
    let values = listed.into_iter().chain([text]).map(|value| Value::Text(value.into())).collect();
    job.plan().steps = vec![Step { shape, values }];
    (job, answer)
}

/// A queued write that exceeds its deadline gets 503 and is not retried. The other writes of the
/// transaction are retried.
#[test]
fn a_job_past_its_deadline_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, 50);
    writer.deadline.set_time_max(Duration::from_millis(100));
    let begun = Instant::now();
    let (jobs, answers): (Vec<_>, Vec<_>) =
        ["a", "slow", "b"].map(|text| note(&model, text)).into_iter().unzip();
    writer.begin().unwrap();
    writer.batch(jobs);
    assert!(begun.elapsed() < PATIENCE, "the batch took {:?}", begun.elapsed());
    let answers: Vec<_> = answers.into_iter().map(PendingWrite::now).collect();
    let statuses: Vec<_> =
        answers.iter().map(|answer| answer.as_ref().err().map(|e| e.status().as_u16())).collect();
    assert_eq!(statuses, [None, Some(503), None]);
    assert_eq!((count(&writer, "a"), count(&writer, "slow"), count(&writer, "b")), (1, 0, 1));
}

/// No statement of a queued write runs after the deadline of the write. The statements that begin
/// or end a transaction still run.
#[test]
fn what_keeps_a_transaction_is_never_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, 1);
    writer.deadline.set_time_max(Duration::ZERO);
    for _ in 0..10_000 {
        writer.begin().unwrap();
        let (job, answer) = note(&model, "late");
        writer.batch(vec![job]);
        assert_eq!(answer.now().unwrap_err().status(), 503);
        assert!(writer.handle.connection().is_autocommit());
    }
    writer.deadline.set_time_max(PATIENCE);
    write(&mut writer, &model, 1);
    assert_eq!(count(&writer, "late"), 0);
}

/// While the store is being closed, a running write whose client has disconnected is interrupted at
/// once.
#[test]
fn a_closed_store_does_not_wait_for_a_write_that_nobody_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, 50);
    let deadline = writer.deadline().clone();
    deadline.set_time_max(Duration::from_secs(3600));
    let (job, answer) = note(&model, "slow");
    writer.begin().unwrap();
    let leaving = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        deadline.close(Duration::from_secs(3600));
        thread::sleep(Duration::from_millis(100));
        drop(answer);
    });
    let begun = Instant::now();
    writer.batch(vec![job]);
    assert!(begun.elapsed() < PATIENCE, "the batch took {:?}", begun.elapsed());
    leaving.join().unwrap();
    assert_eq!(count(&writer, "slow"), 0);
}

/// While the store is being closed, a write whose client still waits may run until the time limit
/// for closing the store.
#[test]
fn a_closed_store_interrupts_every_write_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, 50);
    writer.deadline.set_time_max(Duration::from_secs(3600));
    writer.deadline.close(Duration::from_millis(100));
    let begun = Instant::now();
    let (job, answer) = note(&model, "slow");
    writer.begin().unwrap();
    writer.batch(vec![job]);
    assert!(begun.elapsed() < PATIENCE, "the batch took {:?}", begun.elapsed());
    assert_eq!(answer.now().unwrap_err().status(), 503);
}

#[test]
fn a_deletion_of_too_many_rows_fails_alone_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, 1_000);
    for (rows_max, status, left) in
        [(5, Some(409), 1_000), (999, Some(409), 1_000), (1_000, None, 0)]
    {
        writer.deadline.set_rows_max(rows_max);
        let (deletion, deleted) = deletion(&model, "old", None);
        let (beside, answer) = note(&model, "beside");
        writer.begin().unwrap();
        writer.batch(vec![beside, deletion]);
        assert!(answer.now().is_ok());
        assert_eq!(deleted.now().err().map(|error| error.status().as_u16()), status);
        assert_eq!(count(&writer, "old"), left, "with rows_max {rows_max}");
    }
    assert_eq!(count(&writer, "beside"), 3);
}

/// The number of virtual machine steps of SQLite for one deletion, in a table of `notes` notes. The
/// deletion lists eleven ids: eight of them match the filter, two do not, and one does not exist.
fn steps_among(notes: usize) -> u32 {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(Model::link(&API).unwrap());
    let mut writer = filled(&folder, &model, notes);
    writer
        .handle
        .connection()
        .execute_batch("UPDATE notes SET text = 'kept' WHERE id > 8 AND id < 12")
        .unwrap();
    let (mut job, answer) = deletion(&model, "old", Some("[1,2,3,4,5,6,7,8,9,10,4711000]"));
    let shape = job.plan().steps[0].shape.clone();
    writer.begin().unwrap();
    writer.batch(vec![job]);
    assert_eq!(
        answer.now().unwrap().outcome,
        Outcome::Deleted(8),
        "only listed notes that match the filter are deleted"
    );
    assert_eq!((count(&writer, "old"), count(&writer, "kept")), (notes as i64 - 11, 3));
    writer.handle.counted(&shape, StatementStatus::VmStep)
}

/// The filter has no index. A deletion by the filter alone would read every row of the table.
#[test]
fn the_writer_looks_at_no_other_rows_than_those_that_are_listed() {
    let (few, many) = (steps_among(100), steps_among(20_000));
    // The triggers take a few more steps if the clock has not advanced since the last change.
    assert!(
        many <= few + few / 10,
        "{few} steps in a table of 100 rows, {many} steps in a table of 20,000 rows"
    );
}
