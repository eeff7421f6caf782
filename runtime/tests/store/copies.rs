//! Backups and restored databases. A copy is complete, from one point in time, and verified;
//! otherwise there is no copy.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use nouns_runtime::{
    Model, Store,
    def::{FieldDef, FieldKind},
    store::{CopyProgress, CopySummary, OpenError, RestoreSummary, backup, restore},
};
use rusqlite::Connection;

use super::bed::{Bed, changed, field, int, options, text};
use crate::database::TestDatabase;

fn copied(from: &Path, to: &Path) -> Result<CopySummary, String> {
    backup(from, to, false, &CopyProgress::default()).map_err(|error| error.to_string())
}

fn restored(from: &Path, to: &Path, replace: bool) -> Result<RestoreSummary, String> {
    let model = Model::link(&crate::twin::API).unwrap();
    restore(&model, from, to, replace, &CopyProgress::default()).map_err(|error| error.to_string())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn number(connection: &Connection, query: &str) -> i64 {
    connection.query_row(query, [], |row| row.get(0)).unwrap()
}

/// Creates a test bed and a backup of its database, in a folder of its own.
fn kept() -> (Bed, tempfile::TempDir, PathBuf) {
    let (bed, folder) = (Bed::filled(), tempfile::tempdir().unwrap());
    let copy = folder.path().join("copy.db");
    copied(&bed.path(), &copy).unwrap();
    (bed, folder, copy)
}

#[test]
fn what_is_in_the_log_alone_is_in_the_copy_and_the_copy_is_one_file() {
    let (bed, folder, copy) = kept();
    assert!(
        fs::metadata(bed.path().with_extension("db-wal")).unwrap().len() > 0,
        "the WAL must not be empty"
    );
    assert_eq!(names(folder.path()), ["copy.db"]);
    let bytes = fs::read(&copy).unwrap();
    assert_eq!(
        bytes[18..20],
        [1, 1],
        "a backup must not be in WAL mode, so that it opens on a read-only disk"
    );
    let opened =
        Connection::open_with_flags(&copy, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_eq!(number(&opened, "SELECT count(*) FROM pupils"), 1);
    let again = backup(bed.path(), &copy, true, &CopyProgress::default()).unwrap();
    assert_eq!((again.bytes, again.tables), (bytes.len() as u64, bed.model.resources().len()));
    assert_eq!(names(folder.path()), ["copy.db"]);
}

#[test]
fn a_copy_beside_writes_is_of_one_moment() {
    let (bed, folder) = (Bed::filled(), tempfile::tempdir().unwrap());
    let long = "x".repeat(2000);
    let filler = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000)
                  INSERT INTO districts (name) SELECT i || ?1 FROM n";
    bed.other().execute(filler, [&long]).unwrap();
    let together = |at: u32| {
        format!(
            "BEGIN IMMEDIATE; UPDATE districts SET name = 'moment {at}' WHERE id = 1;
             UPDATE pupils SET name = 'moment {at}' WHERE id = 1; COMMIT"
        )
    };
    let other = bed.other();
    other.execute_batch(&together(0)).unwrap();
    let is_over = AtomicBool::new(false);
    let (copies, written) = thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let other = bed.other();
            let moments = (1..).take_while(|_| !is_over.load(Ordering::Relaxed));
            moments.map(|at| other.execute_batch(&together(at)).unwrap()).count()
        });
        let copy = |at| {
            let copy = folder.path().join(format!("{at}.db"));
            copied(&bed.path(), &copy).map(|_| copy)
        };
        let copies: Vec<_> = (0..5).map(copy).collect();
        is_over.store(true, Ordering::Relaxed);
        (copies, writing.join().unwrap())
    });
    assert!(written > 10, "more than 10 writes must be committed while copies are made");
    for copy in copies {
        let copy = Connection::open(copy.unwrap()).unwrap();
        let differ = "SELECT count(*) FROM districts d, pupils p WHERE d.id = 1 AND p.id = 1 AND d.name <> p.name";
        assert_eq!(
            number(&copy, differ),
            0,
            "a copy must contain both rows of a transaction or neither"
        );
        assert_eq!(number(&copy, "SELECT count(*) FROM districts"), 8001);
    }
}

