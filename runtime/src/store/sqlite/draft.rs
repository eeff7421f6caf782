//! A file that is to become a database. It is filled from another one, checked, and only then given
//! its name.

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
    opening::set_memory,
    system::{self, DatabaseKind},
};
use crate::store::{
    CopyProgress, CopySummary,
    sql::{self, record::Record},
};

/// The number of pages that are copied between two checks for a stop: 4 MiB, some milliseconds.
const PAGES_AT_ONCE: i32 = 1024;
/// The number of SQLite's steps between two such checks while a copy is checked.
const STEPS_AT_ONCE: i32 = 10_000;
/// The page cache of a connection that checks or copies a file, in bytes.
const CACHE_BYTES: usize = 64 * 1024 * 1024;
/// The suffixes of the files that SQLite creates beside a database.
pub(super) const ENDS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why a draft does not become a database.
pub(super) enum Halt {
    /// The copy was stopped.
    Stopped,
    /// The copy is damaged. The text is a part of a sentence.
    Unsound(String),
    Database(rusqlite::Error),
    System(io::Error),
}

/// Why a file has no usable record.
pub(super) enum RecordError {
    Database(rusqlite::Error),
    /// The file is not fit. The text follows its name.
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

/// A file with a temporary name. It is deleted when this is dropped.
pub(super) struct Draft(PathBuf);

impl Draft {
    /// Creates an empty file in the same folder, with no more read permissions than the original.
    pub(super) fn beside(target: &Path, like: &fs::Metadata) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
        let draft = Self(target.with_file_name(format!(".{name}.{}", process::id())));
        let file = File::create_new(&draft.0)?;
        file.set_permissions(permissions(like))?;
        Ok(draft)
    }

    /// Gives it the owner of another file, if that is permitted. A restore may run as another user
    /// than the server.
    pub(super) fn belong(&self, like: &fs::Metadata) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, chown};
            if let Err(error) = chown(&self.0, Some(like.uid()), Some(like.gid())) {
                tracing::debug!(%error, "the file does not get the owner of the previous one");
            }
        }
        #[cfg(not(unix))]
        let _ = like;
    }

    /// Copies a database from another connection in one snapshot. Others can write meanwhile.
    pub(super) fn fill(&self, from: &Connection, progress: &CopyProgress) -> Result<(), Halt> {
        // Without its own transaction a copy starts over whenever another process writes.
        let _snapshot = ReadTransaction::take(from)?;
        let page_bytes: u32 = from.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let mut to = self.connect()?;
        // Until the file has its name, none of it has to survive a crash.
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

    /// Opens it as a database that is not in WAL mode, whatever mode the original has.
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

    /// Syncs it to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(&self.0)?.sync_all()
    }

    /// Gives it its name and replaces the file there. The folder is synced afterwards.
    pub(super) fn publish(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        sync_folder(target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A file that was never created, or was renamed, does not exist.
        drop(fs::remove_file(&self.0));
        for end in ENDS {
            drop(fs::remove_file(with_end(&self.0, end)));
        }
    }
}

/// Opens a database to copy from. It is not changed, and the WAL that a crash has left stays.
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

/// Checks every page, row, index and reference, and the tables that the record names.
pub(super) fn examine(
    connection: &mut Connection,
    record: &Record,
    progress: &CopyProgress,
) -> Result<CopySummary, Halt> {
    let stop = progress.clone();
    connection.progress_handler(STEPS_AT_ONCE, Some(move || stop.is_stopped()))?;
    let looked = check_tables(connection, record);
    connection.progress_handler(STEPS_AT_ONCE, None::<fn() -> bool>)?;
    match looked {
        Err(Halt::Database(cause)) if fault::is_interrupt(fault::code(&cause)) => {
            Err(Halt::Stopped)
        }
        looked => looked,
    }
}

fn check_tables(connection: &Connection, record: &Record) -> Result<CopySummary, Halt> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said != "ok" {
        return Err(Halt::Unsound(said));
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
                "the table `{}` is not what its record says: {cause}",
                table.name
            ))
        })?;
    }
    let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let (pages, page_bytes) = (u64::from(pages), u64::from(page_bytes));
    Ok(CopySummary { pages, bytes: pages * page_bytes, tables: record.tables.len() })
}

/// Finds a row that refers to a missing one.
fn dangling(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (table, id, to): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let id = id.map_or_else(|| "a row".into(), |id| format!("the row {id}"));
    Ok(Some(format!("{id} of `{table}` refers to a row of `{to}` that is not there")))
}

/// Reads the record of a file. The error text follows the name of the file.
pub(super) fn record(connection: &Connection) -> Result<Record, RecordError> {
    Err(RecordError::Unfit(match system::inspect(connection).map_err(RecordError::Database)? {
        DatabaseKind::Ours(record) => return Ok(record),
        DatabaseKind::Nothing | DatabaseKind::Foreign => "was not made by nouns",
        DatabaseKind::Newer => "was made by a newer nouns; use that version",
        DatabaseKind::Damaged(_) => "has a record that cannot be read",
    }))
}

/// The name of a file that SQLite creates beside a database.
pub(super) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(end);
    name.into()
}

/// A read transaction. It ends when this is dropped.
struct ReadTransaction<'c>(&'c Connection);

impl<'c> ReadTransaction<'c> {
    fn take(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        Ok(Self(connection))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // If that fails, the connection is closed next, which also ends the transaction.
        drop(self.0.execute_batch("COMMIT"));
    }
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Syncs the folder of a file. Only then is the name of the file on the disk.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The permissions of another file, plus write permission for its owner.
fn permissions(like: &fs::Metadata) -> Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Permissions::from_mode(like.permissions().mode() & 0o777 | 0o600)
    }
    #[cfg(not(unix))]
    like.permissions()
}
