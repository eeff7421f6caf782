//! Tests of a disk that fails under the server. Only the writes that meet the fault fail, with a
//! problem document that helps the client. They succeed when the client repeats them after the
//! fault.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::FileExt as _,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock},
    thread,
    time::{Duration, Instant},
};

use nouns::__runtime::{limits, store::Synchronous};
use rusqlite::{Connection, ffi};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    client::{Answer, Client, Request},
    disk::{Call, Disk, Fault},
    load::Load,
    power::Serving,
    random::Random,
    state,
};

pub(crate) const FILE: &str = "library.db";
const LOG: &str = "library.db-wal";
/// The number of readers (a resource of the schema) at the beginning of a test. Their rows fill so
/// many pages that a test can read a page that is not in the page cache.
const READERS: u64 = 1_000;
/// The time that a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a disk that can fail: the test bed of this file.
pub(crate) struct Bed {
    _folder: TempDir,
    pub(crate) database: PathBuf,
    pub(crate) disk: Arc<Disk>,
    pub(crate) serving: Serving,
    names: BTreeSet<String>,
}

impl Bed {
    pub(crate) fn new() -> Self {
        log();
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::watch(folder.path());
        let database = folder.path().canonicalize().unwrap().join(FILE);
        let serving = Serving::start(&database, Synchronous::Full);
        Self { _folder: folder, database, disk, serving, names: BTreeSet::new() }
    }

    /// Creates a test bed with many readers. The server is restarted, so their rows are in the file
    /// and not in the page cache.
    fn with_readers() -> Self {
        let mut bed = Self::new();
        let name = |at: u64| json!({ "name": format!("{at:0>100}") });
        let readers = (0..READERS).map(name).collect();
        let answer =
            bed.client().ask(&Request::new("POST", "/readers".into(), Some(readers))).unwrap();
        assert_eq!(answer.status, 201);
        bed.serving.stop();
        bed.serving = Serving::start(&bed.database, Synchronous::Full);
        bed
    }

    pub(crate) fn client(&self) -> Client {
        self.serving.client()
    }

    fn ask(&self, method: &'static str, target: &str) -> Answer {
        self.client().ask(&Request::new(method, target.into(), None)).unwrap()
    }

    fn library(&mut self, name: &str) -> Answer {
        let answer = self.client().ask(&library(name)).unwrap();
        self.note(name, &answer);
        answer
    }

    fn note(&mut self, name: &str, answer: &Answer) {
        if answer.status == 201 {
            self.names.insert(name.to_owned());
        }
    }

    /// Returns the numbers of the leaf pages of the table `readers`.
    fn pages(&self) -> BTreeSet<u64> {
        let connection = Connection::open(&self.database).unwrap();
        let text = "SELECT pageno FROM dbstat WHERE name = 'readers' AND pagetype = 'leaf'";
        let mut statement = connection.prepare(text).unwrap();
        let pages = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        let pages: BTreeSet<_> = pages.map(|page| page.unwrap().unsigned_abs()).collect();
        assert!(pages.len() > 10, "table `readers` has too few leaf pages: {pages:?}");
        pages
    }

    /// Sends requests that all wait for the writer, in this order, and that share a transaction.
    /// Another connection holds SQLite's write lock meanwhile.
    fn together(&self, requests: &[Request]) -> Vec<Answer> {
        let other = Connection::open(&self.database).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        thread::scope(|scope| {
            let ask = |request| {
                let mut client = self.client();
                let response = scope.spawn(move || client.ask(request).unwrap());
                thread::sleep(Duration::from_millis(30));
                response
            };
            let responses: Vec<_> = requests.iter().map(ask).collect();
            other.execute_batch("ROLLBACK").unwrap();
            responses.into_iter().map(|response| response.join().unwrap()).collect()
        })
    }

