//! The times of changes. They never go back, even if the clock does.
//!
//! A client sends a time in whole seconds to ask what has changed since that time (RFC 9110
//! §13.1.3). If the clock was set back, the next change gets a time in the second after the last
//! recorded time. All later changes get the same time, until the clock has passed that second. No
//! client has seen that second, since `Last-Modified` is never later than the clock. The triggers
//! for changes by other programs follow the same rule (`sql/trigger.rs`).

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    base::{clock, limits::CLOCK_JUMP_MAX},
    store::sql::AHEAD,
};

/// The length of a time from its year to its seconds, for example `2026-01-31T12:00:00`.
const TO_THE_SECOND: usize = 19;

/// Returns the time to record for a change. `last` is the time of the previous change, and `now` is
/// the time of the clock. Each is in the form in which times are stored.
pub(super) fn after(last: &str, now: String) -> String {
    let now = match now.strip_suffix(AHEAD) {
        // A time that ends in `.999999Z` is ahead of the clock. The time of the clock itself must
        // not end like this.
        Some(second) => format!("{second}.999998Z"),
        None => now,
    };
    if second(&now) >= second(last) {
        return if *now >= *last { now } else { last.into() };
    }
    if last.ends_with(AHEAD) {
        return last.into();
    }
    tracing::warn!(target: "nouns", last, now, "the clock was set back: changes keep a later time until the clock has passed it");
    next_second(last).unwrap_or_else(|| last.into())
}

/// Logs that the last change of a database is far ahead of the clock. Then the clock was wrong at
/// an earlier start, or is wrong now.
pub(super) fn check_start(last: &str) {
    let ahead = last.parse::<Timestamp>().map(|last| last.duration_since(clock::now()));
    let ahead = ahead.ok().and_then(|ahead| Duration::try_from(ahead).ok()).unwrap_or_default();
    if ahead > CLOCK_JUMP_MAX {
        tracing::error!(
            target: "nouns",
            last,
            "the last change of the database is more than an hour ahead of the clock, and later changes keep its time; set the clock, or run `nouns repair` while the server is stopped"
        );
    }
}

fn second(time: &str) -> &str {
    time.get(..TO_THE_SECOND).unwrap_or(time)
}

/// Returns the last microsecond of the second that follows a time. Returns `None` after the year
/// 9999.
fn next_second(time: &str) -> Option<String> {
    let next = time.parse::<Timestamp>().ok()?.checked_add(SignedDuration::from_secs(1)).ok()?;
    Some(format!("{}{AHEAD}", second(&format!("{next:.6}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_go_back_and_a_clock_that_does_leads_to_the_next_second() {
        let cases = [
            ("", "2026-11-22T10:00:00.000000Z", "2026-11-22T10:00:00.000000Z"),
            (
                "2026-11-22T10:00:00.500000Z",
                "2026-11-22T10:00:00.500001Z",
                "2026-11-22T10:00:00.500001Z",
            ),
            // Two changes within one second get the same `Last-Modified`, so the second change may
            // keep the time of the first.
            (
                "2026-11-22T10:00:00.500000Z",
                "2026-11-22T10:00:00.400000Z",
                "2026-11-22T10:00:00.500000Z",
            ),
            (
                "2026-11-22T10:00:00.500000Z",
                "2026-11-22T09:59:59.900000Z",
                "2026-11-22T10:00:01.999999Z",
            ),
            (
                "2026-12-31T23:59:59.000000Z",
                "2026-11-22T10:00:00.000000Z",
                "2027-01-01T00:00:00.999999Z",
            ),
            // If the clock is still behind, another change gets the same time again.
            (
                "2026-11-22T10:00:01.999999Z",
                "2026-11-22T09:00:00.000000Z",
                "2026-11-22T10:00:01.999999Z",
            ),
            (
                "2026-11-22T10:00:01.999999Z",
                "2026-11-22T10:00:01.000000Z",
                "2026-11-22T10:00:01.999999Z",
            ),
            (
                "2026-11-22T10:00:01.999999Z",
                "2026-11-22T10:00:02.000000Z",
                "2026-11-22T10:00:02.000000Z",
            ),
            // A time of the clock never ends in `.999999Z`, the mark of a time ahead of the clock.
            (
                "2026-11-22T10:00:01.000000Z",
                "2026-11-22T10:00:01.999999Z",
                "2026-11-22T10:00:01.999998Z",
            ),
            (
                "9999-12-31T00:00:00.000000Z",
                "2026-11-22T10:00:00.000000Z",
                "9999-12-31T00:00:00.000000Z",
            ),
        ];
        for (last, now, expected) in cases {
            assert_eq!(after(last, now.into()), expected, "{now} after {last}");
        }
    }
}
