//! [`FailureTable`]: the failures of logins, or of addresses. A full table evicts those with the
//! fewest failures. All logins or addresses that are not in the table share what was evicted, so an
//! attacker with very many of them makes nobody's failures forgotten.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::base::limits;

/// The share of the entries that a full table evicts: one in this number.
const EVICTED_SHARE: usize = 8;

/// The failures of one login or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Failures {
    pub(super) count: u32,
    pub(super) last: Instant,
}

impl Failures {
    /// Whether the last failure is so long ago that all are forgotten.
    pub(super) fn is_old(&self, now: Instant) -> bool {
        self.past(now) >= limits::FAILURES_TIME_MAX
    }

    /// The time since the last failure.
    pub(super) fn past(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.last)
    }
}

/// The failures of many logins or addresses, by their hashes.
#[derive(Debug, Default)]
pub(super) struct FailureTable {
    own: HashMap<u64, Failures>,
    /// The most failures of one that was evicted, and the time of the last of all these failures.
    rest: Option<Failures>,
}

impl FailureTable {
    /// The failures of a login or address; `None` if there were none. One without an entry has
    /// those that all such share.
    pub(super) fn get(&self, key: &u64) -> Option<&Failures> {
        self.own.get(key).or(self.rest.as_ref())
    }

    /// Forgets the failures of a login or address.
    pub(super) fn remove(&mut self, key: &u64) {
        self.own.remove(key);
    }

    /// Takes back a failure that was counted at a time. `before` is the time of the failure before
    /// it.
    pub(super) fn take_back(&mut self, key: u64, at: Instant, before: Option<Instant>) {
        let Some(failures) = self.own.get_mut(&key) else { return };
        failures.count = failures.count.saturating_sub(1);
        if let Some(before) = before.filter(|_| failures.last == at) {
            failures.last = before;
        }
        if failures.count == 0 {
            self.own.remove(&key);
        }
    }

    /// The entry of a login or address, to which a failure is added.
    pub(super) fn entry(&mut self, key: u64, now: Instant) -> &mut Failures {
        if self.own.len() >= limits::FAILURES_MAX && !self.own.contains_key(&key) {
            self.make_room(now);
        }
        let rest = self.rest.filter(|rest| !rest.is_old(now));
        self.own.entry(key).or_insert(rest.unwrap_or(Failures { count: 0, last: now }))
    }

    /// Forgets old failures. If few are old, evicts the entries with the fewest failures, the
    /// oldest first.
    fn make_room(&mut self, now: Instant) {
        self.rest = self.rest.filter(|rest| !rest.is_old(now));
        self.own.retain(|_, failures| !failures.is_old(now));
        let count = self.own.len();
        if count <= limits::FAILURES_MAX - limits::FAILURES_MAX / EVICTED_SHARE {
            return;
        }
        let mut all: Vec<_> = self.own.values().copied().collect();
        let (_, last, _) = all.select_nth_unstable(count / EVICTED_SHARE);
        let last = *last;
        for failures in self.own.extract_if(|_, failures| *failures <= last).map(|(_, one)| one) {
            let rest = self.rest.get_or_insert(failures);
            rest.count = rest.count.max(failures.count);
            rest.last = rest.last.max(failures.last);
        }
    }

    /// The number of entries.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.own.len()
    }
}
