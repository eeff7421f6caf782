//! The failures of SQL statements. The kind of a failure determines how the store reacts to it.

use std::any::Any;

use crate::base::error::Error;

/// The failure of a statement. The store reacts to the kind of the failure, and the client gets the
/// error.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The kind of the failure.
    pub(crate) kind: FailureKind,
    error: Error,
    /// The text with which a trigger has refused the statement.
    raised: Option<Box<str>>,
}

/// The kinds of failures that the store handles differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A unique index or a primary key rejected the row.
    Unique,
    /// A foreign key rejected the row, because the row that it refers to does not exist.
    Reference,
    /// A deletion was rejected, because another row refers to the row to be deleted.
    Restriction,
    /// A trigger of SQLite has refused the statement with a text. Whose trigger it was is not known
    /// yet.
    Raised,
    /// A trigger of somebody else has refused the statement. The error is the one for the client.
    #[cfg(feature = "postgres")]
    Declined,
    /// A table or an index of this name exists already.
    #[cfg(feature = "postgres")]
    Exists,
    /// A table or a column of this name does not exist.
    #[cfg(feature = "postgres")]
    Absent,
    /// The statement was interrupted, because it exceeded its time budget or because no client
    /// waits for it.
    Interrupted,
    /// The result has more bytes than this thread may read.
    TooLarge,
    /// A page of the database file is damaged. SQLite keeps the damaged page in its cache.
    Damage,
    /// Any other failure.
    Other,
}

impl Failure {
    /// Creates a failure of a kind, with the error that the client receives.
    pub(crate) const fn new(kind: FailureKind, error: Error) -> Self {
        Self { kind, error, raised: None }
    }

    /// Creates the failure of a statement that a trigger has refused with a text. The error is for
    /// a trigger whose text is not for clients.
    pub(crate) fn raised(text: &str, error: Error) -> Self {
        Self { kind: FailureKind::Raised, error, raised: Some(text.into()) }
    }

    /// Returns the text with which a trigger has refused the statement.
    pub(crate) fn raised_text(&self) -> Option<&str> {
        self.raised.as_deref()
    }

    /// Creates a failure that indicates a bug. The client receives a 500.
    pub(crate) fn internal(cause: &'static str) -> Self {
        Error::internal(cause).into()
    }

    /// Creates the failure of a read whose result has more bytes than this thread may read.
    pub(crate) fn too_large() -> Self {
        Self::new(
            FailureKind::TooLarge,
            Error::internal("the result of a read exceeds the byte limit of its thread"),
        )
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

/// Creates the error (500) for a panic in user code or in the store. The error's cause, which is
/// logged, contains the panic message.
pub(crate) fn panicked(work: &str, panic: &(dyn Any + Send)) -> Error {
    Error::internal(format!("{work} panicked: {}", panic_text(panic)))
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
