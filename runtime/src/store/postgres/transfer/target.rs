//! The PostgreSQL database that a copy fills.

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::{binary, failed, open, read};
use crate::{
    model::value::Value,
    store::{
        CopyError, Location,
        failure::Failure,
        postgres::{build, handle::PostgresHandle, hold, parameter::BinaryParameter, system},
        sql::{Dialect, ddl, quoted, record::Record},
        transfer::{
            CopiedTable, Publication, RowVisitor, TableDigest, TableProgress, TransferOrigin,
            TransferTarget, fails,
        },
    },
};

const BEGIN_COPY: &str = "INSERT INTO \"_nouns_copy\" VALUES (1, $1, $2, $3)";
const COPY: &str = "SELECT \"copy\", \"source\", \"record\" FROM \"_nouns_copy\"";
const PROGRESS: &str = "SELECT \"revision\", \"position\", \"rows\", \"digest\" FROM \"_nouns_copy_tables\" WHERE \"name\" = $1";
const BEGIN_TABLE: &str = "INSERT INTO \"_nouns_copy_tables\" VALUES ($1, $2, NULL, 0, $3) \
    ON CONFLICT (\"name\") DO UPDATE SET \"revision\" = $2, \"position\" = NULL, \"rows\" = 0, \"digest\" = $3";
const REACH: &str = "UPDATE \"_nouns_copy_tables\" SET \"position\" = $3, \"rows\" = $4, \"digest\" = $5 \
    WHERE \"name\" = $1 AND \"rows\" = $2";
/// The triggers of grants have nothing to do.
const MARK_OWN: &str = "SELECT set_config('nouns.own', '1', true)";
const COUNT: &str = "UPDATE \"_nouns_counters\" SET \"count\" = CASE \"slot\" WHEN 0 THEN $2::bigint ELSE 0 END, \
    \"changed_at\" = CASE \"slot\" WHEN 0 THEN coalesce($3::timestamptz, '-infinity') ELSE '-infinity' END WHERE \"name\" = $1";
const LAST_ID: &str = "SELECT setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3)";
const REVISIONS: &str = "SELECT setval('\"_nouns_revisions\"', $1::bigint)";
/// The history of the server is recorded by the first connection that serves the database.
const STATE: &str = "UPDATE \"_nouns_state\" SET \"declaration\" = $1, \"declared_at\" = $2, \"secret\" = $3, \
    \"database\" = coalesce($4, \"database\"), \"history\" = NULL";

/// A PostgreSQL database that a copy fills.
pub(in crate::store) struct PostgresTarget {
    location: Location,
    handle: PostgresHandle,
    record: Option<Record>,
}

impl PostgresTarget {
    /// Connects to a database.
    pub(in crate::store) fn open(location: &Location, url: &str) -> Result<Self, CopyError> {
        Ok(Self { location: location.clone(), handle: open(location, url)?, record: None })
    }

    fn failed(&self, failure: Failure) -> CopyError {
        failed(&self.location, "cannot be written", failure)
    }

