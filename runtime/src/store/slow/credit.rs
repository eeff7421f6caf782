//! The share of a worker's time for tries: executions of reads whose shape (statement without
//! values) is known to be slow.

use std::time::{Duration, Instant};

use super::standing::Standing;
use crate::base::limits;

/// The time that a worker may now spend on tries of slow shapes. The worker earns a tenth of the
/// time that passes, and saves a limited part of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Credit {
    /// The credit in nanoseconds. It is negative if the last try took longer than the credit
    /// allowed.
    nanos: i64,
    /// The nanoseconds of one try that fails.
    one: i64,
    /// The nanoseconds that can be saved.
    most: i64,
    /// The time at which earned credit was last added.
    at: Instant,
}

impl Credit {
    /// Creates full credit. `one` is the time of a try that fails, and `most` what can be saved.
    pub(in crate::store) fn new(now: Instant, one: Duration, most: Duration) -> Self {
        Self { nanos: nanos(most), one: nanos(one), most: nanos(most), at: now }
    }

    /// Adds the credit that was earned since the last call. Returns whether the worker may try a
    /// read of a client with this standing (recent cost).
    ///
    /// The more failed tries a client has, the more credit a try of its reads needs. So a client
    /// whose reads keep failing only uses credit that no other client has used.
    pub(in crate::store) fn allows(&mut self, standing: Standing, now: Instant) -> bool {
        let passed =
            nanos(now.saturating_duration_since(self.at)) / i64::from(limits::SLOW_TRIES_SHARE);
        self.nanos = self.nanos.saturating_add(passed).min(self.most);
        self.at = now;
        self.nanos >= self.needed(standing)
    }

    /// The credit in nanoseconds that a try needs. A client without failures needs credit for one
    /// try. A client with many failures needs almost the maximum credit.
    fn needed(&self, standing: Standing) -> i64 {
        let failures = standing.failures();
        self.one + ((self.most - self.one) as f32 * (failures / (failures + 1.0))) as i64
    }

    /// Subtracts the time that a try took from the credit.
    pub(in crate::store) fn spend(&mut self, took: Duration) {
        self.nanos = self.nanos.saturating_sub(nanos(took));
    }
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
    const MOST: Duration = Duration::from_millis(10);
    const HOSTILE: u64 = 500;

    #[test]
    fn tries_take_a_tenth_of_the_time_and_what_was_saved() {
        let (start, good) = (Instant::now(), ClientKey::Connection(0));
        let (mut credit, mut standings) = (Credit::new(start, TRY, MOST), Standings::default());
        let (mut now, mut spent) = (start, Duration::ZERO);
        while now < start + Duration::from_secs(10) {
            now += Duration::from_micros(50);
            let standing = standings.note(good, Event::Success, now);
            if credit.allows(standing, now) {
                credit.spend(TRY);
                spent += TRY;
                now += TRY;
            }
        }
        let tenth = now.duration_since(start) / limits::SLOW_TRIES_SHARE + MOST;
        assert!(
            spent <= tenth + TRY && spent >= tenth - 10 * TRY,
            "tries took {spent:?}, and {tenth:?} were expected"
        );
    }

    /// Hostile clients send slow reads without pause. A good client sends a fast read now and then.
    /// The test runs twice: with one connection of the good client, and with a new connection for
    /// each of its reads.
    #[test]
    fn clients_whose_tries_fail_do_not_take_those_of_others() {
        for is_new in [false, true] {
            let start = Instant::now();
            let (mut credit, mut standings) = (Credit::new(start, TRY, MOST), Standings::default());
            let (mut now, mut turn, mut good_reads, mut good_tries) = (start, 0, 0, 0);
            while now < start + Duration::from_secs(20) {
                now += Duration::from_micros(20);
                turn += 1;
                let hostile = ClientKey::Connection(1 + turn % HOSTILE);
                if credit.allows(standings.of(hostile, now), now) {
                    credit.spend(TRY);
                    standings.note(hostile, Event::Failure, now);
                    now += TRY;
                }
                // In the first three seconds, the hostile clients are not yet known by their
                // failures.
                if turn % 500 == 0 && now > start + Duration::from_secs(3) {
                    good_reads += 1;
                    let good = ClientKey::Connection(if is_new { 1_000_000 + turn } else { 0 });
                    if credit.allows(standings.of(good, now), now) {
                        credit.spend(TRY / 3);
                        standings.note(good, Event::Success, now);
                        good_tries += 1;
                    }
                }
            }
            assert!(
                good_reads > 500 && good_tries == good_reads,
                "{good_tries} of {good_reads} reads of the good client were tried"
            );
        }
    }
}
