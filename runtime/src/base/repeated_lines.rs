//! A limit on log lines that many requests would repeat while a fault lasts.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time from one line to the next of the same sentence.
const PAUSE: Duration = Duration::from_secs(5);
/// The maximum number of sentences that are known. User code may have any number of them.
const SENTENCES_MAX: usize = 64;

/// Admits the first line of each sentence, and then one in a while.
#[derive(Debug, Default)]
pub(crate) struct RepeatedLines(Mutex<HashMap<String, LoggedLine>>);

/// The last line of a sentence.
#[derive(Debug)]
struct LoggedLine {
    at: Instant,
    /// The number of lines that were left out since.
    left_out: u64,
}

impl RepeatedLines {
    /// Returns the number of lines that were left out before, if a line may be logged at a time.
    pub(crate) fn admit(&self, sentence: &str, now: Instant) -> Option<u64> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = lines.get_mut(sentence) {
            if now.saturating_duration_since(last.at) < PAUSE {
                last.left_out += 1;
                return None;
            }
            last.at = now;
            return Some(std::mem::take(&mut last.left_out));
        }
        if lines.len() >= SENTENCES_MAX {
            lines.clear();
        }
        lines.insert(sentence.to_owned(), LoggedLine { at: now, left_out: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_logged_and_then_one_in_a_while_with_the_number_of_those_left_out() {
        let (lines, start) = (RepeatedLines::default(), Instant::now());
        assert_eq!(lines.admit("away", start), Some(0));
        for millis in [1, 2, 4999] {
            assert_eq!(lines.admit("away", start + Duration::from_millis(millis)), None);
        }
        assert_eq!(lines.admit("full", start), Some(0), "another sentence");
        assert_eq!(lines.admit("away", start + PAUSE), Some(3));
        assert_eq!(lines.admit("away", start + PAUSE), None);
        assert_eq!(lines.admit("away", start + 3 * PAUSE), Some(1));
    }

    #[test]
    fn no_more_than_so_many_sentences_are_known() {
        let (lines, now) = (RepeatedLines::default(), Instant::now());
        for number in 0..10 * SENTENCES_MAX {
            assert_eq!(lines.admit(&number.to_string(), now), Some(0));
        }
        assert!(lines.0.lock().unwrap().len() <= SENTENCES_MAX);
    }
}
