//! Opening a database: the file, its tables, and the settings of the writing connection.

use std::{fs, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::{
    build::{self, BuildError},
    fault, file, statistics,
    system::{self, DatabaseKind},
    unclosed::{self, CheckResult},
};
use crate::{
    base::limits,
    model::Model,
    store::{Difference, OpenError, StoreOptions, Synchronous, sql::record::Record},
};

/// The milliseconds that the start waits for another program that has locked the database.
const OPENING_BUSY_MS: u64 = 2_000;
/// The time that a write waits for such a program.
pub(super) const WRITING_BUSY: Duration = Duration::from_secs(5);
/// The page size of a new database, in bytes. Larger pages make commits slower and reads no faster.
pub(super) const PAGE_BYTES: u32 = 4096;
/// The page cache of the writing connection, in bytes. Pages that random writes change again are in
/// the WAL, and would be read again from there.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Opens the writing connection, and returns the differences that were applied.
pub(super) fn open(
    model: &Model,
    path: &Path,
    options: &StoreOptions,
) -> Result<(Connection, Vec<Difference>), OpenError> {
    check_name(path)?;
    check_file(path)?;
    let failed = |cause: rusqlite::Error| OpenError::unusable(path, reason(&cause)).because(cause);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let (is_unclosed, file) = (unclosed::is(path), file::id(path));
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(OpenError::unusable(path, READ_ONLY));
    }
    prepare(&connection, options).map_err(failed)?;
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
    let applied = build_tables(&mut connection, model, path, options.apply).map_err(stopped)?;
    settle(&connection, options).map_err(failed)?;
    // From here on the lock of the connection keeps others from replacing the file.
    if file.is_some() && file != file::id(path) {
        return Err(OpenError::unusable(path, REPLACED));
    }
    Ok((connection, applied))
}

const READ_ONLY: &str =
    "is read-only; make the file and its folder writable, or give --database another file";

const OTHER_ENCODING: &str = "keeps its texts in another encoding than UTF-8; copy it with `.dump` of sqlite3 into a new one";

const REPLACED: &str = "was replaced while it was opened; start again";

const DAMAGED: &str = "is damaged; restore it from a backup";

/// Refuses names that are not files for SQLite: every connection would have its own database.
pub(super) fn check_name(path: &Path) -> Result<(), OpenError> {
    let name = path.to_string_lossy();
    if name.is_empty() || name == ":memory:" || name.starts_with("file:") {
        return Err(OpenError::unusable(path, "is no file; give --database the path of one"));
    }
    Ok(())
}

/// Checks the file and its folder. SQLite has no such error messages.
fn check_file(path: &Path) -> Result<(), OpenError> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match fs::metadata(folder) {
        Err(_) => {
            return Err(OpenError::unusable(
                path,
                format!("has no folder; make {} first", folder.display()),
            ));
        }
        Ok(found) if found.permissions().readonly() => {
            return Err(OpenError::unusable(path, READ_ONLY));
        }
        Ok(_) => {}
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            Err(OpenError::unusable(path, "is a folder; give --database a file"))
        }
        Ok(found) if found.permissions().readonly() => Err(OpenError::unusable(path, READ_ONLY)),
        _ => Ok(()),
    }
}

fn reason(cause: &rusqlite::Error) -> &'static str {
    if fault::code(cause) == ffi::SQLITE_READONLY_DBMOVED {
        return REPLACED;
    }
    match fault::code(cause) & 0xff {
        ffi::SQLITE_NOTADB => "is not a database of SQLite; give --database another file",
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
            "is held by another program; end that program, or wait until it lets go"
        }
        ffi::SQLITE_READONLY => READ_ONLY,
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM => {
            "cannot be opened; see who may read and write the file and its folder"
        }
        ffi::SQLITE_CORRUPT => DAMAGED,
        ffi::SQLITE_FULL => "has no room on its disk; make room first",
        ffi::SQLITE_IOERR => "cannot be read or written; see to its disk",
        _ => "cannot be used",
    }
}

