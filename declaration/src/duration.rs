//! Durations, which a declaration counts in whole seconds.

use std::time::Duration;

/// The longest duration in seconds: what RFC 9111 §1.2.2 asks every cache to understand.
pub const SECONDS_MAX: u32 = 1 << 31;

/// What is said of a duration that is longer.
pub const TOO_LONG: &str = "a duration of at most 2147483648 seconds";

/// What is said of no time where some must be.
pub const NO_TIME: &str = "a duration of at least one second";

/// The seconds of a duration.
///
/// ```
/// use nouns_declaration::duration::whole_seconds;
/// use std::time::Duration;
/// assert_eq!(whole_seconds(Duration::from_millis(2_000)), Ok(2));
/// assert!(whole_seconds(Duration::from_millis(500)).is_err());
/// ```
///
/// # Errors
/// What the duration must be.
pub fn whole_seconds(duration: Duration) -> Result<u32, &'static str> {
    if duration.subsec_nanos() > 0 {
        return Err("a duration in whole seconds, like `1s`");
    }
    let seconds = u32::try_from(duration.as_secs()).ok();
    seconds.filter(|seconds| *seconds <= SECONDS_MAX).ok_or(TOO_LONG)
}
