//! Slots: where transactions count their changes, each in one of its own.
//!
//! Each read of a state adds the counters of all slots, so there are as few as possible. A process
//! leases one when a transaction needs it while all that it has are used, and keeps it for the next
//! ones. A slot that nobody has leased for long is folded into slot 0, which nobody leases.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_postgres::{Client, Row as ServerRow};
use uuid::Uuid;

use super::handle::PostgresHandle;
use crate::store::failure::Failure;

/// The time for which slots are leased. Leases are renewed in time, so only a slot whose process
/// has died, or has not written for as long, gets another holder.
const LEASE: Duration = Duration::from_secs(300);
/// The time after which leases are renewed, and the time between two attempts to do so.
const RENEWAL: Duration = Duration::from_secs(150);
const RENEWAL_PAUSE: Duration = Duration::from_secs(10);
/// The number of slots from which processes share slots.
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
const RENEW: &str = "UPDATE \"_nouns_slots\" SET \"until\" = now() + interval '300 s' WHERE \"holder\" = $1 RETURNING \"slot\"";
const RELEASE: &str = "UPDATE \"_nouns_slots\" SET \"until\" = '-infinity' WHERE \"holder\" = $1";

/// Adds the counters of slots that nobody holds to those of slot 0, and removes the slots. The sums
/// stay as they are, and so do the states that clients have. A process that died an hour ago has no
/// transaction whose fate is looked for in its counters. While this runs, nobody has locked all
/// counters for a precondition: the state of the database is locked.
pub(super) const FOLD: &str = "WITH gone AS (DELETE FROM \"_nouns_slots\" WHERE \"slot\" > 0 AND \"until\" < now() - interval '1 hour' RETURNING \"slot\"), \
    counted AS (DELETE FROM \"_nouns_counters\" AS c USING gone WHERE c.\"slot\" = gone.\"slot\" RETURNING c.\"name\", c.\"count\", c.\"changed_at\"), \
    sums AS (SELECT \"name\", sum(\"count\")::bigint AS \"count\", max(\"changed_at\") AS \"at\" FROM counted GROUP BY \"name\") \
    UPDATE \"_nouns_counters\" AS c SET \"count\" = c.\"count\" + sums.\"count\", \"changed_at\" = greatest(c.\"changed_at\", sums.\"at\") \
    FROM sums WHERE c.\"slot\" = 0 AND c.\"name\" = sums.\"name\"";

/// The slots that a process has leased.
pub(super) struct CounterSlots {
    /// The name of the process as a holder.
    holder: String,
    leases: Mutex<SlotLeases>,
}

struct SlotLeases {
    /// The database in which the slots are leased. After a failover, the new server knows others.
    database: Option<Arc<str>>,
    /// The slots in their order, and whether each is used.
    slots: Vec<(i32, bool)>,
    /// The end of the leases.
    until: Instant,
    renewal: Instant,
}

/// A slot, while a connection counts in it.
pub(super) struct UsedSlot {
    slots: Arc<CounterSlots>,
    database: Arc<str>,
    number: i32,
}

impl CounterSlots {
    pub(super) fn new() -> Arc<Self> {
        let (database, slots, now) = (None, vec![], Instant::now());
        let leases = Mutex::new(SlotLeases { database, slots, until: now, renewal: now });
        Arc::new(Self { holder: Uuid::now_v7().to_string(), leases })
    }

    fn lock(&self) -> MutexGuard<'_, SlotLeases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the leases hold, in a database.
    pub(super) fn hold(&self, database: &str) -> bool {
        self.lock().hold(database)
    }

    /// Returns a leased slot that nobody uses. `None` if there is none.
    pub(super) fn unused(self: &Arc<Self>, database: &Arc<str>) -> Option<UsedSlot> {
        let mut leases = self.lock();
        if !leases.hold(database) {
            return None;
        }
        let (number, is_used) = leases.slots.iter_mut().find(|(_, is_used)| !is_used)?;
        *is_used = true;
        Some(UsedSlot { slots: Arc::clone(self), database: Arc::clone(database), number: *number })
    }

    /// Returns a slot that nobody uses, outside of a transaction. It is leased if there is none.
    pub(super) fn lease(
        self: &Arc<Self>,
        handle: &mut PostgresHandle,
        database: &Arc<str>,
    ) -> Result<UsedSlot, Failure> {
        if self.begins_renewal() || !self.hold(database) {
            let begun = Instant::now();
            let rows = handle.ask(RENEW, &[&self.holder])?;
            self.renewed(database, &numbers(&rows), begun);
        }
        if let Some(slot) = self.unused(database) {
            return Ok(slot);
        }
        handle.begin(LEASING);
        let taken = handle.ask(TAKE, &[&self.holder]).and_then(|rows| match rows.first() {
            Some(row) => Ok(row.get::<_, i32>(0)),
            None => self.add(handle),
        });
        let number = match taken {
            Ok(number) => handle.end("COMMIT").map(|()| number)?,
            Err(failure) => {
                handle.roll_back();
                return Err(failure);
            }
        };
        let mut leases = self.lock();
        if leases.hold(database) {
            leases.put(number, true);
        }
        drop(leases);
        Ok(UsedSlot { slots: Arc::clone(self), database: Arc::clone(database), number })
    }

    fn add(&self, handle: &mut PostgresHandle) -> Result<i32, Failure> {
        handle.ask(CHANGE_STATE, &[])?;
        let added = handle.ask(ADD, &[&self.holder, &SLOTS_MAX])?;
        let Some(row) = added.first() else {
            let shared = handle.ask(SHARE, &[])?;
            let none = || Failure::internal("the database has no slots for counters");
            return shared.first().map(|row| row.get(0)).ok_or_else(none);
        };
        let number: i32 = row.get(0);
        handle.ask(ADD_COUNTERS, &[&number])?;
        Ok(number)
    }