/// Checks a database that was not closed. A damaged one is not served.
fn look_through(connection: &mut Connection, path: &Path) -> Result<(), BuildError> {
    match unclosed::check_database(connection, unclosed::TIME_MAX)? {
        CheckResult::Sound => {
            tracing::info!("the database was not closed the last time, and is sound");
        }
        CheckResult::Unfinished => tracing::warn!(
            "the database was not closed the last time, and is too large to be checked at a start; \
             `PRAGMA quick_check` in another program does it beside the server"
        ),
        CheckResult::Damaged(found) => {
            tracing::error!(found, "the database was not closed the last time, and is damaged");
            return Err(BuildError::Open(OpenError::unusable(path, DAMAGED).because(found)));
        }
    }
    Ok(())
}

/// Sets the bytes of the file that are mapped into memory, and the bytes of the page cache.
///
/// Pages that are not mapped are read with `pread`, which reports a disk error. Touching a mapped
/// page that cannot be read ends the process. SQLite may have been built with a map as its default.
pub(super) fn set_memory(
    connection: &Connection,
    mmap_bytes: u64,
    cache_bytes: usize,
) -> rusqlite::Result<()> {
    connection.pragma_update(None, "mmap_size", i64::try_from(mmap_bytes).unwrap_or(i64::MAX))?;
    // A negative number means KiB instead of pages.
    connection.pragma_update(None, "cache_size", -(cache_bytes as i64 / 1024))
}

/// Makes the settings that must precede the first transaction. Tables are rebuilt without the
/// actions of foreign keys.
fn prepare(connection: &Connection, options: &StoreOptions) -> rusqlite::Result<()> {
    set_memory(connection, options.mmap_bytes, CACHE_BYTES)?;
    connection.busy_timeout(Duration::from_millis(OPENING_BUSY_MS))?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "foreign_keys", false)
}

/// Creates or changes the tables according to the record, in one transaction.
fn build_tables(
    connection: &mut Connection,
    model: &Model,
    path: &Path,
    apply: bool,
) -> Result<Vec<Difference>, BuildError> {
    let unusable = |reason: &str| Err(BuildError::Open(OpenError::unusable(path, reason)));
    let wanted = &Record::of(model);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let applied = match system::find(&transaction)? {
        DatabaseKind::Nothing => build::create(&transaction, wanted).map(|()| vec![])?,
        DatabaseKind::Ours(had) => build::change(&transaction, &had, wanted, apply)?,
        DatabaseKind::Foreign => {
            return unusable("was not made by nouns; give --database another file");
        }
        DatabaseKind::Newer => {
            return unusable(
                "was made by a newer nouns; start that version, or give --database another file",
            );
        }
        DatabaseKind::Damaged(cause) => {
            let error = OpenError::unusable(
                path,
                "has a record that cannot be read; restore it from a backup",
            );
            return Err(BuildError::Open(error.because(cause)));
        }
    };
    system::declare(&transaction, model.fingerprint)?;
    transaction.commit()?;
    Ok(applied)
}

/// Makes the settings for the lifetime of the connection.
fn settle(connection: &Connection, options: &StoreOptions) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
        let mode: String = row.get(0)?;
        if mode != "wal" {
            tracing::warn!(
                mode,
                "the database cannot have a write-ahead log: reads and writes wait for one another"
            );
        }
        Ok(())
    })?;
    let synchronous = match options.synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A WAL that has grown because of a long snapshot is truncated when it restarts.
    connection.pragma_update_and_check(
        None,
        "journal_size_limit",
        2 * limits::WAL_BYTES as i64,
        |_| Ok(()),
    )?;
    connection.busy_timeout(WRITING_BUSY)?;
    // These bits of `optimize` do not include 0x10, so without our limit it would look at every
    // row.
    connection.pragma_update_and_check(None, "analysis_limit", statistics::ROWS_MAX, |_| Ok(()))?;
    connection.execute_batch("PRAGMA optimize = 0x10002")
}
