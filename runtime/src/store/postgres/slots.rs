//! Slots: where transactions count their changes, each in one of its own.
//!
//! Each read of a state adds the counters of all slots, so there are as few as possible. A process
//! leases one when a transaction needs it while all that it has are used, and keeps it for the next
//! ones. What it has not used for some seconds it gives back. A slot that nobody holds is folded
//! into slot 0, which nobody leases.

mod leases;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_postgres::{Client, Row as ServerRow};
use uuid::Uuid;

pub(super) use self::leases::UNUSED_TIME;
use self::leases::{LeasedSlot, SlotLeases, SlotRenewal};
use super::handle::PostgresHandle;
use crate::store::failure::Failure;

/// The longest wait for somebody who leases a slot. That takes a millisecond, unless the server
/// hangs.
const TURN_TIME_MAX: Duration = Duration::from_secs(1);
/// The number of slots from which processes share slots.
const SLOTS_MAX: i64 = 1024;

/// A process that hangs here would keep others from starting.
const LEASING: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'";
const TAKE: &str = "UPDATE \"_nouns_slots\" SET \"holder\" = $1, \"until\" = now() + interval '300 s' WHERE \"slot\" = \
    (SELECT \"slot\" FROM \"_nouns_slots\" WHERE \"until\" < now() ORDER BY \"slot\" LIMIT 1 FOR UPDATE SKIP LOCKED) \
    RETURNING \"slot\"";
/// A new slot comes while no precondition on a collection is tested: that test locks all counters.
/// This is an update, so that a serializable transaction which has waited for it begins again. It
/// changes nothing while somebody has locked the state, as a migration does for long.
const CHANGE_STATE: &str = "UPDATE \"_nouns_state\" SET \"id\" = \"id\" WHERE \"id\" IN \
    (SELECT \"id\" FROM \"_nouns_state\" FOR NO KEY UPDATE SKIP LOCKED) RETURNING 1";
const ADD: &str = "INSERT INTO \"_nouns_slots\" (\"slot\", \"holder\", \"until\") \
    SELECT coalesce(max(\"slot\"), 0) + 1, $1::text, now() + interval '300 s' FROM \"_nouns_slots\" HAVING count(*) < $2::bigint RETURNING \"slot\"";
const ADD_COUNTERS: &str = "INSERT INTO \"_nouns_counters\" (\"name\", \"slot\", \"changed_at\") \
    SELECT DISTINCT \"name\", $1::integer, '-infinity'::timestamptz FROM \"_nouns_counters\" ON CONFLICT DO NOTHING";
/// Slots of the same process are shared first.
const SHARE: &str =
    "SELECT \"slot\" FROM \"_nouns_slots\" ORDER BY \"holder\" = $1 DESC, random() LIMIT 1";
/// Renews the leases of slots, and gives others back.
const RENEW: &str = "WITH given AS (UPDATE \"_nouns_slots\" SET \"holder\" = '', \"until\" = '-infinity' WHERE \"holder\" = $1 AND \"slot\" = ANY($3)) \
    UPDATE \"_nouns_slots\" SET \"until\" = now() + interval '300 s' WHERE \"holder\" = $1 AND \"slot\" = ANY($2) RETURNING \"slot\"";
/// Renews the leases of all slots that nobody else has taken.
const REGAIN: &str = "UPDATE \"_nouns_slots\" SET \"until\" = now() + interval '300 s' WHERE \"holder\" = $1 RETURNING \"slot\"";
const RELEASE: &str = "UPDATE \"_nouns_slots\" SET \"until\" = '-infinity' WHERE \"holder\" = $1";

/// Adds the counters of slots that nobody holds to those of slot 0, and removes the slots. The sums
/// stay as they are, and so do the states that clients have. Who died an hour ago, or has given a
/// slot back, has no transaction whose fate is looked for in its counters. Nobody has locked all
/// counters for a precondition while this runs, since the state of the database is locked.
pub(super) const FOLD: &str = "WITH state AS (UPDATE \"_nouns_state\" SET \"id\" = \"id\" \
    WHERE EXISTS (SELECT 1 FROM \"_nouns_slots\" WHERE \"slot\" > 0 AND \"until\" < now() - interval '1 hour') RETURNING 1), \
    gone AS (DELETE FROM \"_nouns_slots\" WHERE \"slot\" > 0 AND \"until\" < now() - interval '1 hour' AND EXISTS (SELECT 1 FROM state) RETURNING \"slot\"), \
    counted AS (DELETE FROM \"_nouns_counters\" AS c USING gone WHERE c.\"slot\" = gone.\"slot\" RETURNING c.\"name\", c.\"count\", c.\"changed_at\"), \
    sums AS (SELECT \"name\", sum(\"count\")::bigint AS \"count\", max(\"changed_at\") AS \"at\" FROM counted GROUP BY \"name\") \
    UPDATE \"_nouns_counters\" AS c SET \"count\" = c.\"count\" + sums.\"count\", \"changed_at\" = greatest(c.\"changed_at\", sums.\"at\") \
    FROM sums WHERE c.\"slot\" = 0 AND c.\"name\" = sums.\"name\"";

