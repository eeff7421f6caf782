//! Threads that let those of the workers go first.

use std::{cell::Cell, thread};

/// After how many bytes, or what takes as long, a thread of low priority lets others go first: some
/// 30 microseconds.
pub(crate) const WORK_MAX: usize = 32 * 1024;

thread_local! {
    /// What a thread of low priority has done since it let others go first, in bytes; nothing on
    /// any other thread.
    static WORK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Lowers the priority of this thread by so much: 19 is the most. Linux alone has priorities of
/// threads; elsewhere it would be that of the process.
pub(crate) fn lower(nice: i32) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::debug!(%error, "a thread has no lower priority");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
    WORK.set(Some(0));
}

/// Notes so many bytes of work, and lets other threads go first after enough of it, if this thread
/// is of low priority.
///
/// Linux lets a thread of any priority go on for its slice of three milliseconds, even where one of
/// higher priority wakes (`RUN_TO_PARITY`): a read that passes through four threads would wait for
/// as many slices.
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
