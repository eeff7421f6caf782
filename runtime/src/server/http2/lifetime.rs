//! The lifetime of a connection of HTTP/2: it stays open while its client is there and uses it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use h2::{Ping, PingPong, Reason, server::Connection};
use tokio::sync::Notify;

use super::{frame_look::StreamFaults, io::Io};
use crate::{
    base::limits,
    model::def::{Limit, Limits, Timeout},
    server::deadlines::Deadlines,
};

/// A client that reads this many bytes may send a byte of WINDOW_UPDATE. Usual ones send one for
/// several hundred.
const READ_BYTES_MIN: u64 = 64;

/// The time after a first GOAWAY in which requests that were sent before it may still arrive.
const LATE_TIME: Duration = Duration::from_secs(1);

/// The time in which the last GOAWAY must be written.
const CLOSING_TIME: Duration = Duration::from_secs(2);

/// The requests of a connection. Only the tasks of one worker use it.
#[derive(Debug)]
pub(in crate::server) struct ConnectionUse {
    begun: Instant,
    in_progress: AtomicUsize,
    /// The number of requests that have begun.
    requests: AtomicU64,
    /// The number of bytes of content that were read.
    content: AtomicU64,
    /// The end of the last request, in microseconds since `begun`.
    last_end: AtomicU64,
    slowness: Notify,
    faults: StreamFaults,
}

/// A request in progress.
#[derive(Debug)]
pub(super) struct RequestInProgress(Arc<ConnectionUse>);

impl ConnectionUse {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            in_progress: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            content: AtomicU64::new(0),
            last_end: AtomicU64::new(0),
            slowness: Notify::new(),
            faults: StreamFaults::default(),
        })
    }

    /// The faults that were found in the header blocks of the client.
    pub(super) const fn faults(&self) -> &StreamFaults {
        &self.faults
    }

    /// Records the start of a request.
    pub(super) fn begin(self: &Arc<Self>) -> RequestInProgress {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        self.requests.fetch_add(1, Ordering::Relaxed);
        RequestInProgress(Arc::clone(self))
    }

    /// Waits until the client was too slow in sending a request or in reading a response.
    pub(super) async fn until_slow(&self) {
        self.slowness.notified().await;
    }

    /// The time since which no request is in progress.
    pub(in crate::server) fn idle_since(&self) -> Option<Instant> {
        let last_end = Duration::from_micros(self.last_end.load(Ordering::Relaxed));
        (self.in_progress.load(Ordering::Relaxed) == 0).then(|| self.begun + last_end)
    }
}

impl RequestInProgress {
    /// Records the start of another request on the same connection.
    pub(super) fn another(&self) -> Self {
        self.0.begin()
    }

    /// The faults that were found in the header blocks of the client.
    pub(super) fn faults(&self) -> &StreamFaults {
        &self.0.faults
    }