/// The slots that a process has leased.
pub(super) struct CounterSlots {
    /// The name of the process as a holder.
    holder: String,
    leases: Mutex<SlotLeases>,
    /// Tells those who wait that a slot is unused, or that nobody leases one now.
    freed: Condvar,
}

/// The turn to lease a slot.
struct LeasingTurn(Arc<CounterSlots>);

/// A slot, while a connection counts in it.
pub(super) struct UsedSlot {
    slots: Arc<CounterSlots>,
    database: Arc<str>,
    number: i32,
    /// Whether others use it at the same time.
    is_shared: bool,
}

impl CounterSlots {
    pub(super) fn new() -> Arc<Self> {
        let (holder, freed) = (Uuid::now_v7().to_string(), Condvar::new());
        Arc::new(Self { holder, leases: Mutex::new(SlotLeases::none()), freed })
    }

    fn lock(&self) -> MutexGuard<'_, SlotLeases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a leased slot that nobody uses. `None` if there is none.
    pub(super) fn unused(self: &Arc<Self>, database: &Arc<str>) -> Option<UsedSlot> {
        let number = self.lock().take(database)?;
        Some(UsedSlot::new(self, database, number))
    }

    /// Returns a slot that nobody uses, outside of a transaction. It is leased if there is none.
    pub(super) fn lease(
        self: &Arc<Self>,
        handle: &mut PostgresHandle,
        database: &Arc<str>,
    ) -> Result<UsedSlot, Failure> {
        if let Some(renewal) = self.renewal(database) {
            self.renew(handle, &renewal)?;
        }
        let _turn = match self.turn(database) {
            Ok(turn) => turn,
            Err(slot) => return Ok(slot),
        };
        if !self.lock().hold(database) {
            let begun = Instant::now();
            let rows = handle.ask(REGAIN, &[&self.holder])?;
            self.lock().begin(database, &numbers(&rows), begun);
            if let Some(slot) = self.unused(database) {
                return Ok(slot);
            }
        }
        handle.begin(LEASING);
        let taken = handle.ask(TAKE, &[&self.holder]).and_then(|rows| match rows.first() {
            Some(row) => Ok((row.get(0), false)),
            None => self.add(handle),
        });
        let (number, is_shared) = match taken {
            Ok(taken) => handle.end("COMMIT").map(|()| taken)?,
            Err(failure) => {
                handle.roll_back();
                return Err(failure);
            }
        };
        let mut leases = self.lock();
        if leases.hold(database) && !is_shared {
            leases.put(LeasedSlot { number, is_used: true, was_used: true });
        }
        drop(leases);
        let mut slot = UsedSlot::new(self, database, number);
        slot.is_shared = is_shared;
        Ok(slot)
    }

