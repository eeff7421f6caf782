//! The counters of tables, from which the validators of collections are made.
//!
//! A transaction that changes rows of a table adds one to a counter of the table. So that writers
//! do not wait for each other, a table has many counters, one for each *slot*. Every connection
//! that writes has leased a slot of its own. The state of a table is the sum of its counters, read
//! in the snapshot of the rows.
//!
//! Why equal sums mean equal rows: every change of rows comes with an increment in the same
//! transaction, and counters only grow. On one primary, of two snapshots one sees all transactions
//! that the other sees. So if the sums are equal, both see the same changes. This does not depend
//! on who holds a slot: two holders wait for each other, and count nothing wrong.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_postgres::{Client, Row as ServerRow};
use uuid::Uuid;

use super::{handle::PostgresHandle, parameter::BinaryParameter};
use crate::{
    http::http_date::Second,
    model::value::Value,
    store::{failure::Failure, row::MemberRow as _},
};

/// The time for which a slot is leased. It is renewed in time, so only a slot whose process has
/// died gets another holder.
const LEASE: Duration = Duration::from_secs(300);
/// The number of slots from which connections share slots.
const SLOTS_MAX: i64 = 1024;

/// A process that hangs here would keep others from starting.
const LEASING: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'";
const TAKE: &str = "UPDATE \"_nouns_slots\" SET \"holder\" = $1, \"until\" = now() + interval '300 s' WHERE \"slot\" = \
    (SELECT \"slot\" FROM \"_nouns_slots\" WHERE \"until\" < now() ORDER BY \"slot\" LIMIT 1 FOR UPDATE SKIP LOCKED) \
    RETURNING \"slot\"";
/// A new slot comes while no precondition on a collection is tested: that test locks all counters.
/// This is an update, so that a serializable transaction which has waited for it begins again.
const CHANGE_STATE: &str = "UPDATE \"_nouns_state\" SET \"id\" = \"id\"";
const ADD: &str = "INSERT INTO \"_nouns_slots\" (\"slot\", \"holder\", \"until\") \
    SELECT coalesce(max(\"slot\"), 0) + 1, $1::text, now() + interval '300 s' FROM \"_nouns_slots\" HAVING count(*) < $2::bigint RETURNING \"slot\"";
const ADD_COUNTERS: &str = "INSERT INTO \"_nouns_counters\" (\"name\", \"slot\", \"changed_at\") \
    SELECT DISTINCT \"name\", $1::integer, '-infinity'::timestamptz FROM \"_nouns_counters\" ON CONFLICT DO NOTHING";
const SHARE: &str = "SELECT \"slot\" FROM \"_nouns_slots\" ORDER BY random() LIMIT 1";
const RENEW: &str = "UPDATE \"_nouns_slots\" SET \"until\" = now() + interval '300 s' WHERE \"slot\" = $1 AND \"holder\" = $2";
const RELEASE: &str = "UPDATE \"_nouns_slots\" SET \"until\" = '-infinity' WHERE \"holder\" = $1";

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

/// The lease of a slot.
pub(super) struct SlotLease {
    slot: i32,
    holder: Uuid,
    /// When the lease is to be renewed.
    due: Mutex<Instant>,
}

impl SlotLease {
    /// Leases a slot for a connection, outside of a transaction. A process is the holder of all
    /// of its slots.
    pub(super) fn take(handle: &mut PostgresHandle, holder: Uuid) -> Result<Self, Failure> {
        let due = Mutex::new(Instant::now() + LEASE / 2);
        let name = holder.to_string();
        handle.begin(LEASING);
        let taken = handle.ask(TAKE, &[&name]).and_then(|rows| match rows.first() {
            Some(row) => Ok(row.get::<_, i32>(0)),
            None => Self::add(handle, &name),
        });
        match taken {
            Ok(slot) => handle.end("COMMIT").map(|()| Self { slot, holder, due }),
            Err(failure) => {
                handle.roll_back();
                Err(failure)
            }
        }
    }

    fn add(handle: &mut PostgresHandle, holder: &str) -> Result<i32, Failure> {
        handle.ask(CHANGE_STATE, &[])?;
        let added = handle.ask(ADD, &[&holder, &SLOTS_MAX])?;
        let Some(row) = added.first() else {
            let shared = handle.ask(SHARE, &[])?;
            let none = || Failure::internal("the database has no slots for counters");
            return shared.first().map(|row| row.get(0)).ok_or_else(none);
        };
        let slot: i32 = row.get(0);
        handle.ask(ADD_COUNTERS, &[&slot])?;
        Ok(slot)
    }

    /// The number of the slot.
    pub(super) const fn number(&self) -> i32 {
        self.slot
    }

    /// Whether the lease has been held for half of its time.
    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_from(&self, begun: Instant) {
        *self.lock() = begun + LEASE / 2;
    }

    /// Renews the lease if it is time, outside of a transaction.
    pub(super) fn keep(&mut self, handle: &mut PostgresHandle) -> Result<(), Failure> {
        let begun = Instant::now();
        if !self.is_due() {
            return Ok(());
        }
        match handle.change(RENEW, &[&self.slot, &self.holder.to_string()])? {
            0 => *self = Self::take(handle, self.holder)?,
            _ => self.keep_from(begun),
        }
        Ok(())
    }

    /// Renews the lease on the connection of a worker. Returns false if another process has it.
    pub(super) async fn renew(&self, client: &Client) -> Result<bool, tokio_postgres::Error> {
        let begun = Instant::now();
        let renewed = client.execute(RENEW, &[&self.slot, &self.holder.to_string()]).await?;
        self.keep_from(begun);
        Ok(renewed > 0)
    }

    /// Adds one to the counters of tables in the open transaction. Returns the number of the
    /// transaction, if a counter was changed.
    pub(super) fn bump(
        &self,
        handle: &mut PostgresHandle,
        tables: &[&str],
        at: &str,
    ) -> Result<Option<String>, Failure> {
        if tables.is_empty() {
            return handle.ask(MARK_OWN, &[]).map(|_| None);
        }
        let at = Value::Text(at.to_owned());
        let rows = match tables {
            [table] => handle.ask(BUMP, &[&self.slot, table, &BinaryParameter(&at)]),
            _ => handle.ask(BUMP_ALL, &[&self.slot, &tables, &BinaryParameter(&at)]),
        }?;
        if rows.len() != tables.len() {
            return Err(Failure::internal("a table has no counter in the slot of a connection"));
        }
        Ok(rows.first().map(|row| row.get(1)))
    }
}

/// Gives the slots of a process to whoever needs them next.
pub(super) fn release(handle: &mut PostgresHandle, holder: Uuid) {
    if let Err(failure) = handle.change(RELEASE, &[&holder.to_string()]) {
        tracing::debug!(?failure, "slots were not released; their leases end by themselves");
    }
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