    /// Checks the database, before and after a restart of the server. No acknowledged write may be
    /// lost, nothing else may be written, and the integrity checks must pass.
    fn end(self) {
        self.disk.fail(None);
        let mut bed = self;
        assert_eq!(bed.library("at last").status, 201, "a write failed without a fault");
        let names = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT name FROM libraries").unwrap();
            let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            names.map(Result::unwrap).collect::<BTreeSet<_>>()
        };
        assert_eq!(names(&state::sound(&bed.database)), bed.names);
        bed.serving.stop();
        let serving = Serving::start(&bed.database, Synchronous::Full);
        assert_eq!(names(&state::sound(&bed.database)), bed.names);
        serving.stop();
        bed.disk.forget();
    }
}

fn library(name: &str) -> Request {
    Request::new("POST", "/libraries".into(), Some(json!({ "name": name })))
}

fn reader(id: u64, name: &str) -> Request {
    Request::new("PATCH", format!("/readers/{id}"), Some(json!({ "name": name })))
}

fn status_and_retry(answer: &Answer) -> (u16, Option<&str>) {
    (answer.status, answer.retry_after.as_deref())
}

/// The log lines of this process.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn log() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        tracing_subscriber::fmt().with_ansi(false).with_writer(|| Lines).init();
    });
}

pub(crate) fn logged(sentence: &str) -> bool {
    String::from_utf8_lossy(&LINES.lock().unwrap()).contains(sentence)
}

/// Fails reads of the pages of one table, with each error code that a read can have.
#[test]
fn what_cannot_be_read_fails_its_own_write_and_no_neighbour() {
    let mut bed = Bed::with_readers();
    let pages = bed.pages();
    let cases = [
        (ffi::SQLITE_IOERR_READ, (500, None)),
        (ffi::SQLITE_IOERR_CORRUPTFS, (500, None)),
        (ffi::SQLITE_CORRUPT, (500, None)),
        (ffi::SQLITE_NOTADB, (500, None)),
        (ffi::SQLITE_READONLY, (500, None)),
        (ffi::SQLITE_TOOBIG, (500, None)),
        (ffi::SQLITE_FULL, (503, Some("10"))),
        (ffi::SQLITE_NOMEM, (503, Some("1"))),
        (ffi::SQLITE_CANTOPEN, (503, Some("1"))),
        (ffi::SQLITE_PROTOCOL, (503, Some("1"))),
        (ffi::SQLITE_BUSY, (503, Some("1"))),
        (ffi::SQLITE_LOCKED, (503, Some("1"))),
        (ffi::SQLITE_INTERRUPT, (503, Some("1"))),
    ];
    for (at, (code, expected)) in (0..).zip(cases) {
        // An interrupted read is retried on the slow lane (a thread for slow reads), and
        // interrupted again. `Retry-After` differs there.
        let read = if code == ffi::SQLITE_INTERRUPT { (503, Some("2")) } else { expected };
        let (before, after) = (format!("{code} before"), format!("{code} after"));
        let id = 70 * at + 50;
        bed.disk.fail(Some(Fault { pages: pages.clone(), ..Fault::new(Call::Read, FILE, code) }));
        let requests = [library(&before), reader(id, &before), library(&after)];
        let answers = bed.together(&requests);
        assert_eq!(
            answers.iter().map(status_and_retry).collect::<Vec<_>>(),
            [(201, None), expected, (201, None)],
            "{code}"
        );
        bed.note(&before, &answers[0]);
        bed.note(&after, &answers[2]);
        assert_eq!(
            status_and_retry(&bed.ask("GET", &format!("/readers/{}", id + 1))),
            read,
            "{code}"
        );
        assert_eq!(bed.ask("GET", "/libraries").status, 200);
        bed.disk.fail(None);
        assert_eq!(
            bed.client().ask(&reader(id, &before)).unwrap().status,
            200,
            "PATCH must be 200 without the fault {code}"
        );
        assert_eq!(
            bed.ask("GET", &format!("/readers/{}", id + 1)).status,
            200,
            "GET must be 200 without the fault {code}"
        );
    }
    assert!(logged("the database cannot be read or written: check its disk"));
    assert!(logged(
        "a page of the database is damaged: check its disk, then restore the database from a backup"
    ));
    bed.end();
}