    /// Records content that was read.
    pub(super) fn note_content(&self, bytes: usize) {
        self.0.content.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Records that the client was too slow. As on HTTP/1.1, its connection ends: after the other
    /// requests in progress.
    pub(super) fn note_slowness(&self) {
        self.0.slowness.notify_one();
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        let micros = u64::try_from(self.0.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.last_end.store(micros, Ordering::Relaxed);
        self.0.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The counts of the traffic on a connection.
#[derive(Clone, Copy, Debug)]
struct Traffic {
    read: u64,
    written: u64,
    content: u64,
    requests: u64,
}

impl Traffic {
    fn of(requests: &ConnectionUse, deadlines: &Deadlines) -> Self {
        Self {
            read: deadlines.traffic().read(),
            written: deadlines.traffic().written(),
            content: requests.content.load(Ordering::Relaxed),
            requests: requests.requests.load(Ordering::Relaxed),
        }
    }

    /// Whether more was sent since than the requests and their content can explain. `request_bytes`
    /// is what a request may take beside its content.
    fn is_flood(self, before: Self, request_bytes: u64) -> bool {
        let allowed = limits::CONTROL_BYTES_MAX
            + (self.content - before.content)
            + (self.requests - before.requests) * request_bytes
            + (self.written - before.written) / READ_BYTES_MIN;
        self.read - before.read > allowed
    }
}

/// The times at which a connection is tested and closed.
pub(super) struct Lifetime {
    requests: Arc<ConnectionUse>,
    deadlines: Deadlines,
    limits: &'static Limits,
    pings: Option<PingPong>,
    /// The traffic at the last look that saw some.
    traffic: Traffic,
    /// The time of that look.
    heard: Instant,
    /// The time of a PING after which nothing was read.
    pinged: Option<Instant>,
    /// The time of a first GOAWAY.
    ending: Option<Instant>,
    /// The time of the last GOAWAY.
    closed: Option<Instant>,
}

impl Lifetime {
    pub(super) fn new(
        connection: &mut Connection<Io, Bytes>,
        requests: Arc<ConnectionUse>,
        deadlines: Deadlines,
        limits: &'static Limits,
    ) -> Self {
        let traffic = Traffic::of(&requests, &deadlines);
        Self {
            requests,
            deadlines,
            limits,
            pings: connection.ping_pong(),
            traffic,
            heard: Instant::now(),
            pinged: None,
            ending: None,
            closed: None,
        }
    }

    /// Lets the requests in progress end, and accepts no others (RFC 9113 §6.8). Returns the time
    /// of the next look.
    pub(super) fn end(&mut self, connection: &mut Connection<Io, Bytes>) -> Instant {
        let now = *self.ending.get_or_insert_with(Instant::now);
        connection.graceful_shutdown();
        now + LATE_TIME
    }

    /// Whether requests that arrive now are refused. Until the client confirms that it knows of the
    /// first GOAWAY, the library accepts them.
    pub(super) fn refuses(&self) -> bool {
        self.ending.is_some_and(|ending| ending.elapsed() > LATE_TIME)
    }

    /// Looks at the connection. Closes it if the client has vanished or does not use it. Returns
    /// the time of the next look, or `None` if the connection is to be dropped.
    pub(super) fn look(&mut self, connection: &mut Connection<Io, Bytes>) -> Option<Instant> {
        let now = Instant::now();
        if let Some(closed) = self.closed {
            return Some(closed + CLOSING_TIME).filter(|end| *end > now);
        }
        let is_ending = self.ending.is_some();
        let most = if is_ending { LATE_TIME } else { self.idle_time() };
        let unused = self.requests.idle_since().map(|since| since + most);
        let traffic = Traffic::of(&self.requests, &self.deadlines);
        let is_flood = traffic.is_flood(self.traffic, self.request_bytes());
        let unheard = self.listen(traffic, now);
        let next = unused.map_or(unheard, |unused| unused.min(unheard));
        if next <= now || is_flood {
            let reason = if is_flood { Reason::ENHANCE_YOUR_CALM } else { Reason::NO_ERROR };
            connection.abrupt_shutdown(reason);
            self.closed = Some(now);
            return Some(now + CLOSING_TIME);
        }
        // A request that ends meanwhile begins a new idle time, which may end before that.
        Some(next.min(now + most))
    }

    /// The time that a connection stays open without a request.
    fn idle_time(&self) -> Duration {
        self.limits.timeout(Timeout::KeepAliveIdle)
    }

    /// The bytes that a request may take beside its content: its head, and content that comes when
    /// the request has been answered.
    fn request_bytes(&self) -> u64 {
        let head = self.limits.size(Limit::HeaderBytes) + limits::READ_AHEAD_BYTES;
        head as u64 + u64::from(limits::STREAM_WINDOW_BYTES)
    }

    /// Sends a PING if nothing was read for some time. Returns the time at which the client is
    /// pinged, or has vanished.
    fn listen(&mut self, traffic: Traffic, now: Instant) -> Instant {
        if traffic.read != self.traffic.read {
            (self.heard, self.pinged) = (now, None);
        }
        self.traffic = traffic;
        if let Some(pinged) = self.pinged {
            return pinged + limits::PONG_TIME_MAX;
        }
        let due = self.heard + limits::PING_TIME;
        if due > now {
            return due;
        }
        if let Some(pings) = &mut self.pings {
            // The answer to the last PING has to be taken before another can be sent. An older
            // PING that is not answered yet serves as well.
            drop(pings.poll_pong(&mut Context::from_waker(Waker::noop())));
            pings.send_ping(Ping::opaque()).ok();
        }
        self.pinged = Some(now);
        now + limits::PONG_TIME_MAX
    }
}
