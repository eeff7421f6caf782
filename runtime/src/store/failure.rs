//! The failures of statements.

use std::any::Any;

use crate::base::error::Error;

/// A failed statement: the kind determines the reaction, and the error is returned to the client.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The kind.
    pub(crate) kind: FailureKind,
    error: Error,
}

/// The kinds of failures that are handled differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A unique index or a key refused it.
    Unique,
    /// A row that it would leave refers to a row that does not exist.
    Reference,
    /// Another row refers to one that it would delete.
    Restriction,
    /// The statement was interrupted: it exceeded its budget, or nobody waits for it.
    Interrupted,
    /// The result has more bytes than may be read here.
    TooLarge,
    /// A page of the database is damaged, and stays in memory as it was read.
    Damage,
    /// Anything else.
    Other,
}

impl Failure {
    /// Creates a failure of a kind with the error for the client.
    pub(crate) const fn new(kind: FailureKind, error: Error) -> Self {
        Self { kind, error }
    }

    /// Creates a failure that should not occur.
    pub(crate) fn internal(cause: &'static str) -> Self {
        Error::internal(cause).into()
    }

    /// Creates the failure that ends a read of more bytes than there is time for here.
    pub(crate) fn too_large() -> Self {
        Self::new(FailureKind::TooLarge, Error::internal("a read has too many bytes"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(FailureKind::Other, error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// Turns a panic into a 500, whose cause is logged.
pub(crate) fn panicked(work: &str, panic: &(dyn Any + Send)) -> Error {
    Error::internal(format!("{work} panicked: {}", panic_text(panic)))
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
