//! Tests of a long WAL: which thread copies it into the database, and when it is restarted.

use std::{fs, sync::mpsc, thread, time::Instant};

use super::{
    super::{
        bed::API,
        writer::{
            Writer,
            tests::{log_bytes, open, path, write},
        },
    },
    *,
};
use crate::{model::Model, store::end_demand::EndDemand};

const LONG: u64 = limits::WAL_BYTES as u64;
/// The time limit of each test.
const FOREVER: Duration = Duration::from_secs(60);

/// A test fixture: a writer on a new database, and the time at which the test must have ended.
struct Bed {
    folder: tempfile::TempDir,
    model: Arc<Model>,
    writer: Writer,
    until: Instant,
}

impl Bed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = Arc::new(Model::link(&API).unwrap());
        let writer = open(&folder, &model);
        Self { folder, model, writer, until: Instant::now() + FOREVER }
    }

    /// Writes one note in a batch. Returns the length of the WAL file in bytes.
    fn write(&mut self) -> u64 {
        assert!(Instant::now() < self.until, "the test has exceeded its time limit");
        write(&mut self.writer, &self.model, 1);
        self.writer.tidy();
        log_bytes(&self.folder)
    }

    /// Writes until the length of the WAL file has been the same for 100 writes, so the WAL was
    /// restarted. Returns the length in bytes.
    fn restarted(&mut self) -> u64 {
        let (mut bytes, mut same) = (0, 0);
        while same < 100 {
            let now = self.write();
            same = if now == bytes { same + 1 } else { 0 };
            bytes = now;
        }
        bytes
    }
}

/// The checkpointer copies most pages into the database file before the writer copies any.
#[test]
fn a_long_log_is_copied_beside_the_writer_and_restarted_by_it() {
    let mut bed = Bed::new();
    while bed.write() < LONG * 21 / 20 {}
    while fs::metadata(path(&bed.folder)).unwrap().len() < LONG / 8 {
        assert!(
            Instant::now() < bed.until,
            "the checkpointer should have copied pages into the database file"
        );
        thread::sleep(Duration::from_millis(1));
    }
    assert!(bed.restarted() < 2 * LONG);
    bed.writer.end();
    assert_eq!(log_bytes(&bed.folder), 0);
}

#[test]
fn who_holds_a_snapshot_keeps_the_log_from_being_restarted_and_no_longer() {
    let mut bed = Bed::new();
    bed.write();
    let reader = Connection::open(path(&bed.folder)).unwrap();
    let notes =
        || reader.query_row("SELECT count(*) FROM notes", [], |row| row.get::<_, i64>(0)).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(notes(), 1);
    while bed.write() < 3 * LONG {}
    assert_eq!(notes(), 1, "an open read transaction keeps its snapshot");
    reader.execute_batch("COMMIT").unwrap();
    let longest = bed.restarted();
    assert!(longest < 6 * LONG, "the WAL has {longest} bytes");
    bed.writer.end();
    assert_eq!(log_bytes(&bed.folder), 0);
}

/// A long read whose snapshot keeps the WAL from being restarted has to end, the oldest first. So
/// the WAL stays under its limit.
#[test]
fn long_reads_give_way_before_the_log_is_too_long() {
    let mut bed = Bed::new();
    bed.write();
    let reads = Arc::clone(bed.writer.commits.long_reads());
    let (begun, running) = mpsc::channel();
    let read = |begun: mpsc::Sender<Arc<EndDemand>>| {
        let (path, reads) = (path(&bed.folder), Arc::clone(&reads));
        thread::spawn(move || {
            let demand = EndDemand::new("a test");
            let _read = reads.begin(&demand);
            let reader = Connection::open(path).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM notes").unwrap();
            begun.send(Arc::clone(&demand)).unwrap();
            while !demand.has_come() {
                thread::sleep(Duration::from_millis(1));
            }
        })
    };
    let threads = [begun.clone(), begun].map(read);
    let mut reads: Vec<_> = running.iter().take(2).collect();
    reads.sort_by_key(|read| read.begun());
    let mut longest = 0;
    while !reads[1].has_come() {
        longest = longest.max(bed.write());
        assert!(longest < 2 * LONG, "the WAL has {longest} bytes");
        assert!(reads[0].has_come() || !reads[1].has_come(), "the oldest read ends first");
    }
    assert!(longest > LONG, "reads end only if the WAL is long");
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(bed.restarted() < 2 * LONG);
}

/// If the checkpointer takes long to copy the WAL into the database file, the writer waits for it
/// only until the WAL has grown by three quarters.
#[test]
fn a_pass_without_end_does_not_let_the_log_grow() {
    let mut bed = Bed::new();
    let file = Arc::clone(bed.writer.file());
    let mut connection = Connection::open(path(&bed.folder)).unwrap();
    let mut wal = Wal::watch(&mut connection, Arc::default(), file).unwrap();
    wal.checkpointer.pretend_to_pass();
    let most = late(LOG_PAGES);
    assert_eq!(most, LOG_PAGES / 4 * 7);
    assert_eq!(wal.step(most - 1, false), WalStep::Wait);
    assert_eq!(wal.step(most, true), WalStep::Restart(PATIENCE_AT_LAST));
    assert!(
        late(10 * LOG_PAGES) > 10 * LOG_PAGES,
        "a WAL that is already long may grow further while a pass runs"
    );
    bed.write();
}
