//! Opens the writing connection of a database: checks the file, creates or migrates the tables, and
//! makes the settings of the connection.

use std::{fs, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::{
    build::{self, BuildError},
    fault,
    file::{self, DatabaseFile},
    hold, statistics,
    system::{self, DatabaseKind},
    unclosed::{self, CheckResult},
};
use crate::{
    base::limits,
    model::Model,
    plan::validator::DeclaredTime,
    store::{
        Difference, Migration, OpenError, StoreOptions, Synchronous, sql::record::Record, stamp,
    },
};

/// The milliseconds that opening a database waits for another program that has locked it.
const OPENING_BUSY_MS: u64 = 2_000;
/// The time that a write waits for another program that has locked the database.
pub(super) const WRITING_BUSY: Duration = Duration::from_secs(5);
/// The page size of a new database, in bytes. Larger pages would make commits slower, and reads no
/// faster.
pub(super) const PAGE_BYTES: u32 = 4096;
/// The size of the page cache of the writing connection, in bytes. Random writes often change the
/// same pages again. Without the cache, these pages would be read from the WAL each time.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// The time that a change of the tables waits for a pause between two batches of the writer.
const REDECLARING_BUSY: Duration = Duration::from_secs(10);

/// The number of virtual machine steps between two looks whether the store is being closed.
const CLOSING_STEPS: i32 = 1000;

/// Opens the writing connection, and creates or migrates the tables of the model. Returns the
/// applied differences between the existing and the declared tables.
pub(super) fn open(
    model: &Model,
    path: &Path,
    options: &StoreOptions,
) -> Result<(Connection, Vec<Difference>), OpenError> {
    check_name(path)?;
    check_file(path)?;
    let failed =
        |cause: rusqlite::Error| OpenError::unusable(path, reason(&cause)).with_source(cause);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let (is_unclosed, file) = (unclosed::is(path), file::id(path));
    file::create_private(path);
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(OpenError::unusable(path, READ_ONLY));
    }
    prepare(&connection, options.mmap_bytes).map_err(failed)?;
    let encoding: String =
        connection.pragma_query_value(None, "encoding", |row| row.get(0)).map_err(failed)?;
    if encoding != "UTF-8" {
        return Err(OpenError::unusable(path, OTHER_ENCODING));
    }
    let stopped = |stop| match stop {
        BuildError::Database(cause) => failed(cause),
        BuildError::Open(error) => error,
    };
    if is_unclosed {
        look_through(&mut connection, path).map_err(stopped)?;
    }
    let applied = build_tables(&mut connection, model, path, Migration::of(options.apply))
        .map_err(stopped)?;
    settle(&connection, options).map_err(failed)?;
    // The open connection now holds a lock that keeps other processes from replacing the file.
    if file.is_some() && file != file::id(path) {
        return Err(OpenError::unusable(path, REPLACED));
    }
    Ok((connection, applied))
}

/// Changes the tables of a database that this process has open, for another model. The writer and
/// other connections go on; the writer waits while the tables change. If `is_closing` returns true,
/// nothing is changed. Returns the applied differences, and when the model was declared.
pub(super) fn redeclare(
    model: &Model,
    file: &DatabaseFile,
    migration: Migration,
    is_closing: impl FnMut() -> bool + Send + 'static,
) -> Result<(Vec<Difference>, DeclaredTime), OpenError> {
    let path = file.path();
    let failed =
        |cause: rusqlite::Error| OpenError::unusable(path, reason(&cause)).with_source(cause);
    let stopped = |stop| match stop {
        BuildError::Database(cause) => failed(cause),
        BuildError::Open(error) => error,
    };
    file.check().map_err(failed)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    prepare(&connection, 0).map_err(failed)?;
    connection.busy_timeout(REDECLARING_BUSY).map_err(failed)?;
    connection.progress_handler(CLOSING_STEPS, Some(is_closing)).map_err(failed)?;
    let applied = build_tables(&mut connection, model, path, migration).map_err(stopped)?;
    let declared = system::identity(&connection).map_err(failed)?.declared;
    Ok((applied, declared))
}

const READ_ONLY: &str = "is read-only; make the file and its folder writable, or use another file";

const OTHER_ENCODING: &str = "stores text in an encoding other than UTF-8; copy it into a new file with the `.dump` command of sqlite3";

const REPLACED: &str = "was replaced while it was opened; start the server again";

const DAMAGED: &str = "is damaged; restore it from a backup";

/// Refuses a path that SQLite does not treat as the path of a file: an empty one, `:memory:` or a
/// `file:` URI. With an empty path or `:memory:`, every connection would have a database of its
/// own.
pub(super) fn check_name(path: &Path) -> Result<(), OpenError> {
    let name = path.to_string_lossy();
    if name.is_empty() || name == ":memory:" || name.starts_with("file:") {
        return Err(OpenError::unusable(path, "is not the path of a file; use the path of a file"));
    }
    Ok(())
}

/// Checks that the database file and its folder are usable, since the error messages of SQLite
/// would not name the problem.
pub(super) fn check_file(path: &Path) -> Result<(), OpenError> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match fs::metadata(folder) {
        Err(_) => {
            return Err(OpenError::unusable(
                path,
                format!("is in a folder that does not exist; create {} first", folder.display()),
            ));
        }
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(OpenError::unusable(path, READ_ONLY));
        }
        Ok(_) => {}
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            Err(OpenError::unusable(path, "is a folder; use a file in it"))
        }
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(OpenError::unusable(path, READ_ONLY))
        }
        _ => Ok(()),
    }
}

