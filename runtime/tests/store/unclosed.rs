//! A database that was not closed is fully checked at the next start.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use nouns_runtime::{Model, Store, store::OpenError};

use super::bed::{Bed, options, text};

/// Copies the files of an open store. The copy is like a database whose process was killed.
fn left(bed: &Bed, folder: &Path) -> PathBuf {
    for end in ["", "-wal"] {
        let name = format!("schools.db{end}");
        fs::copy(bed.folder.path().join(&name), folder.join(&name)).unwrap();
    }
    folder.join("schools.db")
}

fn open(path: &Path) -> Result<(), OpenError> {
    let model = Arc::new(Model::link(&crate::twin::API).unwrap());
    Store::open(&model, &options(path)).map(drop)
}

/// A store with all rows in the database file, except for one row in the WAL. The second value is
/// the offset of a long text in the file. A start without a full check does not read this text.
fn bed() -> (Bed, u64) {
    let bed = Bed::filled();
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea")), ("born", text(&"x".repeat(100_000)))]);
    let other = bed.other();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    bed.add("pupil", &[1, 1, 1], &[("name", text("Cleo"))]);
    let text = "SELECT min(pageno) FROM dbstat WHERE name = 'pupils' AND pagetype = 'overflow'";
    let page: i64 = other.query_row(text, [], |row| row.get(0)).unwrap();
    (bed, (page.unsigned_abs() - 1) * 4096)
}

#[test]
fn what_was_not_closed_is_looked_through() {
    let (bed, at) = bed();
    let folder = tempfile::tempdir().unwrap();
    let path = left(&bed, folder.path());
    open(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = left(&bed, folder.path());
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&[0xa5; 4096], at).unwrap();
    let error = open(&path).unwrap_err();
    let expected =
        format!("the database `{}` is damaged; restore it from a backup.", path.display());
    assert_eq!(error.to_string(), expected);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        source.contains("invalid page number"),
        "the source of the error must have SQLite's message, not {source}"
    );
}

/// A full check takes long, so a database that was closed is not checked.
#[test]
fn what_was_closed_is_not() {
    let (bed, at) = bed();
    let folder = tempfile::tempdir().unwrap();
    let path = left(&bed, folder.path());
    fs::remove_file(path.with_extension("db-wal")).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&[0xa5; 4096], at).unwrap();
    open(&path).unwrap();
}
