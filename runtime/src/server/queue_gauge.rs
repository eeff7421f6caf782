//! [`QueueGauge`]: how long requests wait for their worker, and whether new ones are refused.
//!
//! A worker runs its tasks in the order in which they became ready. A task of its own, the probe,
//! measures how long that takes: a request wakes it, and it runs after all tasks that are ready
//! now. The time between is a round. Requests wait for one or two rounds.
//!
//! A crowd of requests that come together makes a long round, and is answered. If rounds stay too
//! long for some time, and have many requests, the worker has more work than it can do. Then it is
//! alert: it works for a twentieth of the allowed time in each round, and refuses the rest of the
//! round at little cost (RFC 9110 §15.6.4). Refusals take time as well, so rounds must be shorter
//! than what a request may wait. A crowd that comes after a pause gets as much time as the pause
//! took, up to the allowed time. The worker stays alert until it had to refuse nothing for a while,
//! and now and then it tries to answer everything.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use crate::model::def::{Limits, Timeout};

/// The time for which rounds must be too long before requests are refused. Hundreds of requests
/// that come together are answered in it.
const PATIENCE: Duration = Duration::from_millis(100);

/// The time for which the worker stays alert after its last refusal. Without it, the queue would
/// grow again during [`PATIENCE`], again and again.
const ALERT_TIME: Duration = Duration::from_secs(1);

/// The time after which an alert worker tries to answer everything. Clients that send their next
/// request as soon as they have a response would else keep it alert, even if they are few. If there
/// is too much to do, the try ends with the first round that is too long. Fewer than one in a
/// hundred requests wait for that.
const TRY_INTERVAL: Duration = Duration::from_secs(60);

/// While the worker has no more work than it can do, one in this number of requests begins a round.
/// Reading the clock for each would take as long as a tenth of the routing.
const SAMPLE: u32 = 16;

/// The number of requests that a round has at least if the worker has too much to do. A round with
/// fewer is long because the machine has other work, and refusing requests would not shorten it.
const CROWD: u32 = 128;

/// The number of requests of a round that are answered while the worker is alert, however long they
/// take. A client with a few connections is then seldom refused.
const FEW: u32 = 4;

/// An alert worker works for this part of the allowed time in each round that follows another.
const ALERT_SHARE: u64 = 20;

/// The value of a time that is not set.
const NONE: u64 = 0;

/// The gauge of one worker. Only its thread uses it; the atomics make it shareable.
#[derive(Debug)]
pub(super) struct QueueGauge {
    /// The start of the worker. All times are stored as microseconds since this moment, plus one.
    begun: Instant,
    /// The allowed time, in microseconds. A reload may change it.
    most: AtomicU64,
    /// The requests in this round, or since the last one.
    requests: AtomicU32,
    /// The begin of the round.
    round: AtomicU64,
    /// The end of the last round.
    ended: AtomicU64,
    /// The time that the worker works in this round if it is alert, in microseconds.
    budget: AtomicU64,
    /// The begin of the first of several rounds that were too long.
    long_since: AtomicU64,
    /// The time since which the worker is alert.
    alert_since: AtomicU64,
    /// The time until which the worker is alert.
    alert_until: AtomicU64,
    /// The time until which the first round that is too long makes the worker alert again.
    wary_until: AtomicU64,
    probe: Notify,
}

