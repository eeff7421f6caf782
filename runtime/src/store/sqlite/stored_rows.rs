//! The rows of a database, as far as changes of its tables depend on them.

use rusqlite::Connection;

use super::system;
use crate::store::{
    difference::{COUNTED_ROWS_MAX, SHARED_VALUES_MAX, StoredRows},
    sql::{
        Dialect, quoted,
        record::{Column, Index, Table},
        shared,
    },
};

impl StoredRows for &Connection {
    type Failure = rusqlite::Error;

    fn exist(&mut self, table: &Table) -> rusqlite::Result<bool> {
        if !system::has_table(self, &table.name)? {
            return Ok(true);
        }
        let text = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(&table.name));
        self.query_row(&text, [], |row| row.get(0))
    }

    fn without_value(&mut self, table: &Table, column: &Column) -> rusqlite::Result<u64> {
        let (on, name) = (quoted(&table.name), quoted(&column.name));
        let text = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {on} WHERE {name} IS NULL LIMIT {})",
            COUNTED_ROWS_MAX + 1
        );
        let count: i64 = self.query_row(&text, [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }
}

/// Returns values that several rows share in the columns of an index, and one more if there are
/// more than a message names.
pub(super) fn shared_values(
    connection: &Connection,
    table: &Table,
    index: &Index,
) -> rusqlite::Result<Vec<String>> {
    let text = shared::text(table, index, SHARED_VALUES_MAX + 1, Dialect::Sqlite);
    let mut statement = connection.prepare(&text)?;
    let count = statement.column_count();
    let rows = statement.query_map([], |row| {
        let values = (0..count).map(|at| row.get::<_, String>(at));
        let values = values.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(shared::spell(table, index, values, Dialect::Sqlite))
    })?;
    rows.collect()
}
