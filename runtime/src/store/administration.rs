//! The operations of an administrator: backups, copies and repairs of databases, and query plans.
//!
//! They are functions, not methods of [`Store`](super::Store): a backup needs no store, and a
//! restore requires that no store is open.

use std::path::{Path, PathBuf};

use super::{
    CopyError, CopyProgress, CopySummary, ExplainedStatement, FutureTimes, Location, OpenError,
    QueryPlanLine, RestoreSummary, TransferSummary, sqlite,
    transfer::{Transfer, TransferSource, TransferTarget},
};
#[cfg(feature = "postgres")]
use super::{location::is_postgres, postgres};
use crate::{base::apart::apart, model::Model};

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

/// Copies a database into an empty one, or goes on with a copy that was interrupted.
///
/// The copy has all rows with their ids, revisions and times, the tokens, and the answers to
/// requests with an `Idempotency-Key`. It is one snapshot: if the source changes while the copy is
/// interrupted, the changed tables are copied again. If the function succeeds, the target can be
/// served. Until then, it is refused.
///
/// With `seal`, the source refuses further writes, from now on and by any program. Then the target
/// also has its identity and its sessions: validators (ETags) that clients hold stay true.
/// Otherwise the target gets an identity of its own, as databases that go different ways must not
/// have the same validators.
///
/// The function blocks the thread. In an async runtime, call it on a thread for blocking work.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{CopyProgress, Store, StoreOptions, transfer};
///
/// # use nouns::{Model, def::{ApiDef, ResourceDef}};
/// # static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
/// # static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
/// # let folder = tempfile::tempdir()?;
/// # let (path, other) = (folder.path().join("zoo.db"), folder.path().join("other.db"));
/// # let model = std::sync::Arc::new(Model::link(&API)?);
/// # let options = StoreOptions::new(path);
/// let (store, _) = Store::open(&model, &options)?;
/// let summary = transfer(&options.database, &other, false, &CopyProgress::default())?;
/// assert_eq!(summary.tables[0].name, "zoos");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the source cannot be read, was not made by Nouns, or is sealed for another copy. If the
/// target is not empty, cannot store a value, or has other rows than the source. If the copy was
/// stopped.
pub fn transfer(
    from: impl Into<Location>,
    to: impl Into<Location>,
    seal: bool,
    progress: &CopyProgress,
) -> Result<TransferSummary, CopyError> {
    let (from, to) = (from.into(), to.into());
    // A connection to a server has a runtime of its own, which no thread of another one may drive.
    let run = || {
        let mut source = source(&from)?;
        // A source that cannot be copied leaves no empty target behind.
        let origin = source.origin()?;
        let mut target = target(&to)?;
        let copy = Transfer { source: &mut *source, target: &mut *target, from: &from, progress };
        copy.run(&origin, seal, &to)
    };
    apart(run)
}

/// Lets a sealed database be written again. It gets a new identity, as the copy has the old one,
/// and its sessions end. Returns false if the database was not sealed.
///
/// # Errors
/// If the database cannot be written, or was not made by Nouns.
pub fn unseal(database: impl Into<Location>) -> Result<bool, CopyError> {
    let database = database.into();
    apart(|| source(&database)?.unseal())
}

fn source(location: &Location) -> Result<Box<dyn TransferSource>, CopyError> {
    Ok(match location {
        Location::File(path) => Box::new(sqlite::SqliteSource::open(path)?),
        #[cfg(feature = "postgres")]
        Location::Url(url) if is_postgres(url) => {
            Box::new(postgres::PostgresSource::open(location, url)?)
        }
        url @ Location::Url(_) => return Err(OpenError::no_engine(url).into()),
    })
}

fn target(location: &Location) -> Result<Box<dyn TransferTarget>, CopyError> {
    Ok(match location {
        Location::File(path) => Box::new(sqlite::SqliteTarget::open(path)?),
        #[cfg(feature = "postgres")]
        Location::Url(url) if is_postgres(url) => {
            Box::new(postgres::PostgresTarget::open(location, url)?)
        }
        url @ Location::Url(_) => return Err(OpenError::no_engine(url).into()),
    })
}

/// Asks the database how it would run statements, which are in its dialect. Without a location, it
/// is a new SQLite database with the tables of the model. The database is not changed.
///
/// # Errors
/// If the database cannot be opened, or if its tables are not those of the model.
pub fn query_plans(
    location: Option<&Location>,
    model: &Model,
    statements: &[ExplainedStatement],
) -> Result<Vec<Vec<QueryPlanLine>>, OpenError> {
    let texts = statements.iter().map(|statement| statement.text.as_str());
    let path = match location {
        #[cfg(feature = "postgres")]
        Some(location @ Location::Url(url)) if is_postgres(url) => {
            return postgres::query_plans(location, url, texts);
        }
        Some(url @ Location::Url(_)) => return Err(OpenError::no_engine(url)),
        Some(Location::File(path)) => Some(path.as_path()),
        None => None,
    };
    sqlite::query_plans(path, model, texts)
}

/// Returns the file of a database, or an error for a URL. Database servers have their own programs
/// for backups.
fn file(database: Location) -> Result<PathBuf, CopyError> {
    match database {
        Location::File(path) => Ok(path),
        url @ Location::Url(_) => Err(OpenError::no_engine(&url).into()),
    }
}
