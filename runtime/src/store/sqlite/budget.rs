//! How long a statement may run: on a worker a moment, on the slow lane until nobody waits for it.
//!
//! SQLite asks every so many steps of its machine whether to go on. A point read is some dozens of steps, so it is
//! never asked about; a page is asked about once or twice.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

/// After how many steps SQLite asks: some 30 microseconds.
const STEPS: i32 = 1000;
/// How long a read holds up its worker: many times a page by an index, and less than a client notices.
const TIME: Duration = Duration::from_micros(250);

/// What the statements of a worker may take.
pub(super) struct Budget(Arc<AtomicU64>);

/// Stands for a read of which SQLite has not asked yet, so that those which are short cost no look at the clock.
const UNASKED: u64 = 0;

impl Budget {
    /// Watches a connection.
    pub(super) fn watch(connection: &mut Connection) -> rusqlite::Result<Self> {
        let (since, begun) = (Instant::now(), Arc::new(AtomicU64::new(UNASKED)));
        let seen = Arc::clone(&begun);
        let asked = move || {
            let now = since.elapsed().as_nanos() as u64 | 1;
            let begun = seen.load(Ordering::Relaxed);
            if begun == UNASKED {
                seen.store(now, Ordering::Relaxed);
            }
            begun != UNASKED && now - begun > TIME.as_nanos() as u64
        };
        connection.progress_handler(STEPS, Some(asked))?;
        Ok(Self(begun))
    }

    /// Begins a read, which has all of its time before it.
    pub(super) fn begin(&self) {
        self.0.store(UNASKED, Ordering::Relaxed);
    }
}

/// How often SQLite asks about a read that a worker would have had the time for, be the processor ever so busy now.
const ASKED_FAST: u32 = 4;

/// Ends the statements of a connection when it is time, or nobody waits.
pub(super) struct Until {
    pub(super) end: Instant,
    pub(super) nobody_waits: Arc<AtomicBool>,
    asked: Arc<AtomicU32>,
}

impl Until {
    pub(super) fn new(end: Instant, nobody_waits: Arc<AtomicBool>) -> Self {
        Self { end, nobody_waits, asked: Arc::default() }
    }

    /// Watches a connection until the next watch.
    pub(super) fn watch(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let (end, nobody_waits, times) = (self.end, Arc::clone(&self.nobody_waits), Arc::clone(&self.asked));
        let asked = move || {
            times.fetch_add(1, Ordering::Relaxed);
            nobody_waits.load(Ordering::Relaxed) || Instant::now() > end
        };
        connection.progress_handler(STEPS, Some(asked))
    }

    /// Whether what was read is little enough for a worker.
    pub(super) fn was_fast(&self) -> bool {
        self.asked.load(Ordering::Relaxed) <= ASKED_FAST
    }
}
