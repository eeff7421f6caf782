//! Where the file of a database is, and whether it is still the one that was opened.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ffi};

/// A file that may be moved or deleted under an open connection, which would go on writing to nowhere.
pub(super) struct DatabaseFile {
    path: PathBuf,
    opened: Option<FileId>,
}

/// What tells a file from another of the same name.
pub(super) type FileId = (u64, u64);

impl DatabaseFile {
    /// The file of an open database.
    pub(super) fn of(connection: &Connection) -> Self {
        let path = PathBuf::from(connection.path().unwrap_or_default());
        Self { opened: id(&path), path }
    }

    /// Fails where the file is no longer there, as SQLite does on its own when it looks.
    pub(super) fn check(&self) -> rusqlite::Result<()> {
        if self.opened == id(&self.path) {
            return Ok(());
        }
        let error = ffi::Error::new(ffi::SQLITE_READONLY_DBMOVED);
        Err(rusqlite::Error::SqliteFailure(error, Some("the file is not the one that was opened".into())))
    }
}

/// The file that has a name now.
#[cfg(unix)]
pub(super) fn id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Without inodes, at least whether there is a file.
#[cfg(not(unix))]
pub(super) fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

/// Whether two names are of one file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path| fs::canonicalize(path).ok();
    let is_one_name = whole(one).is_some_and(|one| Some(one) == whole(other));
    is_one_name || cfg!(unix) && id(one).is_some_and(|one| Some(one) == id(other))
}
