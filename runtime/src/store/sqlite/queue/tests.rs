//! Tests of the limits for writes that wait for the writer, and of writes that nobody waits for.

use std::sync::atomic::{AtomicBool, Ordering};

use tracing::{Event, Metadata, Subscriber, span};

use super::{
    super::writer::tests::{note, open},
    *,
};
use crate::{
    model::Model,
    store::{job::LARGE_BYTES_MIN, sqlite::bed::API},
};

fn model() -> Arc<Model> {
    Arc::new(Model::link(&API).unwrap())
}

#[test]
fn who_waits_is_told_when_the_thread_ends() {
    let model = model();
    let (sender, inbox) = mpsc::channel(1);
    let folder = tempfile::tempdir().unwrap();
    let deadline = open(&folder, &model).deadline().clone();
    let queue =
        WriteQueue { messages: sender, bytes: Arc::default(), large: Arc::default(), deadline };
    let (job, answer) = note(&model, "a");
    queue.put(job).unwrap();
    assert_eq!(
        queue.put(note(&model, "b").0).unwrap_err().status(),
        503,
        "the queue has room for one message only"
    );
    drop(inbox);
    assert_eq!(answer.now().unwrap_err().status(), 500);
    assert_eq!(queue.put(note(&model, "c").0).unwrap_err().status(), 503);
}

#[test]
fn what_nobody_waits_for_any_more_is_not_begun() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = WriteQueue::new(open(&folder, &model), 8).unwrap();
    let (first, first_answer) = note(&model, "first");
    let (gone, _) = note(&model, "gone");
    let (mut late, late_answer) = note(&model, "late");
    late.queued_at =
        Instant::now().checked_sub(limits::WRITE_WAIT_MAX + Duration::from_secs(1)).unwrap();
    let (last, last_answer) = note(&model, "last");
    for job in [gone, late, first, last] {
        queue.put(job).unwrap();
    }
    drop(queue);
    thread.work();
    let error = late_answer.now().unwrap_err();
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "1"));
    assert!(first_answer.now().is_ok() && last_answer.now().is_ok());
    let connection = rusqlite::Connection::open(folder.path().join("notes.db")).unwrap();
    let texts = "SELECT group_concat(text, ' ' ORDER BY id) FROM notes";
    let texts: String = connection.query_row(texts, [], |row| row.get(0)).unwrap();
    assert_eq!(texts, "first last");
}

/// A log subscriber that panics at its first event only.
struct Panics(AtomicBool);

impl Subscriber for Panics {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, _: &Event<'_>) {
        assert!(self.0.swap(true, Ordering::Relaxed), "the log panics at its first event");
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn a_panic_outside_of_a_job_fails_its_batch_alone() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = WriteQueue::new(open(&folder, &model), 8).unwrap();
    let (first, first_answer) = note(&model, "first");
    let (gone, _) = note(&model, "gone");
    queue.put(first).unwrap();
    // The writer logs that the client of this job has disconnected. The log panics while the batch
    // is open.
    queue.put(gone).unwrap();
    let (next, next_answer) = note(&model, "next");
    queue.put(next).unwrap();
    drop(queue);
    tracing::subscriber::with_default(Panics(AtomicBool::new(false)), || thread.work());
    assert_eq!(first_answer.now().unwrap_err().status(), 500);
    assert!(next_answer.now().is_ok(), "the writer continues after a panic");
    let connection = rusqlite::Connection::open(folder.path().join("notes.db")).unwrap();
    let texts = "SELECT group_concat(text) FROM notes";
    assert_eq!(connection.query_row(texts, [], |row| row.get::<_, String>(0)).unwrap(), "next");
}