    /// Whether it is time to renew the leases. The caller does it: others are told so again only
    /// after a pause.
    pub(super) fn begins_renewal(&self) -> bool {
        let (mut leases, now) = (self.lock(), Instant::now());
        let is_due = now >= leases.renewal;
        if is_due {
            leases.renewal = now + RENEWAL_PAUSE;
        }
        is_due
    }

    /// Renews the leases on the connection of a worker.
    pub(super) async fn renew(
        &self,
        client: &Client,
        database: &Arc<str>,
    ) -> Result<(), tokio_postgres::Error> {
        let begun = Instant::now();
        let rows = client.query(RENEW, &[&self.holder]).await?;
        self.renewed(database, &numbers(&rows), begun);
        Ok(())
    }

    /// Takes note of the slots whose leases were renewed at a time. The others are lost.
    fn renewed(&self, database: &Arc<str>, numbers: &[i32], begun: Instant) {
        let mut leases = self.lock();
        let is_same = leases.database.as_ref() == Some(database);
        leases.database = Some(Arc::clone(database));
        leases.slots.retain(|(number, _)| is_same && numbers.contains(number));
        for number in numbers {
            leases.put(*number, false);
        }
        (leases.until, leases.renewal) = (begun + LEASE, begun + RENEWAL);
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

impl SlotLeases {
    fn hold(&self, database: &str) -> bool {
        self.database.as_deref() == Some(database) && Instant::now() < self.until
    }

    /// Adds a slot, unless it is known.
    fn put(&mut self, number: i32, is_used: bool) {
        if let Err(at) = self.slots.binary_search_by_key(&number, |(known, _)| *known) {
            self.slots.insert(at, (number, is_used));
        }
    }
}

impl UsedSlot {
    /// The number of the slot.
    pub(super) const fn number(&self) -> i32 {
        self.number
    }

    /// Says that the database does not have the slot. The next transaction asks for the leases.
    pub(super) fn is_missing(&self) {
        self.slots.lock().database = None;
    }
}

/// Lets others use the slot. What the connection has not ended yet keeps them waiting, and counts
/// nothing wrong.
impl Drop for UsedSlot {
    fn drop(&mut self) {
        let mut leases = self.slots.lock();
        if leases.database.as_ref() == Some(&self.database)
            && let Ok(at) = leases.slots.binary_search_by_key(&self.number, |(known, _)| *known)
        {
            leases.slots[at].1 = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leased(numbers: &[i32]) -> (Arc<CounterSlots>, Arc<str>) {
        let (slots, database) = (CounterSlots::new(), Arc::from("a"));
        slots.renewed(&database, numbers, Instant::now());
        (slots, database)
    }

    fn number(slot: Option<&UsedSlot>) -> Option<i32> {
        slot.map(UsedSlot::number)
    }

    #[test]
    fn the_first_slot_that_nobody_uses_is_used_next() {
        let (slots, database) = leased(&[3, 1, 2]);
        let mut used: Vec<_> = (0..4).map(|_| slots.unused(&database)).collect();
        assert_eq!(
            used.iter().map(|slot| number(slot.as_ref())).collect::<Vec<_>>(),
            [Some(1), Some(2), Some(3), None]
        );
        used.remove(1);
        assert_eq!(number(slots.unused(&database).as_ref()), Some(2));
    }

    #[test]
    fn a_renewal_keeps_what_is_used_and_forgets_what_is_lost() {
        let (slots, database) = leased(&[1, 2, 3]);
        let (one, two) = (slots.unused(&database), slots.unused(&database));
        slots.renewed(&database, &[2, 3, 4], Instant::now());
        let next = slots.unused(&database);
        assert_eq!(number(next.as_ref()), Some(3), "2 is still used");
        drop((one, two));
        let last = [slots.unused(&database), slots.unused(&database)];
        assert_eq!(last.each_ref().map(|slot| number(slot.as_ref())), [Some(2), Some(4)]);
        assert!(slots.unused(&database).is_none(), "1 is lost");
    }

    #[test]
    fn leases_end_and_those_of_another_database_do_not_count() {
        let (slots, database) = leased(&[1]);
        let (other, used) = (Arc::from("b"), slots.unused(&database));
        assert!(slots.hold("a") && !slots.hold("b") && slots.unused(&other).is_none());
        slots.renewed(&other, &[1], Instant::now());
        let of_other = slots.unused(&other);
        drop(used);
        assert!(slots.unused(&other).is_none(), "a slot of the former database was given back");
        drop(of_other);
        assert!(slots.unused(&other).is_some());
        slots.renewed(&other, &[1], Instant::now().checked_sub(LEASE).unwrap());
        assert!(slots.unused(&other).is_none() && !slots.hold("b"));
    }

    #[test]
    fn one_of_many_renews_the_leases() {
        let (slots, database) = leased(&[1]);
        assert!(!slots.begins_renewal());
        slots.renewed(&database, &[1], Instant::now().checked_sub(RENEWAL).unwrap());
        assert!(slots.begins_renewal() && !slots.begins_renewal());
        assert!(slots.unused(&database).is_some(), "the leases still hold");
    }

    #[test]
    fn a_missing_slot_is_asked_for_again() {
        let (slots, database) = leased(&[1]);
        slots.unused(&database).unwrap().is_missing();
        assert!(!slots.hold("a") && slots.unused(&database).is_none());
    }
}
