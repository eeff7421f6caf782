//! The PostgreSQL database that is copied.

use super::{failed, open, read, unreadable};
use crate::{
    base::error::Error,
    model::value::Value,
    store::{
        CopyError, Location,
        failure::Failure,
        postgres::{
            handle::PostgresHandle,
            hold, rows,
            system::{self, TablesState},
        },
        row::MemberRow as _,
        transfer::{
            CopiedTable, DatabaseState, RowVisitor, TableState, TransferOrigin, TransferSource,
            fails,
        },
    },
};

const IDENTITY: &str = "SELECT \"database\" FROM \"_nouns_state\"";
const STATE: &str = "SELECT \"declaration\", \"secret\" FROM \"_nouns_state\"";
const DECLARED: &str = "SELECT \"declared_at\" FROM \"_nouns_state\"";
/// A connection takes a block of revisions at once.
const REVISION: &str = "SELECT last_value + 64 FROM \"_nouns_revisions\"";
const TABLE: &str = "SELECT coalesce(sum(\"count\"), 0)::bigint, max(\"changed_at\") FROM \"_nouns_counters\" WHERE \"name\" = $1";
const LAST_ID: &str =
    "SELECT pg_sequence_last_value(pg_get_serial_sequence(quote_ident($1), $2)::regclass)";

/// A PostgreSQL database that is copied.
pub(in crate::store) struct PostgresSource {
    location: Location,
    handle: PostgresHandle,
}

impl PostgresSource {
    /// Connects to a database.
    pub(in crate::store) fn open(location: &Location, url: &str) -> Result<Self, CopyError> {
        Ok(Self { location: location.clone(), handle: open(location, url)? })
    }

    fn find(&mut self) -> Result<Option<(TablesState, String, Option<String>)>, Failure> {
        let handle = &mut self.handle;
        if !system::exist(handle)? || hold::exists(handle, "_nouns_copy")? {
            return Ok(None);
        }
        let seal = hold::sealed(handle)?.map(|[copy, _]| copy);
        let identity = handle.ask(IDENTITY, &[])?;
        let identity = identity.first().map(|row| row.get(0)).unwrap_or_default();
        Ok(Some((system::state(handle)?, identity, seal)))
    }
}

impl TransferSource for PostgresSource {
    fn origin(&mut self) -> Result<TransferOrigin, CopyError> {
        let found = self.find().map_err(unreadable(&self.location))?;
        let Some((state, identity, seal)) = found else {
            return Err(fails(
                &self.location,
                "was not created by Nouns, or is an unfinished copy; name the database that Nouns serves",
            ));
        };
        match state {
            TablesState::Ours(record) => Ok(TransferOrigin { identity, record, seal }),
            TablesState::Newer => Err(fails(
                &self.location,
                "was created by a newer version of Nouns; use that version",
            )),
            TablesState::Damaged(cause) => {
                Err(fails(&self.location, "has a stored schema record that cannot be read")
                    .with_source(cause))
            }
        }
    }

    fn seal(&mut self, copy: &str, to: &Location) -> Result<(), CopyError> {
        hold::seal(&mut self.handle, copy, &to.to_string())
            .map_err(|failure| failed(&self.location, "cannot be sealed", failure))
    }

    fn unseal(&mut self) -> Result<bool, CopyError> {
        self.origin()?;
        hold::unseal(&mut self.handle)
            .map_err(|failure| failed(&self.location, "cannot be released", failure))
    }

    fn begin(&mut self) -> Result<DatabaseState, CopyError> {
        let mut begin = || {
            let handle = &mut self.handle;
            handle.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
            let none = || Failure::internal("the database has no state");
            let state = handle.ask(STATE, &[])?.into_iter().next().ok_or_else(none)?;
            let (declaration, secret) = (state.get(0), state.get(1));
            let declared = handle.ask(DECLARED, &[])?.into_iter().next().ok_or_else(none)?;
            let declared_at = text(rows::read(declared)?.value(0));
            let revision = handle.ask(REVISION, &[])?;
            let revision = revision.first().ok_or_else(none)?.get(0);
            Ok(DatabaseState { declaration, declared_at, secret, revision })
        };
        begin().map_err(unreadable(&self.location))
    }

    fn table(&mut self, table: &CopiedTable) -> Result<TableState, CopyError> {
        let mut read = || {
            let handle = &mut self.handle;
            let state = handle.ask(TABLE, &[&table.name])?.into_iter().next();
            let state = state.ok_or_else(|| Error::internal("a table has no state"))?;
            let state = rows::read(state)?;
            let changed_at = text(state.value(1));
            let last_id = match table.has_integer_key() {
                true => handle.ask(LAST_ID, &[&table.name, &table.columns[0].name])?,
                false => vec![],
            };
            let last_id = last_id.first().and_then(|row| row.get(0));
            let mut rows = 0;
            handle.query_text(&table.count(), None, |row| {
                rows = row.integer(0).unwrap_or_default().unsigned_abs();
                true
            })?;
            let revision = state.integer(0).unwrap_or_default();
            Ok(TableState { revision, changed_at, rows, last_id })
        };
        read().map_err(unreadable(&self.location))
    }

    fn read(
        &mut self,
        table: &CopiedTable,
        after: Option<&Value>,
        row: &mut RowVisitor<'_>,
    ) -> Result<(), CopyError> {
        read(&mut self.handle, &self.location, table, after, row)
    }

    fn end(&mut self) -> Result<(), CopyError> {
        self.handle.end("COMMIT").map_err(unreadable(&self.location))
    }
}

/// The text of a value, which is empty for NULL.
fn text(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        _ => String::new(),
    }
}
