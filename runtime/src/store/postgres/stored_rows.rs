//! The rows of a database, as far as changes of its tables depend on them.

use super::handle::PostgresHandle;
use crate::store::{
    Migration,
    difference::{COUNTED_ROWS_MAX, SHARED_VALUES_MAX, StoredRows},
    failure::Failure,
    sql::{
        Dialect, quoted,
        record::{Column, Index, Table},
        shared,
    },
};

const EXISTS: &str = "SELECT to_regclass(quote_ident($1)) IS NOT NULL";

/// The rows of a database in a transaction that may change its tables.
pub(super) struct RowsToChange<'h> {
    pub(super) handle: &'h mut PostgresHandle,
    pub(super) migration: Migration,
}

impl StoredRows for RowsToChange<'_> {
    type Failure = Failure;

    /// If the table may be changed, other sessions do not write to it until the transaction ends:
    /// what the rows say stays so.
    fn exist(&mut self, table: &Table) -> Result<bool, Failure> {
        let rows = self.handle.ask(EXISTS, &[&table.name])?;
        if !rows.first().is_some_and(|row| row.get(0)) {
            return Ok(true);
        }
        let on = quoted(&table.name);
        if self.migration != Migration::Refuse {
            self.handle.script(&format!("LOCK TABLE {on} IN SHARE ROW EXCLUSIVE MODE"))?;
        }
        let found = self.handle.texts(&format!("SELECT 1 FROM {on} LIMIT 1"))?;
        Ok(!found.is_empty())
    }

    fn without_value(&mut self, table: &Table, column: &Column) -> Result<u64, Failure> {
        let (on, name) = (quoted(&table.name), quoted(&column.name));
        let text = format!(
            "SELECT count(*) FROM (SELECT FROM {on} WHERE {name} IS NULL LIMIT {}) AS t",
            COUNTED_ROWS_MAX + 1
        );
        let rows = self.handle.texts(&text)?;
        let count = rows.first().and_then(|row| row.first()?.parse().ok());
        count.ok_or_else(|| Failure::internal("a count of rows is not a number"))
    }
}

/// Returns values that several rows share in the columns of an index, and one more if there are
/// more than a message names.
pub(super) fn shared_values(
    handle: &mut PostgresHandle,
    table: &Table,
    index: &Index,
) -> Result<Vec<String>, Failure> {
    let text = shared::text(table, index, SHARED_VALUES_MAX + 1, Dialect::Postgres);
    let rows = handle.texts(&text)?;
    Ok(rows.into_iter().map(|row| shared::spell(table, index, row, Dialect::Postgres)).collect())
}
