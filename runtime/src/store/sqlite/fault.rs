//! Maps SQLite's result codes to HTTP errors. Known temporary errors are a 503. Every other code is
//! a 500, whose cause is logged.

use rusqlite::ffi;

use super::hold::SEALED;
use crate::{
    base::error::{Error, text},
    store::{
        failure::{Failure, FailureKind},
        hold,
    },
};

/// The `Retry-After` seconds of most 503 responses.
const RETRY_SECONDS: u16 = 1;
/// The `Retry-After` seconds for a full disk or a missing database file, which an administrator
/// must fix first.
const RETRY_FULL_SECONDS: u16 = 10;

/// SQLite's extended result code of an error. 0 if the error does not come from SQLite.
pub(super) fn code(error: &rusqlite::Error) -> i32 {
    error.sqlite_error().map_or(0, |error| error.extended_code)
}

/// The HTTP error that a client gets for an SQLite error.
pub(super) fn error(error: &rusqlite::Error) -> Error {
    if is_sealed(error) {
        return hold::refusal();
    }
    let cause = error.to_string();
    match code(error) & 0xff {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => {
            Error::unavailable(text!("Another program has locked the database."), RETRY_SECONDS)
                .with_source(cause)
        }
        ffi::SQLITE_NOMEM | ffi::SQLITE_INTERRUPT | ffi::SQLITE_CANTOPEN => {
            Error::unavailable(text!("The database is overloaded."), RETRY_SECONDS)
                .with_source(cause)
        }
        ffi::SQLITE_READONLY if code(error) == ffi::SQLITE_READONLY_DBMOVED => {
            Error::unavailable(text!("The database is not available."), RETRY_FULL_SECONDS)
                .with_source(cause)
        }
        ffi::SQLITE_FULL => {
            tracing::error!(
                "the disk of the database is full: writes fail until there is free space"
            );
            Error::unavailable(text!("The disk of the database is full."), RETRY_FULL_SECONDS)
                .with_source(cause)
        }
        // READONLY, IOERR, CORRUPT, NOTADB, TOOBIG and unexpected codes: a retry does not help.
        lasting => {
            if let Some(repair) = repair(lasting) {
                tracing::error!(%cause, "{repair}");
            }
            Error::internal(cause)
        }
    }
}

/// The log message for an error that does not go away by itself: what is wrong, and how an
/// administrator can repair it. `None` for any other code.
const fn repair(code: i32) -> Option<&'static str> {
    match code {
        ffi::SQLITE_READONLY => {
            Some("the database has become read-only: make the file and its folder writable")
        }
        ffi::SQLITE_IOERR => Some("the database cannot be read or written: check its disk"),
        // SQLite returns the same code for a page that a device cannot read (EIO).
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Some(
            "a page of the database is damaged: check its disk, then restore the database from a backup",
        ),
        _ => None,
    }
}

/// Whether a trigger of a sealed database has refused a change.
fn is_sealed(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(code, Some(message))
        if code.extended_code == ffi::SQLITE_CONSTRAINT_TRIGGER && message == SEALED)
}

/// The message with which SQLite itself refuses a deletion by `ON DELETE RESTRICT`.
const RESTRICTED: &str = "FOREIGN KEY constraint failed";

/// Returns the text with which a trigger has refused the statement. SQLite implements `ON DELETE
/// RESTRICT` as an internal trigger, whose violation has the same code.
fn raised(error: &rusqlite::Error) -> Option<&str> {
    match error {
        rusqlite::Error::SqliteFailure(code, Some(message))
            if code.extended_code == ffi::SQLITE_CONSTRAINT_TRIGGER
                && ![RESTRICTED, SEALED].contains(&message.as_str()) =>
        {
            Some(message)
        }
        _ => None,
    }
}

/// Whether a result code means that the statement was interrupted.
pub(super) fn is_interrupt(code: i32) -> bool {
    code == ffi::SQLITE_INTERRUPT
}

/// Whether a result code means that a page is damaged. Such a page stays in the page cache.
pub(super) fn is_damage(code: i32) -> bool {
    matches!(code & 0xff, ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB)
}

/// Whether a result code means that a unique index or a primary key refused the statement.
pub(super) fn is_unique(code: i32) -> bool {
    [ffi::SQLITE_CONSTRAINT_UNIQUE, ffi::SQLITE_CONSTRAINT_PRIMARYKEY, ffi::SQLITE_CONSTRAINT_ROWID]
        .contains(&code)
}

impl From<rusqlite::Error> for Failure {
    fn from(cause: rusqlite::Error) -> Self {
        if let Some(text) = raised(&cause) {
            return Self::raised(text, error(&cause));
        }
        let kind = match code(&cause) {
            code if is_unique(code) => FailureKind::Unique,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => FailureKind::Reference,
            ffi::SQLITE_CONSTRAINT_TRIGGER if is_sealed(&cause) => FailureKind::Other,
            ffi::SQLITE_CONSTRAINT_TRIGGER => FailureKind::Restriction,
            code if is_interrupt(code) => FailureKind::Interrupted,
            code if is_damage(code) => FailureKind::Damage,
            _ => FailureKind::Other,
        };
        Self::new(kind, error(&cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: i32) -> (u16, Option<String>) {
        let error =
            error(&rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("secret".into())));
        assert!(!error.to_string().contains("secret"));
        let retry = error.headers().first().map(|(_, value)| value.to_str().unwrap().to_owned());
        (error.status().as_u16(), retry)
    }

    #[test]
    fn each_code_has_its_status() {
        assert_eq!(status(ffi::SQLITE_BUSY_SNAPSHOT), (503, Some("1".into())));
        assert_eq!(status(ffi::SQLITE_LOCKED), (503, Some("1".into())));
        assert_eq!(status(ffi::SQLITE_FULL), (503, Some("10".into())));
        assert_eq!(status(ffi::SQLITE_IOERR_WRITE), (500, None));
        assert_eq!(status(ffi::SQLITE_READONLY_DBMOVED), (503, Some("10".into())));
        assert_eq!(status(ffi::SQLITE_CORRUPT), (500, None));
        assert_eq!(status(ffi::SQLITE_NOTADB), (500, None));
        assert_eq!(status(ffi::SQLITE_CONSTRAINT_CHECK), (500, None));
        assert_eq!(status(12345), (500, None));
    }
}
