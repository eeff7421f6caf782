//! [`FailedAttempts`]: the limit on wrong passwords, for each login and for each address.
//!
//! With an SQLite file, the process counts them. With PostgreSQL the database does, so that a
//! client who tries passwords on several nodes has no more attempts than on one.
//!
//! An attempt counts as a failure from its beginning until its password was right, so attempts at
//! the same time count each.
//!
//! After a few failures, each further one doubles the time in which no password is compared. A
//! login that does not exist counts as any other, so the limit tells nothing about it. Credentials
//! that were right are not limited while they are used: nobody can lock out who is signed in.

mod failure_table;

use std::{
    fmt,
    hash::{BuildHasher as _, RandomState},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use self::failure_table::FailureTable;
use crate::{
    base::{
        error::{Error, Kind, text},
        limits, precis,
    },
    http::client::network,
};

/// The failed attempts of a store. Clones share them.
#[derive(Clone, Default)]
pub(super) struct FailedAttempts(Arc<AttemptState>);

#[derive(Default)]
struct AttemptState {
    /// The hashes of logins and addresses, so that no login that somebody has typed stays in
    /// memory.
    hasher: RandomState,
    logins: Mutex<FailureTable>,
    addresses: Mutex<FailureTable>,
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptEnd {
    Right,
    Wrong,
    /// The password was not compared, since too many wait.
    Uncompared,
}

/// An attempt that counts as a failure, with the times that are restored when it is taken back.
pub(super) enum BegunAttempt {
    /// The process counts.
    Here(CountedHere),
    /// The database counts.
    #[cfg(feature = "postgres")]
    Shared(CountedAttempt),
}

/// The time of an attempt, and of the failures before it.
#[derive(Clone, Copy)]
pub(super) struct CountedHere {
    at: Instant,
    login: Option<Instant>,
    address: Option<Instant>,
}

/// The time of an attempt, and of the failure of each of its names before it, in microseconds since
/// 1970 by the clock of the database.
#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Default)]
pub(super) struct CountedAttempt {
    pub(super) at: i64,
    pub(super) before: Vec<i64>,
}

/// The names of the login and the address of an attempt, among those of all attempts.
#[derive(Clone)]
pub(super) struct SignInAttempt {
    login: String,
    address: Option<String>,
}

/// The failures of a login or an address on all nodes.
#[cfg(feature = "postgres")]
#[derive(Clone, Copy, Default)]
pub(super) struct SharedFailures {
    pub(super) count: u32,
    /// The time since the last failure.
    pub(super) past: Duration,
    /// The time of the last failure, in microseconds since 1970.
    pub(super) last: i64,
}

impl SignInAttempt {
    /// Names the login and the address of an attempt. Without an address, the login alone has a
    /// limit.
    pub(super) fn new(login: &str, address: Option<IpAddr>) -> Self {
        // Logins may be the same in either case, and are so in each form of a character.
        let login = format!("login {}", precis::login(login).to_lowercase());
        let network = |address| u64::from_be_bytes(network(address));
        Self { login, address: address.map(|address| format!("address {:x}", network(address))) }
    }

    /// The names: the login, and the address if it has a limit.
    #[cfg(feature = "postgres")]
    pub(super) fn names(&self) -> Vec<String> {
        [&self.login].into_iter().chain(&self.address).cloned().collect()
    }
}

#[cfg(feature = "postgres")]
impl SharedFailures {
    /// Decides whether an attempt may begin. `failures` has those of the login, and those of the
    /// address.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures.
    pub(super) fn admit(failures: &[Self]) -> Result<(), Error> {
        let free = [limits::LOGIN_FAILURES_FREE, limits::ADDRESS_FAILURES_FREE];
        let left = failures.iter().zip(free).map(|(one, free)| left(one.count, free, one.past));
        match left.max().unwrap_or_default() {
            Duration::ZERO => Ok(()),
            left => Err(too_many(left)),
        }
    }
}

impl FailedAttempts {
    /// Begins an attempt to sign in, which counts as a failure of its login and address.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures. Then the attempt does not count.
    pub(super) fn begin(&self, attempt: &SignInAttempt) -> Result<CountedHere, Error> {
        let key = self.key(&attempt.login);
        let address_key = attempt.address.as_deref().map(|address| self.key(address));
        // Both are looked at and counted in one step. All attempts lock them in this order.
        let (mut logins, mut addresses) = (self.logins(), self.addresses());
        let now = Instant::now();
        let login = wait(&logins, key, limits::LOGIN_FAILURES_FREE, now);
        let address = address_key.map_or(Duration::ZERO, |key| {
            wait(&addresses, key, limits::ADDRESS_FAILURES_FREE, now)
        });
        let left = login.max(address);
        if !left.is_zero() {
            return Err(too_many(left));
        }
        let last = |all: &FailureTable, key| all.get(&key).map(|one| one.last);
        let counted = CountedHere {
            at: now,
            login: last(&logins, key),
            address: address_key.and_then(|key| last(&addresses, key)),
        };
        count(&mut logins, key, now);
        if let Some(key) = address_key {
            count(&mut addresses, key, now);
        }
        Ok(counted)
    }

    /// Records how an attempt has ended. A right password forgives its login. The earlier failures
    /// of the address stay: whoever has one account must not thereby guess the passwords of others.
    pub(super) fn end(&self, attempt: &SignInAttempt, counted: CountedHere, end: AttemptEnd) {
        let login = self.key(&attempt.login);
        match end {
            AttemptEnd::Wrong => return,
            AttemptEnd::Right => self.logins().remove(&login),
            AttemptEnd::Uncompared => {
                self.logins().take_back(login, counted.at, counted.login);
            }
        }
        if let Some(address) = &attempt.address {
            self.addresses().take_back(self.key(address), counted.at, counted.address);
        }
    }

    fn key(&self, name: &str) -> u64 {
        self.0.hasher.hash_one(name)
    }

    fn logins(&self) -> MutexGuard<'_, FailureTable> {
        self.0.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn addresses(&self) -> MutexGuard<'_, FailureTable> {
        self.0.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time until the next attempt is allowed.
fn wait(all: &FailureTable, key: u64, free: u32, now: Instant) -> Duration {
    let Some(failures) = all.get(&key) else { return Duration::ZERO };
    left(failures.count, free, failures.past(now))
}

/// The time until the next attempt is allowed, after this number of failures, and this time since
/// the last.
fn left(count: u32, free: u32, past: Duration) -> Duration {
    if past >= limits::FAILURES_TIME_MAX {
        return Duration::ZERO;
    }
    let excess = count.saturating_sub(free);
    if excess == 0 {
        return Duration::ZERO;
    }
    let delay = Duration::from_secs(1 << (excess - 1).min(20)).min(limits::ATTEMPT_DELAY_MAX);
    delay.saturating_sub(past)
}

fn count(all: &mut FailureTable, key: u64, now: Instant) {
    let failures = all.entry(key, now);
    if failures.is_old(now) {
        failures.count = 0;
    }
    (failures.count, failures.last) = (failures.count.saturating_add(1), now);
}

#[cold]
fn too_many(left: Duration) -> Error {
    let seconds = u16::try_from(left.as_secs()).unwrap_or(u16::MAX).saturating_add(1);
    let detail =
        text!("There were too many wrong passwords. Try again in {seconds} seconds.", seconds);
    Error::new(Kind::TOO_MANY_ATTEMPTS, detail)
        .with_header(http::header::RETRY_AFTER, seconds.into())
}

impl fmt::Debug for FailedAttempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FailedAttempts")
    }
}

#[cfg(test)]
mod tests;
