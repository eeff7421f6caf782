//! Tests of the limit on wrong passwords that the process counts.

use super::*;

fn begin(
    failed: &FailedAttempts,
    login: &str,
    address: Option<IpAddr>,
) -> Result<(SignInAttempt, CountedHere), Error> {
    let attempt = SignInAttempt::new(login, address);
    failed.begin(&attempt).map(|counted| (attempt, counted))
}

fn seconds(count: u32, past: u64) -> u64 {
    let now = Instant::now();
    let mut all = FailureTable::default();
    let failures = all.entry(1, now);
    (failures.count, failures.last) = (count, now - Duration::from_secs(past));
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
        begin(&failed, "ann", address(1)).unwrap();
    }
    for (login, from) in [("ann", 1), ("ann", 2)] {
        let error = begin(&failed, login, address(from)).err().unwrap();
        assert_eq!((error.status().as_u16(), error.headers().len()), (429, 1));
    }
    assert!(begin(&failed, "ANN", address(2)).is_err());
    assert!(begin(&failed, "ann", None).is_err());
    // Another login, and then so many that the address is limited, too.
    let mut count = limits::LOGIN_FAILURES_FREE + 1;
    while begin(&failed, &format!("user {count}"), address(1)).is_ok() {
        count += 1;
    }
    assert_eq!(count, limits::ADDRESS_FAILURES_FREE + 1);
    assert!(begin(&failed, "eve", address(2)).is_ok());
}

#[test]
fn a_right_password_forgives_its_login() {
    let failed = FailedAttempts::default();
    let (attempt, mut counted) = begin(&failed, "ann", None).unwrap();
    for _ in 0..limits::LOGIN_FAILURES_FREE {
        (_, counted) = begin(&failed, "ann", None).unwrap();
    }
    assert!(begin(&failed, "ann", None).is_err());
    failed.end(&attempt, counted, AttemptEnd::Right);
    assert!(begin(&failed, "ann", None).is_ok());
}

/// Attempts count from their beginning, and those that were right or not compared no longer.
#[test]
fn attempts_at_the_same_time_count_each() {
    let failed = FailedAttempts::default();
    let address = Some(IpAddr::from([192, 0, 2, 1]));
    let begun: Vec<_> = (0..64).filter_map(|_| begin(&failed, "ann", address).ok()).collect();
    assert_eq!(begun.len(), limits::LOGIN_FAILURES_FREE as usize + 1);
    for (attempt, counted) in &begun {
        failed.end(attempt, *counted, AttemptEnd::Uncompared);
    }
    assert_eq!((failed.logins().len(), failed.addresses().len()), (0, 0));
    // A right password takes back one failure of its address, and its time.
    let (_, first) = begin(&failed, "bob", address).unwrap();
    let (attempt, counted) = begin(&failed, "ann", address).unwrap();
    failed.end(&attempt, counted, AttemptEnd::Right);
    let key = failed.key(attempt.address.as_deref().unwrap());
    let left = failed.addresses().get(&key).map(|one| (one.count, one.last));
    assert_eq!(left, Some((1, first.at)));
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
    let (mut all, now) = (FailureTable::default(), Instant::now());
    (0..3 * limits::FAILURES_MAX as u64).for_each(|key| count(&mut all, key, now));
    assert!(all.len() <= limits::FAILURES_MAX);
}

/// An attacker who tries very many logins, each of them twice, makes no failure forgotten, and
/// more failures count.
#[test]
fn a_full_table_forgets_nobody() {
    let (mut all, now) = (FailureTable::default(), Instant::now());
    let free = limits::LOGIN_FAILURES_FREE;
    let wait = |all: &FailureTable, key| wait(all, key, free, now);
    let (guessed, later) = (u64::MAX, u64::MAX - 1);
    (0..=free).for_each(|_| count(&mut all, guessed, now));
    for key in 0..2 * limits::FAILURES_MAX as u64 {
        count(&mut all, key, now);
        count(&mut all, key, now);
    }
    assert!(!wait(&all, guessed).is_zero(), "the failures of a login were forgotten");
    assert!(wait(&all, 7).is_zero() && wait(&all, later).is_zero(), "others may sign in");
    (0..free - 1).for_each(|_| count(&mut all, 7, now));
    assert!(!wait(&all, 7).is_zero(), "a login that was evicted begins anew");
    (0..=free).for_each(|_| count(&mut all, later, now));
    assert!(!wait(&all, later).is_zero(), "failures are not counted while the table is full");
    let hour = now + limits::FAILURES_TIME_MAX;
    assert!(super::wait(&all, later, 0, hour).is_zero() && super::wait(&all, 9, 0, hour).is_zero());
}
