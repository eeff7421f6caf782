//! A draft: a new database file under a temporary name. The draft is filled from another database
//! and checked. Only then does the draft get its final name.

use std::{
    fs::{self, File, Permissions},
    io,
    path::{Path, PathBuf},
    process,
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
    ffi,
};

use super::{
    fault,
    file::create_new_private,
    opening::set_memory,
    system::{self, DatabaseKind},
};
use crate::store::{
    CopyProgress, CopySummary,
    hold::UNFINISHED,
    sql::{self, record::Record},
};

/// The number of pages that are copied between two checks whether the copy was stopped. With pages
/// of 4 KiB these are 4 MiB, which take some milliseconds.
const PAGES_AT_ONCE: i32 = 1024;
/// The number of virtual machine steps between two checks whether the copy was stopped, while
/// SQLite verifies the copy.
const STEPS_AT_ONCE: i32 = 10_000;
/// The size of the page cache of a connection that verifies or copies a file, in bytes.
const CACHE_BYTES: usize = 64 * 1024 * 1024;
/// The suffixes of the files that SQLite creates beside a database file.
pub(super) const ENDS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The reason why a draft (new database file) was not completed.
pub(super) enum Halt {
    /// The caller stopped the copy.
    Stopped,
    /// The copy is damaged. The text describes the damage and becomes a part of an error message.
    Unsound(String),
    Database(rusqlite::Error),
    System(io::Error),
}

/// The reason why a database file has no usable record (stored description of its tables).
pub(super) enum RecordError {
    Database(rusqlite::Error),
    /// The file cannot be used. The text follows the name of the file in the error message.
    Unfit(&'static str),
}

impl From<RecordError> for Halt {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Database(cause) => Self::Database(cause),
            RecordError::Unfit(reason) => Self::Unsound(format!("it {reason}")),
        }
    }
}

impl From<rusqlite::Error> for Halt {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// A new database file with a temporary name. The file is deleted when this is dropped, unless it
/// was published.
pub(super) struct Draft(PathBuf);

impl Draft {
    /// Creates an empty draft in the folder of `target`. The draft gets the permissions of the file
    /// `like`, and write permission for its owner. Without such a file, only its owner can read it.
    pub(super) fn beside(target: &Path, like: Option<&fs::Metadata>) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
        let draft = Self(target.with_file_name(format!(".{name}.{}", process::id())));
        let file = create_new_private(&draft.0)?;
        if let Some(like) = like {
            file.set_permissions(permissions(like))?;
        }
        Ok(draft)
    }

    /// Gives the draft the owner and group of the file `like`, if the system permits that. A
    /// restore may run as another user than the server.
    pub(super) fn belong(&self, like: &fs::Metadata) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, chown};
            if let Err(error) = chown(&self.0, Some(like.uid()), Some(like.gid())) {
                tracing::debug!(%error, "the new file could not get the owner of the previous file");
            }
        }
        #[cfg(not(unix))]
        let _ = like;
    }

    /// Copies the database of another connection into the draft, in one snapshot. Other connections
    /// can write at the same time.
    pub(super) fn fill(&self, from: &Connection, progress: &CopyProgress) -> Result<(), Halt> {
        // SQLite's backup starts again whenever another process writes, unless it runs in a read
        // transaction.
        let _snapshot = ReadTransaction::take(from)?;
        let page_bytes: u32 = from.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let mut to = self.connect()?;
        // The draft need not survive a crash, so it needs no journal.
        to.pragma_update(None, "journal_mode", "OFF")?;
        let copy = Backup::new(from, &mut to)?;
        loop {
            if progress.is_stopped() {
                return Err(Halt::Stopped);
            }
            let step = copy.step(PAGES_AT_ONCE)?;
            let pages = copy.progress();
            let bytes = |pages: i32| u64::from(pages.unsigned_abs()) * u64::from(page_bytes);
            progress.set(bytes(pages.pagecount - pages.remaining), bytes(pages.pagecount));
            match step {
                StepResult::Done => return Ok(()),
                StepResult::More => {}
                _ => return Err(busy().into()),
            }
        }
    }

    /// Opens the draft, and sets its journal mode to DELETE, since the original may be in WAL mode.
    pub(super) fn open(&self) -> Result<Connection, Halt> {
        let connection = self.connect()?;
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        Ok(connection)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.0, flags)?;
        set_memory(&connection, 0, CACHE_BYTES)?;
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        Ok(connection)
    }

    /// Syncs the draft to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(&self.0)?.sync_all()
    }

    /// Renames the draft to `target`, and replaces a file with that name. Then syncs the folder to
    /// the disk.
    pub(super) fn publish(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        sync_folder(target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A published draft was renamed, so there is nothing to delete under the temporary name.
        drop(fs::remove_file(&self.0));
        for end in ENDS {
            drop(fs::remove_file(with_end(&self.0, end)));
        }
    }
}