#[test]
fn what_is_there_is_kept_unless_it_is_to_be_replaced() {
    let (bed, folder, copy) = kept();
    let shown = copy.display();
    let refused = |to: &Path, replace| {
        backup(bed.path(), to, replace, &CopyProgress::default()).unwrap_err().to_string()
    };
    let expected = format!(
        "the backup `{shown}` exists already; choose another name, or replace it with `replace`."
    );
    assert_eq!(refused(&copy, false), expected);
    assert!(refused(&bed.path(), true).contains("would replace the database"));
    let linked = folder.path().join("linked.db");
    std::os::unix::fs::symlink(bed.path(), &linked).unwrap();
    assert!(refused(&linked, true).contains("would replace the database"));
    assert!(refused(folder.path(), true).contains("is a folder"));
    assert!(
        refused(&folder.path().join("no/copy.db"), false)
            .contains("is in a folder that does not exist")
    );
    fs::write(folder.path().join("other.db-wal"), "a log").unwrap();
    assert!(refused(&folder.path().join("other.db"), false).contains("other.db-wal"));
    assert_eq!(names(folder.path()), ["copy.db", "linked.db", "other.db-wal"]);
    let nothing =
        copied(&folder.path().join("none.db"), &folder.path().join("new.db")).unwrap_err();
    assert!(nothing.ends_with("none.db` does not exist."), "{nothing}");
}

#[test]
fn who_may_not_read_the_database_may_not_read_the_copy() {
    use std::os::unix::fs::PermissionsExt as _;
    let (bed, folder) = (Bed::filled(), tempfile::tempdir().unwrap());
    fs::set_permissions(bed.path(), fs::Permissions::from_mode(0o600)).unwrap();
    let copy = folder.path().join("copy.db");
    copied(&bed.path(), &copy).unwrap();
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn who_stops_it_finds_nothing_left() {
    let (bed, folder, copy) = kept();
    let progress = CopyProgress::default();
    progress.stop();
    let new = folder.path().join("new.db");
    let error = backup(bed.path(), &new, false, &progress).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("stopped; the backup `{}` was not written.", new.display())
    );
    let error = restore(&bed.model, &copy, &new, false, &progress).unwrap_err();
    assert!(error.to_string().starts_with("stopped; the database `"), "{error}");
    assert_eq!(names(folder.path()), ["copy.db"]);
}

/// The error for a backup that `damage` has changed.
fn damaged(damage: impl FnOnce(&Path)) -> String {
    let (_bed, folder, copy) = kept();
    damage(&copy);
    let as_backup = restored(&copy, &folder.path().join("new.db"), false).unwrap_err();
    let as_database = copied(&copy, &folder.path().join("new.db")).unwrap_err();
    assert_eq!(names(folder.path()), ["copy.db"], "{as_backup}");
    assert!(
        as_backup.starts_with("the backup `") && as_database.starts_with("the database `"),
        "{as_backup}"
    );
    as_backup
}