    /// Returns the name of a table that must not exist in an empty database.
    fn obstacle(&mut self, record: &Record) -> Result<Option<String>, Failure> {
        let names = record.tables.iter().map(|table| &*table.name);
        for name in ["_nouns_state"].into_iter().chain(names) {
            if hold::exists(&mut self.handle, name)? {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    fn create(&mut self, origin: &TransferOrigin) -> Result<String, Failure> {
        let (copy, handle) = (Uuid::new_v4().to_string(), &mut self.handle);
        handle.begin("BEGIN");
        system::create(handle)?;
        for table in &origin.record.tables {
            handle.script(&ddl::table(table, &table.name, Dialect::Postgres))?;
        }
        handle.script(hold::COPY_TABLES)?;
        handle.ask(BEGIN_COPY, &[&copy, &origin.identity, &origin.record_text()])?;
        handle.end("COMMIT")?;
        Ok(copy)
    }

    fn resume(&mut self, origin: &TransferOrigin) -> Result<String, CopyError> {
        let found = self.handle.ask(COPY, &[]).map_err(|failure| self.failed(failure))?;
        let found = found.first().map(|row| (row.get(0), row.get(1), row.get(2)));
        let (copy, source, record): (String, String, String) = found.unwrap_or_default();
        if (source, record) != (origin.identity.clone(), origin.record_text()) {
            return Err(fails(
                &self.location,
                "has an unfinished copy of another database, or of one with other tables; delete its tables, or name another database",
            ));
        }
        Ok(copy)
    }

    /// Returns the types of the columns of a table.
    fn types(&mut self, table: &CopiedTable) -> Result<Vec<Type>, Failure> {
        let names: Vec<_> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let text = format!("SELECT {} FROM {}", names.join(", "), quoted(&table.name));
        let statement = self.handle.prepare(&text)?;
        Ok(statement.columns().iter().map(|column| column.type_().clone()).collect())
    }

    fn try_to_write(
        &mut self,
        table: &CopiedTable,
        rows: &[Vec<Value>],
        before: &TableProgress,
        after: &TableProgress,
    ) -> Result<bool, CopyError> {
        let types = self.types(table).map_err(|failure| self.failed(failure))?;
        let handle = &mut self.handle;
        handle.begin("BEGIN");
        let begun = handle.ask(MARK_OWN, &[]);
        begun.map_err(|failure| self.failed(failure))?;
        binary::store(self.handle.wire(), table, &types, rows).map_err(|failure| {
            let misfit = binary::misfit(table, &types, rows);
            let first = rows.first().map(|row| table.row_name(row)).unwrap_or_default();
            match misfit {
                Some(misfit) => {
                    fails(&self.location, format_args!("cannot store {misfit}; change it first"))
                }
                None => failed(
                    &self.location,
                    &format!("refuses rows from {first} on; change them first"),
                    failure,
                ),
            }
        })?;
        let (had, has) = (before.rows.cast_signed(), after.rows.cast_signed());
        let digest = after.digest.to_string();
        let reached =
            self.handle.change(REACH, &[&table.name, &had, &after.position, &has, &digest]);
        if reached.map_err(|failure| self.failed(failure))? == 0 {
            return Ok(false);
        }
        self.handle.end("COMMIT").map_err(|failure| self.failed(failure))?;
        Ok(true)
    }

    fn try_to_build(&mut self, publication: &Publication<'_>) -> Result<(), Failure> {
        let (handle, record) = (&mut self.handle, &publication.origin.record);
        handle.begin("BEGIN");
        build::complete_tables(handle, record)?;
        for (table, state) in record.tables.iter().zip(&publication.tables) {
            let time = Value::Text(state.changed_at.clone());
            let time = if state.changed_at.is_empty() { Value::Null } else { time };
            handle.ask(COUNT, &[&table.name, &state.revision, &BinaryParameter(&time)])?;
            if let Some(last) = state.last_id.filter(|last| *last > 0) {
                handle.ask(LAST_ID, &[&table.name, &table.key().name, &last])?;
            }
        }
        handle.ask(REVISIONS, &[&publication.revision()])?;
        let declared_at = Value::Text(publication.declared_at());
        let identity = publication.is_sealed.then_some(&publication.origin.identity);
        let (declaration, secret) = (&publication.state.declaration, &publication.state.secret);
        handle.ask(STATE, &[declaration, &BinaryParameter(&declared_at), secret, &identity])?;
        system::write_record(handle, record)
    }
}

impl TransferTarget for PostgresTarget {
    fn begin(&mut self, origin: &TransferOrigin) -> Result<String, CopyError> {
        let is_copy = hold::exists(&mut self.handle, "_nouns_copy");
        let copy = if is_copy.map_err(|failure| self.failed(failure))? {
            self.resume(origin)?
        } else {
            let obstacle = self.obstacle(&origin.record).map_err(|failure| self.failed(failure))?;
            if let Some(table) = obstacle {
                return Err(fails(
                    &self.location,
                    format_args!(
                        "is not empty: it has the table `{table}`; name an empty database, or another schema"
                    ),
                ));
            }
            self.create(origin).map_err(|failure| self.failed(failure))?
        };
        self.record = Some(origin.record.clone());
        Ok(copy)
    }

    fn progress(&mut self, table: &CopiedTable) -> Result<Option<TableProgress>, CopyError> {
        let found = self.handle.ask(PROGRESS, &[&table.name]);
        let found = found.map_err(|failure| self.failed(failure))?;
        Ok(found.first().and_then(|row| {
            Some(TableProgress {
                revision: row.get(0),
                position: row.get(1),
                rows: row.get::<_, i64>(2).unsigned_abs(),
                digest: TableDigest::parse(row.get(3))?,
            })
        }))
    }

    fn clear(&mut self, table: &CopiedTable, begun: &TableProgress) -> Result<(), CopyError> {
        let mut clear = || {
            let handle = &mut self.handle;
            handle.begin("BEGIN");
            handle.ask(MARK_OWN, &[])?;
            handle.script(&format!("TRUNCATE {}", quoted(&table.name)))?;
            let digest = begun.digest.to_string();
            handle.ask(BEGIN_TABLE, &[&table.name, &begun.revision, &digest])?;
            handle.end("COMMIT")
        };
        clear().map_err(|failure| self.failed(failure))
    }

    fn write(
        &mut self,
        table: &CopiedTable,
        rows: &[Vec<Value>],
        before: &TableProgress,
        after: &TableProgress,
    ) -> Result<(), CopyError> {
        if self.try_to_write(table, rows, before, after)? {
            return Ok(());
        }
        let reason = "is being filled by another copy, which has gone on; stop one of them";
        Err(fails(&self.location, reason))
    }

    fn build(&mut self, publication: &Publication<'_>) -> Result<(), CopyError> {
        self.try_to_build(publication).map_err(|failure| {
            let reason = "cannot be completed; change the rows in the source, delete the copy, and copy again";
            failed(&self.location, reason, failure)
        })
    }

    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError> {
        read(&mut self.handle, &self.location, table, after, row)
    }

    fn commit(&mut self) -> Result<(), CopyError> {
        let mut commit = || {
            self.handle.script("DROP TABLE \"_nouns_copy\", \"_nouns_copy_tables\"")?;
            self.handle.end("COMMIT")
        };
        commit().map_err(|failure| self.failed(failure))?;
        for table in self.record.iter().flat_map(|record| &record.tables) {
            // Statistics come by themselves later, so the copy is complete without them.
            if let Err(failure) =
                self.handle.script(&format!("VACUUM (ANALYZE) {}", quoted(&table.name)))
            {
                tracing::debug!(?failure, "a table of the copy was not analyzed");
            }
        }
        Ok(())
    }
}
