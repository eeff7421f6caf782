//! The SQLite file that a copy fills.

use std::path::{Path, PathBuf};

use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params_from_iter,
};
use uuid::Uuid;

use super::{StoredParameter, database_error, read};
use crate::{
    model::value::Value,
    store::{
        CopyError,
        sql::{Dialect, ddl, quoted, record::Record},
        sqlite::{
            backup::NamedFile,
            build, draft,
            draft::{Halt, check_tables},
            hold, opening, raw, system,
        },
        transfer::{
            CopiedKind, CopiedTable, Publication, RowVisitor, TableDigest, TableProgress,
            TransferOrigin, TransferTarget,
        },
    },
};

/// An SQLite file that a copy fills.
pub(in crate::store) struct SqliteTarget {
    path: PathBuf,
    connection: Connection,
    record: Option<Record>,
}

impl SqliteTarget {
    /// Opens or creates a file.
    pub(in crate::store) fn open(path: &Path) -> Result<Self, CopyError> {
        raw::count_no_memory();
        opening::check_name(path)?;
        opening::check_file(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            let connection = Connection::open_with_flags(path, flags)?;
            opening::prepare(&connection, 0)?;
            Ok(connection)
        };
        let connection =
            open().map_err(|cause| database_error(NamedFile::database(path), cause))?;
        Ok(Self { path: path.into(), connection, record: None })
    }

    fn file(&self) -> NamedFile<'_> {
        NamedFile::database(&self.path)
    }

    fn failed(&self, cause: rusqlite::Error) -> CopyError {
        database_error(self.file(), cause)
    }

    /// Returns the id of the interrupted copy, if it is one of this source.
    fn resume(&self, origin: &TransferOrigin) -> Result<String, CopyError> {
        let text = "SELECT \"copy\", \"source\", \"record\" FROM \"_nouns_copy\"";
        let (copy, source, record): (String, String, String) = self
            .connection
            .query_row(text, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(|cause| self.failed(cause))?;
        if (source, record) != (origin.identity.clone(), origin.record_text()) {
            return Err(self.file().fails(
                "is an unfinished copy of another database, or of one with other tables; delete it, or name another file.",
            ));
        }
        Ok(copy)
    }

    fn create(&mut self, origin: &TransferOrigin) -> rusqlite::Result<String> {
        // A batch is lost with the power, and with the position that is stored in it.
        let copy = Uuid::new_v4().to_string();
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        system::create(&transaction)?;
        for table in &origin.record.tables {
            transaction.execute_batch(&ddl::table(table, &table.name, Dialect::Sqlite))?;
        }
        transaction.execute_batch(hold::COPY_TABLES)?;
        transaction.execute(
            "INSERT INTO \"_nouns_copy\" VALUES (1, ?1, ?2, ?3)",
            (&copy, &origin.identity, origin.record_text()),
        )?;
        transaction.commit()?;
        Ok(copy)
    }

    fn insert(table: &CopiedTable) -> String {
        let names: Vec<_> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let values = table.columns.iter().enumerate().map(|(at, column)| match column.kind {
            CopiedKind::Bytes => format!("unhex(?{})", at + 1),
            CopiedKind::Declared(_) => format!("?{}", at + 1),
        });
        let values: Vec<_> = values.collect();
        let name = quoted(&table.name);
        format!("INSERT INTO {name} ({}) VALUES ({})", names.join(", "), values.join(", "))
    }

    fn try_build(&self, publication: &Publication<'_>) -> rusqlite::Result<()> {
        let (connection, record) = (&self.connection, &publication.origin.record);
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for (table, state) in record.tables.iter().zip(&publication.tables) {
            for index in &table.indexes {
                connection.execute_batch(&ddl::index(table, index, Dialect::Sqlite))?;
            }
            connection.execute(
                "INSERT INTO \"_nouns_tables\" VALUES (?1, ?2, ?3)",
                (&table.name, state.revision, &state.changed_at),
            )?;
            if let Some(last) = state.last_id {
                build::keep_last_id(connection, &table.name, last)?;
            }
        }
        build::write_triggers(connection, &record.tables)?;
        system::write_record(connection, record)?;
        let declared_at = publication.declared_at();
        let changed = publication.tables.iter().map(|table| &table.changed_at);
        let stamped_at = changed.chain([&declared_at]).max();
        let text = "UPDATE \"_nouns_state\" SET \"declaration\" = ?1, \"declared_at\" = ?2, \"stamped_at\" = ?3, \
                    \"secret\" = ?4, \"revision\" = ?5, \"database\" = coalesce(?6, \"database\")";
        let state = &publication.state;
        let identity = publication.is_sealed.then_some(&publication.origin.identity);
        connection.execute(
            text,
            (
                &state.declaration,
                &declared_at,
                stamped_at,
                &state.secret,
                publication.revision(),
                identity,
            ),
        )?;
        Ok(())
    }
}

