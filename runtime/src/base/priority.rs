//! Low-priority threads, which yield to the workers.

use std::{cell::Cell, thread};

/// Bytes of work, or work of the same duration, after which a low-priority thread yields: some 30
/// microseconds.
pub(crate) const WORK_MAX: usize = 32 * 1024;

thread_local! {
    /// The bytes of work that a low-priority thread has done since it last yielded; `None` on any
    /// other thread.
    static WORK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Lowers the priority of this thread by a number of levels, at most 19. Only Linux has priorities
/// of threads; elsewhere it would be that of the process.
pub(crate) fn lower(nice: i32) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::debug!(%error, "the priority of a thread was not lowered");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
    WORK.set(Some(0));
}

/// Counts bytes of work, and yields after enough of it if this thread has low priority.
///
/// Linux lets a thread of any priority run for its slice of three milliseconds, even if one of
/// higher priority wakes (`RUN_TO_PARITY`). A read that passes through four threads would wait for
/// four slices.
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
