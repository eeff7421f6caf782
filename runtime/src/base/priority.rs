//! Low-priority threads, which yield the CPU to the workers.

use std::{cell::Cell, thread};

/// The amount of work after which a low-priority thread yields, in bytes. This work takes some 30
/// microseconds. Other kinds of work are counted as the number of bytes that takes the same time.
pub(crate) const WORK_MAX: usize = 32 * 1024;

thread_local! {
    /// The bytes of work that this low-priority thread has done since it last yielded; `None` on a
    /// thread of normal priority.
    static WORK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Lowers the priority of the current thread: `nice` is the number of levels, at most 19. Systems
/// other than Linux have no priority of a thread, so on these the thread only yields.
pub(crate) fn lower(nice: i32) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::debug!(%error, "the priority of a thread was not lowered");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
    WORK.set(Some(0));
}

/// Counts bytes of work. A low-priority thread yields when the sum reaches [`WORK_MAX`]; any other
/// thread does nothing.
///
/// Linux lets a thread run for its time slice of three milliseconds, even if a thread of higher
/// priority wakes (`RUN_TO_PARITY`). Without yields, a read that runs on four threads, one after
/// the other, would wait for four time slices.
pub(crate) fn yield_slice(bytes: usize) {
    let Some(done) = WORK.get() else { return };
    let done = done + bytes;
    if done >= WORK_MAX {
        thread::yield_now();
    }
    WORK.set(Some(if done >= WORK_MAX { 0 } else { done }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_low_priority_counts_its_work_and_no_other_does() {
        yield_slice(1);
        assert_eq!(WORK.get(), None);
        let counted = thread::spawn(|| {
            lower(1);
            [1, WORK_MAX - 2, 1, 1].map(|bytes| {
                yield_slice(bytes);
                WORK.get()
            })
        });
        let most = WORK_MAX - 1;
        assert_eq!(counted.join().unwrap(), [Some(1), Some(most), Some(0), Some(1)]);
    }
}
