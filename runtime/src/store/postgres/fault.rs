//! Maps the errors of a server (SQLSTATE) to HTTP errors. Known temporary errors are a 503. Every
//! other code is a 500, whose cause is logged.

use tokio_postgres::error::{DbError, SqlState};

use super::hold;
use crate::{
    base::error::{Error, Kind, text},
    store::{
        self,
        failure::{Failure, FailureKind},
        job,
    },
};

/// The `Retry-After` seconds of most 503 responses.
const RETRY_SECONDS: u16 = 1;
/// The `Retry-After` seconds for a full disk, which an administrator must fix first.
const RETRY_FULL_SECONDS: u16 = 10;

/// The code (SQLSTATE) with which a trigger refuses a write for a reason that is for clients. Codes
/// with these first characters are those of Nouns.
const RAISED: &str = "NX409";

/// The remedy for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing: the same statement would fail again.
    None,
    /// The whole job can run again: the transaction met another one.
    Again,
    /// The whole job can run again, with statements that are prepared again.
    Prepare,
    /// The job can run again on another connection, unless its COMMIT was sent.
    Connect,
    /// The job can run again where it has more time.
    MoreTime,
}

/// Returns the text of an error for the log. It leaves out the details of the server, which have
/// values.
pub(super) fn cause(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(found) => {
            let constraint = found.constraint().map(|name| format!(" (constraint `{name}`)"));
            let constraint = constraint.unwrap_or_default();
            format!("{}: {}{constraint}", found.code().code(), found.message())
        }
        None => {
            let source = std::error::Error::source(error).map(|source| format!(": {source}"));
            format!("{error}{}", source.unwrap_or_default())
        }
    }
}

/// Returns what can be done after an error.
pub(super) fn remedy(error: &tokio_postgres::Error) -> Remedy {
    let Some(code) = error.code() else {
        return if is_lost(error) { Remedy::Connect } else { Remedy::None };
    };
    match *code {
        // Two transactions met. A unique or foreign key that nothing explains did, too: the row
        // that it met is gone again.
        SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::UNIQUE_VIOLATION
        | SqlState::FOREIGN_KEY_VIOLATION
        | SqlState::RESTRICT_VIOLATION
        | SqlState::LOCK_NOT_AVAILABLE => Remedy::Again,
        // The tables have changed since the statement was prepared, or a pooler has changed the
        // server.
        SqlState::FEATURE_NOT_SUPPORTED | SqlState::INVALID_SQL_STATEMENT_NAME => Remedy::Prepare,
        // After a failover, this server only reads.
        SqlState::READ_ONLY_SQL_TRANSACTION => Remedy::Connect,
        // The second one follows a statement that was interrupted after its last row that was
        // needed had arrived.
        SqlState::QUERY_CANCELED | SqlState::IN_FAILED_SQL_TRANSACTION => Remedy::MoreTime,
        _ if is_lost(error) => Remedy::Connect,
        _ => Remedy::None,
    }
}

/// Whether the connection cannot be used any more.
pub(super) fn is_lost(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            let class = &code.code()[..2];
            class == "08"
                || [
                    SqlState::ADMIN_SHUTDOWN,
                    SqlState::CRASH_SHUTDOWN,
                    SqlState::CANNOT_CONNECT_NOW,
                    SqlState::DATABASE_DROPPED,
                    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                ]
                .contains(code)
        }
        // Without a code, the error is one of the connection, or of a value that cannot be bound.
        None => error.is_closed() || is_of_system(error),
    }
}

/// Whether the server has ended a statement because it took too long, or waited for a lock.
pub(super) fn is_interrupted(error: &tokio_postgres::Error) -> bool {
    let codes = [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Whether a server has not accepted a connection in time.
pub(super) fn is_timeout(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref());
    source.is_some_and(|source: &std::io::Error| source.kind() == std::io::ErrorKind::TimedOut)
}

fn is_of_system(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

/// The HTTP error that a client gets.
pub(super) fn error(error: &tokio_postgres::Error) -> Error {
    let cause = cause(error);
    let Some(code) = error.code() else {
        return if is_lost(error) { away(cause) } else { Error::internal(cause) };
    };
    match *code {
        _ if code.code() == hold::SEALED => store::hold::refusal(),
        _ if code.code() == RAISED => {
            store::raised::refusal(error.as_db_error().map_or("", DbError::message))
        }
        SqlState::DISK_FULL => {
            tracing::error!(
                "the disk of the database is full: writes fail until there is free space"
            );
            Error::unavailable(text!("The disk of the database is full."), RETRY_FULL_SECONDS)
                .with_source(cause)
        }
        SqlState::QUERY_CANCELED
        | SqlState::OUT_OF_MEMORY
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::UNIQUE_VIOLATION
        | SqlState::FOREIGN_KEY_VIOLATION
        | SqlState::RESTRICT_VIOLATION
        | SqlState::LOCK_NOT_AVAILABLE => {
            Error::unavailable(text!("The database is overloaded."), RETRY_SECONDS)
                .with_source(cause)
        }
        SqlState::READ_ONLY_SQL_TRANSACTION => away(cause),
        SqlState::PROGRAM_LIMIT_EXCEEDED => Error::new(
            Kind::CONTENT_TOO_LARGE,
            text!("A text of a field with an index has too many bytes for the database."),
        )
        .with_source(cause),
        _ if is_lost(error) => away(cause),
        _ => Error::internal(cause),
    }
}

/// The error (503) while no server of the database can be reached.
pub(super) fn away(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::unavailable(text!("The database is not available."), RETRY_SECONDS).with_source(cause)
}

/// The error (503) of a write whose fate is not known.
pub(super) fn in_doubt() -> Error {
    Error::unavailable(
        text!("The connection to the database was lost. Whether the write was done is not known."),
        RETRY_SECONDS,
    )
}

/// The error (503) of a read or a write that was interrupted.
pub(super) fn overloaded(cause: &'static str) -> Error {
    Error::unavailable(text!("The database is overloaded."), RETRY_SECONDS).with_source(cause)
}

/// The error (503) of a statement that was interrupted.
pub(super) fn interrupted(is_late_write: bool) -> Error {
    match is_late_write {
        true => job::too_slow(),
        false => overloaded("a statement took too long, or nobody waited for it"),
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(cause: tokio_postgres::Error) -> Self {
        let kind = match cause.code() {
            Some(code) if code.code() == RAISED => FailureKind::Declined,
            Some(code) if *code == SqlState::UNIQUE_VIOLATION => FailureKind::Unique,
            Some(code) if *code == SqlState::FOREIGN_KEY_VIOLATION => FailureKind::Reference,
            Some(code) if *code == SqlState::RESTRICT_VIOLATION => FailureKind::Restriction,
            Some(code) if *code == SqlState::QUERY_CANCELED => FailureKind::Interrupted,
            Some(code) if *code == SqlState::DUPLICATE_TABLE => FailureKind::Exists,
            Some(code)
                if [SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN].contains(code) =>
            {
                FailureKind::Absent
            }
            _ => FailureKind::Other,
        };
        Self::new(kind, error(&cause))
    }
}
