//! Why the database did not do what it was asked.

use std::any::Any;

use crate::base::error::Error;

/// Why a statement failed: what is done next depends on the kind, and the error is what a client is
/// told.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The kind.
    pub(crate) kind: FailureKind,
    error: Error,
}

/// What the reaction to a failed statement depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A unique index or a key refused it.
    Unique,
    /// A reference of a row that it would leave leads to nothing.
    Reference,
    /// Another row refers to one that it would delete.
    Restriction,
    /// It was interrupted: it took longer than it may, or nobody waits for it.
    Interrupted,
    /// It has more bytes than may be read here.
    TooLarge,
    /// A page of the database is not what it should be, and stays in memory as it was read.
    Damage,
    /// Anything else.
    Other,
}

impl Failure {
    /// One of a kind, with what a client is told.
    pub(crate) const fn new(kind: FailureKind, error: Error) -> Self {
        Self { kind, error }
    }

    /// One that nobody expects.
    pub(crate) fn internal(cause: &'static str) -> Self {
        Error::internal(cause).into()
    }

    /// What ends a read that has more bytes than there is time for here.
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

/// What a panic in some work is to a client: a 500, whose cause is logged.
pub(crate) fn panicked(work: &str, panic: &(dyn Any + Send)) -> Error {
    Error::internal(format!("{work} panicked: {}", panic_text(panic)))
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
