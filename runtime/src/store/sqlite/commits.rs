//! What the readers and the writer of a store know of each other: whether the write-ahead log is to
//! be emptied, for which nobody may hold a snapshot of it; and that there are new statistics. That
//! somebody has committed stands in the log itself.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long the writer waits between two looks at who holds a snapshot.
const PAUSE: Duration = Duration::from_micros(50);

/// Who holds a snapshot beyond one read, and what readers are to do at once.
#[derive(Debug, Default)]
pub(super) struct Commits {
    wal_wanted: AtomicBool,
    snapshots: AtomicUsize,
    statistics: AtomicU64,
}

impl Commits {
    /// How often tables were analyzed. A connection reads statistics together with the schema
    /// alone, so one that was opened before goes by the old ones.
    pub(super) fn statistics(&self) -> u64 {
        self.statistics.load(Ordering::Acquire)
    }

    /// Once more.
    pub(super) fn note_analysis(&self) {
        self.statistics.fetch_add(1, Ordering::Release);
    }

    /// Whether snapshots are to be let go, and held no longer than a read.
    pub(super) fn is_wal_wanted(&self) -> bool {
        self.wal_wanted.load(Ordering::Acquire)
    }

    /// Notes that a snapshot is held, or no longer.
    pub(super) fn hold(&self) {
        self.snapshots.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn release(&self) {
        self.snapshots.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether any is held: a worker is in the middle of a turn.
    pub(super) fn has_readers(&self) -> bool {
        self.snapshots.load(Ordering::Relaxed) > 0
    }

    /// Works while nobody holds a snapshot, as far as they let go in time: each does at the end of
    /// its turn.
    pub(super) fn without_snapshots<T>(&self, patience: Duration, work: impl FnOnce() -> T) -> T {
        let _wanted = WalDemand::new(self);
        let until = Instant::now() + patience;
        while self.snapshots.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        work()
    }
}

/// That the log is wanted, until this is dropped.
struct WalDemand<'c>(&'c Commits);

impl<'c> WalDemand<'c> {
    fn new(commits: &'c Commits) -> Self {
        commits.wal_wanted.store(true, Ordering::Release);
        Self(commits)
    }
}

impl Drop for WalDemand<'_> {
    fn drop(&mut self) {
        self.0.wal_wanted.store(false, Ordering::Release);
    }
}