    /// Waits for the turn to lease a slot. If one is unused before, the error is this slot: many
    /// who come at once need few.
    fn turn(self: &Arc<Self>, database: &Arc<str>) -> Result<LeasingTurn, UsedSlot> {
        let until = Instant::now() + TURN_TIME_MAX;
        let mut leases = self.lock();
        loop {
            if let Some(number) = leases.take(database) {
                leases.wanted = Instant::now();
                return Err(UsedSlot::new(self, database, number));
            }
            let left = until.saturating_duration_since(Instant::now());
            if !leases.is_leasing || left.is_zero() {
                leases.is_leasing = true;
                return Ok(LeasingTurn(Arc::clone(self)));
            }
            let waited = self.freed.wait_timeout(leases, left);
            (leases, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds a slot. If there may be no more, or not now, one is shared: the second value says so.
    fn add(&self, handle: &mut PostgresHandle) -> Result<(i32, bool), Failure> {
        let added = match handle.ask(CHANGE_STATE, &[])?.is_empty() {
            true => vec![],
            false => handle.ask(ADD, &[&self.holder, &SLOTS_MAX])?,
        };
        let Some(row) = added.first() else {
            let shared = handle.ask(SHARE, &[&self.holder])?;
            let none = || Failure::internal("the database has no slots for counters");
            return shared.first().map(|row| (row.get(0), true)).ok_or_else(none);
        };
        let number: i32 = row.get(0);
        handle.ask(ADD_COUNTERS, &[&number])?;
        Ok((number, false))
    }

    /// Begins to renew the leases if it is time. Others are told so again only after a pause.
    pub(super) fn renewal(&self, database: &Arc<str>) -> Option<SlotRenewal> {
        let mut leases = self.lock();
        let is_due = leases.hold(database) && Instant::now() >= leases.renewal;
        is_due.then(|| leases.renew(database, vec![]))
    }

    /// Renews the leases if it is time. Gives slots back that were not used for a while, and folds
    /// them. The connection has no transaction.
    pub(super) fn rest(&self, handle: &mut PostgresHandle, database: &Arc<str>) {
        let renewal = self.lock().without_unused(database);
        let Some(renewal) = renewal.or_else(|| self.renewal(database)) else { return };
        let renewed = self.renew(handle, &renewal).and_then(|()| match renewal.given.is_empty() {
            true => Ok(0),
            false => handle.change(FOLD, &[]),
        });
        if let Err(failure) = renewed {
            handle.take_remedy();
            tracing::debug!(?failure, "slots were not folded; the next start of a node does so");
        }
    }

    /// Whether somebody should lease one more slot, since all are used: the caller sees to it.
    /// Others are told so only after that, or after a pause.
    pub(super) fn wants_more(&self) -> bool {
        let (mut leases, now) = (self.lock(), Instant::now());
        let is_wanted = now >= leases.wanted;
        if is_wanted {
            leases.wanted = now + TURN_TIME_MAX;
        }
        is_wanted
    }

    fn renew(&self, handle: &mut PostgresHandle, renewal: &SlotRenewal) -> Result<(), Failure> {
        let rows = handle.ask(RENEW, &[&self.holder, &renewal.kept, &renewal.given])?;
        self.lock().renewed(renewal, &numbers(&rows));
        Ok(())
    }

    /// Renews leases on the connection of a worker.
    pub(super) async fn renew_beside(
        &self,
        client: &Client,
        renewal: &SlotRenewal,
    ) -> Result<(), tokio_postgres::Error> {
        let rows = client.query(RENEW, &[&self.holder, &renewal.kept, &renewal.given]).await?;
        self.lock().renewed(renewal, &numbers(&rows));
        Ok(())
    }

    /// Gives the slots of the process to whoever needs them next.
    pub(super) fn release(&self, handle: &mut PostgresHandle) {
        if let Err(failure) = handle.change(RELEASE, &[&self.holder]) {
            tracing::debug!(?failure, "slots were not released; their leases end by themselves");
        }
    }
}

fn numbers(rows: &[ServerRow]) -> Vec<i32> {
    rows.iter().map(|row| row.get(0)).collect()
}

impl Drop for LeasingTurn {
    fn drop(&mut self) {
        let mut leases = self.0.lock();
        (leases.is_leasing, leases.wanted) = (false, Instant::now());
        drop(leases);
        self.0.freed.notify_all();
    }
}

impl UsedSlot {
    fn new(slots: &Arc<CounterSlots>, database: &Arc<str>, number: i32) -> Self {
        let (slots, database) = (Arc::clone(slots), Arc::clone(database));
        Self { slots, database, number, is_shared: false }
    }

    /// The number of the slot.
    pub(super) const fn number(&self) -> i32 {
        self.number
    }

    /// Whether the process still has the lease.
    pub(super) fn is_held(&self) -> bool {
        let leases = self.slots.lock();
        leases.hold(&self.database) && leases.find(&self.database, self.number).is_some()
    }

    /// Says that the slot cannot be used for long: the database does not have it, or a connection
    /// was lost whose transaction may still count in it. It is not leased any longer.
    pub(super) fn lose(&self) {
        let mut leases = self.slots.lock();
        if let Some(at) = leases.find(&self.database, self.number) {
            leases.slots.remove(at);
        }
    }
}

/// Lets others use the slot. What the connection has not ended yet keeps them waiting, and counts
/// nothing wrong.
impl Drop for UsedSlot {
    fn drop(&mut self) {
        let mut leases = self.slots.lock();
        if !self.is_shared
            && let Some(at) = leases.find(&self.database, self.number)
        {
            leases.slots[at].is_used = false;
            self.slots.freed.notify_one();
        }
    }
}
