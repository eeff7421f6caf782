//! [`OpenConnection`]: the state of an open connection, on whichever worker it is. An idle one
//! gives way to a new one when no place is free.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
    time::Instant,
};

use super::{deadlines::Deadlines, http2::ConnectionUse};
use crate::base::limits;

/// An open connection. Its worker and those that accept others share it.
pub(super) struct OpenConnection {
    /// The network of the client; `None` for a proxy.
    network: Option<[u8; 8]>,
    opened: Instant,
    /// The activity of its requests, when the client has sent a first byte.
    activity: OnceLock<Activity>,
    gives_way: AtomicBool,
    waker: OnceLock<Waker>,
}

/// The activity of the requests of a connection.
enum Activity {
    Http1(Deadlines),
    Http2(Arc<ConnectionUse>, Deadlines),
}

impl OpenConnection {
    pub(super) fn new(network: Option<[u8; 8]>) -> Arc<Self> {
        Arc::new(Self {
            network,
            opened: Instant::now(),
            activity: OnceLock::new(),
            gives_way: AtomicBool::new(false),
            waker: OnceLock::new(),
        })
    }

    /// The network of the client; `None` for a proxy.
    pub(super) const fn network(&self) -> Option<[u8; 8]> {
        self.network
    }

    /// Records that a client speaks HTTP/1.
    pub(super) fn speaks_http1(&self, deadlines: &Deadlines) {
        self.activity.set(Activity::Http1(deadlines.clone())).ok();
    }

    /// Records that a client speaks HTTP/2.
    pub(super) fn speaks_http2(&self, requests: &Arc<ConnectionUse>, deadlines: &Deadlines) {
        self.activity.set(Activity::Http2(Arc::clone(requests), deadlines.clone())).ok();
    }

    /// The time since which the connection is idle: nothing has come from its client, or all that
    /// came was answered. `None` if it is in use, or was a moment ago.
    pub(super) fn idle_since(&self, now: Instant) -> Option<Instant> {
        let since = match self.activity.get() {
            None => Some(self.opened),
            Some(Activity::Http1(deadlines)) => deadlines.idle_since(),
            Some(Activity::Http2(requests, deadlines)) => {
                requests.idle_since().filter(|_| !deadlines.progress().is_waiting())
            }
        };
        since.filter(|since| now.saturating_duration_since(*since) >= limits::GIVE_WAY_IDLE_MIN)
    }

    /// Makes the connection end, as soon as it is idle.
    pub(super) fn give_way(&self) {
        self.gives_way.store(true, Ordering::Release);
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }

    /// Whether the connection has been told to end.
    #[cfg(test)]
    pub(super) fn is_giving_way(&self) -> bool {
        self.gives_way.load(Ordering::Acquire)
    }

    /// Serves the connection until it ends, or until it gives way. One that is in use again by then
    /// goes on until it is idle.
    pub(super) async fn serve(&self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        poll_fn(|context| {
            // A task has one waker for as long as it runs.
            self.waker.get_or_init(|| context.waker().clone());
            if self.gives_way.load(Ordering::Acquire) && self.idle_since(Instant::now()).is_some() {
                return Poll::Ready(());
            }
            work.as_mut().poll(context)
        })
        .await;
    }
}

impl fmt::Debug for OpenConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenConnection").field("network", &self.network).finish_non_exhaustive()
    }
}
