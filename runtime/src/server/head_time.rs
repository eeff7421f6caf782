//! How long a connection may take for the head of a request (RFC 9110 §15.5.9), at the price of one timer a connection.
//!
//! hyper asks for an alarm at every head, and gives it back once the head is there. An alarm of the runtime costs more than the
//! head: here it is a note of the time, and the connection has one alarm of the runtime, which is set again only when it rings.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};

/// No head is waited for.
const NONE: u64 = u64::MAX;

/// The time that one connection has for the head that it waits for, if it does.
#[derive(Clone, Debug)]
pub(super) struct HeadTime(Arc<Noted>);

#[derive(Debug)]
struct Noted {
    /// Times are microseconds since then.
    begun: Instant,
    until: AtomicU64,
    is_over: AtomicBool,
}

impl HeadTime {
    pub(super) fn new() -> Self {
        let (until, is_over) = (AtomicU64::new(NONE), AtomicBool::new(false));
        Self(Arc::new(Noted { begun: Instant::now(), until, is_over }))
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
                is_set = alarm.as_mut().poll(context).is_pending();
                if is_set {
                    return Poll::Pending;
                }
                let now = Instant::now();
                let until = self.until();
                let is_over = until.is_some_and(|until| until <= now);
                self.0.is_over.store(is_over, Ordering::Relaxed);
                let next = until.filter(|_| !is_over).unwrap_or(now + head_time_max);
                alarm.as_mut().reset(next.into());
            }
        })
        .await
    }

    fn until(&self) -> Option<Instant> {
        let until = self.0.until.load(Ordering::Relaxed);
        (until != NONE).then(|| self.0.begun + Duration::from_micros(until))
    }
}

impl Timer for HeadTime {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let until = deadline.saturating_duration_since(self.0.begun).as_micros();
        self.0.until.store(u64::try_from(until).unwrap_or(NONE), Ordering::Relaxed);
        self.0.is_over.store(false, Ordering::Relaxed);
        Box::pin(Waits(Arc::clone(&self.0)))
    }
}

/// That a head is waited for.
struct Waits(Arc<Noted>);

impl Future for Waits {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0.is_over.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
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
    async fn what_waits_for_no_head_has_all_the_time() {
        let time = HeadTime::new();
        let answers = async { tokio::time::sleep(3 * MOST).await };
        time.keep(answers, MOST).await;
    }
}
