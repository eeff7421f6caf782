//! The path of a database file, and whether the file there is still the one that was opened.
//!
//! A file that was moved or deleted is still read, since only this process has its content. Nothing
//! is written to it, since that would be lost with it. If another file has taken its place, the old
//! one is not read either.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU8, Ordering},
};

use rusqlite::{Connection, ffi};

/// A file that may be moved, deleted or replaced under an open connection.
pub(super) struct DatabaseFile {
    path: PathBuf,
    opened: Option<FileId>,
    /// The result of the last look.
    last_look: AtomicU8,
}

/// What is found at the path of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum FileAtPath {
    TheFile,
    Nothing,
    Another,
}

/// The identity of a file, which tells it from another one of the same name.
pub(super) type FileId = (u64, u64);

impl DatabaseFile {
    /// The file of an open database.
    pub(super) fn of(connection: &Connection) -> Self {
        let path = PathBuf::from(connection.path().unwrap_or_default());
        Self { opened: id(&path), path, last_look: AtomicU8::new(FileAtPath::TheFile as u8) }
    }

    /// The path at which it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Looks whether the file is still there, and logs a change.
    pub(super) fn look(&self) -> FileAtPath {
        let found = match id(&self.path) {
            now if now == self.opened => FileAtPath::TheFile,
            None => FileAtPath::Nothing,
            Some(_) => FileAtPath::Another,
        };
        if self.last_look.swap(found as u8, Ordering::Relaxed) != found as u8 {
            match found {
                FileAtPath::TheFile => tracing::info!("the file of the database is back"),
                FileAtPath::Nothing => tracing::error!(
                    "the file of the database was moved or deleted: nothing can be written until it is back"
                ),
                FileAtPath::Another => tracing::error!(
                    "another file is where that of the database was: nothing can be read or written until that is back; \
                     to serve the new one, restart the server"
                ),
            }
        }
        found
    }

    /// Fails if the file is not there, with the error that SQLite returns for this.
    pub(super) fn check(&self) -> rusqlite::Result<()> {
        if self.look() == FileAtPath::TheFile { Ok(()) } else { Err(file_moved()) }
    }

    /// Whether it was there at the last look.
    pub(super) fn is_there(&self) -> bool {
        self.last_look.load(Ordering::Relaxed) == FileAtPath::TheFile as u8
    }

    /// Fails if another file was there at the last look.
    pub(super) fn check_read(&self) -> rusqlite::Result<()> {
        if self.last_look.load(Ordering::Relaxed) == FileAtPath::Another as u8 {
            Err(file_moved())
        } else {
            Ok(())
        }
    }
}

fn file_moved() -> rusqlite::Error {
    let error = ffi::Error::new(ffi::SQLITE_READONLY_DBMOVED);
    rusqlite::Error::SqliteFailure(error, Some("the file is not the one that was opened".into()))
}

/// The identity of the file that has a name now.
#[cfg(unix)]
pub(super) fn id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Systems without inodes only show whether there is a file.
#[cfg(not(unix))]
pub(super) fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

/// Whether two paths name the same file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path| fs::canonicalize(path).ok();
    let is_one_name = whole(one).is_some_and(|one| Some(one) == whole(other));
    is_one_name || cfg!(unix) && id(one).is_some_and(|one| Some(one) == id(other))
}
