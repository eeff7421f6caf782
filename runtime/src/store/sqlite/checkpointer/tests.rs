//! Tests of the checkpointer's passes (runs of a checkpoint): what they copy, how they are stopped,
//! and which files they leave unchanged.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::*;

impl Checkpointer {
    /// Makes the checkpointer report a running pass that never ends, as if the disk did not
    /// respond.
    pub(in crate::store::sqlite) fn pretend_to_pass(&mut self) {
        self.start().unwrap();
        self.shared.state().stage = Stage::Passing;
    }
}

/// The number of rows that `Bed::write` inserts. Each row takes at least one page of its own.
const ROWS: i64 = 3_000;
/// The maximum time that a test waits for a pass.
const FOREVER: Duration = Duration::from_secs(60);

/// A test fixture: a database in WAL mode with its writing connection.
struct Bed {
    folder: TempDir,
    writer: Connection,
}

impl Bed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let writer = Connection::open(folder.path().join("rows.db")).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, filling TEXT)").unwrap();
        let bed = Self { folder, writer };
        bed.write();
        bed
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("rows.db")
    }

    fn write(&self) {
        let text = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?1)
                    INSERT INTO rows (filling) SELECT hex(zeroblob(4000)) FROM n";
        self.writer.execute(text, [ROWS]).unwrap();
    }

    fn checkpointer(&self) -> Checkpointer {
        Checkpointer::new(Arc::new(DatabaseFile::of(&self.writer)), Arc::default())
    }

    /// The number of rows in a copy of a database file without its WAL. `None` if the copy cannot
    /// be read.
    fn alone(&self, file: &PathBuf) -> Option<i64> {
        let copy = self.folder.path().join("copy.db");
        fs::copy(file, &copy).unwrap();
        let count = "SELECT count(*) FROM rows";
        Connection::open(&copy).unwrap().query_row(count, [], |row| row.get(0)).ok()
    }

    fn frames(&self) -> u32 {
        (fs::metadata(self.path().with_extension("db-wal")).unwrap().len() / (4096 + 24)) as u32
    }

    fn is_sound(&self) -> bool {
        let result: String =
            self.writer.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        result == "ok"
    }
}

fn wait(checkpointer: &Checkpointer) -> Option<Pass> {
    let until = Instant::now() + FOREVER;
    loop {
        match checkpointer.progress() {
            CheckpointProgress::Idle(pass) => return pass,
            CheckpointProgress::Passing => {
                assert!(Instant::now() < until, "a pass should have ended");
            }
        }
        thread::sleep(PAUSE);
    }
}

