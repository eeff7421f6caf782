//! The time limits of reads. A read on a worker has a budget of a fraction of a millisecond. A read
//! on the slow lane (the threads for slow reads) runs until its deadline, or until nobody waits for
//! its result.
//!
//! SQLite calls a progress handler after a fixed number of steps of its virtual machine. A read of
//! one member takes a few dozen steps, so the handler is never called. A read of a page makes
//! SQLite call the handler once or twice.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{commits::Commits, handle::Handle};
use crate::base::priority;

/// The number of virtual machine steps between two calls of the progress handler. This number of
/// steps takes about 30 microseconds.
const STEPS: i32 = 1000;
/// The time for which a read may block its worker. It is many times the time of a page that is read
/// by an index, and too short for a client to notice.
pub(super) const TIME: Duration = Duration::from_micros(250);

/// The longest time for which a read with lists may block its worker. Each level of lists adds the
/// time of a page, as it takes the place of many requests.
const LISTS_TIME: Duration = Duration::from_millis(1);

/// The number of steps of the virtual machine that a look-up of a web page may take. They take
/// about 3 milliseconds, and are enough to count 10,000 members. The number of steps depends on the
/// data alone, so a page is the same each time, however busy the processor is.
pub(super) const LOOKUP_STEPS: u32 = 100_000;

/// The time for which a batch of look-ups may block its worker, if the disk or the processor is
/// slow. It is many times what their steps take, so it seldom decides what is on a page, also if
/// other threads have most of the processor. Look-ups on PostgreSQL may take as long.
const LOOKUPS_TIME: Duration = Duration::from_millis(250);

/// The number of progress handler calls that a read may always take, even on a busy processor. The
/// clock also advances while the thread waits for the processor, and that is no reason to interrupt
/// a short read.
const CALLS_FAST: u32 = 4;

/// The pause of a slow read at each call of the progress handler, while a worker has work to do.
/// Without the pause, the slow read would take processor time and cache space from the worker.
/// While all workers are idle, a slow read does not pause.
const REST: Duration = Duration::from_micros(60);

/// The time budget of each read on a connection.
pub(super) struct Budget(Arc<ReadUsage>);

/// The part of the budget that the current read has used.
#[derive(Default)]
struct ReadUsage {
    /// The number of calls of the progress handler during the current read.
    calls: AtomicU32,
    /// The time of the first call of the progress handler, in nanoseconds. A read that is too short
    /// for a call does not read the clock.
    first_call: AtomicU64,
    /// The time of the current read, in nanoseconds.
    time_max: AtomicU64,
    /// The number of calls at which the current statement ends. It is not limited for reads other
    /// than look-ups.
    calls_end: AtomicU32,
}

impl Budget {
    /// Sets a progress handler on a connection. The handler interrupts every read that exceeds the
    /// budget.
    pub(super) fn watch(handle: &mut Handle) -> rusqlite::Result<Self> {
        let (opened, spent) = (Instant::now(), Arc::new(ReadUsage::default()));
        let usage = Arc::clone(&spent);
        let is_exceeded = move || {
            let now = opened.elapsed().as_nanos() as u64;
            let times = usage.calls.fetch_add(1, Ordering::Relaxed);
            if times == 0 {
                usage.first_call.store(now, Ordering::Relaxed);
            }
            let time = now.saturating_sub(usage.first_call.load(Ordering::Relaxed));
            let is_late = times >= CALLS_FAST && time > usage.time_max.load(Ordering::Relaxed);
            is_late || times >= usage.calls_end.load(Ordering::Relaxed)
        };
        handle.watch(STEPS, is_exceeded)?;
        Ok(Self(spent))
    }

    /// Starts the budget of a new read.
    pub(super) fn begin(&self) {
        self.begin_for(TIME);
    }

