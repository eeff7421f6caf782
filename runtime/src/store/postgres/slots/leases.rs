//! The slots that a process has leased, as far as it knows: which of them are used, and how long
//! the leases hold.

use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

/// The time for which slots are leased. Leases are renewed in time, so only a slot whose process
/// has died or hangs gets another holder.
const LEASE: Duration = Duration::from_secs(300);
/// The time after which leases are renewed, and the time between two attempts to do so.
const RENEWAL: Duration = Duration::from_secs(150);
const RENEWAL_PAUSE: Duration = Duration::from_secs(10);
/// The time after which slots that were not used are given back, and the time between two looks.
pub(in crate::store::postgres) const UNUSED_TIME: Duration = Duration::from_secs(10);

/// The slots that a process has leased.
pub(super) struct SlotLeases {
    /// The database in which the slots are leased. After a failover, the new server knows others.
    pub(super) database: Option<Arc<str>>,
    /// The slots in their order.
    pub(super) slots: Vec<LeasedSlot>,
    /// The end of the leases.
    pub(super) until: Instant,
    /// The time from which they are renewed.
    pub(super) renewal: Instant,
    /// The time of the next look at slots that were not used.
    pub(super) look: Instant,
    /// The time from which one more slot may be asked for. One after the other is leased, so that a
    /// moment in which all are used does not make them many.
    pub(super) wanted: Instant,
    /// Whether somebody leases a slot now.
    pub(super) is_leasing: bool,
}

/// A slot that a process has leased.
pub(super) struct LeasedSlot {
    pub(super) number: i32,
    pub(super) is_used: bool,
    /// Whether it was used since the last look at it.
    pub(super) was_used: bool,
}

/// A renewal of leases that has begun.
pub(in crate::store::postgres) struct SlotRenewal {
    pub(super) database: Arc<str>,
    pub(super) kept: Vec<i32>,
    pub(super) given: Vec<i32>,
    pub(super) begun: Instant,
}

impl SlotLeases {
    /// Returns the leases of a process that has none yet.
    pub(super) fn none() -> Self {
        let now = Instant::now();
        Self {
            database: None,
            slots: vec![],
            until: now,
            renewal: now,
            look: now,
            wanted: now,
            is_leasing: false,
        }
    }

    /// Whether the leases are those of a database, and have not ended.
    pub(super) fn hold(&self, database: &str) -> bool {
        self.database.as_deref() == Some(database) && Instant::now() < self.until
    }

    /// Begins the leases of a database with these slots.
    pub(super) fn begin(&mut self, database: &Arc<str>, numbers: &[i32], begun: Instant) {
        self.database = Some(Arc::clone(database));
        self.slots.clear();
        for number in numbers {
            self.put(LeasedSlot { number: *number, is_used: false, was_used: false });
        }
        (self.until, self.renewal) = (begun + LEASE, begun + RENEWAL);
    }

    /// Takes a slot that nobody uses.
    pub(super) fn take(&mut self, database: &str) -> Option<i32> {
        if !self.hold(database) {
            return None;
        }
        let slot = self.slots.iter_mut().find(|slot| !slot.is_used)?;
        (slot.is_used, slot.was_used) = (true, true);
        Some(slot.number)
    }

    /// Begins a renewal of all leases.
    pub(super) fn renew(&mut self, database: &Arc<str>, given: Vec<i32>) -> SlotRenewal {
        let begun = Instant::now();
        self.renewal = begun + RENEWAL_PAUSE;
        let kept = self.slots.iter().map(|slot| slot.number).collect();
        SlotRenewal { database: Arc::clone(database), kept, given, begun }
    }

    /// Begins a renewal without the slots that were not used since the last look, but for the first
    /// one. `None` if all were used, or if it is too early.
    pub(super) fn without_unused(&mut self, database: &Arc<str>) -> Option<SlotRenewal> {
        let now = Instant::now();
        if !self.hold(database) || now < self.look {
            return None;
        }
        self.look = now + UNUSED_TIME;
        let mut is_first = true;
        let is_unused =
            |slot: &mut LeasedSlot| !mem::take(&mut is_first) && !slot.was_used && !slot.is_used;
        let given: Vec<_> = self.slots.extract_if(.., is_unused).map(|slot| slot.number).collect();
        self.slots.iter_mut().for_each(|slot| slot.was_used = slot.is_used);
        (!given.is_empty()).then(|| self.renew(database, given))
    }

    /// Takes note of the slots whose leases were renewed. The others of those to keep are lost.
    pub(super) fn renewed(&mut self, renewal: &SlotRenewal, numbers: &[i32]) {
        if self.database.as_ref() != Some(&renewal.database) {
            return;
        }
        let is_lost = |number| renewal.kept.contains(&number) && !numbers.contains(&number);
        self.slots.retain(|slot| !is_lost(slot.number));
        (self.until, self.renewal) = (renewal.begun + LEASE, renewal.begun + RENEWAL);
    }

    /// Finds a slot of a database.
    pub(super) fn find(&self, database: &str, number: i32) -> Option<usize> {
        let is_same = self.database.as_deref() == Some(database);
        self.slots.iter().position(|slot| is_same && slot.number == number)
    }

    /// Adds a slot, unless it is known.
    pub(super) fn put(&mut self, slot: LeasedSlot) {
        if let Err(at) = self.slots.binary_search_by_key(&slot.number, |known| known.number) {
            self.slots.insert(at, slot);
        }
    }
}
