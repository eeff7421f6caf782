//! The counters of tables, from which the validators of collections are made.
//!
//! A transaction that changes rows of a table adds one to a counter of the table. So that writers
//! do not wait for each other, a table has several counters, one for each *slot*. A transaction
//! that writes has a slot of its own (see `slots.rs`). The state of a table is the sum of its
//! counters, read in the snapshot of the rows.
//!
//! Why equal sums mean equal rows: every change of rows comes with an increment in the same
//! transaction, and counters only grow. On one primary, of two snapshots one sees all transactions
//! that the other sees. So if the sums are equal, both see the same changes. This does not depend
//! on who holds a slot: two holders wait for each other, and count nothing wrong.

use tokio_postgres::Row as ServerRow;

use super::{fault::Remedy, handle::PostgresHandle, parameter::BinaryParameter, slots::UsedSlot};
use crate::{
    http::http_date::Second,
    model::value::Value,
    store::{failure::Failure, row::MemberRow as _},
};

/// Adds to the counters of tables, and marks the transaction as one of Nouns, whose triggers have
/// nothing to do. Returns the number of the transaction.
const BUMP: &str = "UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = $3 \
    WHERE \"slot\" = $1 AND \"name\" = $2 RETURNING set_config('nouns.own', '1', true), pg_current_xact_id()::text";
/// The same for several tables, in the order of their names. An UPDATE alone has no order.
const BUMP_ALL: &str = "WITH l AS MATERIALIZED (SELECT \"name\", \"slot\" FROM \"_nouns_counters\" \
    WHERE \"slot\" = $1 AND \"name\" = ANY($2) ORDER BY \"name\" FOR NO KEY UPDATE) \
    UPDATE \"_nouns_counters\" AS c SET \"count\" = c.\"count\" + 1, \"changed_at\" = $3 FROM l \
    WHERE c.\"slot\" = $1 AND c.\"name\" = l.\"name\" \
    RETURNING set_config('nouns.own', '1', true), pg_current_xact_id()::text";
const MARK_OWN: &str = "SELECT set_config('nouns.own', '1', true)";

pub(super) const SUMS: &str = "SELECT \"name\", sum(\"count\")::bigint, max(\"changed_at\") FROM \"_nouns_counters\" \
    WHERE \"name\" = ANY($1) GROUP BY \"name\"";
/// The order of the locks is the same for all, so that nobody waits in a circle.
const LOCK_COUNTERS: &str = "SELECT 1 FROM \"_nouns_counters\" WHERE \"name\" = ANY($1) ORDER BY \"name\", \"slot\" FOR UPDATE";
const SHARE_STATE: &str = "SELECT 1 FROM \"_nouns_state\" FOR SHARE";

/// Adds one to the counters of tables in a slot, in the open transaction. Returns the number of the
/// transaction, if a counter was changed.
pub(super) fn bump(
    handle: &mut PostgresHandle,
    slot: &UsedSlot,
    tables: &[&str],
    at: &str,
) -> Result<Option<String>, Failure> {
    if tables.is_empty() {
        return handle.ask(MARK_OWN, &[]).map(|_| None);
    }
    let at = Value::Text(at.to_owned());
    let rows = match tables {
        [table] => handle.ask(BUMP, &[&slot.number(), table, &BinaryParameter(&at)]),
        _ => handle.ask(BUMP_ALL, &[&slot.number(), &tables, &BinaryParameter(&at)]),
    }?;
    if rows.len() != tables.len() {
        slot.lose();
        handle.set_remedy(Remedy::Again);
        return Err(Failure::internal("a table has no counter in the slot of a connection"));
    }
    Ok(rows.first().map(|row| row.get(1)))
}

/// Returns the sum of the counters of each table, and the time of its last change, in the order of
/// `tables`.
pub(super) fn sums(
    handle: &mut PostgresHandle,
    tables: &[&str],
) -> Result<Vec<(u64, Second)>, Failure> {
    of_tables(handle.ask(SUMS, &[&tables])?, tables)
}

/// Reads the rows of [`SUMS`].
pub(super) fn of_tables(
    rows: Vec<ServerRow>,
    tables: &[&str],
) -> Result<Vec<(u64, Second)>, Failure> {
    let mut sums = vec![(0, Second::default()); tables.len()];
    for row in rows {
        let row = super::rows::read(row)?;
        let name = row.value(0);
        let sum = (row.integer(1).unwrap_or_default().cast_unsigned(), row.changed(2));
        for (at, _) in
            tables.iter().enumerate().filter(|(_, table)| name == Value::Text((**table).into()))
        {
            sums[at] = (sum.0, sum.1.unwrap_or_default());
        }
    }
    Ok(sums)
}

/// Locks the counters of tables, so that nobody changes rows of them before the transaction ends.
/// The transaction has no lock yet: it would wait for others that wait for it.
pub(super) fn lock(handle: &mut PostgresHandle, tables: &[&str]) -> Result<(), Failure> {
    handle.ask(SHARE_STATE, &[])?;
    handle.ask(LOCK_COUNTERS, &[&tables]).map(drop)
}
