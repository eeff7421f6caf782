//! [`Progress`]: the messages of `--mock` while it works for a long time.

use std::time::{Duration, Instant};

use crate::cli::complain;

/// The time after which the work is reported, and the time between two reports.
const PAUSE: Duration = Duration::from_secs(2);

/// Reports on work that takes long.
pub(super) struct Progress {
    next: Instant,
}

impl Progress {
    pub(super) fn begin() -> Self {
        Self { next: Instant::now() + PAUSE }
    }

    /// Reports the number of members of a collection, unless the last report is not long ago.
    pub(super) fn report(&mut self, collection: &str, members: usize) {
        if self.is_due(Instant::now()) {
            complain(&format!("--mock has made {members} `{collection}`, and goes on"));
        }
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.next;
        if is_due {
            self.next = now + PAUSE;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_due_after_each_pause() {
        let mut progress = Progress::begin();
        let begun = progress.next;
        assert!(!progress.is_due(begun - PAUSE));
        assert!(progress.is_due(begun));
        assert!(!progress.is_due(begun + PAUSE / 2));
        assert!(progress.is_due(begun + PAUSE * 3));
        assert!(!progress.is_due(begun + PAUSE * 4 - PAUSE / 2));
    }
}
