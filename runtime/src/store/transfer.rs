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
use super::{CopyError, CopyProgress, Location};
use crate::model::value::Value;

/// The number of rows from which a batch is stored.
const BATCH_ROWS_MAX: usize = 5_000;
/// The number of bytes of values from which a batch is stored.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

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
pub(super) struct Transfer<'t> {
    pub(super) source: &'t mut dyn TransferSource,
    pub(super) target: &'t mut dyn TransferTarget,
    pub(super) from: &'t Location,
    pub(super) progress: &'t CopyProgress,
}

impl Transfer<'_> {
    /// Copies everything, and verifies the copy.
    pub(super) fn run(
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
