//! Copies of a database: backups, made while it is served, and databases made of them.
//!
//! They are functions and no part of a [`Store`](super::Store): a backup needs none, and where one
//! is restored there must be none.

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
/// The copy is one file, which can be moved and opened anywhere. It is made beside `copy` under
/// another name, looked through (every page, row, index and reference, and the tables that its
/// record names), synced, and only then given its name. A file that is there is replaced where
/// `replace` says so, else nothing is done. It blocks the thread: on a runtime, use one for
/// blocking work.
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
/// Where the database cannot be read, is damaged or is none of ours, where the copy cannot be
/// written, or where it was stopped. Nothing is left behind then.
pub fn backup(
    database: impl Into<Location>,
    copy: &Path,
    replace: bool,
    progress: &CopyProgress,
) -> Result<CopySummary, CopyError> {
    sqlite::backup(&file(database.into())?, copy, replace, progress)
}

/// Makes a backup the database of a model.
///
/// The backup stays as it is. Its copy is looked through as [`backup`] does, and gets another
/// identity, later dates and a counter of changes that begins far beyond: so no client takes what
/// it has seen before for what there is now. A database that is there is moved aside where
/// `replace` says so, else nothing is done. It blocks the thread.
///
/// Other processes that have the database open are found, and nothing is done then. This process
/// must not have it open.
///
/// # Errors
/// Where the backup is damaged, none of ours, or of a declaration that cannot become this one,
/// where the database is in use or cannot be written, or where it was stopped. The database is as
/// it was then.
pub fn restore(
    model: &Model,
    backup: &Path,
    database: impl Into<Location>,
    replace: bool,
    progress: &CopyProgress,
) -> Result<RestoreSummary, CopyError> {
    sqlite::restore(model, backup, &file(database.into())?, replace, progress)
}

/// The file of a database, the only kind that is copied: other databases have programs of their own
/// for that.
fn file(database: Location) -> Result<PathBuf, CopyError> {
    match database {
        Location::File(path) => Ok(path),
        url @ Location::Url(_) => Err(OpenError::no_engine(&url).into()),
    }
}

/// How far a copy is. Clones are of the same copy: one makes it, another watches it or stops it.
#[derive(Clone, Debug, Default)]
pub struct CopyProgress(Arc<CopyState>);

#[derive(Debug, Default)]
struct CopyState {
    pages: AtomicU64,
    bytes: AtomicU64,
    stopped: AtomicBool,
}

impl CopyProgress {
    /// How many bytes are copied, and of how many; once all are, they are looked through.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (self.0.pages.load(Ordering::Relaxed), self.0.bytes.load(Ordering::Relaxed))
    }

    /// Ends the copy soon, unless it has its name already.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, done: u64, bytes: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.pages.store(done, Ordering::Relaxed);
    }
}

/// What was copied and looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// Pages of the database.
    pub pages: u64,
    /// The size of the copy.
    pub bytes: u64,
    /// Tables of members.
    pub tables: usize,
}

/// What became the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreSummary {
    /// What was copied.
    pub copied: CopySummary,
    /// Where the database is that was there before.
    pub aside: Option<PathBuf>,
    /// What leads from the declaration of the backup to that of the model; it is made when the
    /// database is opened with [`apply`](super::StoreOptions::apply).
    pub pending: Vec<Difference>,
}

/// Why there is no copy: one sentence, which begins in lower case to follow `error: `, or several
/// lines.
#[derive(Debug)]
pub struct CopyError {
    sentence: String,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CopyError {
    pub(super) fn new(sentence: impl fmt::Display) -> Self {
        Self { sentence: sentence.to_string(), cause: None }
    }

    /// The same with what the system or the database said.
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
