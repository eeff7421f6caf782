//! Repairs a database whose times lie in the future, after a clock that was far ahead.
//!
//! Times of changes never go back, so such a time stays until the clock has passed it. The rows are
//! changed as by another program: the triggers give them new revisions, so ETags stay right.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{
    backup::{NamedFile, copy_error, original, source_record},
    draft::Halt,
    file_lock::{FileLock, LockError},
    opening, raw,
};
use crate::{
    model::value::{now, seconds_now},
    store::{
        CopyError, FutureTimes,
        sql::{quoted, record::Record},
    },
};

/// The columns with the times of a row.
const ROW_TIMES: [&str; 2] = ["created_at", "updated_at"];

/// Sets the counter back to the present. Then the triggers use the present, too.
const STATE: &str = "UPDATE \"_nouns_state\" SET \"stamped_at\" = min(\"stamped_at\", ?1), \
                     \"declared_at\" = min(\"declared_at\", ?1)";

const TABLES: &str = "UPDATE \"_nouns_tables\" SET \"changed_at\" = ?1 WHERE \"changed_at\" > ?1";

const ANSWERS: &str = "UPDATE \"_nouns_answers\" SET \"at\" = ?1 WHERE \"at\" > ?1";

const GRANTS: &str = "UPDATE \"_nouns_grants\" SET \"created_at\" = min(\"created_at\", ?1), \
                      \"used_at\" = min(\"used_at\", ?1) WHERE \"created_at\" > ?1 OR \"used_at\" > ?1";

pub(in crate::store) fn repair_times(
    database: &Path,
    applies: bool,
) -> Result<FutureTimes, CopyError> {
    raw::count_no_memory();
    opening::check_name(database)?;
    let named = NamedFile::database(database);
    original(named)?;
    // The lock proves that no server has the database open. It ends before this process opens it.
    drop(FileLock::take(database).map_err(|error| match error {
        LockError::InUse(who) => named.fails(format_args!("is in use by {who}; stop it first.")),
        LockError::System(cause) => named.cannot("opened", cause),
    })?);
    let failed = |cause: rusqlite::Error| copy_error(Halt::from(cause), named, named);
    let mut connection = Connection::open(database).map_err(failed)?;
    let record = source_record(&connection, named)?;
    repair(&mut connection, &record, applies).map_err(failed)
}

fn repair(
    connection: &mut Connection,
    record: &Record,
    applies: bool,
) -> rusqlite::Result<FutureTimes> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let now = now();
    let state = "SELECT \"stamped_at\" FROM \"_nouns_state\" WHERE \"stamped_at\" > ?1";
    let newest = transaction.query_row(state, [&now], |row| row.get(0));
    let newest: Option<String> = rusqlite::OptionalExtension::optional(newest)?;
    if applies {
        transaction.execute(STATE, [&now])?;
        transaction.execute(TABLES, [&now])?;
        transaction.execute(ANSWERS, [seconds_now()])?;
        transaction.execute(GRANTS, [seconds_now()])?;
    }
    let mut rows = vec![];
    for table in &record.tables {
        let has = |name: &&&str| table.columns.iter().any(|column| column.name == **name);
        let columns: Vec<_> = ROW_TIMES.iter().filter(has).copied().collect();
        let count = table_rows(&transaction, (&table.name, &columns), &now, applies)?;
        if count > 0 {
            rows.push((table.name.clone(), count));
        }
    }
    transaction.commit()?;
    Ok(FutureTimes { newest, rows })
}

/// Counts the rows of a table with a time in the future, and sets those times to the present.
fn table_rows(
    transaction: &Transaction<'_>,
    (table, columns): (&str, &[&str]),
    now: &str,
    applies: bool,
) -> rusqlite::Result<u64> {
    if columns.is_empty() {
        return Ok(0);
    }
    let table = quoted(table);
    let is_ahead = |column: &&str| format!("{} > ?1", quoted(column));
    let ahead = columns.iter().map(is_ahead).collect::<Vec<_>>().join(" OR ");
    let text = format!("SELECT count(*) FROM {table} WHERE {ahead}");
    let count: i64 = transaction.query_row(&text, [now], |row| row.get(0))?;
    if applies && count > 0 {
        let set = |column: &&str| format!("{0} = min({0}, ?1)", quoted(column));
        let set = columns.iter().map(set).collect::<Vec<_>>().join(", ");
        transaction.execute(&format!("UPDATE {table} SET {set} WHERE {ahead}"), [now])?;
    }
    Ok(count.cast_unsigned())
}
