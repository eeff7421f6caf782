//! Whole seconds, as HTTP tells the time (RFC 9110 §5.6.7).

use std::{
    fmt::{self, Display, Formatter},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use http::HeaderValue;
use httpdate::HttpDate;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// A point in time, in whole seconds since 1970: what `Date`, `Last-Modified` and their preconditions can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Second(pub(crate) u64);

/// A year of two digits that seems further ahead than this is one of the past (RFC 9110 §5.6.7).
const AHEAD_MAX: Duration = Duration::from_secs(50 * 31_557_600);

impl Second {
    /// The second in which this process is now.
    pub(crate) fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// The second of a stored time, `2026-11-20T12:34:56.123456Z`; what is not of this form, or before 1970, has none.
    pub(crate) fn of_stored(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let at = |at: usize, mark: u8| bytes[at] == mark;
        let marked = bytes.len() >= 20
            && bytes[bytes.len() - 1] == b'Z'
            && (at(4, b'-') && at(7, b'-') && at(10, b'T') && at(13, b':') && at(16, b':'));
        if !marked {
            return None;
        }
        let two = |at| digits(&bytes[at..at + 2]).and_then(|two| i8::try_from(two).ok());
        let year = digits(&bytes[..4])?.cast_signed();
        let civil = DateTime::new(year, two(5)?, two(8)?, two(11)?, two(14)?, two(17)?, 0).ok()?;
        let second = TimeZone::UTC.to_timestamp(civil).ok()?.as_second();
        u64::try_from(second).ok().map(Self)
    }

    /// Reads any of the three forms; `now` tells the century of the form that leaves it out.
    ///
    /// A date whose day of the week is wrong is none.
    pub(crate) fn parse(text: &str, now: Self) -> Option<Self> {
        if text.contains('-') {
            return parse_two_digits(text, now);
        }
        text.parse::<HttpDate>().ok().map(|date| Self::from(SystemTime::from(date)))
    }

    fn year(self) -> Option<u16> {
        let timestamp = Timestamp::from_second(self.0.cast_signed()).ok()?;
        u16::try_from(TimeZone::UTC.to_datetime(timestamp).year()).ok()
    }
}

fn digits(bytes: &[u8]) -> Option<u16> {
    bytes
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u16::from(byte - b'0')))
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`: of all centuries the latest that is not too far ahead.
fn parse_two_digits(text: &str, now: Second) -> Option<Second> {
    let (name, rest) = text.split_once(", ")?;
    let rest = rest.as_bytes();
    if !DAYS.contains(&name) || rest.len() != 22 || rest[2] != b'-' || rest[6] != b'-' {
        return None;
    }
    let latest = Second(now.0 + AHEAD_MAX.as_secs());
    let latest_year = latest.year()?;
    let year = digits(&rest[7..9])?;
    let year = latest_year - (latest_year % 100 + 100 - year) % 100;
    [year, year - 100].into_iter().find_map(|year| {
        let date = str::from_utf8(&with_year(name, rest, year)).ok()?.parse::<HttpDate>().ok()?;
        Some(Second::from(SystemTime::from(date))).filter(|date| *date <= latest)
    })
}

/// The same in the form that has four digits.
fn with_year(name: &str, rest: &[u8], year: u16) -> [u8; 29] {
    let mut fixed = [b' '; 29];
    fixed[3] = b',';
    fixed[..3].copy_from_slice(&name.as_bytes()[..3]);
    fixed[5..7].copy_from_slice(&rest[..2]);
    fixed[8..11].copy_from_slice(&rest[3..6]);
    for (at, unit) in [(12, 1000), (13, 100), (14, 10), (15, 1)] {
        fixed[at] = b"0123456789"[usize::from(year / unit % 10)];
    }
    fixed[16..].copy_from_slice(&rest[9..]);
    fixed
}

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl From<SystemTime> for Second {
    /// A clock before 1970 is taken for 1970.
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl From<Second> for HeaderValue {
    fn from(second: Second) -> Self {
        Self::try_from(second.to_string()).expect("a date is visible ASCII")
    }
}

impl Display for Second {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is sent; it goes through no heap.
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let shown = self.0.min(LAST_OF_FOUR_DIGITS);
        HttpDate::from(UNIX_EPOCH + Duration::from_secs(shown)).fmt(to)
    }
}

/// The end of the year 9999, after which the form has no room.
const LAST_OF_FOUR_DIGITS: u64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXAMPLE: Second = Second(784_111_777);

    /// 2026-11-20T12:00:00Z.
    const NOW: Second = Second(1_795_176_000);

    /// HTTP 72: the three forms of RFC 9110 §5.6.7 are one time.
    #[test]
    fn every_form_is_read() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(Second::parse(text, NOW), Some(EXAMPLE), "{text}");
        }
        assert_eq!(EXAMPLE.to_string(), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    /// HTTP 72: two digits are the latest year that is at most 50 ahead.
    #[test]
    fn a_year_of_two_digits_more_than_fifty_ahead_is_the_past() {
        for (text, year) in [
            ("Friday, 20-Nov-26 00:00:00 GMT", "2026"),
            ("Friday, 01-May-76 00:00:00 GMT", "2076"),
            ("Friday, 20-Nov-76 00:00:00 GMT", "2076"),
            ("Wednesday, 24-Nov-76 00:00:00 GMT", "1976"),
            ("Saturday, 20-Nov-77 00:00:00 GMT", "2077"),
            ("Sunday, 20-Nov-77 00:00:00 GMT", "1977"),
            ("Friday, 31-Dec-99 23:59:59 GMT", "1999"),
        ] {
            let read = Second::parse(text, NOW).map(|date| date.to_string());
            let expected = (year != "2077").then_some(year);
            assert_eq!(read.as_deref().map(|date| &date[12..16]), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "-",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GM\u{fc}",
            "Sunday, \u{fc}\u{fc}-Nov-94 08:49:37 GM",
            "1994-11-06T08:49:37Z",
            "784111777",
        ] {
            assert_eq!(Second::parse(text, NOW), None, "{text}");
        }
    }

    /// HTTP 77: a fraction is cut off, so that what changed is never later than now.
    #[test]
    fn a_stored_time_is_cut_to_its_second() {
        assert_eq!(Second::of_stored("1994-11-06T08:49:37.999999Z"), Some(EXAMPLE));
        assert_eq!(Second::of_stored("1994-11-06T08:49:37Z"), Some(EXAMPLE));
        assert_eq!(Second::of_stored("1970-01-01T00:00:00.000000Z"), Some(Second(0)));
        for other in [
            "",
            "1969-12-31T23:59:59.000000Z",
            "1994-11-06",
            "1994-13-06T08:49:37.000000Z",
            "1994-11-06 08:49:37.000000Z",
            "1994-11-06T08:49:37.000000",
            "1994-11-0\u{fc}T08:49:37.00000Z",
            "+994-11-06T08:49:37.000000Z",
        ] {
            assert_eq!(Second::of_stored(other), None, "{other}");
        }
        assert!(Second::of_stored(&crate::value::now()).unwrap() <= Second::now());
    }

    proptest! {
        #[test]
        fn what_is_sent_is_read_as_it_was(second in 0..=LAST_OF_FOUR_DIGITS) {
            let second = Second(second);
            prop_assert_eq!(Second::parse(&second.to_string(), NOW), Some(second));
        }

        #[test]
        fn any_text_is_a_date_or_none(text in "(Sunday, )?.{0,3}-.{0,4}-.{0,20}|.*") {
            let _ = (Second::parse(&text, NOW), Second::of_stored(&text));
        }
    }
}
