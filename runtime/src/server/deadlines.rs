//! The deadlines of a connection: for the head of a request (408, RFC 9110 §15.5.9), and for
//! progress in writing a response.
//!
//! Hyper creates a timer for every head, and drops it when the head has arrived. A Tokio timer
//! costs more time than parsing the head. So the two deadlines are stored as times. The connection
//! has a single Tokio timer, the alarm, which is set again only after it has fired.

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
use tokio::task::unconstrained;

use super::progress::{ByteCount, StallError, WriteProgress};
use crate::{
    base::limits,
    model::def::{Limits, Timeout},
    service::response_memory::ResponseMemory,
};

/// The value of `head` while no head is awaited.
const NONE: u64 = u64::MAX;

/// The value of `head` after the deadline of the awaited head has passed.
const OVER: u64 = u64::MAX - 1;

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionTimeouts {
    /// The time within which the head of a request must arrive, from its first byte.
    pub(super) head: Duration,
    /// The time within which the first byte of a request must arrive.
    pub(super) idle: Duration,
    /// The time within which a client must read the minimum number of bytes, while a write waits
    /// for it.
    pub(super) stall: Duration,
    /// The timeout that replaces `stall` while the memory for responses is scarce. It is also the
    /// interval at which a waiting write is checked.
    pub(super) stall_scarce: Duration,
}

impl ConnectionTimeouts {
    /// The timeouts that a declaration sets.
    pub(super) fn of(limits: &Limits) -> Self {
        let stall = limits.timeout(Timeout::WriteStall);
        Self {
            head: limits.timeout(Timeout::Head),
            idle: limits.timeout(Timeout::KeepAliveIdle),
            stall,
            stall_scarce: limits::WRITE_STALL_SCARCE_MAX.min(stall),
        }
    }
}

/// The deadlines of one connection.
#[derive(Clone, Debug)]
pub(super) struct Deadlines(Arc<ConnectionNotes>);

#[derive(Debug)]
struct ConnectionNotes {
    times: ConnectionTimeouts,
    memory: Arc<ResponseMemory>,
    /// The start of the connection. All times are stored as microseconds since this moment.
    begun: Instant,
    /// The deadline of the awaited head, or of its first byte.
    head: AtomicU64,
    /// Whether the first byte of the awaited head has come.
    has_begun: AtomicBool,
    /// Whether a head that had begun did not arrive in time.
    is_late: AtomicBool,
    traffic: ByteCount,
    progress: WriteProgress,
}

impl Deadlines {
    pub(super) fn new(times: ConnectionTimeouts, memory: Arc<ResponseMemory>) -> Self {
        let begun = Instant::now();
        Self(Arc::new(ConnectionNotes {
            times,
            memory,
            begun,
            head: AtomicU64::new(NONE),
            has_begun: AtomicBool::new(false),
            is_late: AtomicBool::new(false),
            traffic: ByteCount::default(),
            progress: WriteProgress::new(begun),
        }))
    }

    /// Whether the connection waits for a head.
    pub(super) fn awaits_head(&self) -> bool {
        self.0.head.load(Ordering::Relaxed) != NONE
    }

    /// Records that the first byte of the awaited head has come, and more is to come.
    pub(super) fn begin_head(&self) {
        if self.awaits_head() && !self.0.has_begun.swap(true, Ordering::Relaxed) {
            self.0.store(Instant::now() + self.0.times.head);
        }
    }

