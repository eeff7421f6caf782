//! The long reads of a store: exports and slow reads. Each holds a snapshot, and a snapshot keeps
//! the writer from resetting the WAL. When the WAL has become too long, the oldest gives way.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::store::end_demand::EndDemand;

/// The time for which no long read begins after one had to end, unless the WAL is reset before. The
/// others must end meanwhile.
const PAUSE: Duration = Duration::from_secs(2);

/// The long reads that run now.
#[derive(Debug, Default)]
pub(super) struct LongReads {
    state: Mutex<LongReadsState>,
    resumed: Condvar,
}

#[derive(Debug, Default)]
struct LongReadsState {
    reads: Vec<Arc<EndDemand>>,
    /// The time until which no long read begins.
    paused_until: Option<Instant>,
}

/// A long read that runs. It has ended when this is dropped.
#[derive(Debug)]
pub(super) struct LongRead {
    all: Arc<LongReads>,
    demand: Arc<EndDemand>,
}

impl LongReads {
    /// Begins a long read. Waits while the writer tries to reset the WAL.
    pub(super) fn begin(self: &Arc<Self>, demand: &Arc<EndDemand>) -> LongRead {
        let mut state = self.state();
        while let Some(until) = state.paused_until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.paused_until = None;
                break;
            }
            let waited = self.resumed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.reads.push(Arc::clone(demand));
        drop(state);
        LongRead { all: Arc::clone(self), demand: Arc::clone(demand) }
    }

    /// Tells the oldest long read to end. Returns false if there is none that has not been told.
    pub(super) fn end_oldest(&self, wal_bytes: u64) -> bool {
        let mut state = self.state();
        let running = state.reads.iter().filter(|read| !read.has_come());
        let Some(oldest) = running.min_by_key(|read| read.begun()).cloned() else { return false };
        state.paused_until = Some(Instant::now() + PAUSE);
        drop(state);
        oldest.send();
        let (what, seconds) = (oldest.what(), oldest.begun().elapsed().as_secs());
        tracing::warn!(
            target: "nouns", wal_bytes, seconds,
            "{what} was ended, because its snapshot kept the write-ahead log from being reset"
        );
        true
    }

    /// Lets long reads begin again.
    pub(super) fn resume(&self) {
        if mem::take(&mut self.state().paused_until).is_some() {
            self.resumed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, LongReadsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LongRead {
    fn drop(&mut self) {
        let reads = &mut self.all.state().reads;
        reads.retain(|other| !Arc::ptr_eq(other, &self.demand));
    }
}