#[test]
fn a_pass_copies_what_no_reader_needs_and_the_next_one_goes_on() {
    let bed = Bed::new();
    let mut checkpointer = bed.checkpointer();
    assert_eq!(
        checkpointer.progress(),
        CheckpointProgress::Idle(None),
        "no pass runs before it is requested"
    );
    let reader = Connection::open(bed.path()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM rows").unwrap();
    let before = bed.frames();
    bed.write();
    checkpointer.request();
    assert_eq!(wait(&checkpointer), Some(Pass::Copied(before)));
    let rows: i64 = reader.query_row("SELECT count(*) FROM rows", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, ROWS, "a reader still sees its snapshot");
    reader.execute_batch("COMMIT").unwrap();
    checkpointer.request();
    assert_eq!(wait(&checkpointer), Some(Pass::Copied(bed.frames())));
    assert_eq!(bed.alone(&bed.path()), Some(2 * ROWS));
    checkpointer.forget();
    assert_eq!(checkpointer.progress(), CheckpointProgress::Idle(None));
}

#[test]
fn a_pass_that_is_stopped_harms_nothing_and_is_done_again() {
    let bed = Bed::new();
    let mut checkpointer = bed.checkpointer();
    for _ in 0..20 {
        checkpointer.request();
        assert!(checkpointer.stop(FOREVER));
        assert_ne!(checkpointer.progress(), CheckpointProgress::Passing);
    }
    assert!(bed.is_sound());
    bed.write();
    checkpointer.request();
    assert_eq!(wait(&checkpointer), Some(Pass::Copied(bed.frames())));
    assert_eq!(bed.alone(&bed.path()), Some(2 * ROWS));
}

#[test]
fn a_thread_that_is_ended_in_a_pass_has_let_go_of_the_database() {
    let bed = Bed::new();
    let mut checkpointer = bed.checkpointer();
    checkpointer.request();
    checkpointer.end();
    let text = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy: i64 = bed.writer.query_row(text, [], |row| row.get(0)).unwrap();
    assert_eq!((busy, bed.alone(&bed.path())), (0, Some(ROWS)));
    bed.write();
    checkpointer.request();
    assert_eq!(
        wait(&checkpointer),
        Some(Pass::Copied(bed.frames())),
        "a request after `end` starts a new thread"
    );
}

#[test]
fn into_a_file_that_was_moved_or_replaced_nothing_is_copied() {
    let bed = Bed::new();
    let mut checkpointer = bed.checkpointer();
    let aside = bed.folder.path().join("aside.db");
    for is_open in [false, true] {
        fs::rename(bed.path(), &aside).unwrap();
        let before = fs::read(&aside).unwrap();
        checkpointer.request();
        assert_eq!(wait(&checkpointer), Some(Pass::Failed), "connection open: {is_open}");
        fs::write(bed.path(), "another").unwrap();
        checkpointer.request();
        assert_eq!(wait(&checkpointer), Some(Pass::Failed), "connection open: {is_open}");
        assert_eq!(fs::read(bed.path()).unwrap(), b"another");
        assert!(fs::read(&aside).unwrap() == before, "connection open: {is_open}");
        fs::rename(&aside, bed.path()).unwrap();
        checkpointer.request();
        assert_eq!(
            wait(&checkpointer),
            Some(Pass::Copied(bed.frames())),
            "a pass copies again when the file is back at its path"
        );
        bed.write();
    }
}

#[test]
fn while_another_program_copies_it_does_not() {
    let bed = Bed::new();
    let mut checkpointer = bed.checkpointer();
    // The RESTART checkpoint of the other connection waits for the reader, and holds the checkpoint
    // lock while it waits.
    let (reader, other) =
        (Connection::open(bed.path()).unwrap(), Connection::open(bed.path()).unwrap());
    reader.execute_batch("BEGIN; SELECT count(*) FROM rows").unwrap();
    other.busy_timeout(FOREVER).unwrap();
    // If a pass of the checkpointer holds the checkpoint lock, this checkpoint fails at once. So
    // the thread repeats it.
    let restart =
        move || other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get::<_, i64>(0));
    let waits = thread::spawn(move || while restart().unwrap() != 0 {});
    let until = Instant::now() + FOREVER;
    loop {
        checkpointer.request();
        match wait(&checkpointer) {
            Some(Pass::Busy) => break,
            other => assert!(Instant::now() < until, "{other:?}"),
        }
    }
    reader.execute_batch("COMMIT").unwrap();
    waits.join().unwrap();
}

/// After a failed sync the WAL holds the only copy of some pages, so no connection may restart it.
#[test]
fn a_log_that_is_kept_is_restarted_by_nobody() {
    let bed = Bed::new();
    keep_log(open(&DatabaseFile::of(&bed.writer)).unwrap(), &rusqlite::Error::InvalidQuery);
    bed.write();
    let frames = bed.frames();
    let text = "PRAGMA wal_checkpoint(PASSIVE)";
    bed.writer.query_row(text, [], |_| Ok(())).unwrap();
    bed.write();
    assert!(bed.frames() > frames);
    bed.writer.busy_timeout(Duration::ZERO).unwrap();
    let busy: i64 =
        bed.writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 1);
    let Bed { folder, writer } = bed;
    drop(writer);
    assert!(
        fs::metadata(folder.path().join("rows.db-wal")).unwrap().len() > 0,
        "closing the last other connection does not delete the WAL"
    );
}
