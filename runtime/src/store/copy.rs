//! Copies of a database: backups, which are made while it is served, and databases restored from
//! them.
//!
//! They are functions and not methods of [`Store`](super::Store): a backup needs no store, and a
//! restore must not have one.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::{Difference, Location, OpenError, sqlite};
use crate::model::Model;

/// Copies a database as it is at this moment, while others read and write it.
///
/// The copy is one file, which can be moved and opened anywhere. It is made beside `copy` under a
/// temporary name, verified and synced, and only then renamed. The check covers every page, row,
/// index and reference, and the tables that its record names. An existing file is replaced only if
/// `replace` is set; otherwise nothing is done. The function blocks the thread: on a runtime, use
/// one for blocking work.
///
/// ```
/// use nouns_runtime::store::{self, CopyProgress, Store, StoreOptions};
/// # use nouns_runtime::{Model, def::{ApiDef, ResourceDef}};
/// # static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// # static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// # let folder = tempfile::tempdir()?;
/// # let (path, copy) = (folder.path().join("zoo.db"), folder.path().join("zoo-backup.db"));
/// # let model = std::sync::Arc::new(Model::link(&API)?);
/// # let options = StoreOptions::new(path);
/// let (store, _) = Store::open(&model, &options)?;
/// let copied = store::backup(&options.database, &copy, false, &CopyProgress::default())?;
/// assert_eq!(copied.bytes, std::fs::metadata(&copy)?.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the database cannot be read, is damaged or was not made by Nouns, if the copy cannot be
/// written, or if it was stopped. Then nothing is left behind.
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
/// The backup is not changed. Its copy is verified as by [`backup`]. It gets a new identity, later
/// dates and a revision counter that begins far beyond: so no client takes an old representation
/// for a current one. An existing database is moved aside only if `replace` is set; otherwise
/// nothing is done. The function blocks the thread.
///
/// If other processes have the database open, this is detected, and nothing is done. This process
/// must not have it open.
///
/// # Errors
/// If the backup is damaged, was not made by Nouns, or has a declaration that cannot become this
/// one. If the database is in use or cannot be written, or the copy was stopped. Then the database
/// is unchanged.
pub fn restore(
    model: &Model,
    backup: &Path,
    database: impl Into<Location>,
    replace: bool,
    progress: &CopyProgress,
) -> Result<RestoreSummary, CopyError> {
    sqlite::restore(model, backup, &file(database.into())?, replace, progress)
}

/// Returns the file of a database. Only files are copied: other databases have their own programs
/// for that.
fn file(database: Location) -> Result<PathBuf, CopyError> {
    match database {
        Location::File(path) => Ok(path),
        url @ Location::Url(_) => Err(OpenError::no_engine(&url).into()),
    }
}

/// The progress of a copy. Clones refer to the same copy: one makes it, another watches or stops
/// it.
#[derive(Clone, Debug, Default)]
pub struct CopyProgress(Arc<CopyState>);

#[derive(Debug, Default)]
struct CopyState {
    pages: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
}

impl CopyProgress {
    /// Returns how many bytes are copied, and the total; once all are copied, they are verified.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (self.0.pages.load(Ordering::Relaxed), self.0.bytes.load(Ordering::Relaxed))
    }

    /// Stops the copy soon, unless it has been renamed already.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the copy was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, done: u64, bytes: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.pages.store(done, Ordering::Relaxed);
    }
}

/// The summary of a verified copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// The number of pages of the database.
    pub pages: u64,
    /// The size of the copy.
    pub bytes: u64,
    /// The number of tables of members.
    pub tables: usize,
}

/// The summary of a restored database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The summary of the copy.
    pub copied: CopySummary,
    /// The path of the database that was there before.
    pub aside: Option<PathBuf>,
    /// The changes from the declaration of the backup to that of the model. They are applied when
    /// the database is opened with [`apply`](super::StoreOptions::apply).
    pub pending: Vec<Difference>,
}

/// The reason why a copy failed: one sentence, which begins in lower case to follow `error: `, or
/// several lines.
#[derive(Debug)]
pub struct CopyError {
    sentence: String,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CopyError {
    pub(super) fn new(sentence: impl fmt::Display) -> Self {
        Self { sentence: sentence.to_string(), cause: None }
    }

    /// Adds the error of the system or the database.
    #[must_use]
    pub(super) fn because(
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
