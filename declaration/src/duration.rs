//! Durations in whole seconds.

use std::time::Duration;

/// The longest allowed duration in seconds. Every cache must support this value (RFC 9111 §1.2.2).
pub const SECONDS_MAX: u32 = 1 << 31;

/// The rule in a message about a duration that is too long.
pub const TOO_LONG: &str = "a duration of at most 2147483648 seconds";

/// The rule in a message about a duration of zero.
pub const NO_TIME: &str = "a duration of at least one second";

/// Converts a duration to whole seconds.
///
/// ```
/// use nouns_declaration::duration::whole_seconds;
/// use std::time::Duration;
/// assert_eq!(whole_seconds(Duration::from_millis(2_000)), Ok(2));
/// assert!(whole_seconds(Duration::from_millis(500)).is_err());
/// ```
///
/// # Errors
/// The rule that the duration breaks, as text for a message.
pub fn whole_seconds(duration: Duration) -> Result<u32, &'static str> {
    if duration.subsec_nanos() > 0 {
        return Err("a duration in whole seconds, like `1s`");
    }
    let seconds = u32::try_from(duration.as_secs()).ok();
    seconds.filter(|seconds| *seconds <= SECONDS_MAX).ok_or(TOO_LONG)
}
