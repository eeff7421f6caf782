//! The progress of a copy of a database, its results, and its error.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::{Difference, OpenError};

/// The times of a database that lie in the future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FutureTimes {
    /// The time of the last change, if it lies in the future.
    pub newest: Option<String>,
    /// The tables that have rows with such a time, and the numbers of these rows.
    pub rows: Vec<(String, u64)>,
}

/// The progress of a copy. Clones refer to the same copy, so one thread can copy while another
/// thread watches or stops the copy.
#[derive(Clone, Debug, Default)]
pub struct CopyProgress(Arc<CopyState>);

#[derive(Debug, Default)]
struct CopyState {
    pages: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
    /// The table that is copied row by row.
    table: Mutex<Option<String>>,
}

impl CopyProgress {
    /// Returns the number of bytes that have been copied so far, and the total number of bytes.
    /// Once the numbers are equal, the copy is being verified.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (self.0.pages.load(Ordering::Relaxed), self.0.bytes.load(Ordering::Relaxed))
    }

    /// Returns the table that is being copied row by row, the number of its rows that have been
    /// copied so far, and the number of all of its rows. `None` if there is no such table.
    #[must_use]
    pub fn rows(&self) -> Option<(String, u64, u64)> {
        let table = self.0.table.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let (done, all) = self.bytes();
        Some((table, done, all))
    }

    /// Requests that the copy stop. A copy that already has its final name is not stopped.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether a stop of the copy was requested.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, done: u64, bytes: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.pages.store(done, Ordering::Relaxed);
    }

    pub(super) fn begin_table(&self, name: &str, done: u64, rows: u64) {
        self.set(done, rows);
        *self.0.table.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.into());
    }

    pub(super) fn end_tables(&self) {
        *self.0.table.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The summary of a verified copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// The number of database pages in the copy.
    pub pages: u64,
    /// The size of the copy in bytes.
    pub bytes: u64,
    /// The number of tables that hold members (rows) of resources.
    pub tables: usize,
}

/// The summary of a restored database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The summary of the copied database file.
    pub copied: CopySummary,
    /// The path to which the existing database was renamed, or `None` if there was no database.
    pub aside: Option<PathBuf>,
    /// The schema changes from the declaration of the backup to that of the model. They are applied
    /// when the database is opened with [`apply`](super::StoreOptions::apply).
    pub pending: Vec<Difference>,
}

/// The error of a failed copy. Its message is one sentence in lower case, to be printed after
/// `error: `, or several lines.
#[derive(Debug)]
pub struct CopyError {
    sentence: String,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CopyError {
    pub(super) fn new(sentence: impl fmt::Display) -> Self {
        Self { sentence: sentence.to_string(), cause: None }
    }

    /// Adds the underlying error of the operating system or the database.
    #[must_use]
    pub(super) fn with_source(
        self,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }
}

impl From<OpenError> for CopyError {
    fn from(error: OpenError) -> Self {
        Self::new(error)
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}
