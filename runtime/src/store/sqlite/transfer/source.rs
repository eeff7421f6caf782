//! The SQLite file that is copied.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};

use super::{database_error, read};
use crate::{
    model::value::Value,
    store::{
        CopyError, Location,
        sqlite::{
            backup::{self, NamedFile},
            build, hold, raw, system,
        },
        transfer::{
            CopiedTable, DatabaseState, RowVisitor, TableState, TransferOrigin, TransferSource,
        },
    },
};

/// An SQLite file that is copied.
pub(in crate::store) struct SqliteSource {
    path: PathBuf,
    connection: Connection,
}

impl SqliteSource {
    /// Opens an existing file.
    pub(in crate::store) fn open(path: &Path) -> Result<Self, CopyError> {
        raw::count_no_memory();
        let file = NamedFile::database(path);
        backup::original(file)?;
        Ok(Self { path: path.into(), connection: backup::open(file)? })
    }

    fn file(&self) -> NamedFile<'_> {
        NamedFile::database(&self.path)
    }

    fn failed(&self, cause: rusqlite::Error) -> CopyError {
        database_error(self.file(), cause)
    }
}

impl TransferSource for SqliteSource {
    fn origin(&mut self) -> Result<TransferOrigin, CopyError> {
        let record = backup::source_record(&self.connection, self.file())?;
        let read = |connection: &Connection| {
            let current = system::is_current(connection)?;
            let identity = system::identity(connection)?.database.to_string();
            Ok((current, identity, hold::seal_copy(connection)?))
        };
        let (is_current, identity, seal) =
            read(&self.connection).map_err(|cause| self.failed(cause))?;
        if !is_current {
            return Err(self.file().fails(
                "has tables of an older version of Nouns; serve it with this version once, and copy again.",
            ));
        }
        Ok(TransferOrigin { identity, record, seal })
    }

    fn seal(&mut self, copy: &str, to: &Location) -> Result<(), CopyError> {
        hold::seal(&self.path, copy, &to.to_string()).map_err(|cause| self.failed(cause))
    }

    fn unseal(&mut self) -> Result<bool, CopyError> {
        self.origin()?;
        match hold::unseal(&self.path).map_err(|cause| self.failed(cause))? {
            hold::UnsealResult::Done => Ok(true),
            hold::UnsealResult::NotSealed => Ok(false),
            hold::UnsealResult::Exhausted => Err(self.file().fails(
                "cannot be released: its change counter has reached its maximum; restore a backup.",
            )),
        }
    }

    fn begin(&mut self) -> Result<DatabaseState, CopyError> {
        let read = |connection: &Connection| {
            connection.execute_batch("BEGIN")?;
            let text = "SELECT \"declaration\", \"declared_at\", \"secret\", \"revision\" FROM \"_nouns_state\"";
            connection.query_row(text, [], |row| {
                Ok(DatabaseState {
                    declaration: row.get(0)?,
                    declared_at: row.get(1)?,
                    secret: row.get(2)?,
                    revision: row.get(3)?,
                })
            })
        };
        read(&self.connection).map_err(|cause| self.failed(cause))
    }

    fn table(&mut self, table: &CopiedTable) -> Result<TableState, CopyError> {
        let read = |connection: &Connection| {
            let text =
                "SELECT \"revision\", \"changed_at\" FROM \"_nouns_tables\" WHERE \"name\" = ?1";
            let state =
                connection.query_row(text, [&table.name], |row| Ok((row.get(0)?, row.get(1)?)));
            let (revision, changed_at) = state.optional()?.unwrap_or_default();
            let rows: i64 = connection.query_row(&table.count(), [], |row| row.get(0))?;
            let last_id = build::last_id(connection, &table.name)?;
            Ok(TableState { revision, changed_at, rows: rows.unsigned_abs(), last_id })
        };
        read(&self.connection).map_err(|cause| self.failed(cause))
    }

    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError> {
        read(&self.connection, self.file(), table, after, row)
    }

    fn end(&mut self) -> Result<(), CopyError> {
        self.connection.execute_batch("COMMIT").map_err(|cause| self.failed(cause))
    }
}
