//! The part of a worker's time that goes to reads whose shape is known to be slow.

use std::time::{Duration, Instant};

use super::{super::budget, standing::Standing};
use crate::base::limits;

/// The time that a worker may spend on tries now: a tenth of the time that passes, saved up to a
/// bound.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::sqlite) struct Credit {
    /// Below zero where the last try took more than there was.
    nanos: i64,
    /// The time up to which it was credited.
    at: Instant,
}

impl Credit {
    pub(in crate::store::sqlite) fn new(now: Instant) -> Self {
        Self { nanos: nanos(limits::SLOW_TRIES_CREDIT_MAX), at: now }
    }

    /// Whether a read of a client with this standing may be tried.
    ///
    /// A client needs the more credit the more of its reads have failed, so that those that fail
    /// again and again are tried with what the others leave.
    pub(super) fn allows(&mut self, standing: Standing, now: Instant) -> bool {
        let passed =
            nanos(now.saturating_duration_since(self.at)) / i64::from(limits::SLOW_TRIES_SHARE);
        self.nanos = self.nanos.saturating_add(passed).min(nanos(limits::SLOW_TRIES_CREDIT_MAX));
        self.at = now;
        self.nanos >= needed(standing)
    }

    /// Takes the time of a try from it.
    pub(super) fn spend(&mut self, took: Duration) {
        self.nanos = self.nanos.saturating_sub(nanos(took));
    }
}

/// The credit that a try needs: for a client without failures that of one try, for one with many
/// almost all there can be.
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

    /// Each of the hostile clients asks again at once; the good one asks now and then, on a
    /// connection that is kept or, in the second run, on a new one each time.
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
                // The first seconds are those in which the hostile ones become known.
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
