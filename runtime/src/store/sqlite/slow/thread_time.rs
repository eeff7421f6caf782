//! The CPU clock of a thread. It advances only while that thread runs.

use std::time::Duration;

/// A moment on the CPU clock of the calling thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadTime(Duration);

impl ThreadTime {
    pub(super) fn now() -> Self {
        Self(now())
    }

    /// The CPU time that the calling thread has used since this moment. On a busy machine it is
    /// much less than the elapsed time.
    pub(super) fn elapsed(self) -> Duration {
        now().saturating_sub(self.0)
    }
}

#[cfg(target_os = "linux")]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// The monotonic clock, which systems other than Linux use instead of a CPU clock.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{thread, time::Instant};

    use super::*;

    #[test]
    fn it_stands_still_while_the_thread_sleeps() {
        let (begun, run) = (Instant::now(), ThreadTime::now());
        thread::sleep(Duration::from_millis(200));
        assert!(run.elapsed() < begun.elapsed() / 2);
        while run.elapsed() < Duration::from_millis(20) {}
        assert!(begun.elapsed() > Duration::from_millis(200));
    }
}