pub(super) fn reason(cause: &rusqlite::Error) -> &'static str {
    if fault::code(cause) == ffi::SQLITE_READONLY_DBMOVED {
        return REPLACED;
    }
    match fault::code(cause) & 0xff {
        ffi::SQLITE_NOTADB => "is not an SQLite database; use another file",
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
            "is locked by another program; stop that program, or wait until it releases the lock"
        }
        ffi::SQLITE_READONLY => READ_ONLY,
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM => {
            "cannot be opened; check the permissions of the file and its folder"
        }
        ffi::SQLITE_CORRUPT => DAMAGED,
        ffi::SQLITE_FULL => "does not fit on its disk; free some space first",
        ffi::SQLITE_IOERR => "cannot be read or written; check its disk",
        _ => "cannot be used",
    }
}

/// Checks a database that was not closed before, for example because of a crash. A damaged database
/// is an error.
fn look_through(connection: &mut Connection, path: &Path) -> Result<(), BuildError> {
    match unclosed::check_database(connection, unclosed::TIME_MAX)? {
        CheckResult::Sound => {
            tracing::info!("the database was not closed properly; its check found no damage");
        }
        CheckResult::Unfinished => tracing::warn!(
            "the database was not closed properly, and is too large to be checked at the start; \
             run `PRAGMA quick_check` in another program while the server runs"
        ),
        CheckResult::Damaged(found) => {
            tracing::error!(found, "the database was not closed properly; its check found damage");
            return Err(BuildError::Open(OpenError::unusable(path, DAMAGED).with_source(found)));
        }
    }
    Ok(())
}

/// Sets how many bytes of the database file are mapped into memory, and the size of the page cache
/// in bytes.
///
/// Pages outside of the map are read with `pread`, which can report a disk error. A disk error in a
/// mapped page kills the process. The size of the map is set even if it is 0, since SQLite may have
/// been built with another default.
pub(super) fn set_memory(
    connection: &Connection,
    mmap_bytes: u64,
    cache_bytes: usize,
) -> rusqlite::Result<()> {
    connection.pragma_update(None, "mmap_size", i64::try_from(mmap_bytes).unwrap_or(i64::MAX))?;
    // A negative `cache_size` is a number of KiB, and a positive one is a number of pages.
    connection.pragma_update(None, "cache_size", -(cache_bytes as i64 / 1024))
}

/// Makes the settings that must precede the first transaction. Foreign keys are off, so that
/// rebuilding a table does not run their actions.
pub(super) fn prepare(connection: &Connection, mmap_bytes: u64) -> rusqlite::Result<()> {
    set_memory(connection, mmap_bytes, CACHE_BYTES)?;
    connection.busy_timeout(Duration::from_millis(OPENING_BUSY_MS))?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "foreign_keys", false)
}

/// Creates or migrates the tables according to the model, in one transaction. Returns the applied
/// differences.
fn build_tables(
    connection: &mut Connection,
    model: &Model,
    path: &Path,
    migration: Migration,
) -> Result<Vec<Difference>, BuildError> {
    let unusable = |reason: &str| Err(BuildError::Open(OpenError::unusable(path, reason)));
    let wanted = &Record::of(model);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(reason) = hold::reason(&transaction)? {
        return unusable(&reason);
    }
    let applied = match system::find(&transaction)? {
        DatabaseKind::Nothing => build::create(&transaction, wanted).map(|()| vec![])?,
        DatabaseKind::Ours(had) => build::change(&transaction, &had, wanted, migration)?,
        DatabaseKind::Foreign => {
            return unusable("was not created by Nouns; use another file");
        }
        DatabaseKind::Newer => {
            return unusable(
                "was created by a newer version of Nouns; start that version, or use another file",
            );
        }
        DatabaseKind::Damaged(cause) => {
            let error = OpenError::unusable(
                path,
                "has a stored schema record that cannot be read; restore the database from a backup",
            );
            return Err(BuildError::Open(error.with_source(cause)));
        }
    };
    stamp::check_start(&system::read_counter(&transaction)?.1);
    system::declare(&transaction, model.fingerprint)?;
    transaction.commit()?;
    Ok(applied)
}

/// Makes the settings that apply after the tables were created or migrated.
fn settle(connection: &Connection, options: &StoreOptions) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
        let mode: String = row.get(0)?;
        if mode != "wal" {
            tracing::warn!(
                mode,
                "the database cannot use WAL mode: reads and writes block each other"
            );
        }
        Ok(())
    })?;
    let synchronous = match options.synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
        Synchronous::Off => "OFF",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // The size to which SQLite truncates the WAL file when the WAL restarts after it has grown.
    connection.pragma_update_and_check(
        None,
        "journal_size_limit",
        2 * limits::WAL_BYTES as i64,
        |_| Ok(()),
    )?;
    connection.busy_timeout(WRITING_BUSY)?;
    // These flags of `optimize` do not contain 0x10, so SQLite sets no limit of its own. Without
    // `analysis_limit`, SQLite would read every row.
    connection.pragma_update_and_check(None, "analysis_limit", statistics::ROWS_MAX, |_| Ok(()))?;
    connection.execute_batch("PRAGMA optimize = 0x10002")
}
