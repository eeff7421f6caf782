//! The time of synchronous work. Work that runs on a thread for large requests, and that other
//! requests of the thread wait for, looks at it between two pieces.
//!
//! A timer cannot end such work, because the thread that would notice the timer does the work.

use std::{cell::Cell, time::Instant};

thread_local! {
    /// The end of the work that runs on this thread. `None` if it has no end of its own.
    static END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs work that should not go on after `end`.
pub(crate) fn until<T>(end: Instant, work: impl FnOnce() -> T) -> T {
    let _before = Reset(END.replace(Some(end)));
    work()
}

/// Runs work whose result is not only for this request, so it has no end.
pub(crate) fn without_end<T>(work: impl FnOnce() -> T) -> T {
    let _before = Reset(END.replace(None));
    work()
}

/// The end of the work that runs on this thread.
pub(crate) fn end() -> Option<Instant> {
    END.get()
}

/// Whether the work on this thread should have ended. Without an end, this does not read the clock.
pub(crate) fn is_over() -> bool {
    END.get().is_some_and(|end| Instant::now() >= end)
}

/// Sets the former end again when the work has returned or panicked.
struct Reset(Option<Instant>);

impl Drop for Reset {
    fn drop(&mut self) {
        END.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_is_over_at_its_end_and_what_follows_has_none() {
        let now = Instant::now();
        assert!(!is_over());
        until(now + Duration::from_secs(3600), || {
            assert!(!is_over() && end().is_some());
            assert!(until(now, is_over));
            assert!(until(now, || !without_end(is_over) && is_over()));
            assert!(!is_over());
        });
        assert!(!is_over() && end().is_none());
    }
}
