//! [`VerifiedCredentials`]: credentials that were right, so that a password is not compared with
//! its hash for each request.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

use crate::base::{limits, secret::Secret};

/// The share of the credentials that are forgotten together when there are too many: those that
/// were not used for the longest time.
const FORGOTTEN_SHARE: usize = 8;

/// The number of comparisons from which those that have ended are forgotten.
const GATES_MIN: usize = 64;

/// The credentials that were right. Clones share them.
///
/// Each request reads its account, and credentials count only with the hash that they were compared
/// with. So a change of the password or of the account takes effect at once. While a program uses
/// them, they are never compared again, so wrong passwords of others do not delay it.
#[derive(Clone, Default)]
pub(super) struct VerifiedCredentials(Arc<VerifiedState>);

#[derive(Default)]
struct VerifiedState {
    known: Mutex<HashMap<CredentialsKey, VerifiedHash>>,
    /// The credentials that are being compared.
    gates: Mutex<HashMap<CredentialsKey, Weak<Gate<()>>>>,
}

/// A keyed hash of credentials.
type CredentialsKey = [u8; 32];

/// The hash of the password, and when the credentials were last used with it.
struct VerifiedHash {
    hash: Box<str>,
    used: Instant,
}

impl VerifiedCredentials {
    /// Whether these credentials were right for this hash, and are still in use.
    pub(super) fn has(&self, key: &CredentialsKey, hash: &str) -> bool {
        let mut all = self.known();
        let Some(known) = all.get_mut(key) else { return false };
        let now = Instant::now();
        let is_right = *known.hash == *hash && !hash.is_empty() && known.is_in_use(now);
        if is_right {
            known.used = now;
        } else {
            all.remove(key);
        }
        is_right
    }

    pub(super) fn add(&self, key: CredentialsKey, hash: &str) {
        let (mut all, now) = (self.known(), Instant::now());
        if all.len() >= limits::CREDENTIALS_MAX {
            all.retain(|_, one| one.is_in_use(now));
        }
        if all.len() >= limits::CREDENTIALS_MAX {
            let mut times: Vec<Instant> = all.values().map(|one| one.used).collect();
            let (_, oldest, _) =
                times.select_nth_unstable(limits::CREDENTIALS_MAX / FORGOTTEN_SHARE);
            let oldest = *oldest;
            all.retain(|_, one| one.used > oldest);
        }
        all.insert(key, VerifiedHash { hash: hash.into(), used: now });
    }

    /// Waits until no other request compares the same credentials. Wrong ones are soon refused
    /// before they are compared, so a request waits for a few comparisons at most.
    pub(super) async fn turn(&self, key: CredentialsKey) -> OwnedMutexGuard<()> {
        let gate = self.gate(key);
        gate.lock_owned().await
    }

    fn gate(&self, key: CredentialsKey) -> Arc<Gate<()>> {
        let mut gates = self.0.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if gates.len() >= GATES_MIN {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        if let Some(gate) = gates.get(&key).and_then(Weak::upgrade) {
            return gate;
        }
        let gate = Arc::default();
        gates.insert(key, Arc::downgrade(&gate));
        gate
    }

    fn known(&self) -> MutexGuard<'_, HashMap<CredentialsKey, VerifiedHash>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VerifiedHash {
    fn is_in_use(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.used) < limits::CREDENTIALS_TIME_MAX
    }
}

impl fmt::Debug for VerifiedCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(number: usize) -> CredentialsKey {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_le_bytes());
        key
    }

    fn let_pass(all: &VerifiedCredentials, time: Duration) {
        for one in all.known().values_mut() {
            one.used = one.used.checked_sub(time).unwrap();
        }
    }

    #[test]
    fn what_was_right_stays_right_while_it_is_used_with_the_same_hash() {
        let all = VerifiedCredentials::default();
        all.add(key(1), "hash");
        // Many times the limit, but never as long between two uses.
        for _ in 0..8 {
            let_pass(&all, limits::CREDENTIALS_TIME_MAX / 2);
            assert!(all.has(&key(1), "hash"));
        }
        assert!(!all.has(&key(2), "hash"));
        let_pass(&all, limits::CREDENTIALS_TIME_MAX);
        assert!(!all.has(&key(1), "hash"), "nobody has used it");
        all.add(key(1), "hash");
        assert!(!all.has(&key(1), "another hash") && !all.has(&key(1), ""));
        assert!(!all.has(&key(1), "hash"), "another password was set in between");
    }

    #[test]
    fn those_that_are_used_least_are_forgotten_first() {
        let all = VerifiedCredentials::default();
        (0..limits::CREDENTIALS_MAX).for_each(|number| all.add(key(number), "hash"));
        assert!(all.has(&key(0), "hash"));
        (0..limits::CREDENTIALS_MAX).for_each(|number| {
            all.add(key(limits::CREDENTIALS_MAX + number), "hash");
            assert!(all.has(&key(0), "hash"), "{number}");
        });
        assert!(all.known().len() <= limits::CREDENTIALS_MAX);
    }
}
