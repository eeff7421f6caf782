//! Durations as text in the schema language: `500ms`, `10s`, `5m`, `24h`, `14d`.

use nouns_declaration::duration::{TOO_LONG, whole_seconds};
use std::time::Duration;

/// Each unit with its length in milliseconds.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1_000)];

/// Parses a duration in whole seconds.
///
/// ```
/// use nouns_codegen::schema::duration::seconds;
/// assert_eq!((seconds("5m"), seconds("14d")), (Ok(300), Ok(1_209_600)));
/// assert!(seconds("500ms").is_err());
/// ```
///
/// # Errors
/// The rule that the duration breaks, as text for a message.
pub fn seconds(text: &str) -> Result<u32, &'static str> {
    match total(text) {
        Ok(milliseconds) => whole_seconds(Duration::from_millis(milliseconds)),
        Err(DurationError::Form) => Err("a duration like `30s`, `5m`, `24h` or `14d`"),
        Err(DurationError::Overflow) => Err(TOO_LONG),
    }
}

/// Parses a duration in milliseconds.
///
/// ```
/// use nouns_codegen::schema::duration::milliseconds;
/// assert_eq!((milliseconds("100ms"), milliseconds("2s")), (Ok(100), Ok(2000)));
/// ```
///
/// # Errors
/// The rule that the duration breaks, as text for a message.
pub fn milliseconds(text: &str) -> Result<u64, &'static str> {
    total(text).map_err(|_| "a duration like `100ms`, `2s` or `5m`")
}

/// The reason why a text is not a valid duration.
enum DurationError {
    /// The text is not a number with a unit.
    Form,
    /// The number of milliseconds does not fit 64 bits.
    Overflow,
}

/// The number of milliseconds of a duration.
fn total(text: &str) -> Result<u64, DurationError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = text.split_at(digits);
    let (_, milliseconds) = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .filter(|_| digits > 0)
        .ok_or(DurationError::Form)?;
    let count: u64 = count.parse().map_err(|_| DurationError::Overflow)?;
    count.checked_mul(*milliseconds).ok_or(DurationError::Overflow)
}

/// Formats a duration in the longest unit in which it is a whole number.
///
/// ```
/// use nouns_codegen::schema::duration::text;
/// assert_eq!([text(0), text(90), text(3600)], ["0s", "90s", "1h"]);
/// ```
#[must_use]
pub fn text(seconds: u32) -> String {
    text_of(Duration::from_secs(u64::from(seconds)))
}

/// Formats a duration of whole milliseconds in the longest unit in which it is a whole number.
///
/// ```
/// use nouns_codegen::schema::duration::text_of;
/// use std::time::Duration;
/// assert_eq!([50, 10_000].map(|ms| text_of(Duration::from_millis(ms))), ["50ms", "10s"]);
/// ```
#[must_use]
pub fn text_of(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let whole = ["d", "h", "m"].iter().find_map(|unit| {
        let (_, length) = UNITS.iter().find(|(name, _)| name == unit)?;
        (milliseconds > 0 && milliseconds % length == 0)
            .then(|| format!("{}{unit}", milliseconds / length))
    });
    let seconds = milliseconds.is_multiple_of(1_000).then(|| format!("{}s", milliseconds / 1_000));
    whole.or(seconds).unwrap_or_else(|| format!("{milliseconds}ms"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nouns_declaration::duration::SECONDS_MAX;

    #[test]
    fn a_duration_is_the_same_after_it_was_written() {
        for count in [0, 1, 59, 60, 61, 3_599, 3_600, 86_399, 86_400, 86_401, SECONDS_MAX] {
            assert_eq!(seconds(&text(count)), Ok(count), "{}", text(count));
        }
        assert_eq!((seconds("2000ms"), seconds("2147483648s")), (Ok(2), Ok(SECONDS_MAX)));
    }

    #[test]
    fn what_is_no_duration_is_refused_with_the_rule() {
        let refused = [
            ("", "a duration like"),
            ("s", "a duration like"),
            ("60", "a duration like"),
            ("1.5h", "a duration like"),
            ("-1s", "a duration like"),
            ("1 s", "a duration like"),
            ("1w", "a duration like"),
            ("١s", "a duration like"),
            ("500ms", "a duration in whole seconds"),
            ("2147483649s", "a duration of at most"),
            ("24856d", "a duration of at most"),
            ("99999999999999999999d", "a duration of at most"),
        ];
        for (text, rule) in refused {
            assert!(seconds(text).unwrap_err().starts_with(rule), "{text}");
        }
    }
}