impl TransferTarget for SqliteTarget {
    fn begin(&mut self, origin: &TransferOrigin) -> Result<String, CopyError> {
        let tables = "SELECT (SELECT count(*) FROM sqlite_schema WHERE name = '_nouns_copy'), \
                      (SELECT min(name) FROM sqlite_schema)";
        let found = self.connection.query_row(tables, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let (is_copy, table): (bool, Option<String>) = found.map_err(|cause| self.failed(cause))?;
        let copy = match table {
            _ if is_copy => self.resume(origin)?,
            Some(table) => {
                return Err(self.file().fails(format_args!(
                    "is not empty: it has the table `{table}`; name a file that does not exist."
                )));
            }
            None => {
                // In a new file, this is kept.
                let set = self.connection.pragma_update_and_check(
                    None,
                    "journal_mode",
                    "WAL",
                    |_| Ok(()),
                );
                set.map_err(|cause| self.failed(cause))?;
                self.create(origin).map_err(|cause| self.failed(cause))?
            }
        };
        let set = self.connection.pragma_update(None, "synchronous", "NORMAL");
        set.map_err(|cause| self.failed(cause))?;
        self.record = Some(origin.record.clone());
        Ok(copy)
    }

    fn progress(&mut self, table: &CopiedTable) -> Result<Option<TableProgress>, CopyError> {
        let text = "SELECT \"revision\", \"position\", \"rows\", \"digest\" FROM \"_nouns_copy_tables\" WHERE \"name\" = ?1";
        let found = self.connection.query_row(text, [&table.name], |row| {
            let digest: String = row.get(3)?;
            Ok(TableDigest::parse(&digest).map(|digest| TableProgress {
                revision: row.get(0).unwrap_or_default(),
                position: row.get(1).unwrap_or_default(),
                rows: row.get::<_, i64>(2).unwrap_or_default().unsigned_abs(),
                digest,
            }))
        });
        let found = found.optional().map_err(|cause| self.failed(cause))?;
        Ok(found.flatten())
    }

    fn clear(&mut self, table: &CopiedTable, begun: &TableProgress) -> Result<(), CopyError> {
        let clear = || {
            let transaction = self.connection.unchecked_transaction()?;
            transaction.execute_batch(&format!("DELETE FROM {}", quoted(&table.name)))?;
            transaction.execute(
                "INSERT OR REPLACE INTO \"_nouns_copy_tables\" VALUES (?1, ?2, NULL, 0, ?3)",
                (&table.name, begun.revision, begun.digest.to_string()),
            )?;
            transaction.commit()
        };
        clear().map_err(|cause| self.failed(cause))
    }

    fn write(
        &mut self,
        table: &CopiedTable,
        rows: &[Vec<Value>],
        before: &TableProgress,
        after: &TableProgress,
    ) -> Result<(), CopyError> {
        let failed = |cause| self.failed(cause);
        let transaction = self.connection.unchecked_transaction().map_err(failed)?;
        let mut insert = transaction.prepare_cached(&Self::insert(table)).map_err(failed)?;
        for row in rows {
            insert.execute(params_from_iter(row.iter().map(StoredParameter))).map_err(|cause| {
                let name = table.row_name(row);
                self.file().fails(format_args!("refuses {name}: {cause}; change it first."))
            })?;
        }
        let text = "UPDATE \"_nouns_copy_tables\" SET \"position\" = ?3, \"rows\" = ?4, \"digest\" = ?5 \
                    WHERE \"name\" = ?1 AND \"rows\" = ?2";
        let (had, has) = (before.rows.cast_signed(), after.rows.cast_signed());
        let values = (&table.name, had, &after.position, has, after.digest.to_string());
        if transaction.execute(text, values).map_err(failed)? == 0 {
            return Err(self
                .file()
                .fails("is being filled by another copy, which has gone on; stop one of them."));
        }
        drop(insert);
        transaction.commit().map_err(failed)
    }

    fn build(&mut self, publication: &Publication<'_>) -> Result<(), CopyError> {
        self.try_build(publication).map_err(|cause| {
            self.file().fails(format_args!("cannot be completed: {cause}; change the rows first."))
        })
    }

    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError> {
        read(&self.connection, self.file(), table, after, row)
    }

    fn commit(&mut self) -> Result<(), CopyError> {
        if let Some(record) = &self.record {
            check_tables(&self.connection, record).map_err(|halt| match halt {
                Halt::Unsound(found) => self
                    .file()
                    .fails(format_args!("is damaged: {found}; repair the source, and copy again.")),
                halt => draft_error(halt, self.file()),
            })?;
        }
        let text = "DROP TABLE \"_nouns_copy\"; DROP TABLE \"_nouns_copy_tables\"; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection.execute_batch(text).map_err(|cause| self.failed(cause))?;
        draft::sync_folder(&self.path).map_err(|cause| self.file().cannot("written", cause))
    }
}

fn draft_error(halt: Halt, file: NamedFile<'_>) -> CopyError {
    crate::store::sqlite::backup::copy_error(halt, file, file)
}
