//! Restores a database from a backup file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::{
    backup::{NamedFile, copy_error, open, original, source_record},
    draft::{self, Draft, ENDS, Halt, sync_folder, with_end},
    file,
    file_lock::{FileLock, LockError},
    hold, opening, raw, system,
};
use crate::{
    model::{Model, value::now},
    store::{
        CopyError, CopyProgress, CopySummary, Difference, RestoreSummary,
        difference::{Comparison, SchemaChange},
        sql::record::Record,
    },
};

pub(in crate::store) fn restore(
    model: &Model,
    backup: &Path,
    database: &Path,
    replace: bool,
    progress: &CopyProgress,
) -> Result<RestoreSummary, CopyError> {
    raw::count_no_memory();
    opening::check_name(database)?;
    // If the path is a symbolic link, the file that the link points to is replaced, and the link
    // stays.
    let path = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let (backup, database) = (NamedFile::backup(backup), NamedFile::database(database));
    original(backup)?;
    if file::is_same(backup.path, &path) {
        return Err(backup.fails("is the database itself."));
    }
    let (lock, had) = take(database, &path, replace)?;
    let from = open(backup)?;
    let pending = pending(backup, &from, &source_record(&from, backup)?, &Record::of(model))?;
    let make = || -> Result<_, Halt> {
        let draft = Draft::beside(&path, had.as_ref())?;
        had.iter().for_each(|had| draft.belong(had));
        let copied = fill(&draft, &from, progress)?;
        draft.sync()?;
        let aside = move_aside(&path)?;
        draft.publish(&path)?;
        Ok((copied, aside))
    };
    let (copied, aside) = make().map_err(|halt| copy_error(halt, backup, database))?;
    drop(lock);
    Ok(RestoreSummary { copied, aside, pending })
}

/// Locks the existing database file, and returns the lock and the metadata of the file. Both are
/// `None` if there is no file.
///
/// # Errors
/// The file is in use, or it exists and `replace` is false.
fn take(
    database: NamedFile<'_>,
    path: &Path,
    replace: bool,
) -> Result<(Option<FileLock>, Option<fs::Metadata>), CopyError> {
    let had = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(database.fails("is a folder; use a file in it."));
        }
        Ok(metadata) => Some(metadata),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => None,
        Err(cause) => return Err(database.cannot("read", cause)),
    };
    let lock = had.is_some().then(|| FileLock::take(path)).transpose();
    let lock = lock.map_err(|error| match error {
        LockError::InUse(who) => database.fails(format_args!("is in use by {who}; stop it first.")),
        LockError::System(cause) => database.cannot("replaced", cause),
    })?;
    let is_there = had.is_some() || ENDS.iter().any(|end| with_end(path, end).exists());
    if is_there && !replace {
        return Err(
            database.fails("exists already; with `replace` it is renamed to `….replaced-TIME`.")
        );
    }
    Ok((lock, had))
}

/// The differences between the record (stored description of the tables) of the backup and that of
/// the model. Opening the restored database must apply these differences.
///
/// # Errors
/// A difference cannot be applied to the backup.
fn pending(
    backup: NamedFile<'_>,
    from: &Connection,
    had: &Record,
    wanted: &Record,
) -> Result<Vec<Difference>, CopyError> {
    let comparison = Comparison::new(had, wanted, &mut &*from)
        .map_err(|cause| copy_error(cause.into(), backup, backup))?;
    let (additive, refused): (Vec<_>, Vec<_>) =
        comparison.changes.iter().copied().partition(|change| change.additive());
    if refused.is_empty() {
        return Ok(additive.into_iter().map(SchemaChange::difference).collect());
    }
    let lines: String = refused
        .into_iter()
        .map(|change| format!("\n- {}", comparison.difference(change)))
        .collect();
    Err(backup.fails(format_args!(
        "was made for another schema, and cannot be changed to this one; restore it with the schema \
         that it was made for. The differences that cannot be applied:{lines}"
    )))
}

/// Fills a draft (a new database file) with a verified copy of the backup that a server can open.
/// The copy gets an identity of its own.
fn fill(draft: &Draft, from: &Connection, progress: &CopyProgress) -> Result<CopySummary, Halt> {
    draft.fill(from, progress)?;
    let mut connection = draft.open()?;
    let record = draft::record(&connection)?;
    let copied = draft::examine(&mut connection, &record, progress)?;
    let transaction = connection.unchecked_transaction()?;
    system::find(&transaction)?;
    hold::remove(&transaction)?;
    if !system::renew(&transaction)? {
        return Err(Halt::Unsound("its change counter has reached its maximum".into()));
    }
    transaction.commit()?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.close().map_err(|(_, cause)| cause)?;
    Ok(copied)
}

/// Moves a database file, and the files that SQLite keeps beside it, to new names. Returns the new
/// path of the database. `None` if there were no files.
///
/// If the file system has hard links, the database file also keeps its old name until the draft
/// replaces it. So a server that starts after a crash finds a database, and does not create an
/// empty one.
///
/// The WAL is moved first, since SQLite would take it for the WAL of the new database. If a crash
/// follows before the database is replaced, the changes that only the WAL contains are missing
/// until the WAL gets its old name back.
fn move_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    let aside = with_end(path, &format!(".replaced-{}", now().replace(':', "")));
    let mut is_moved = false;
    for end in ENDS {
        is_moved |= moved(fs::rename(with_end(path, end), with_end(&aside, end)))?;
    }
    let link = fs::hard_link(path, &aside);
    let link = link.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Err(error),
        _ => fs::rename(path, &aside),
    });
    is_moved |= moved(link)?;
    if is_moved {
        sync_folder(path)?;
    }
    Ok(is_moved.then_some(aside))
}

/// Returns whether a file was moved. A missing file is not an error.
fn moved(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
