//! Who waits for the writer: for how long, and what becomes of a write that nobody waits for.

use super::{
    super::writer::tests::{note, open},
    *,
};
use crate::store::sqlite::bed::API;

fn model() -> Arc<Model> {
    Arc::new(Model::link(&API).unwrap())
}

#[test]
fn who_waits_is_told_when_the_thread_ends() {
    let model = model();
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
fn what_nobody_waits_for_any_more_is_not_begun() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let (queue, thread) = Queue::new(open(&folder, &model), 8).unwrap();
    let (first, first_answer) = note(&model, "first");
    let (gone, _) = note(&model, "gone");
    let (mut late, late_answer) = note(&model, "late");
    late.since = Instant::now().checked_sub(limits::WRITE_WAIT_MAX + Duration::from_secs(1)).unwrap();
    let (last, last_answer) = note(&model, "last");
    for job in [gone, late, first, last] {
        queue.put(job).unwrap();
    }
    drop(queue);
    thread.work();
    let error = late_answer.blocking_recv().unwrap().unwrap_err();
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "1"));
    assert!(first_answer.blocking_recv().unwrap().is_ok() && last_answer.blocking_recv().unwrap().is_ok());
    let connection = rusqlite::Connection::open(folder.path().join("notes.db")).unwrap();
    let texts = "SELECT group_concat(text, ' ' ORDER BY id) FROM notes";
    let texts: String = connection.query_row(texts, [], |row| row.get(0)).unwrap();
    assert_eq!(texts, "first last");
}