#[test]
fn what_is_not_sound_is_neither_a_backup_nor_restored() {
    let sql = |text: &'static str| {
        move |path: &Path| Connection::open(path).unwrap().execute_batch(text).unwrap()
    };
    // This change makes the entries of an index different from the index's definition.
    let another =
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '\"name\"', '\"nickname\"')
                   WHERE type = 'index' AND tbl_name = 'pupils' AND sql LIKE '%\"name\"%'";
    let cases: [(String, &str); 9] = [
        (
            damaged(|path| {
                let text = "SELECT rootpage FROM sqlite_schema WHERE name = 'pupils'";
                let page = number(&Connection::open(path).unwrap(), text).unsigned_abs();
                let file = OpenOptions::new().write(true).open(path).unwrap();
                file.write_all_at(&[0xa5; 4096], (page - 1) * 4096).unwrap();
            }),
            "is damaged: ",
        ),
        (
            damaged(|path| {
                let length = fs::metadata(path).unwrap().len();
                OpenOptions::new().write(true).open(path).unwrap().set_len(length - 8192).unwrap();
            }),
            "is damaged: ",
        ),
        (damaged(sql(another)), "is damaged: row 1 missing from index pupils__"),
        (
            damaged(sql("PRAGMA foreign_keys = OFF; UPDATE pupils SET class_id = 99")),
            "is damaged: the row 1 of `pupils` refers to a row of `classes` that does not exist; take another backup.",
        ),
        (
            damaged(sql("ALTER TABLE pupils DROP COLUMN born")),
            "is damaged: the table `pupils` does not match its stored record: no such column",
        ),
        (
            damaged(sql("UPDATE _nouns_state SET record = 'x'")),
            "has a stored schema record that cannot be read.",
        ),
        (
            damaged(sql("UPDATE _nouns_state SET format = 99")),
            "was created by a newer version of Nouns",
        ),
        (damaged(sql("DROP TABLE _nouns_state")), "was not created by Nouns."),
        (
            damaged(|path| fs::write(path, "no database. ".repeat(99)).unwrap()),
            "is not an SQLite database.",
        ),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
}

