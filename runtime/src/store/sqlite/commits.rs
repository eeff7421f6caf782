//! The state that the readers and the writer of a store share. The state tells readers when the
//! writer wants to reset the WAL, which an open snapshot would prevent. It also tells them when
//! there are new planner statistics. Commits are not part of this state: the WAL itself shows them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::long_reads::LongReads;
use crate::store::metrics::WriterTimes;

/// The interval at which the waiting writer checks whether readers still hold snapshots.
const PAUSE: Duration = Duration::from_micros(50);

/// The number of snapshots that readers hold between reads, the writer's demand to release them,
/// and the number of analyses.
#[derive(Debug, Default)]
pub(super) struct Commits {
    wal_wanted: AtomicBool,
    snapshots: AtomicUsize,
    /// The number of snapshots that were held so far.
    taken: AtomicU64,
    statistics: AtomicU64,
    times: WriterTimes,
    long_reads: Arc<LongReads>,
}

impl Commits {
    /// The number of times that tables were analyzed. A connection loads planner statistics only
    /// together with the schema. So a connection that was opened before an analysis uses old
    /// statistics.
    pub(super) fn statistics(&self) -> u64 {
        self.statistics.load(Ordering::Acquire)
    }

    /// Records that tables were analyzed.
    pub(super) fn note_analysis(&self) {
        self.statistics.fetch_add(1, Ordering::Release);
    }

    /// Whether the writer wants to reset the WAL. Then readers must release held snapshots, and
    /// hold no new ones between reads.
    pub(super) fn is_wal_wanted(&self) -> bool {
        self.wal_wanted.load(Ordering::Acquire)
    }

    /// Records that a reader holds a snapshot. [`release`](Self::release) records its end.
    pub(super) fn hold(&self) {
        self.snapshots.fetch_add(1, Ordering::AcqRel);
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of snapshots that readers have held so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The exports and slow reads that run.
    pub(super) const fn long_reads(&self) -> &Arc<LongReads> {
        &self.long_reads
    }

    /// The measurements of the threads that write, for `/-/metrics`.
    pub(super) const fn times(&self) -> &WriterTimes {
        &self.times
    }

    pub(super) fn release(&self) {
        self.snapshots.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether any reader holds a snapshot. An idle worker (a thread that serves requests) holds
    /// none, so true means that some worker has work.
    pub(super) fn has_readers(&self) -> bool {
        self.snapshots.load(Ordering::Relaxed) > 0
    }

    /// Waits until no reader holds a snapshot, but at most `patience`, and then runs `work`. Each
    /// worker releases its snapshot when it becomes idle.
    pub(super) fn without_snapshots<T>(&self, patience: Duration, work: impl FnOnce() -> T) -> T {
        let _wanted = WalDemand::new(self);
        let until = Instant::now() + patience;
        while self.snapshots.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        work()
    }
}

/// The writer's demand that readers release their snapshots. The demand ends when this is dropped.
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
