//! Copies of databases: backups of a database that is being served, and restored backups.
//!
//! The operations are functions, not methods of [`Store`](super::Store). A backup needs no store,
//! and a restore requires that no store is open.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::{Difference, Location, OpenError, sqlite};
use crate::model::Model;

/// Copies a database as it is at this moment, while other connections read and write the database.
///
/// The copy is one file, which can be moved and opened anywhere. The function writes the copy under
/// a temporary name in the folder of `copy`, verifies it and syncs it. Then it renames the copy.
/// The verification covers every page, row, index and foreign key, and the tables that the stored
/// schema record names. If a file exists at `copy` and `replace` is false, nothing is done.
///
/// The function blocks the thread. In an async runtime, call it on a thread for blocking work.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{CopyProgress, Store, StoreOptions, backup};
///
/// # use nouns::{Model, def::{ApiDef, ResourceDef}};
/// # static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// # static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// # let folder = tempfile::tempdir()?;
/// # let (path, copy) = (folder.path().join("zoo.db"), folder.path().join("zoo-backup.db"));
/// # let model = std::sync::Arc::new(Model::link(&API)?);
/// # let options = StoreOptions::new(path);
/// let (store, _) = Store::open(&model, &options)?;
/// let copied = backup(&options.database, &copy, false, &CopyProgress::default())?;
/// assert_eq!(copied.bytes, std::fs::metadata(&copy)?.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the database cannot be read, is damaged or was not made by Nouns. If the copy cannot be
/// written, or was stopped. After an error, no new file remains.
pub fn backup(
    database: impl Into<Location>,
    copy: &Path,
    replace: bool,
    progress: &CopyProgress,
) -> Result<CopySummary, CopyError> {
    sqlite::backup(&file(database.into())?, copy, replace, progress)
}

/// Restores a backup as the database of a model.
///
/// The backup is not changed. Its copy is verified in the same way as by [`backup`]. The restored
/// database gets a new identity, later values of `Last-Modified`, and a revision counter that
/// starts far above the old one. So no client mistakes an old representation for a current one. If
/// a database exists and `replace` is false, nothing is done; with `replace`, the existing database
/// is renamed. The function blocks the thread.
///
/// If another process has the database open, the function returns an error and does nothing. This
/// process must not have the database open.
///
/// # Errors
/// If the backup is damaged, was not made by Nouns, or has a declaration that cannot be changed to
/// that of the model. If the database is in use or cannot be written, or the copy was stopped.
/// After an error, the database is unchanged.
pub fn restore(
    model: &Model,
    backup: &Path,
    database: impl Into<Location>,
    replace: bool,
    progress: &CopyProgress,
) -> Result<RestoreSummary, CopyError> {
    sqlite::restore(model, backup, &file(database.into())?, replace, progress)
}

/// Finds the times of a database that lie in the future, and sets them to the present if `applies`
/// is true. Such times come from a clock that was far ahead. Times of changes never go back, so
/// later changes would keep them.
///
/// If another process has the database open, the function returns an error and does nothing. This
/// process must not have the database open.
///
/// # Errors
/// If the database is in use, was not made by Nouns, or cannot be read or written. Then it is
/// unchanged.
pub fn repair_times(
    database: impl Into<Location>,
    applies: bool,
) -> Result<FutureTimes, CopyError> {
    sqlite::repair_times(&file(database.into())?, applies)
}

/// The times of a database that lie in the future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FutureTimes {
    /// The time of the last change, if it lies in the future.
    pub newest: Option<String>,
    /// The tables that have rows with such a time, and the numbers of these rows.
    pub rows: Vec<(String, u64)>,
}

/// Returns the file of a database, or an error for a URL. Database servers have their own programs
/// for backups.
fn file(database: Location) -> Result<PathBuf, CopyError> {
    match database {
        Location::File(path) => Ok(path),
        url @ Location::Url(_) => Err(OpenError::no_engine(&url).into()),
    }
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
