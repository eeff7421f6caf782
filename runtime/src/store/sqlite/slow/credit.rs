//! The share of a worker's time for tries of reads whose shape is known to be slow.

use std::time::{Duration, Instant};

use super::{super::budget, standing::Standing};
use crate::base::limits;

/// The time that a worker may spend on tries now: a tenth of the time that passes, saved up to a
/// limit.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::sqlite) struct Credit {
    /// The credit in nanoseconds. It is negative if the last try took more than there was.
    nanos: i64,
    /// The time up to which credit was added.
    at: Instant,
}

impl Credit {
    pub(in crate::store::sqlite) fn new(now: Instant) -> Self {
        Self { nanos: nanos(limits::SLOW_TRIES_CREDIT_MAX), at: now }
    }

    /// Whether a read of a client with this standing may be tried.
    ///
    /// A client with more failed reads needs more credit. So the tries of a client whose reads keep
    /// failing use only what the others leave.
    pub(super) fn allows(&mut self, standing: Standing, now: Instant) -> bool {
        let passed =
            nanos(now.saturating_duration_since(self.at)) / i64::from(limits::SLOW_TRIES_SHARE);
        self.nanos = self.nanos.saturating_add(passed).min(nanos(limits::SLOW_TRIES_CREDIT_MAX));
        self.at = now;
        self.nanos >= needed(standing)
    }

    /// Subtracts the time of a try.
    pub(super) fn spend(&mut self, took: Duration) {
        self.nanos = self.nanos.saturating_sub(nanos(took));
    }
}

/// The credit that a try needs. It ranges from the time of one try, for a client without failures,
/// to almost the maximum, for one with many.
fn needed(standing: Standing) -> i64 {
    let (one, all) = (nanos(budget::TIME), nanos(limits::SLOW_TRIES_CREDIT_MAX));
    let failures = standing.failures();
    one + ((all - one) as f32 * (failures / (failures + 1.0))) as i64
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{
        super::standing::{Event, Standings},
        *,
    };
    use crate::plan::ClientKey;

    const TRY: Duration = Duration::from_micros(300);
    const HOSTILE: u64 = 500;

    #[test]
    fn tries_take_a_tenth_of_the_time_and_what_was_saved() {
        let (start, good) = (Instant::now(), ClientKey::Connection(0));
        let (mut credit, mut standings) = (Credit::new(start), Standings::default());
        let (mut now, mut tried) = (start, Duration::ZERO);
        while now < start + Duration::from_secs(10) {
            now += Duration::from_micros(50);
            let standing = standings.note(good, Event::Success, now);
            if credit.allows(standing, now) {
                credit.spend(TRY);
                tried += TRY;
                now += TRY;
            }
        }
        let tenth =
            now.duration_since(start) / limits::SLOW_TRIES_SHARE + limits::SLOW_TRIES_CREDIT_MAX;
        assert!(tried <= tenth + TRY && tried >= tenth - 10 * TRY, "{tried:?} of {tenth:?}");
    }

    /// Each hostile client retries at once. The good one reads now and then: on one connection, or
    /// in the second run on a new one each time.
    #[test]
    fn clients_whose_tries_fail_do_not_take_those_of_others() {
        for is_new in [false, true] {
            let start = Instant::now();
            let (mut credit, mut standings) = (Credit::new(start), Standings::default());
            let (mut now, mut turn, mut asked, mut tried) = (start, 0, 0, 0);
            while now < start + Duration::from_secs(20) {
                now += Duration::from_micros(20);
                turn += 1;
                let hostile = ClientKey::Connection(1 + turn % HOSTILE);
                if credit.allows(standings.of(hostile, now), now) {
                    credit.spend(TRY);
                    standings.note(hostile, Event::Failure, now);
                    now += TRY;
                }
                // The first seconds pass before the hostile clients are known.
                if turn % 500 == 0 && now > start + Duration::from_secs(3) {
                    asked += 1;
                    let good = ClientKey::Connection(if is_new { 1_000_000 + turn } else { 0 });
                    if credit.allows(standings.of(good, now), now) {
                        credit.spend(TRY / 3);
                        standings.note(good, Event::Success, now);
                        tried += 1;
                    }
                }
            }
            assert!(asked > 500 && tried == asked, "{tried} of {asked}");
        }
    }
}
