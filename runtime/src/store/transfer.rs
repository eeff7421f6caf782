//! Copies a database into another one, of the same engine or of another one.
//!
//! An engine has two small parts: a [`TransferSource`], which reads rows in one snapshot, and a
//! [`TransferTarget`], which stores them in batches, with the position that each batch has reached.
//! So an interrupted copy goes on where it was. At the end, the rows of the target are read again,
//! and a digest of each table is compared with that of the source.

mod digest;
mod ends;
mod rows;

#[cfg(any(test, feature = "postgres"))]
pub(super) use self::rows::CopiedColumn;
pub(super) use self::{
    digest::TableDigest,
    ends::{
        DatabaseState, Publication, RowVisitor, TableProgress, TableState, TransferOrigin,
        TransferSource, TransferTarget, fails,
    },
    rows::{CopiedKind, CopiedTable},
};
use super::{CopyError, CopyProgress, Location, apart, sqlite};
use crate::model::value::Value;

/// The number of rows from which a batch is stored.
const BATCH_ROWS_MAX: usize = 5_000;
/// The number of bytes of values from which a batch is stored.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

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
        Location::Url(url) if super::open::is_postgres(url) => {
            Box::new(super::postgres::PostgresSource::open(location, url)?)
        }
        url @ Location::Url(_) => return Err(super::OpenError::no_engine(url).into()),
    })
}

fn target(location: &Location) -> Result<Box<dyn TransferTarget>, CopyError> {
    Ok(match location {
        Location::File(path) => Box::new(sqlite::SqliteTarget::open(path)?),
        #[cfg(feature = "postgres")]
        Location::Url(url) if super::open::is_postgres(url) => {
            Box::new(super::postgres::PostgresTarget::open(location, url)?)
        }
        url @ Location::Url(_) => return Err(super::OpenError::no_engine(url).into()),
    })
}

/// The summary of a verified copy of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferSummary {
    /// The tables of resources, in the order of the declaration.
    pub tables: Vec<TransferredTable>,
    /// The number of rows that an earlier run, which was interrupted, had copied.
    pub resumed_rows: u64,
    /// Whether the source refuses writes, so that the copy has its identity.
    pub is_sealed: bool,
}

/// A table that was copied and verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferredTable {
    /// The name of the table.
    pub name: String,
    /// The number of its rows.
    pub rows: u64,
    /// The digest of its rows: the sum of their SHA-256 hashes modulo 2²⁵⁶, in hexadecimal.
    pub digest: String,
}

/// A copy under way.
struct Transfer<'t> {
    source: &'t mut dyn TransferSource,
    target: &'t mut dyn TransferTarget,
    from: &'t Location,
    progress: &'t CopyProgress,
}

impl Transfer<'_> {
    fn run(
        mut self,
        origin: &TransferOrigin,
        seal: bool,
        to: &Location,
    ) -> Result<TransferSummary, CopyError> {
        let copy = self.target.begin(origin)?;
        let is_sealed = match &origin.seal {
            Some(held) if *held == copy => true,
            Some(_) if seal => {
                return Err(fails(
                    self.from,
                    "is sealed for another copy; go on with that one, or release it with `nouns copy --unseal`",
                ));
            }
            _ if seal => {
                self.source.seal(&copy, to)?;
                true
            }
            _ => false,
        };
        let state = self.source.begin()?;
        let mut tables: Vec<_> = origin.record.tables.iter().map(CopiedTable::of).collect();
        tables.extend(CopiedTable::of_store(is_sealed));
        let (mut states, mut copied, mut resumed_rows) = (vec![], vec![], 0);
        for table in &tables {
            let state = self.source.table(table)?;
            let progress = self.resume(table, &state)?;
            resumed_rows += progress.rows;
            copied.push(self.copy(table, progress, state.rows)?);
            states.push(state);
        }
        self.source.end()?;
        let publication = Publication { origin, state, tables: states, is_sealed };
        self.progress.end_tables();
        self.target.build(&publication)?;
        let tables = tables.iter().zip(copied).map(|(table, copied)| self.verify(table, &copied));
        let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
        self.stop_if_asked()?;
        self.target.commit()?;
        tables.truncate(origin.record.tables.len());
        Ok(TransferSummary { tables, resumed_rows, is_sealed })
    }

    /// Returns how far a table is. A table that has changed since then is emptied.
    fn resume(
        &mut self,
        table: &CopiedTable,
        state: &TableState,
    ) -> Result<TableProgress, CopyError> {
        let found = self.target.progress(table)?;
        match found {
            Some(found) if found.revision == state.revision && table.is_resumable() => Ok(found),
            _ => {
                let begun = TableProgress::at(state.revision);
                self.target.clear(table, &begun)?;
                Ok(begun)
            }
        }
    }

    fn copy(
        &mut self,
        table: &CopiedTable,
        mut reached: TableProgress,
        rows: u64,
    ) -> Result<TableProgress, CopyError> {
        let Self { source, target, progress, .. } = self;
        progress.begin_table(&table.name, reached.rows, rows);
        let after = reached.position.as_ref().and_then(|position| table.key(position));
        let (mut batch, mut bytes) = (vec![], 0);
        let mut next = reached.clone();
        let mut store = |batch: &mut Vec<Vec<Value>>, next: &TableProgress| {
            if progress.is_stopped() {
                return Err(CopyError::new(STOPPED));
            }
            target.write(table, batch, &reached, next)?;
            reached = next.clone();
            batch.clear();
            progress.set(next.rows, rows.max(next.rows));
            Ok(())
        };
        source.read(table, after.as_ref(), &mut |row| {
            next.rows += 1;
            next.digest.add(table, row);
            bytes += row.iter().map(rows::bytes).sum::<usize>();
            batch.push(row.to_vec());
            if batch.len() < BATCH_ROWS_MAX && bytes < BATCH_BYTES {
                return Ok(());
            }
            next.position = table.position(row);
            bytes = 0;
            store(&mut batch, &next)
        })?;
        if let Some(last) = batch.last() {
            next.position = table.position(last);
            store(&mut batch, &next)?;
        }
        Ok(next)
    }

    /// Reads a table of the target, and compares its digest.
    fn verify(
        &mut self,
        table: &CopiedTable,
        copied: &TableProgress,
    ) -> Result<TransferredTable, CopyError> {
        let mut read = TableProgress::at(copied.revision);
        self.target.read(table, None, &mut |row| {
            read.rows += 1;
            read.digest.add(table, row);
            match read.rows.is_multiple_of(BATCH_ROWS_MAX as u64) && self.progress.is_stopped() {
                true => Err(CopyError::new(STOPPED)),
                false => Ok(()),
            }
        })?;
        if (read.rows, &read.digest) != (copied.rows, &copied.digest) {
            return Err(CopyError::new(format_args!(
                "the copy is damaged: the table `{}` has {} rows with the digest {}, but its source had {} rows with the \
                 digest {}; delete the copy, and copy again.",
                table.name, read.rows, read.digest, copied.rows, copied.digest
            )));
        }
        let digest = copied.digest.to_string();
        Ok(TransferredTable { name: table.name.clone(), rows: copied.rows, digest })
    }

    fn stop_if_asked(&self) -> Result<(), CopyError> {
        if self.progress.is_stopped() { Err(CopyError::new(STOPPED)) } else { Ok(()) }
    }
}

/// The error of a copy that was stopped.
const STOPPED: &str = "stopped; run the same command again, and the copy goes on.";