/// A failed commit does not tell which write caused the error, so each write is retried alone.
#[test]
fn a_commit_that_fails_once_fails_no_write() {
    let mut bed = Bed::new();
    let cases = [
        (Call::Write, ffi::SQLITE_FULL),
        (Call::Write, ffi::SQLITE_IOERR_WRITE),
        (Call::Sync, ffi::SQLITE_IOERR_FSYNC),
        (Call::Write, ffi::SQLITE_READONLY),
    ];
    for (call, code) in cases {
        bed.disk.fail(Some(Fault { times: 1, ..Fault::new(call, LOG, code) }));
        let names = ["a", "b", "c"].map(|name| format!("{name} {code}"));
        let answers = bed.together(&names.each_ref().map(|name| library(name)));
        assert!(answers.iter().all(|answer| answer.status == 201), "fault {code}: {answers:?}");
        names.iter().zip(&answers).for_each(|(name, answer)| bed.note(name, answer));
    }
    assert!(logged("tried one by one"));
    bed.end();
}

#[test]
fn a_log_that_cannot_be_written_refuses_writes_and_no_reads_until_it_can() {
    let mut bed = Bed::new();
    assert_eq!(bed.library("before").status, 201);
    let cases = [
        (Call::Write, ffi::SQLITE_FULL, (503, Some("10"))),
        (Call::Write, ffi::SQLITE_IOERR_WRITE, (500, None)),
        (Call::Sync, ffi::SQLITE_IOERR_FSYNC, (500, None)),
        (Call::Write, ffi::SQLITE_READONLY, (500, None)),
    ];
    for (call, code, expected) in cases {
        bed.disk.fail(Some(Fault::new(call, LOG, code)));
        let names = ["a", "b", "c"].map(|name| format!("{name} {code}"));
        let answers = bed.together(&names.each_ref().map(|name| library(name)));
        assert_eq!(
            answers.iter().map(status_and_retry).collect::<Vec<_>>(),
            [expected; 3],
            "{code}"
        );
        assert_eq!(status_and_retry(&bed.library("alone")), expected, "{code}");
        assert_eq!(bed.ask("GET", "/libraries/1").status, 200, "{code}");
        bed.disk.fail(None);
        assert_eq!(bed.library(&names[0]).status, 201, "POST must be 201 without the fault {code}");
    }
    assert!(logged("the disk of the database is full"));
    assert!(logged("the database has become read-only"));
    bed.end();
}

#[test]
fn a_disk_with_room_for_each_but_the_largest_refuses_that_alone() {
    let mut bed = Bed::new();
    assert_eq!(bed.library("before").status, 201);
    let used = fs::metadata(bed.database.with_extension("db-wal")).unwrap().len();
    let room = used + 300_000;
    bed.disk.fail(Some(Fault { from: room, ..Fault::new(Call::Write, LOG, ffi::SQLITE_FULL) }));
    let large = "x".repeat(900_000);
    let answers = bed.together(&[library("a"), library(&large), library("b")]);
    assert_eq!(
        answers.iter().map(status_and_retry).collect::<Vec<_>>(),
        [(201, None), (503, Some("10")), (201, None)]
    );
    bed.note("a", &answers[0]);
    bed.note("b", &answers[2]);
    bed.end();
}

/// When a transaction outgrows the page cache, SQLite writes to the WAL before the commit.
#[test]
fn a_write_that_fails_in_the_middle_of_a_transaction_fails_alone() {
    for (code, expected) in
        [(ffi::SQLITE_IOERR_WRITE, (500, None)), (ffi::SQLITE_FULL, (503, Some("10")))]
    {
        let mut bed = Bed::new();
        let names: Vec<_> = ('a'..='l').map(|letter| letter.to_string().repeat(900_000)).collect();
        bed.disk.fail(Some(Fault { times: 1, ..Fault::new(Call::Write, LOG, code) }));
        let answers = bed.together(&names.iter().map(|name| library(name)).collect::<Vec<_>>());
        let failed: Vec<_> =
            answers.iter().filter(|answer| answer.status != 201).map(status_and_retry).collect();
        assert_eq!(failed, [expected], "{code}");
        names.iter().zip(&answers).for_each(|(name, answer)| bed.note(name, answer));
        bed.end();
    }
}

