//! Copies a database to a backup file. A server may use the database at the same time.

use std::{fmt, fs, io, path::Path};

use rusqlite::{Connection, ffi};

use super::{
    draft::{self, Draft, ENDS, Halt, RecordError, with_end},
    fault, file, raw, unclosed,
};
use crate::store::{CopyError, CopyProgress, CopySummary, sql::record::Record};

/// A database or backup file, with the words that error messages use for the file.
#[derive(Clone, Copy)]
pub(super) struct NamedFile<'p> {
    word: &'static str,
    pub(super) path: &'p Path,
    /// The advice of the error message for a damaged file.
    repair: &'static str,
}

impl<'p> NamedFile<'p> {
    pub(super) const fn database(path: &'p Path) -> Self {
        Self { word: "database", path, repair: "restore it from a backup" }
    }

    pub(super) const fn backup(path: &'p Path) -> Self {
        Self { word: "backup", path, repair: "take another backup" }
    }

    /// Creates an error whose message is the name of the file and this reason.
    pub(super) fn fails(self, reason: impl fmt::Display) -> CopyError {
        CopyError::new(format_args!("{self} {reason}"))
    }

    /// Creates an error from an I/O error. `what` is the past participle of the failed action, such
    /// as "read".
    pub(super) fn cannot(self, what: &str, cause: io::Error) -> CopyError {
        self.fails(format_args!("cannot be {what}: {cause}")).with_source(cause)
    }
}

impl fmt::Display for NamedFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} `{}`", self.word, self.path.display())
    }
}

pub(in crate::store) fn backup(
    database: &Path,
    copy: &Path,
    replace: bool,
    progress: &CopyProgress,
) -> Result<CopySummary, CopyError> {
    raw::count_no_memory();
    let (database, copy) = (NamedFile::database(database), NamedFile::backup(copy));
    let metadata = original(database)?;
    check_target(database, copy, replace)?;
    let from = open(database)?;
    source_record(&from, database)?;
    // If the path is a symbolic link, the file that the link points to is replaced, and the link
    // stays.
    let target = fs::canonicalize(copy.path).unwrap_or_else(|_| copy.path.to_owned());
    let make = || -> Result<_, Halt> {
        let draft = Draft::beside(&target, Some(&metadata))?;
        let copied = fill(&draft, &from, progress)?;
        draft.sync()?;
        draft.publish(&target)?;
        Ok(copied)
    };
    make().map_err(|halt| copy_error(halt, database, copy))
}

fn fill(draft: &Draft, from: &Connection, progress: &CopyProgress) -> Result<CopySummary, Halt> {
    draft.fill(from, progress)?;
    let mut connection = draft.open()?;
    // The record (the description of the tables) is read from the copy. The schema of the original
    // may have changed since it was read.
    let record = draft::record(&connection)?;
    let copied = draft::examine(&mut connection, &record, progress)?;
    connection.close().map_err(|(_, cause)| cause)?;
    Ok(copied)
}

/// Reads the metadata of the file to copy from.
///
/// # Errors
/// The path is not a readable file.
pub(super) fn original(from: NamedFile<'_>) -> Result<fs::Metadata, CopyError> {
    match fs::metadata(from.path) {
        Ok(metadata) if metadata.is_file() => Ok(metadata),
        Ok(_) => Err(from.fails("is not a file.")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(from.fails("does not exist.")),
        Err(cause) => Err(from.cannot("read", cause)),
    }
}

/// Opens the database or backup file to copy from.
pub(super) fn open(from: NamedFile<'_>) -> Result<Connection, CopyError> {
    draft::source(from.path, unclosed::is(from.path))
        .map_err(|cause| copy_error(cause.into(), from, from))
}

/// Reads the record (the stored description of the tables) of the file to copy from.
pub(super) fn source_record(
    connection: &Connection,
    from: NamedFile<'_>,
) -> Result<Record, CopyError> {
    draft::record(connection).map_err(|error| match error {
        RecordError::Database(cause) => copy_error(cause.into(), from, from),
        RecordError::Unfit(reason) => from.fails(format_args!("{reason}.")),
    })
}

fn check_target(
    database: NamedFile<'_>,
    copy: NamedFile<'_>,
    replace: bool,
) -> Result<(), CopyError> {
    if file::is_same(database.path, copy.path) {
        return Err(copy.fails("would replace the database; choose another name."));
    }
    match fs::metadata(copy.path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(copy.fails("is a folder; name a file in it."));
        }
        Ok(_) if !replace => {
            return Err(
                copy.fails("exists already; choose another name, or replace it with `replace`.")
            );
        }
        _ => {}
    }
    // If a WAL or a journal file lies beside the target, SQLite would take that file for a part of
    // the new copy.
    match ENDS.iter().map(|end| with_end(copy.path, end)).find(|beside| beside.exists()) {
        Some(beside) => Err(copy.fails(format_args!(
            "cannot be created: `{}`, a WAL or journal file of another database, exists beside it; choose another name.",
            beside.display()
        ))),
        None => Ok(()),
    }
}

/// The error for a copy of `from` to `to` that was not completed.
pub(super) fn copy_error(halt: Halt, from: NamedFile<'_>, to: NamedFile<'_>) -> CopyError {
    match halt {
        Halt::Stopped => CopyError::new(format_args!("stopped; {to} was not written.")),
        Halt::Unsound(found) => from.fails(format_args!("is damaged: {found}; {}.", from.repair)),
        Halt::System(cause) if cause.kind() == io::ErrorKind::NotFound => to
            .fails("is in a folder that does not exist; create the folder first.")
            .with_source(cause),
        Halt::System(cause) => to.cannot("written", cause),
        Halt::Database(cause) => refused(cause, from, to),
    }
}

fn refused(cause: rusqlite::Error, from: NamedFile<'_>, to: NamedFile<'_>) -> CopyError {
    let error = match fault::code(&cause) & 0xff {
        ffi::SQLITE_NOTADB => from.fails("is not an SQLite database."),
        ffi::SQLITE_CORRUPT => from.fails(format_args!("is damaged: {cause}; {}.", from.repair)),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => {
            from.fails("is locked by another program; wait until it releases the lock.")
        }
        ffi::SQLITE_FULL => to.fails("does not fit on its disk; free some space first."),
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM | ffi::SQLITE_READONLY => {
            from.fails("cannot be opened; check the permissions of the file and its folder.")
        }
        _ => from.fails(format_args!("cannot be copied: {cause}.")),
    };
    error.with_source(cause)
}