/// A restored database never assigns ids and revisions again that were assigned after the backup
/// and are lost. Two databases that are restored from one backup assign different numbers, too.
#[test]
fn the_counter_jumps_and_the_identity_is_another() {
    let (bed, folder, copy) = kept();
    let state = |path: &Path| -> (i64, String, String) {
        let text = "SELECT revision, database, declared_at FROM _nouns_state";
        let row = Connection::open(path).unwrap();
        row.query_row(text, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    };
    let before = state(&bed.path());
    assert_eq!(state(&copy), before);
    let new = ["a.db", "b.db"].map(|name| {
        let path = folder.path().join(name);
        assert_eq!(restored(&copy, &path, false).unwrap().aside, None);
        let begun = fs::read(&path).unwrap();
        assert_eq!(begun[18..20], [2, 2], "a restored database must be in WAL mode");
        path
    });
    let [a, b] = [state(&new[0]), state(&new[1])];
    for after in [&a, &b] {
        assert!(after.0 >= before.0 + (1 << 40) && after.0 < before.0 + (1 << 41) + (1 << 50));
        assert!(after.1 != before.1 && after.1.len() == 32);
        assert!(after.2 > before.2 && after.2.ends_with(".000000Z"), "{}", after.2);
    }
    assert!(
        a.0.abs_diff(b.0) > 1_000_000 && a.1 != b.1,
        "two databases from one backup must have different counters and identities"
    );
    assert_eq!(state(&copy), before, "a restore must not change the backup");
    assert_eq!(names(folder.path()), ["a.db", "b.db", "copy.db"]);
    let (_store, _) = Store::open(&bed.model, &options(new[0].clone())).unwrap();
    assert_eq!(state(&new[0]), a, "opening with the same declaration must not change the database");
}

#[test]
fn a_counter_without_room_is_refused() {
    let message = {
        let (_bed, folder, copy) = kept();
        let last = format!("UPDATE _nouns_state SET revision = {}", i64::MAX - (1 << 50));
        Connection::open(&copy).unwrap().execute_batch(&last).unwrap();
        restored(&copy, &folder.path().join("new.db"), false).unwrap_err()
    };
    assert!(message.contains("its change counter has reached its maximum"), "{message}");
}

#[test]
fn a_database_that_is_there_is_moved_aside_with_its_log() {
    let (_bed, folder, copy) = kept();
    let path = folder.path().join("schools.db");
    restored(&copy, &path, false).unwrap();
    let refused = restored(&copy, &path, false).unwrap_err();
    assert!(
        refused.ends_with("exists already; with `replace` it is renamed to `….replaced-TIME`."),
        "{refused}"
    );
    // The existing database is damaged and has an unreadable WAL. It is moved aside and not
    // changed.
    fs::write(&path, "what was there").unwrap();
    fs::write(path.with_extension("db-wal"), "its log").unwrap();
    let aside = restored(&copy, &path, true).unwrap().aside.unwrap();
    assert_eq!(fs::read(&aside).unwrap(), b"what was there");
    assert_eq!(fs::read(format!("{}-wal", aside.display())).unwrap(), b"its log");
    let opened = Connection::open(&path).unwrap();
    assert_eq!(number(&opened, "SELECT count(*) FROM pupils"), 1);
    drop(opened);
    assert_eq!(names(folder.path()).len(), 4);
    // SQLite would take a WAL without its database for the WAL of the restored database.
    fs::remove_file(&path).unwrap();
    fs::write(path.with_extension("db-wal"), "of another").unwrap();
    assert!(restored(&copy, &path, false).unwrap_err().contains("exists already"));
    assert!(restored(&copy, &path, true).unwrap().aside.is_some());
    assert!(!path.with_extension("db-wal").exists());
    assert!(restored(&path, &path, true).unwrap_err().ends_with("is the database itself."));
}

#[test]
fn a_backup_of_another_declaration_is_restored_where_it_can_become_this_one() {
    let (_bed, folder, copy) = kept();
    let path = folder.path().join("new.db");
    let more = changed("pupil", |def| {
        let mut fields = def.fields.to_vec();
        fields.push(FieldDef::new("shoe_size", FieldKind::Integer));
        def.fields = Vec::leak(fields);
    });
    let done = restore(&more, &copy, &path, false, &CopyProgress::default()).unwrap();
    assert_eq!(done.pending[0].description, "The column `pupils.shoe_size` is new.");
    assert!(matches!(Store::open(&more, &options(path.clone())), Err(OpenError::Pending(_))));
    let other = changed("pupil", |def| field(def, "name", |field| field.kind = FieldKind::Integer));
    let refused =
        restore(&other, &copy, &path, true, &CopyProgress::default()).unwrap_err().to_string();
    assert!(
        refused.contains("that it was made for. The differences that cannot be applied:\n- "),
        "{refused}"
    );
    assert!(refused.contains("pupils.name"), "{refused}");
}

/// A server that starts waits for the lock on the database file. If the file is replaced while the
/// server waits, the server must not use the old file.
#[test]
fn a_database_that_is_replaced_while_it_is_opened_is_not_served() {
    let (bed, folder, copy) = kept();
    for mode in ["WAL", "DELETE"] {
        let path = folder.path().join("schools.db");
        fs::copy(&copy, &path).unwrap();
        let holder = Connection::open(&path).unwrap();
        holder.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
        holder.pragma_update(None, "journal_mode", mode).unwrap();
        holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let (model, opening) = (Arc::clone(&bed.model), options(path.clone()));
        let opened = thread::spawn(move || Store::open(&model, &opening).map(drop));
        thread::sleep(Duration::from_millis(300));
        fs::rename(&path, folder.path().join("aside.db")).unwrap();
        fs::copy(&copy, &path).unwrap();
        drop(holder);
        let error = opened.join().unwrap().unwrap_err().to_string();
        assert!(
            error.ends_with("was replaced while it was opened; start the server again."),
            "{error}"
        );
    }
}

#[test]
fn what_is_written_after_is_new() {
    let (bed, folder, copy) = kept();
    let path = folder.path().join("schools.db");
    let (_, lost) = bed.add("district", &[], &[("name", text("South"))]);
    restored(&copy, &path, false).unwrap();
    let (store, _) = Store::open(&bed.model, &options(path.clone())).unwrap();
    let bed =
        Bed { store, model: Arc::clone(&bed.model), database: TestDatabase::new(path), folder };
    assert!(
        bed.revision("district", int(1)).unwrap() < lost,
        "a row of the backup must keep its revision"
    );
    let (id, revision) = bed.add("district", &[], &[("name", text("West"))]);
    assert!(id == int(2) && revision > lost + (1 << 40));
}