impl QueueGauge {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            most: AtomicU64::new(u64::MAX),
            requests: AtomicU32::new(0),
            round: AtomicU64::new(NONE),
            ended: AtomicU64::new(NONE),
            budget: AtomicU64::new(0),
            long_since: AtomicU64::new(NONE),
            alert_since: AtomicU64::new(NONE),
            alert_until: AtomicU64::new(NONE),
            wary_until: AtomicU64::new(NONE),
            probe: Notify::new(),
        })
    }

    /// Whether a request that has arrived is answered. If not, it has waited too long, and so will
    /// those behind it.
    #[inline]
    pub(super) fn admits(&self, limits: &Limits) -> bool {
        let is_alert = self.is_alert();
        let round = self.round.load(Ordering::Relaxed);
        let count = self.requests.load(Ordering::Relaxed);
        self.requests.store(count.wrapping_add(1), Ordering::Relaxed);
        if round == NONE {
            if is_alert || count.is_multiple_of(SAMPLE) {
                self.begin_round(micros(limits.timeout(Timeout::Queue)));
            }
            return true;
        }
        if !is_alert || count < FEW {
            return true;
        }
        let now = self.now();
        let is_early = now - round <= self.budget.load(Ordering::Relaxed);
        if !is_early {
            self.alert_until.store(now + micros(ALERT_TIME), Ordering::Relaxed);
        }
        is_early
    }

    /// Begins a round with one request. `most` is the allowed time.
    fn begin_round(&self, most: u64) {
        let now = self.now();
        self.end_alert(now);
        let pause = now - self.ended.load(Ordering::Relaxed);
        self.requests.store(1, Ordering::Relaxed);
        self.most.store(most, Ordering::Relaxed);
        self.budget.store(pause.clamp(most / ALERT_SHARE, most), Ordering::Relaxed);
        self.round.store(now, Ordering::Relaxed);
        self.probe.notify_one();
    }

    /// Measures the rounds. The worker runs this beside its connections.
    pub(super) async fn measure(self: Arc<Self>) {
        loop {
            self.probe.notified().await;
            let round = self.round.swap(NONE, Ordering::Relaxed);
            let count = self.requests.swap(1, Ordering::Relaxed);
            self.end_round(count, round, self.now());
        }
    }

    fn end_round(&self, count: u32, begun: u64, now: u64) {
        self.ended.store(now, Ordering::Relaxed);
        self.end_alert(now);
        if count < CROWD || now - begun <= self.most() {
            self.long_since.store(NONE, Ordering::Relaxed);
            return;
        }
        if self.long_since.load(Ordering::Relaxed) == NONE {
            self.long_since.store(begun, Ordering::Relaxed);
        }
        let is_long = now - self.long_since.load(Ordering::Relaxed) >= micros(PATIENCE);
        if is_long || self.wary_until.load(Ordering::Relaxed) > now {
            if !self.is_alert() {
                self.alert_since.store(now, Ordering::Relaxed);
            }
            self.alert_until.store(now + micros(ALERT_TIME), Ordering::Relaxed);
        }
    }

    /// Ends the alert if nothing was refused for a while, or if it has lasted long.
    fn end_alert(&self, now: u64) {
        let until = self.alert_until.load(Ordering::Relaxed);
        let since = self.alert_since.load(Ordering::Relaxed);
        if until != NONE && (until <= now || now - since >= micros(TRY_INTERVAL)) {
            self.alert_until.store(NONE, Ordering::Relaxed);
            self.wary_until.store(until.min(now) + micros(ALERT_TIME), Ordering::Relaxed);
        }
    }

    fn is_alert(&self) -> bool {
        self.alert_until.load(Ordering::Relaxed) != NONE
    }

    fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn now(&self) -> u64 {
        micros(self.begun.elapsed()) + 1
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Duration = Duration::from_millis(10);

    const LIMITS: Limits = Limits::DEFAULT.with_timeout(Timeout::Queue, 10);

    fn gauge() -> Arc<QueueGauge> {
        let gauge = QueueGauge::new();
        gauge.most.store(micros(MOST), Ordering::Relaxed);
        gauge
    }

    /// A gauge with a round that began at a time, in milliseconds.
    fn round(gauge: &QueueGauge, begun: u64, end: u64) {
        gauge.end_round(CROWD, begun * 1000, end * 1000);
    }

    #[test]
    fn a_crowd_is_answered_and_a_standing_queue_is_not() {
        let gauge = gauge();
        // A crowd that takes 90 ms, once.
        round(&gauge, 10, 100);
        assert!(!gauge.is_alert());
        round(&gauge, 101, 105);
        round(&gauge, 110, 190);
        assert!(!gauge.is_alert(), "the crowd before has ended");
        round(&gauge, 191, 230);
        assert!(gauge.is_alert(), "rounds were too long for more than 100 ms");
        round(&gauge, 240, 245);
        assert!(gauge.is_alert(), "the worker stays alert for a second");
        round(&gauge, 1300, 1305);
        assert!(!gauge.is_alert(), "it has refused nothing");
        round(&gauge, 1400, 1420);
        assert!(gauge.is_alert(), "the overload has come back");
        // It refuses something all the time.
        for at in 2..=62 {
            gauge.alert_until.store(at * 1_000_000, Ordering::Relaxed);
            assert!(gauge.is_alert(), "{at}");
            round(&gauge, at * 1000 - 450, at * 1000 - 445);
        }
        assert!(!gauge.is_alert(), "it tries to answer everything");
        round(&gauge, 61_900, 61_920);
        assert!(gauge.is_alert());
        round(&gauge, 63_500, 63_505);
        assert!(!gauge.is_alert());
        // Rounds of few requests are long because the machine has other work.
        for at in 65..72 {
            gauge.end_round(CROWD - 1, at * 1_000_000, (at + 1) * 1_000_000);
        }
        assert!(!gauge.is_alert());
    }

    #[tokio::test]
    async fn an_alert_worker_refuses_the_end_of_a_long_round() {
        let gauge = gauge();
        gauge.alert_since.store(gauge.now(), Ordering::Relaxed);
        gauge.alert_until.store(u64::MAX, Ordering::Relaxed);
        gauge.ended.store(gauge.now(), Ordering::Relaxed);
        assert!(gauge.admits(&LIMITS), "the first request of a round");
        std::thread::sleep(MOST);
        assert!(gauge.admits(&LIMITS), "the round has few requests");
        gauge.requests.store(FEW, Ordering::Relaxed);
        assert!(!gauge.admits(&LIMITS));
        let until = gauge.alert_until.load(Ordering::Relaxed);
        assert!((micros(ALERT_TIME)..u64::MAX).contains(&until), "for a second from now on");
        let measuring = tokio::spawn(Arc::clone(&gauge).measure());
        while !gauge.admits(&LIMITS) {
            tokio::task::yield_now().await;
        }
        measuring.abort();
    }

    #[test]
    fn a_round_after_a_pause_has_more_time() {
        let mut gauge = gauge();
        let most = Duration::from_secs(10);
        Arc::get_mut(&mut gauge).unwrap().begun = Instant::now().checked_sub(2 * most).unwrap();
        let most = micros(most);
        let budget = |ended| {
            gauge.ended.store(ended, Ordering::Relaxed);
            gauge.begin_round(most);
            gauge.budget.load(Ordering::Relaxed)
        };
        assert_eq!(budget(1), most);
        assert!((most / ALERT_SHARE..most).contains(&budget(gauge.now())));
    }

    #[tokio::test]
    async fn a_worker_with_little_work_refuses_nothing() {
        let gauge = gauge();
        for _ in 0..1000 {
            assert!(gauge.admits(&LIMITS));
        }
        std::thread::sleep(2 * MOST);
        assert!(gauge.admits(&LIMITS), "one long round is no overload");
    }
}
