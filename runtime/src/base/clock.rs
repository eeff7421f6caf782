//! The clock for times that are stored. It does not follow a jump far ahead.
//!
//! A time that is stored stays, and times of changes never go back. So a clock that jumps ahead for
//! a moment, and is then set right, would leave all later times wrong. The system also has a clock
//! that counts the time since the start of the machine, which nobody can set. Within a process, no
//! time is more than an hour ahead of it.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};

use super::limits::CLOCK_JUMP_MAX;

/// Both clocks at the first look.
struct Anchor {
    wall: Timestamp,
    steady: Duration,
}

static ANCHOR: OnceLock<Anchor> = OnceLock::new();

/// Whether the clock is too far ahead, as the last look has found.
static IS_AHEAD: AtomicBool = AtomicBool::new(false);

/// The current time. If the clock of the system has jumped ahead, the time goes on as before the
/// jump.
pub(crate) fn now() -> Timestamp {
    let (wall, steady) = (Timestamp::now(), since_boot());
    let anchor = ANCHOR.get_or_init(|| Anchor { wall, steady });
    let (time, is_ahead) = trusted(anchor, wall, steady);
    if IS_AHEAD.load(Ordering::Relaxed) != is_ahead {
        note(is_ahead, wall, time);
    }
    time
}

/// The time, and whether the clock is too far ahead.
fn trusted(anchor: &Anchor, wall: Timestamp, steady: Duration) -> (Timestamp, bool) {
    let passed = steady.saturating_sub(anchor.steady);
    // In nearly all cases this comparison of seconds is all that a look at the clock costs.
    let seconds = wall.as_second().saturating_sub(anchor.wall.as_second());
    if seconds < (passed + CLOCK_JUMP_MAX).as_secs().cast_signed() {
        return (wall, false);
    }
    let since_anchor = wall.as_duration().checked_sub(anchor.wall.as_duration());
    let is_ahead = since_anchor
        .and_then(|since| Duration::try_from(since).ok())
        .is_some_and(|since| since.saturating_sub(passed) > CLOCK_JUMP_MAX);
    let passed = || SignedDuration::try_from(passed).ok();
    match is_ahead.then(|| anchor.wall.checked_add(passed()?).ok()).flatten() {
        Some(expected) => (expected, true),
        None => (wall, false),
    }
}

#[cold]
fn note(is_ahead: bool, clock: Timestamp, time: Timestamp) {
    if IS_AHEAD.swap(is_ahead, Ordering::Relaxed) == is_ahead {
        return;
    }
    match is_ahead {
        true => tracing::error!(
            target: "nouns",
            %clock,
            %time,
            "the clock has jumped ahead by more than an hour: times that are stored do not follow it; if the clock is right now, restart the server"
        ),
        false => tracing::info!(target: "nouns", "the clock is right again"),
    }
}

/// The time since the start of the machine, with the time in which it was suspended.
#[cfg(target_os = "linux")]
fn since_boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// The monotonic clock of other systems.
#[cfg(not(target_os = "linux"))]
fn since_boot() -> Duration {
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_far_ahead_is_not_followed() {
        let wall = |text: &str| text.parse::<Timestamp>().unwrap();
        let steady = Duration::from_secs(1000);
        let anchor = Anchor { wall: wall("2026-11-28T10:00:00Z"), steady };
        for (passed, clock, expected, is_ahead) in [
            (0, "2026-11-28T10:00:00Z", "2026-11-28T10:00:00Z", false),
            (60, "2026-11-28T10:01:00Z", "2026-11-28T10:01:00Z", false),
            // A clock that is set, or a summer time that somebody has added by hand.
            (60, "2026-11-28T11:01:00Z", "2026-11-28T11:01:00Z", false),
            (60, "2026-11-28T11:01:01Z", "2026-11-28T10:01:00Z", true),
            (60, "2036-01-01T00:00:00Z", "2026-11-28T10:01:00Z", true),
            // A clock that goes back has its own rule.
            (60, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", false),
            (86_400, "2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z", false),
        ] {
            let found = trusted(&anchor, wall(clock), steady + Duration::from_secs(passed));
            assert_eq!(found, (wall(expected), is_ahead), "{clock}");
        }
    }

    #[test]
    fn the_time_goes_on() {
        let (before, boot) = (now(), since_boot());
        assert!(now() >= before && since_boot() >= boot && boot > Duration::ZERO);
    }
}