/// Opens a database to copy from. The connection cannot change data. If `is_unclosed`, closing the
/// connection does not checkpoint the WAL that a crash has left.
pub(super) fn source(path: &Path, is_unclosed: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(super::opening::WRITING_BUSY)?;
    connection
        .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_unclosed)?;
    connection.pragma_update(None, "query_only", true)?;
    set_memory(&connection, 0, CACHE_BYTES)?;
    Ok(connection)
}

/// Checks every page, row and index, all foreign keys, and that the tables have the columns of the
/// record. Returns the size of the copy.
pub(super) fn examine(
    connection: &mut Connection,
    record: &Record,
    progress: &CopyProgress,
) -> Result<CopySummary, Halt> {
    let stop = progress.clone();
    connection.progress_handler(STEPS_AT_ONCE, Some(move || stop.is_stopped()))?;
    let result = check_tables(connection, record);
    connection.progress_handler(STEPS_AT_ONCE, None::<fn() -> bool>)?;
    match result {
        Err(Halt::Database(cause)) if fault::is_interrupt(fault::code(&cause)) => {
            Err(Halt::Stopped)
        }
        result => result,
    }
}

/// As [`examine`], without an end at the request of the caller.
pub(super) fn check_tables(connection: &Connection, record: &Record) -> Result<CopySummary, Halt> {
    let finding: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if finding != "ok" {
        return Err(Halt::Unsound(finding));
    }
    if let Some(dangling) = dangling(connection)? {
        return Err(Halt::Unsound(dangling));
    }
    for table in &record.tables {
        let columns: Vec<_> =
            table.columns.iter().map(|column| format!("t.{}", sql::quoted(&column.name))).collect();
        let text = format!("SELECT {} FROM {} AS t", columns.join(", "), sql::quoted(&table.name));
        connection.prepare(&text).map_err(|cause| {
            Halt::Unsound(format!(
                "the table `{}` does not match its stored record: {cause}",
                table.name
            ))
        })?;
    }
    let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let (pages, page_bytes) = (u64::from(pages), u64::from(page_bytes));
    Ok(CopySummary { pages, bytes: pages * page_bytes, tables: record.tables.len() })
}

/// Finds a row whose foreign key refers to a missing row. Returns a description of the row. `None`
/// if all references are valid.
fn dangling(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (table, id, to): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let id = id.map_or_else(|| "a row".into(), |id| format!("the row {id}"));
    Ok(Some(format!("{id} of `{table}` refers to a row of `{to}` that does not exist")))
}

/// Reads the record (the stored description of the tables) of a database file. The error text
/// follows the name of the file in a message.
pub(super) fn record(connection: &Connection) -> Result<Record, RecordError> {
    if system::has_table(connection, "_nouns_copy").map_err(RecordError::Database)? {
        return Err(RecordError::Unfit(UNFINISHED));
    }
    Err(RecordError::Unfit(match system::inspect(connection).map_err(RecordError::Database)? {
        DatabaseKind::Ours(record) => return Ok(record),
        DatabaseKind::Nothing | DatabaseKind::Foreign => "was not created by Nouns",
        DatabaseKind::Newer => "was created by a newer version of Nouns; use that version",
        DatabaseKind::Damaged(_) => "has a stored schema record that cannot be read",
    }))
}

/// The path of a file that SQLite creates beside a database: the path of the database with the
/// suffix `end`.
pub(super) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(end);
    name.into()
}

/// An open read transaction. It ends when this is dropped.
struct ReadTransaction<'c>(&'c Connection);

impl<'c> ReadTransaction<'c> {
    fn take(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        Ok(Self(connection))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // If COMMIT fails, the transaction ends with the connection, which is closed next.
        drop(self.0.execute_batch("COMMIT"));
    }
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Syncs the folder of a file to the disk. Without this, the new name of the file may be lost in a
/// crash.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The permissions of the file `like`. On Unix the owner can always read and write.
fn permissions(like: &fs::Metadata) -> Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Permissions::from_mode(like.permissions().mode() & 0o777 | 0o600)
    }
    #[cfg(not(unix))]
    like.permissions()
}
