//! [`StoreMetrics`]: what a store counts, whatever its engine is.

use crate::base::counter::{Histogram, HistogramValues};

/// The bounds of the number of writes in a transaction.
static BATCHES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The bounds of the time of a commit or a checkpoint, in nanoseconds.
static TIMES: [u64; 9] = [
    100_000,
    300_000,
    1_000_000,
    3_000_000,
    10_000_000,
    30_000_000,
    100_000_000,
    300_000_000,
    1_000_000_000,
];

/// A histogram of times. Only one thread records times.
pub(in crate::store) type Times = Histogram<{ TIMES.len() }>;

/// The numbers of a store at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoreMetrics {
    pub(crate) writes_waiting: u64,
    pub(crate) slow_reads_waiting: u64,
    pub(crate) slow_reads_running: u64,
    pub(crate) exports_running: u64,
    pub(crate) passwords_waiting: u64,
    pub(crate) snapshots: u64,
    pub(crate) wal_bytes: u64,
    /// The number of writes in each transaction.
    pub(crate) batches: HistogramValues,
    pub(crate) commits: HistogramValues,
    pub(crate) checkpoints: HistogramValues,
}

/// The measurements of the threads of an engine that write.
#[derive(Debug)]
pub(in crate::store) struct WriterTimes {
    pub(in crate::store) batches: Histogram<{ BATCHES.len() }>,
    pub(in crate::store) commits: Times,
    /// The checkpoints of the writer.
    pub(in crate::store) own_checkpoints: Times,
    /// The checkpoints of the thread beside the writer.
    pub(in crate::store) checkpoints: Times,
}

impl Default for WriterTimes {
    fn default() -> Self {
        Self {
            batches: Histogram::new(&BATCHES),
            commits: Histogram::new(&TIMES),
            own_checkpoints: Histogram::new(&TIMES),
            checkpoints: Histogram::new(&TIMES),
        }
    }
}

impl WriterTimes {
    /// Adds the recorded numbers to those of the store.
    pub(in crate::store) fn add_to(&self, metrics: &mut StoreMetrics) {
        metrics.batches.add(&self.batches.values());
        metrics.commits.add(&self.commits.values());
        metrics.checkpoints.add(&self.own_checkpoints.values());
        metrics.checkpoints.add(&self.checkpoints.values());
    }
}
