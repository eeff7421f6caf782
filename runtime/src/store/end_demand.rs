//! [`EndDemand`]: the signal that a long read must end before its time.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use tokio::sync::Notify;

/// The signal that a long read must end early, because its snapshot holds up the database.
pub(super) struct EndDemand {
    /// The kind of the read, for the log.
    what: &'static str,
    begun: Instant,
    has_come: Arc<AtomicBool>,
    changed: Notify,
}

impl EndDemand {
    /// A signal that has not come.
    pub(super) fn new(what: &'static str) -> Arc<Self> {
        Self::with(what, Arc::default())
    }

    /// A signal that also comes when another one sets this flag.
    pub(super) fn with(what: &'static str, has_come: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { what, begun: Instant::now(), has_come, changed: Notify::new() })
    }

    /// The kind of the read, for the log.
    pub(super) const fn what(&self) -> &'static str {
        self.what
    }

    /// The start of the read.
    pub(super) const fn begun(&self) -> Instant {
        self.begun
    }

    /// The flag, which a statement looks at while it runs.
    pub(super) const fn flag(&self) -> &Arc<AtomicBool> {
        &self.has_come
    }

    /// Tells the read that it must end.
    pub(super) fn send(&self) {
        self.has_come.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Whether the read must end.
    pub(super) fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }

    /// Waits until the read must end. Only the thread of the read waits.
    pub(super) async fn come(&self) {
        while !self.has_come() {
            self.changed.notified().await;
        }
    }
}

impl fmt::Debug for EndDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndDemand").field("what", &self.what).finish_non_exhaustive()
    }
}
