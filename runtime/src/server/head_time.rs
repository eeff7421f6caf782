//! How long a connection may take for the head of a request (RFC 9110 §15.5.9), at the price of one timer a connection.
//!
//! hyper asks for an alarm at every head, and gives it back once the head is there. An alarm of the runtime costs more than the
//! head: here it is a note of the time, and the connection has one alarm of the runtime, which is set again only when it rings.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};
use tokio::task::unconstrained;

/// No head is waited for.
const NONE: u64 = u64::MAX;

/// The time for the one that is waited for is over.
const OVER: u64 = u64::MAX - 1;

/// The time that one connection has for the head that it waits for, if it does.
#[derive(Clone, Debug)]
pub(super) struct HeadTime(Arc<Noted>);

#[derive(Debug)]
struct Noted {
    /// Times are microseconds since then.
    begun: Instant,
    until: AtomicU64,
}

impl HeadTime {
    pub(super) fn new() -> Self {
        Self(Arc::new(Noted { begun: Instant::now(), until: AtomicU64::new(NONE) }))
    }

    /// Carries a connection to its end, which it comes to when it takes too long for a head.
    pub(super) async fn keep<C: Future>(self, connection: C, head_time_max: Duration) -> C::Output {
        let mut connection = pin!(connection);
        let mut alarm = pin!(tokio::time::sleep(head_time_max));
        let mut is_set = false;
        poll_fn(|context| {
            loop {
                if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                    return Poll::Ready(ended);
                }
                // Once it is set it wakes this task: to ask it again before it has rung says nothing new.
                if is_set && !alarm.is_elapsed() {
                    return Poll::Pending;
                }
                // It must be set even where the connection has used up its turn.
                is_set = pin!(unconstrained(alarm.as_mut())).poll(context).is_pending();
                if is_set {
                    return Poll::Pending;
                }
                let now = Instant::now();
                let next = match self.until() {
                    Some(until) if until > now => until,
                    Some(_) => {
                        self.0.until.store(OVER, Ordering::Relaxed);
                        now + head_time_max
                    }
                    None => now + head_time_max,
                };
                alarm.as_mut().reset(next.into());
            }
        })
        .await
    }

    fn until(&self) -> Option<Instant> {
        let until = self.0.until.load(Ordering::Relaxed);
        (until < OVER).then(|| self.0.begun + Duration::from_micros(until))
    }

    fn note(&self, deadline: Instant) {
        let until = deadline.saturating_duration_since(self.0.begun).as_micros();
        self.0.until.store(u64::try_from(until).unwrap_or(NONE), Ordering::Relaxed);
    }
}

impl Timer for HeadTime {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.note(deadline);
        Box::pin(Waits(Arc::clone(&self.0)))
    }

    /// Not by a new one: the old one would take the note along.
    fn reset(&self, _: &mut Pin<Box<dyn Sleep>>, new_deadline: Instant) {
        self.note(new_deadline);
    }
}

/// That a head is waited for.
struct Waits(Arc<Noted>);

impl Future for Waits {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0.until.load(Ordering::Relaxed) == OVER { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Sleep for Waits {}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.until.store(NONE, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Duration = Duration::from_millis(200);

    /// A connection that waits for heads, each of which comes after a time, and for the last in vain.
    async fn connection(time: HeadTime, heads: &[u64]) -> Duration {
        let begun = Instant::now();
        for millis in heads {
            let waits = time.sleep(MOST);
            tokio::time::sleep(Duration::from_millis(*millis)).await;
            drop(waits);
        }
        time.sleep(MOST).await;
        begun.elapsed()
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_in_time_ends_its_connection() {
        for heads in [&[][..], &[50], &[150, 150], &[10, 100, 10, 100]] {
            let time = HeadTime::new();
            let took = time.clone().keep(connection(time, heads), MOST).await;
            let least = Duration::from_millis(heads.iter().sum::<u64>()) + MOST;
            assert!(took >= least, "{heads:?}: {took:?}");
        }
    }

    #[tokio::test]
    async fn one_that_has_used_up_its_turn_ends_as_well() {
        use tokio::task::coop::{consume_budget, has_budget_remaining};
        let time = HeadTime::new();
        let waits = time.sleep(MOST);
        let connection = async {
            while has_budget_remaining() {
                consume_budget().await;
            }
            waits.await;
        };
        let ended = tokio::time::timeout(10 * MOST, time.clone().keep(connection, MOST)).await;
        assert!(ended.is_ok(), "nothing woke it");
    }

    #[tokio::test]
    async fn a_time_that_is_set_anew_is_the_one_that_counts() {
        let time = HeadTime::new();
        let mut waits = time.sleep(MOST);
        time.reset(&mut waits, Instant::now() + 2 * MOST);
        let begun = Instant::now();
        let ended = tokio::time::timeout(10 * MOST, time.clone().keep(waits, MOST)).await;
        assert!(ended.is_ok() && begun.elapsed() > MOST, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn what_waits_for_no_head_has_all_the_time() {
        let time = HeadTime::new();
        let answers = async { tokio::time::sleep(3 * MOST).await };
        time.keep(answers, MOST).await;
    }
}
