//! The path of a database file, and whether the file at that path is still the one that was opened.
//!
//! If the file was moved or deleted, the server continues to read from it, since no other process
//! has its data any more. But the server does not write to it, since the writes would be lost. If
//! another file is at the path, the server does not read from the old file either.
//!
//! The same holds for the WAL and its index, which are beside the file: no other process would find
//! what is written to a deleted WAL.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU8, Ordering},
};

use rusqlite::{Connection, ffi};

/// The file of an open database, which other programs may move, delete or replace.
pub(super) struct DatabaseFile {
    path: PathBuf,
    opened: Option<FileId>,
    wal: CompanionFile,
    wal_index: CompanionFile,
    /// Whether the store was closed. The last connection removes the WAL, and a later read has
    /// another one.
    is_closed: AtomicBool,
    /// The result of the last call of `look`: a [`FileAtPath`] as a number.
    last_look: AtomicU8,
}

/// The file at the path of the database file now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum FileAtPath {
    TheFile,
    Nothing,
    Another,
    /// The database file is at its path, but its WAL or the index of the WAL is not.
    WithoutWal,
}

/// A file beside the database file that SQLite keeps open.
struct CompanionFile {
    path: PathBuf,
    /// The file that was opened; `None` if there was none, because the database has no WAL.
    opened: Option<FileId>,
}

impl CompanionFile {
    fn of(database: &Path, end: &str) -> Self {
        let mut path = database.to_path_buf().into_os_string();
        path.push(end);
        let path = PathBuf::from(path);
        Self { opened: id(&path), path }
    }

    fn is_there(&self) -> bool {
        self.opened.is_none() || id(&self.path) == self.opened
    }
}

/// The identity of a file: its device and inode numbers on Unix. Another file with the same name
/// has another identity.
pub(super) type FileId = (u64, u64);

impl DatabaseFile {
    /// The database file of an open connection, which has read from it.
    pub(super) fn of(connection: &Connection) -> Self {
        let path = PathBuf::from(connection.path().unwrap_or_default());
        let [wal, wal_index] = ["-wal", "-shm"].map(|end| CompanionFile::of(&path, end));
        let last_look = AtomicU8::new(FileAtPath::TheFile as u8);
        let is_closed = AtomicBool::default();
        Self { opened: id(&path), path, wal, wal_index, is_closed, last_look }
    }

    /// Records that the writer empties the WAL and closes its connection.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// The path at which the database file was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks whether the file at the path is still the one that was opened. Logs a change since
    /// the last check.
    pub(super) fn look(&self) -> FileAtPath {
        let at_path = match id(&self.path) {
            now if now == self.opened && self.has_companions() => FileAtPath::TheFile,
            now if now == self.opened => FileAtPath::WithoutWal,
            None => FileAtPath::Nothing,
            Some(_) => FileAtPath::Another,
        };
        if self.last_look.swap(at_path as u8, Ordering::Relaxed) != at_path as u8 {
            match at_path {
                FileAtPath::TheFile => tracing::info!("the database file is back at its path"),
                FileAtPath::Nothing => tracing::error!(
                    "the database file was moved or deleted: writes fail until the file is back at its path"
                ),
                FileAtPath::Another => tracing::error!(
                    "another file has replaced the database file: reads and writes fail until the original is back; \
                     to serve the new file, restart the server"
                ),
                FileAtPath::WithoutWal => tracing::error!(
                    "the write-ahead log of the database, or its index, was moved, deleted or replaced: \
                     writes fail until the server is restarted"
                ),
            }
        }
        at_path
    }

    /// Fails if the file at the path is not the one that was opened. The error is the one of SQLite
    /// for a moved file (`SQLITE_READONLY_DBMOVED`).
    pub(super) fn check(&self) -> rusqlite::Result<()> {
        if self.look() == FileAtPath::TheFile { Ok(()) } else { Err(file_moved()) }
    }

    /// Whether the files beside the database file are still those that were opened.
    fn has_companions(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed) || self.wal.is_there() && self.wal_index.is_there()
    }

    /// Whether the WAL at its path is still the one that was opened.
    pub(super) fn wal_is_there(&self) -> bool {
        self.wal.is_there()
    }

    /// Whether the database file was at its path at the last check.
    pub(super) fn is_there(&self) -> bool {
        self.last_look.load(Ordering::Relaxed) == FileAtPath::TheFile as u8
    }

    /// Fails if another file was at the path at the last check. A read is allowed if there was no
    /// file.
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
    rusqlite::Error::SqliteFailure(error, Some("the database file was moved or replaced".into()))
}

/// The identity of the file that is at a path now. `None` if there is no file. Each commit asks for
/// several.
#[cfg(target_os = "linux")]
pub(super) fn id(path: &Path) -> Option<FileId> {
    rustix::fs::stat(path).ok().map(|file| (file.st_dev, file.st_ino))
}

/// The identity of the file that is at a path now. On other systems, the numbers have other types
/// in the result of the system call.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// The identity of a file on systems without inodes. It only shows whether there is a file.
#[cfg(not(unix))]
pub(super) fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

/// Creates a file that other users of the system cannot read, unless there is one. SQLite gives the
/// WAL and the index of a database the permissions of its file. If that fails, so does SQLite, with
/// an error of its own.
pub(super) fn create_private(path: &Path) {
    create_new_private(path).ok();
}

/// Creates a file that other users of the system cannot read.
pub(super) fn create_new_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether two paths name the same file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path| fs::canonicalize(path).ok();
    let is_one_name = whole(one).is_some_and(|one| Some(one) == whole(other));
    is_one_name || cfg!(unix) && id(one).is_some_and(|one| Some(one) == id(other))
}
