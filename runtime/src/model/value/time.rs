//! Parsers of dates, times, and date-times to the form in which they are stored.

use std::ops::Range;

use jiff::{SignedDuration, civil};

/// Parses a date `yyyy-mm-dd`.
pub(super) fn date(text: &str) -> Option<String> {
    let shaped = shape(text, "dddd-dd-dd");
    shaped.then(|| text.parse::<civil::Date>().ok())?.map(|date| date.to_string())
}

/// Parses a time `hh:mm:ss` with an optional fraction. Digits after the microseconds are dropped.
pub(super) fn time(text: &str) -> Option<String> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !shape(clock, "dd:dd:dd") || !digits || clock.ends_with("60") {
        return None;
    }
    clock.parse::<civil::Time>().ok()?;
    let fraction = fraction.get(..6).unwrap_or(fraction).trim_end_matches('0');
    Some(if fraction.is_empty() { clock.into() } else { format!("{clock}.{fraction}") })
}

/// Parses a date-time of RFC 3339 §5.6 and converts it to UTC with microseconds. It does not use
/// jiff's `Timestamp`, which cannot represent the last hours of the year 9999.
pub(super) fn date_time(text: &str) -> Option<String> {
    if is_stored_time(text) {
        return Some(text.to_owned());
    }
    let (local, offset) = local_time(text)?;
    instant(local.checked_sub(offset).ok()?)
}

/// Whether a date-time has the form in which it is stored. Most have: what a response showed, and
/// what a table has.
fn is_stored_time(text: &str) -> bool {
    if !shape(text, "dddd-dd-ddTdd:dd:dd.ddddddZ") {
        return false;
    }
    let number = |digits: Range<usize>| text[digits].parse::<i8>().unwrap_or(-1);
    let year = text[..4].parse().unwrap_or(-1);
    let (month, day) = (number(5..7), number(8..10));
    let (hour, minute, second) = (number(11..13), number(14..16), number(17..19));
    civil::DateTime::new(year, month, day, hour, minute, second, 0).is_ok()
}

/// Parses a date-time as a local time and its offset from UTC.
pub(super) fn local_time(text: &str) -> Option<(civil::DateTime, SignedDuration)> {
    let (day, rest) = text.split_at_checked(10)?;
    let clock = rest.strip_prefix(['T', 't'])?;
    let (clock, offset) = clock.split_at(clock.find(['Z', 'z', '+', '-'])?);
    let local: civil::DateTime = format!("{}T{}", date(day)?, time(clock)?).parse().ok()?;
    Some((local, utc_offset(offset)?))
}

/// Parses the offset of a local time from UTC, such as `Z` or `+02:00`.
fn utc_offset(text: &str) -> Option<SignedDuration> {
    if text.eq_ignore_ascii_case("z") {
        return Some(SignedDuration::ZERO);
    }
    let (sign, clock) = text.split_at_checked(1)?;
    let (hours, minutes) = clock.split_once(':').filter(|_| shape(clock, "dd:dd"))?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let ahead = SignedDuration::from_mins(hours * 60 + minutes);
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -ahead } else { ahead })
}

/// Formats a time in UTC as it is stored; `None` outside of the years 0000 to 9999.
fn instant(at: civil::DateTime) -> Option<String> {
    let text = format!("{at:.6}Z");
    (text.len() == "2026-11-20T08:30:00.000000Z".len()).then_some(text)
}

/// Whether a text has a form. In the form, `d` stands for a digit and any other character for
/// itself.
fn shape(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            _ => byte == form,
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A time with another spelling takes the long way, so both ways must find the same.
        #[test]
        fn a_stored_time_is_one_that_can_be_parsed(
            year in 0..=9999, month in 0..=13, day in 0..=32,
            hour in 0..=24, minute in 0..=60, second in 0..=60, fraction in 0..1_000_000,
        ) {
            let before = format!("{year:04}-{month:02}-{day:02}");
            let stored = format!("{before}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z");
            let parsed = date_time(&stored);
            prop_assert_eq!(&parsed, &date_time(&stored.to_lowercase()));
            prop_assert!(parsed.is_none_or(|parsed| parsed == stored));
        }
    }
}
