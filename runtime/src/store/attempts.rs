//! [`FailedAttempts`]: the limit on wrong passwords, for each login and for each address.
//!
//! After a few failures, each further one doubles the time in which no password is compared. A
//! login that does not exist counts as any other, so the limit tells nothing about it. Credentials
//! that were right a short time ago are not limited: nobody can lock out who is signed in.

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher as _, RandomState},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
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
    logins: Mutex<HashMap<u64, Failures>>,
    addresses: Mutex<HashMap<u64, Failures>>,
}

/// The failures of one login or address.
#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last: Instant,
}

/// The login and the address of an attempt.
#[derive(Clone, Copy)]
pub(super) struct SignInAttempt {
    login: u64,
    address: Option<u64>,
}

impl FailedAttempts {
    /// Begins an attempt to sign in. A loopback address has no limit: it is that of a proxy on the
    /// same machine, which all clients share.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures.
    pub(super) fn begin(
        &self,
        login: &str,
        address: Option<IpAddr>,
    ) -> Result<SignInAttempt, Error> {
        let attempt = SignInAttempt {
            // Logins may be the same in either case.
            login: self.0.hasher.hash_one(login.to_lowercase()),
            address: address
                .filter(|address| !address.to_canonical().is_loopback())
                .map(|address| self.0.hasher.hash_one(network(address))),
        };
        let now = Instant::now();
        let login = wait(&self.logins(), attempt.login, limits::LOGIN_FAILURES_FREE, now);
        let address = attempt.address.map_or(Duration::ZERO, |address| {
            wait(&self.addresses(), address, limits::ADDRESS_FAILURES_FREE, now)
        });
        match login.max(address) {
            Duration::ZERO => Ok(attempt),
            left => Err(too_many(left)),
        }
    }

    /// Records that the password was wrong.
    pub(super) fn fail(&self, attempt: SignInAttempt) {
        let now = Instant::now();
        count(&mut self.logins(), attempt.login, now);
        if let Some(address) = attempt.address {
            count(&mut self.addresses(), address, now);
        }
    }

    /// Records that the password was right. The failures of the address stay: whoever has one
    /// account must not thereby guess the passwords of others.
    pub(super) fn succeed(&self, attempt: SignInAttempt) {
        self.logins().remove(&attempt.login);
    }

    fn logins(&self) -> MutexGuard<'_, HashMap<u64, Failures>> {
        self.0.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn addresses(&self) -> MutexGuard<'_, HashMap<u64, Failures>> {
        self.0.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time until the next attempt is allowed.
fn wait(all: &HashMap<u64, Failures>, key: u64, free: u32, now: Instant) -> Duration {
    let Some(failures) = all.get(&key) else { return Duration::ZERO };
    let past = now.saturating_duration_since(failures.last);
    if past >= limits::FAILURES_TIME_MAX {
        return Duration::ZERO;
    }
    let excess = failures.count.saturating_sub(free);
    if excess == 0 {
        return Duration::ZERO;
    }
    let delay = Duration::from_secs(1 << (excess - 1).min(20)).min(limits::ATTEMPT_DELAY_MAX);
    delay.saturating_sub(past)
}

fn count(all: &mut HashMap<u64, Failures>, key: u64, now: Instant) {
    let is_old = |failures: &Failures| {
        now.saturating_duration_since(failures.last) >= limits::FAILURES_TIME_MAX
    };
    if all.len() >= limits::FAILURES_MAX && !all.contains_key(&key) {
        all.retain(|_, failures| !is_old(failures) && failures.count > 1);
        if all.len() >= limits::FAILURES_MAX {
            return;
        }
    }
    let failures = all.entry(key).or_insert(Failures { count: 0, last: now });
    if is_old(failures) {
        failures.count = 0;
    }
    *failures = Failures { count: failures.count.saturating_add(1), last: now };
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
mod tests {
    use super::*;

    fn seconds(count: u32, past: u64) -> u64 {
        let now = Instant::now();
        let last = now - Duration::from_secs(past);
        let all = [(1, Failures { count, last })].into_iter().collect();
        wait(&all, 1, 3, now).as_secs()
    }

    #[test]
    fn the_delay_doubles_up_to_a_limit() {
        let after = |count| seconds(count, 0);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(after), [0, 0, 0, 0, 1, 2, 4, 8]);
        assert_eq!(after(60), limits::ATTEMPT_DELAY_MAX.as_secs());
        assert_eq!(after(u32::MAX - 1), limits::ATTEMPT_DELAY_MAX.as_secs());
        assert_eq!([seconds(7, 3), seconds(7, 8), seconds(7, 4000)], [5, 0, 0]);
    }

    #[test]
    fn a_login_and_an_address_are_limited_apart() {
        let failed = FailedAttempts::default();
        let address = |last| Some(IpAddr::from([192, 0, 2, last]));
        for _ in 0..=limits::LOGIN_FAILURES_FREE {
            failed.fail(failed.begin("ann", address(1)).unwrap());
        }
        for (login, from) in [("ann", 1), ("ann", 2)] {
            let error = failed.begin(login, address(from)).err().unwrap();
            assert_eq!((error.status().as_u16(), error.headers().len()), (429, 1));
        }
        assert!(failed.begin("ANN", address(2)).is_err());
        assert!(failed.begin("ann", None).is_err());
        // Another login, and then so many that the address is limited, too.
        let mut count = limits::LOGIN_FAILURES_FREE + 1;
        while let Ok(attempt) = failed.begin(&format!("user {count}"), address(1)) {
            failed.fail(attempt);
            count += 1;
        }
        assert_eq!(count, limits::ADDRESS_FAILURES_FREE + 1);
        assert!(failed.begin("eve", address(2)).is_ok());
    }

    #[test]
    fn a_right_password_forgives_its_login() {
        let failed = FailedAttempts::default();
        let attempt = failed.begin("ann", None).unwrap();
        (0..=limits::LOGIN_FAILURES_FREE).for_each(|_| failed.fail(attempt));
        assert!(failed.begin("ann", None).is_err());
        failed.succeed(attempt);
        assert!(failed.begin("ann", None).is_ok());
    }

    #[test]
    fn a_network_is_one_client() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[test]
    fn the_table_has_a_limit() {
        let (mut all, now) = (HashMap::new(), Instant::now());
        count(&mut all, 0, now);
        count(&mut all, 0, now);
        (1..=limits::FAILURES_MAX as u64 + 7).for_each(|key| count(&mut all, key, now));
        assert!(all.len() <= limits::FAILURES_MAX && all.contains_key(&0));
    }
}