    /// Gives the current read the time for its levels of lists, besides that for its own rows.
    pub(super) fn give_time(&self, levels: u32) {
        if levels > 0 {
            let time = (TIME * (1 + levels)).min(LISTS_TIME);
            self.0.time_max.store(time.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// Starts the budget of a batch of look-ups of a web page.
    pub(super) fn begin_lookups(&self) {
        self.begin_for(LOOKUPS_TIME);
    }

    /// Starts a look-up of the batch, which is interrupted soon after its steps are used up.
    pub(super) fn begin_lookup(&self) {
        // SQLite counts steps over all runs of a statement, so the first call may come early.
        let calls = LOOKUP_STEPS / STEPS.cast_unsigned() + 1;
        let end = self.0.calls.load(Ordering::Relaxed).saturating_add(calls);
        self.0.calls_end.store(end, Ordering::Relaxed);
    }

    fn begin_for(&self, time: Duration) {
        self.0.calls.store(0, Ordering::Relaxed);
        self.0.time_max.store(time.as_nanos() as u64, Ordering::Relaxed);
        self.0.calls_end.store(u32::MAX, Ordering::Relaxed);
    }
}

/// A deadline that interrupts the statements of a connection. The statements are also interrupted
/// when nobody waits for the result.
pub(super) struct ReadDeadline {
    end: Instant,
    nobody_waits: Arc<AtomicBool>,
    /// The number of calls of the progress handler under this deadline.
    calls: Arc<AtomicU32>,
}

impl ReadDeadline {
    pub(super) fn new(end: Instant, nobody_waits: Arc<AtomicBool>) -> Self {
        Self { end, nobody_waits, calls: Arc::default() }
    }

    /// Sets a progress handler on a connection. The handler interrupts reads after the deadline, or
    /// when nobody waits for the result. It also pauses the thread, or yields the processor, so
    /// that workers run first.
    pub(super) fn watch(
        &self,
        handle: &mut Handle,
        commits: &Arc<Commits>,
    ) -> rusqlite::Result<()> {
        let (end, nobody_waits, times) =
            (self.end, Arc::clone(&self.nobody_waits), Arc::clone(&self.calls));
        let commits = Arc::clone(commits);
        let must_end = move || {
            times.fetch_add(1, Ordering::Relaxed);
            if commits.has_readers() {
                thread::sleep(REST);
            } else {
                priority::yield_slice(priority::WORK_MAX);
            }
            nobody_waits.load(Ordering::Relaxed) || Instant::now() > end
        };
        handle.watch(STEPS, must_end)
    }

    /// Whether the reads under this deadline were short enough for a worker: they called the
    /// progress handler at most `CALLS_FAST` times.
    pub(super) fn was_fast(&self) -> bool {
        self.calls.load(Ordering::Relaxed) <= CALLS_FAST
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::model::value::Value;

    const STEPS_OF_A_ROW: u32 = 10;

    fn handle() -> Handle {
        Handle::new(Connection::open_in_memory().unwrap()).unwrap()
    }

    /// Runs a statement that takes about `thousands` thousand virtual machine steps.
    fn steps(handle: &mut Handle, thousands: u32) -> rusqlite::Result<()> {
        let text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?1) SELECT count(*) FROM n";
        handle.run(text, [&Value::Integer((thousands * 1000 / STEPS_OF_A_ROW).into())], |_| true)
    }

    #[test]
    fn a_long_read_rests_while_a_worker_is_in_its_turn_and_comes_to_its_end() {
        let mut handle = handle();
        let commits = Arc::new(Commits::default());
        let until = ReadDeadline::new(Instant::now() + Duration::from_secs(60), Arc::default());
        until.watch(&mut handle, &commits).unwrap();
        commits.hold();
        let begun = Instant::now();
        steps(&mut handle, 100).unwrap();
        let rested = REST * until.calls.load(Ordering::Relaxed);
        assert!(rested >= 50 * REST && begun.elapsed() >= rested, "pauses of {rested:?}");
    }

    #[test]
    fn a_short_read_is_not_ended_for_the_time_that_its_thread_waits() {
        let mut handle = handle();
        let budget = Budget::watch(&mut handle).unwrap();
        budget.begin();
        for _ in 0..2 {
            steps(&mut handle, 1).unwrap();
            thread::sleep(4 * TIME);
        }
        assert!(
            steps(&mut handle, 10_000).is_err(),
            "a statement that exceeds the budget is interrupted"
        );
        budget.begin();
        assert!(steps(&mut handle, 1).is_ok(), "the next read starts with a full budget");
    }

    #[test]
    fn a_statement_that_keeps_the_store_is_never_interrupted() {
        let mut handle = handle();
        handle.watch(1, || true).unwrap();
        for _ in 0..1_000 {
            for text in
                ["BEGIN", "SAVEPOINT a", "RELEASE a", "ROLLBACK", "BEGIN IMMEDIATE", "COMMIT"]
            {
                handle.run_system(text).unwrap();
            }
            handle.ask("PRAGMA data_version", |_| true).unwrap();
            handle
                .connection()
                .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
                .unwrap();
        }
        let interrupted = steps(&mut handle, 1).unwrap_err();
        assert_eq!(
            interrupted.sqlite_error_code(),
            Some(rusqlite::ErrorCode::OperationInterrupted)
        );
        handle.run_system("BEGIN").unwrap();
    }
}