    /// The time since which the connection waits for the first byte of a request, and has written
    /// all responses. `None` if it does not.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let ConnectionNotes { times, begun, head, has_begun, progress, .. } = &*self.0;
        let until = head.load(Ordering::Relaxed);
        let is_used = until >= OVER || has_begun.load(Ordering::Relaxed) || progress.is_waiting();
        let until = (!is_used).then(|| *begun + Duration::from_micros(until))?;
        until.checked_sub(times.idle)
    }

    /// Whether the connection ends because a head that had begun did not arrive in time.
    pub(super) fn is_late(&self) -> bool {
        self.0.is_late.load(Ordering::Relaxed)
    }

    /// Returns the traffic of the connection, which the socket of HTTP/2 records.
    pub(super) fn traffic(&self) -> &ByteCount {
        &self.0.traffic
    }

    /// Returns the progress of writing, which the socket records.
    pub(super) fn progress(&self) -> &WriteProgress {
        &self.0.progress
    }

    /// Runs a connection until it ends. If a head arrives too late, the connection ends with
    /// hyper's error. If the client reads too slowly, this function ends the connection, and the
    /// socket is reset.
    ///
    /// # Errors
    /// If the client reads too slowly.
    pub(super) async fn watch<C: Future>(self, connection: C) -> Result<C::Output, StallError> {
        let mut connection = pin!(connection);
        let mut alarm = pin!(tokio::time::sleep(self.0.times.idle));
        // `wakes_task`: whether the alarm will wake this task. `is_soon`: whether it fires in time
        // to check a waiting write.
        let (mut wakes_task, mut is_soon) = (false, false);
        poll_fn(|context| {
            loop {
                if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                    return Poll::Ready(Ok(ended));
                }
                if !is_soon && self.0.progress.is_waiting() {
                    alarm.as_mut().reset((Instant::now() + self.0.times.stall_scarce).into());
                    (wakes_task, is_soon) = (false, true);
                }
                if let Some(deadline) = self.before(alarm.deadline().into_std()) {
                    alarm.as_mut().reset(deadline.into());
                    wakes_task = false;
                }
                // An alarm that was polled wakes this task, so it need not be polled again before
                // it has fired.
                if wakes_task && !alarm.is_elapsed() {
                    return Poll::Pending;
                }
                // `unconstrained` sets the alarm even if the connection has used up its cooperative
                // budget in Tokio.
                wakes_task = pin!(unconstrained(alarm.as_mut())).poll(context).is_pending();
                if wakes_task {
                    return Poll::Pending;
                }
                let now = Instant::now();
                let head = self.head(now);
                let write = match self.write(now) {
                    Ok(next) => next,
                    Err(stalled) => return Poll::Ready(Err(stalled)),
                };
                is_soon = write.is_some();
                alarm.as_mut().reset(write.map_or(head, |write| write.min(head)).into());
            }
        })
        .await
    }

    /// The deadline of a head that has begun, if it is before the alarm.
    fn before(&self, alarm: Instant) -> Option<Instant> {
        let until = self.0.head.load(Ordering::Relaxed);
        if until >= OVER || !self.0.has_begun.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.0.begun + Duration::from_micros(until)).filter(|deadline| *deadline < alarm)
    }

    /// Returns the time at which to check the head again. If the head is late, records this for
    /// hyper's timer.
    fn head(&self, now: Instant) -> Instant {
        let until = self.0.head.load(Ordering::Relaxed);
        let deadline = (until < OVER).then(|| self.0.begun + Duration::from_micros(until));
        if deadline.is_some_and(|deadline| deadline <= now) {
            self.0.is_late.store(self.0.has_begun.load(Ordering::Relaxed), Ordering::Relaxed);
            self.0.head.store(OVER, Ordering::Relaxed);
        }
        deadline.filter(|deadline| *deadline > now).unwrap_or(now + self.0.times.idle)
    }

    /// Returns the time at which to check a waiting write again, or `None` if no write waits. If
    /// memory is scarce, the shorter timeout applies.
    fn write(&self, now: Instant) -> Result<Option<Instant>, StallError> {
        let ConnectionNotes { times, memory, progress, .. } = &*self.0;
        let stall = if memory.is_scarce() { times.stall_scarce } else { times.stall };
        let waits = progress.check(now, stall)?;
        Ok(waits.then(|| now + times.stall_scarce))
    }

    fn note(&self, deadline: Instant) {
        self.0.has_begun.store(false, Ordering::Relaxed);
        self.0.store(deadline);
    }
}

impl ConnectionNotes {
    fn store(&self, deadline: Instant) {
        let until = deadline.saturating_duration_since(self.begun).as_micros();
        self.head.store(u64::try_from(until).unwrap_or(NONE), Ordering::Relaxed);
    }
}

impl Timer for Deadlines {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.note(deadline);
        Box::pin(HeadDeadline(Arc::clone(&self.0)))
    }

    /// Changes the deadline and keeps the timer. A new timer would replace the old one, and
    /// dropping the old one would clear the stored deadline.
    fn reset(&self, _: &mut Pin<Box<dyn Sleep>>, new_deadline: Instant) {
        self.note(new_deadline);
    }
}

/// The deadline of an awaited head, as a timer for hyper.
struct HeadDeadline(Arc<ConnectionNotes>);

impl Future for HeadDeadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0.head.load(Ordering::Relaxed) == OVER { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Sleep for HeadDeadline {}

impl Drop for HeadDeadline {
    fn drop(&mut self) {
        self.0.head.store(NONE, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