/// Simulates a disk that does not respond: the writer is in the middle of a job for an unknown
/// time.
#[test]
fn who_waits_too_long_is_told_so_while_the_writer_is_held_up() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, mut thread) = WriteQueue::new(open(&folder, &model), 8).unwrap();
    let (begun, begun_answer) = note(&model, "begun");
    let (late, late_answer) = note(&model, "late");
    queue.put(begun).unwrap();
    queue.put(late).unwrap();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let Some(Message::Write(job)) = thread.next() else {
        panic!("the first message in the queue is the write that was put first")
    };
    let job = job.take().expect("the client of the first write still waits");
    let error = runtime.block_on(late_answer.answer(Some(Duration::ZERO))).unwrap_err();
    assert_eq!(error.status(), 503);
    let begun = runtime.spawn(begun_answer.answer(Some(Duration::ZERO)));
    runtime.block_on(tokio::task::yield_now());
    assert!(
        !begun.is_finished(),
        "a request whose write was begun waits for its result without a limit"
    );
    drop(queue);
    thread.batch(job);
    thread.work();
    assert!(runtime.block_on(begun).unwrap().is_ok());
    let connection = rusqlite::Connection::open(folder.path().join("notes.db")).unwrap();
    let count = "SELECT count(*) FROM notes WHERE text = 'begun'";
    assert_eq!(connection.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    let count = "SELECT count(*) FROM notes";
    assert_eq!(connection.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

/// The first two characters of the texts of all notes, in the order in which the notes were
/// written.
fn texts(folder: &tempfile::TempDir) -> String {
    let connection = rusqlite::Connection::open(folder.path().join("notes.db")).unwrap();
    let texts = "SELECT group_concat(substr(text, 1, 2), ' ' ORDER BY id) FROM notes";
    connection.query_row(texts, [], |row| row.get(0)).unwrap()
}

#[test]
fn large_writes_take_turns_with_the_others() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = WriteQueue::new(open(&folder, &model), 16).unwrap();
    let large = |name: &str| format!("{name}{}", "x".repeat(LARGE_BYTES_MIN));
    let names = ["A", "B", "c", "d", "C", "e"];
    let answers = names.map(|name| {
        let text = if name < "a" { large(name) } else { format!("{name} ") };
        let (job, answer) = note(&model, &text);
        queue.put(job).unwrap();
        answer
    });
    drop(queue);
    thread.work();
    answers.into_iter().for_each(|answer| drop(answer.now().unwrap()));
    assert_eq!(texts(&folder), "c  d  e  Ax Bx Cx");
}

#[test]
fn a_large_write_waits_for_one_batch_of_others() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = WriteQueue::new(open(&folder, &model), 2 * BATCH_MAX).unwrap();
    let texts_of = ["A".repeat(LARGE_BYTES_MIN)]
        .into_iter()
        .chain((1..=BATCH_MAX + 3).map(|at| format!("{at:02}")));
    let answers: Vec<_> = texts_of
        .map(|text| {
            let (job, answer) = note(&model, &text);
            queue.put(job).unwrap();
            answer
        })
        .collect();
    drop(queue);
    thread.work();
    answers.into_iter().for_each(|answer| drop(answer.now().unwrap()));
    assert!(texts(&folder).ends_with("63 64 AA 65 66 67"), "{}", texts(&folder));
}

#[test]
fn the_bytes_of_writes_that_wait_are_bounded() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = WriteQueue::new(open(&folder, &model), 1024).unwrap();
    let bytes = Arc::clone(&queue.bytes);
    let put = |bytes: usize| {
        let (job, answer) = note(&model, &"x".repeat(bytes));
        queue.put(job).map(|()| answer)
    };
    let huge = put(limits::WRITES_WAITING_BYTES_MAX + 1);
    assert!(huge.is_ok(), "a write of any size has room if no other large write waits");
    assert_eq!(put(LARGE_BYTES_MIN).err().map(|error| error.status().as_u16()), Some(503));
    assert!(
        put(LARGE_BYTES_MIN - 1).is_ok(),
        "a small write is not refused because of large writes"
    );
    drop(huge);
    drop(queue);
    thread.work();
    assert_eq!(
        bytes.load(Ordering::Relaxed),
        0,
        "the memory of a large write is free again, whether the write was done or not"
    );
}