#[test]
fn a_log_that_cannot_be_brought_into_the_database_grows_until_it_can() {
    let bed = Bed::new();
    let mut load = Load::new("c0".into(), Random::new(1), &mut bed.client());
    load.is_large = true;
    let mut client = bed.client();
    bed.disk.fail(Some(Fault::new(Call::Write, FILE, ffi::SQLITE_IOERR_WRITE)));
    let log = || fs::metadata(bed.database.with_extension("db-wal")).unwrap().len();
    let until = Instant::now() + PATIENCE;
    while log() < limits::WAL_BYTES as u64 * 3 / 2 {
        assert!(Instant::now() < until, "the WAL did not reach its size in time");
        load.write(&mut client).unwrap();
    }
    assert!(logged("the checkpoint of the write-ahead log failed"));
    bed.disk.fail(None);
    let size = log();
    for _ in 0..40 {
        load.write(&mut client).unwrap();
    }
    assert!(log() < size + (8 << 20), "SQLite must reuse the WAL after the fault");
    let found = state::State::read(&state::sound(&bed.database), "c0");
    assert_eq!(load.state.difference(&found), None);
    bed.serving.stop();
    bed.disk.forget();
}

#[test]
fn a_database_that_another_program_holds_is_written_when_it_lets_go() {
    let mut bed = Bed::new();
    assert_eq!(bed.library("before").status, 201);
    let other = Connection::open(&bed.database).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let mut client = bed.client();
        let waits = scope.spawn(move || client.ask(&library("during")).unwrap());
        assert_eq!(bed.ask("GET", "/libraries/1").status, 200, "a read must not wait for a lock");
        assert_eq!(status_and_retry(&waits.join().unwrap()), (503, Some("1")));
    });
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(bed.library("after").status, 201);
    bed.end();
}

#[test]
fn a_page_of_rubbish_fails_who_reads_it_and_nobody_else() {
    let mut bed = Bed::with_readers();
    let page = *bed.pages().iter().nth(5).unwrap();
    let file = fs::OpenOptions::new().read(true).write(true).open(&bed.database).unwrap();
    let (at, mut whole) = ((page - 1) * 4096, [0; 4096]);
    file.read_exact_at(&mut whole, at).unwrap();
    file.write_all_at(&[0xa5; 4096], at).unwrap();
    let is_hit = |id: &u64| bed.ask("GET", &format!("/readers/{id}")).status == 500;
    let id = (1..=READERS).find(is_hit).expect("a reader is on the damaged page");
    let requests = [library("a"), reader(id, "changed"), library("b")];
    let answers = bed.together(&requests);
    assert_eq!(
        answers.iter().map(status_and_retry).collect::<Vec<_>>(),
        [(201, None), (500, None), (201, None)]
    );
    bed.note("a", &answers[0]);
    bed.note("b", &answers[2]);
    assert_eq!(
        bed.ask("GET", &format!("/readers/{}", (id + READERS / 2) % READERS + 1)).status,
        200
    );
    bed.serving.stop();
    file.write_all_at(&whole, at).unwrap();
    bed.serving = Serving::start(&bed.database, Synchronous::Full);
    assert_eq!(bed.client().ask(&reader(id, "changed")).unwrap().status, 200);
    bed.end();
}

#[test]
fn a_file_that_cannot_be_opened_once_more_is_tried_again() {
    let bed = Bed::with_readers();
    let export =
        Request::new("GET", "/readers".into(), None).with("accept", "application/x-ndjson".into());
    bed.disk.refuse(Some((FILE, ffi::SQLITE_CANTOPEN)));
    assert_eq!(status_and_retry(&bed.client().ask(&export).unwrap()), (503, Some("1")));
    assert_eq!(bed.ask("GET", "/readers/1").status, 200);
    bed.disk.refuse(None);
    assert_eq!(bed.client().ask(&export.with("range", "bytes=0-1".into())).unwrap().status, 206);
    bed.end();
}
