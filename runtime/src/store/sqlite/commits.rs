//! The state that the readers and the writer of a store share: whether the WAL is to be emptied,
//! which no snapshot may prevent, and whether there are new statistics. The WAL itself shows
//! whether anybody has committed.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The interval at which the writer looks for snapshots that are still held.
const PAUSE: Duration = Duration::from_micros(50);

/// The snapshots that are held beyond one read, and the demand to release them.
#[derive(Debug, Default)]
pub(super) struct Commits {
    wal_wanted: AtomicBool,
    snapshots: AtomicUsize,
    statistics: AtomicU64,
}

impl Commits {
    /// The number of analyses of tables. A connection reads statistics only together with the
    /// schema, so one that was opened before an analysis uses the old ones.
    pub(super) fn statistics(&self) -> u64 {
        self.statistics.load(Ordering::Acquire)
    }

    /// Notes that tables were analyzed.
    pub(super) fn note_analysis(&self) {
        self.statistics.fetch_add(1, Ordering::Release);
    }

    /// Whether snapshots are to be released, and held no longer than a read.
    pub(super) fn is_wal_wanted(&self) -> bool {
        self.wal_wanted.load(Ordering::Acquire)
    }

    /// Notes that a snapshot is held. [`release`](Self::release) notes its end.
    pub(super) fn hold(&self) {
        self.snapshots.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn release(&self) {
        self.snapshots.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether any snapshot is held, so a worker is in the middle of a turn.
    pub(super) fn has_readers(&self) -> bool {
        self.snapshots.load(Ordering::Relaxed) > 0
    }

    /// Runs `work` once nobody holds a snapshot, or `patience` has passed. Each reader releases its
    /// snapshot at the end of its turn.
    pub(super) fn without_snapshots<T>(&self, patience: Duration, work: impl FnOnce() -> T) -> T {
        let _wanted = WalDemand::new(self);
        let until = Instant::now() + patience;
        while self.snapshots.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        work()
    }
}

/// The demand to empty the WAL. It ends when this is dropped.
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
