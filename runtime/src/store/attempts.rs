//! [`FailedAttempts`]: the limit on wrong passwords, for each login and for each address.
//!
//! With an SQLite file, the process counts them. With PostgreSQL the database does, so that a
//! client who tries passwords on several nodes has no more attempts than on one.
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

use super::{Engine, Store};
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
}

impl SignInAttempt {
    /// Names the login and the address of an attempt. A loopback address has no limit: it is that
    /// of a proxy on the same machine, which all clients share.
    pub(super) fn new(login: &str, address: Option<IpAddr>) -> Self {
        let address = address.filter(|address| !address.to_canonical().is_loopback());
        // Logins may be the same in either case.
        let login = format!("login {}", login.to_lowercase());
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
    /// Begins an attempt to sign in.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures.
    pub(super) fn begin(&self, attempt: &SignInAttempt) -> Result<(), Error> {
        let now = Instant::now();
        let key = self.key(&attempt.login);
        let login = wait(&self.logins(), key, limits::LOGIN_FAILURES_FREE, now);
        let address = attempt.address.as_deref().map_or(Duration::ZERO, |address| {
            wait(&self.addresses(), self.key(address), limits::ADDRESS_FAILURES_FREE, now)
        });
        match login.max(address) {
            Duration::ZERO => Ok(()),
            left => Err(too_many(left)),
        }
    }

    /// Records that the password was wrong.
    pub(super) fn fail(&self, attempt: &SignInAttempt) {
        let now = Instant::now();
        count(&mut self.logins(), self.key(&attempt.login), now);
        if let Some(address) = &attempt.address {
            count(&mut self.addresses(), self.key(address), now);
        }
    }

    /// Records that the password was right. The failures of the address stay: whoever has one
    /// account must not thereby guess the passwords of others.
    pub(super) fn succeed(&self, attempt: &SignInAttempt) {
        self.logins().remove(&self.key(&attempt.login));
    }

    fn key(&self, name: &str) -> u64 {
        self.0.hasher.hash_one(name)
    }

    fn logins(&self) -> MutexGuard<'_, HashMap<u64, Failures>> {
        self.0.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn addresses(&self) -> MutexGuard<'_, HashMap<u64, Failures>> {
        self.0.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Begins an attempt to sign in.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures. 503 if they cannot be read.
    pub(super) async fn begin_attempt(&self, attempt: &SignInAttempt) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(_) => self.failed.begin(attempt),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => {
                SharedFailures::admit(&engine.failures(attempt.names()).await?)
            }
        }
    }

    /// Records whether the password of an attempt was right.
    ///
    /// # Errors
    /// 503 if that cannot be recorded. Then nobody must learn whether the password was right.
    pub(super) async fn end_attempt(
        &self,
        attempt: &SignInAttempt,
        is_right: bool,
    ) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(_) if is_right => self.failed.succeed(attempt),
            Engine::Sqlite(_) => self.failed.fail(attempt),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) if is_right => {
                engine.forget_failures(attempt.login.clone()).await?;
            }
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.count_failures(attempt.names()).await?,
        }
        Ok(())
    }
}

/// The time until the next attempt is allowed.
fn wait(all: &HashMap<u64, Failures>, key: u64, free: u32, now: Instant) -> Duration {
    let Some(failures) = all.get(&key) else { return Duration::ZERO };
    left(failures.count, free, now.saturating_duration_since(failures.last))
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

    fn begin(
        failed: &FailedAttempts,
        login: &str,
        address: Option<IpAddr>,
    ) -> Result<SignInAttempt, Error> {
        let attempt = SignInAttempt::new(login, address);
        failed.begin(&attempt).map(|()| attempt)
    }

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
            failed.fail(&begin(&failed, "ann", address(1)).unwrap());
        }
        for (login, from) in [("ann", 1), ("ann", 2)] {
            let error = begin(&failed, login, address(from)).err().unwrap();
            assert_eq!((error.status().as_u16(), error.headers().len()), (429, 1));
        }
        assert!(begin(&failed, "ANN", address(2)).is_err());
        assert!(begin(&failed, "ann", None).is_err());
        // Another login, and then so many that the address is limited, too.
        let mut count = limits::LOGIN_FAILURES_FREE + 1;
        while let Ok(attempt) = begin(&failed, &format!("user {count}"), address(1)) {
            failed.fail(&attempt);
            count += 1;
        }
        assert_eq!(count, limits::ADDRESS_FAILURES_FREE + 1);
        assert!(begin(&failed, "eve", address(2)).is_ok());
    }

    #[test]
    fn a_right_password_forgives_its_login() {
        let failed = FailedAttempts::default();
        let attempt = begin(&failed, "ann", None).unwrap();
        (0..=limits::LOGIN_FAILURES_FREE).for_each(|_| failed.fail(&attempt));
        assert!(begin(&failed, "ann", None).is_err());
        failed.succeed(&attempt);
        assert!(begin(&failed, "ann", None).is_ok());
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
