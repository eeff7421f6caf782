//! Work on a thread of its own.

use std::thread;

/// Runs work on a thread of its own, since it blocks, and the caller may be a thread of a runtime.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
