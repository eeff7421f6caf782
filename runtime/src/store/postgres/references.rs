//! Foreign keys that restrict a deletion. Older versions have created them so that the server tests
//! them before other foreign keys act: then the result of a deletion depended on their order.

use super::handle::PostgresHandle;
use crate::store::{
    failure::Failure,
    sql::{ddl, quoted, record::Record},
};

/// The foreign keys of one column with `ON DELETE RESTRICT`.
const OLDER: &str = "SELECT t.relname::text, a.attname::text, k.conname::text FROM pg_constraint AS k \
    JOIN pg_class AS t ON t.oid = k.conrelid \
    JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] \
    WHERE k.contype = 'f' AND k.confdeltype = 'r' AND cardinality(k.conkey) = 1 \
    AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())";
/// The foreign keys whose rows were not tested since [`upgrade`] has replaced them.
const UNTESTED: &str = "SELECT t.relname::text, k.conname::text FROM pg_constraint AS k \
    JOIN pg_class AS t ON t.oid = k.conrelid \
    WHERE k.contype = 'f' AND k.confdeltype = 'a' AND k.condeferrable AND NOT k.convalidated \
    AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())";

/// Replaces the foreign keys of older versions. Rows are not tested again, so this takes no longer
/// for large tables.
pub(super) fn upgrade(handle: &mut PostgresHandle, record: &Record) -> Result<(), Failure> {
    for row in handle.ask(OLDER, &[])? {
        let (table, column, name): (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
        let ours = record.table(table).and_then(|table| Some((table, table.column(column)?)));
        let text = ours.and_then(|(table, column)| ddl::replace_constraint(table, column, name));
        if let Some(text) = text {
            handle.script(&text)?;
        }
    }
    Ok(())
}

/// Tests the rows of replaced foreign keys, while others read and write them. The server enforces
/// the keys before, too, so a failure is only logged.
pub(super) fn validate(handle: &mut PostgresHandle) {
    let validate = |handle: &mut PostgresHandle| -> Result<(), Failure> {
        for row in handle.ask(UNTESTED, &[])? {
            let [table, name] = [0, 1].map(|at| quoted(row.get(at)));
            handle.script(&format!("ALTER TABLE {table} VALIDATE CONSTRAINT {name}"))?;
        }
        Ok(())
    };
    if let Err(failure) = validate(handle) {
        let error = crate::base::error::Error::from(failure);
        tracing::warn!(%error, "the foreign keys of existing rows were not tested again");
    }
}
