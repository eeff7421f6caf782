//! Times in whole seconds, and their three forms in HTTP (`HTTP-date`, RFC 9110 §5.6.7).

use std::{
    fmt::{self, Display, Formatter},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use http::HeaderValue;
use httpdate::HttpDate;

/// A point in time in whole seconds since 1970-01-01 UTC. `Date`, `Last-Modified` and
/// `If-Modified-Since` have this precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Second(pub(crate) u64);

/// The maximum time that a date with a year of two digits may be in the future: 50 years. A later
/// date is taken as a date of the past (RFC 9110 §5.6.7).
const AHEAD_MAX: Duration = Duration::from_secs(50 * 31_557_600);

impl Second {
    /// The current time, rounded down to a second.
    pub(crate) fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Parses a stored time, such as `2026-11-20T12:34:56.123456Z`, and drops the fraction. `None`
    /// for a text in another form, or a time before 1970.
    pub(crate) fn of_stored(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let at = |at: usize, mark: u8| bytes[at] == mark;
        let marked = bytes.len() >= 20
            && bytes[bytes.len() - 1] == b'Z'
            && (at(4, b'-') && at(7, b'-') && at(10, b'T') && at(13, b':') && at(16, b':'));
        if !marked {
            return None;
        }
        let two = |at| digits(&bytes[at..at + 2]).map(u64::from);
        let [year, month, day] = [digits(&bytes[..4])?.into(), two(5)?, two(8)?];
        let [hour, minute, second] = [two(11)?, two(14)?, two(17)?];
        let is_time = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let days = days_of(year, month, day).filter(|_| is_time)?;
        Some(Self(days * DAY_SECONDS + hour * 3600 + minute * 60 + second))
    }

    /// Parses a date in any of the three forms. `now` determines the century of a year of two
    /// digits.
    ///
    /// Returns `None` if the text has no such form, or the day of the week is wrong.
    pub(crate) fn parse(text: &str, now: Self) -> Option<Self> {
        if text.contains('-') {
            return parse_two_digits(text, now);
        }
        text.parse::<HttpDate>().ok().map(|date| Self::from(SystemTime::from(date)))
    }

    fn year(self) -> Option<u16> {
        u16::try_from(civil(self.0 / DAY_SECONDS).0).ok()
    }
}

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The number of days from 1 March of the year 0 to 1 January 1970.
const ERA_DAYS: u64 = 719_468;

/// The number of days from 1970-01-01 to a date; `None` for earlier dates. Internally a year begins
/// in March, so that a leap day is its last day.
const fn days_of(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) =
        if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    (of_years + (153 * month + 2) / 5 + day - 1).checked_sub(ERA_DAYS)
}

/// The year, month and day that is this number of days after 1970-01-01.
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + ERA_DAYS;
    let (of_400_years, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let year = of_400_years * 400 + year;
    if month < 10 { (year, month + 3, of_month) } else { (year + 1, month - 9, of_month) }
}

fn digits(bytes: &[u8]) -> Option<u16> {
    bytes.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u16::from(byte - b'0'))
    })
}

/// Parses `Sunday, 06-Nov-94 08:49:37 GMT`. The year is the latest possible year that is at most
/// [`AHEAD_MAX`] in the future.
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

/// Rewrites a date with a year of two digits as a date with a year of four digits.
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

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl From<SystemTime> for Second {
    /// Converts a system time, rounded down to a second. A time before 1970 becomes 1970-01-01.
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

impl From<Second> for HeaderValue {
    fn from(second: Second) -> Self {
        Self::from_bytes(&second.fixed()).expect("the text of an HTTP date is visible ASCII")
    }
}

impl Second {
    /// Formats the time as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that a server may send.
    /// It avoids the slower `format!`, because every response has a date.
    fn fixed(self) -> [u8; 29] {
        let shown = self.0.min(LAST_OF_FOUR_DIGITS);
        let (days, second) = (shown / DAY_SECONDS, shown % DAY_SECONDS);
        let (year, month, day) = civil(days);
        let mut fixed = *b"Thu, 00 Jan 0000 00:00:00 GMT";
        // 1 January 1970 was a Thursday, which has the index 4 in `DAYS`.
        fixed[..3].copy_from_slice(&DAYS[(days as usize + 4) % 7].as_bytes()[..3]);
        fixed[8..11].copy_from_slice(MONTHS[month as usize - 1].as_bytes());
        let twos = [
            (5, day),
            (12, year / 100),
            (14, year % 100),
            (17, second / 3600),
            (20, second / 60 % 60),
            (23, second % 60),
        ];
        for (at, two) in twos {
            fixed[at] = b'0' + (two / 10) as u8;
            fixed[at + 1] = b'0' + (two % 10) as u8;
        }
        fixed
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Display for Second {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str(str::from_utf8(&self.fixed()).map_err(|_| fmt::Error)?)
    }
}

/// The last second of the year 9999, as the form has four digits for the year.
const LAST_OF_FOUR_DIGITS: u64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXAMPLE: Second = Second(784_111_777);

    /// The current time in these tests: 2026-11-20T12:00:00Z.
    const NOW: Second = Second(1_795_176_000);

    /// Conformance 72: the three forms of RFC 9110 §5.6.7 are parsed to the same time.
    #[test]
    fn every_form_is_read() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(Second::parse(text, NOW), Some(EXAMPLE), "{text}");
        }
        assert_eq!(EXAMPLE.to_string(), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    /// Conformance 72: a year of two digits means the latest such year that is at most 50 years in
    /// the future.
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

    /// Conformance 77: the fraction of a stored time is dropped, so `Last-Modified` is never later
    /// than the current time.
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
    }

    proptest! {
        /// The conversions agree with those of the crate `jiff`.
        #[test]
        fn stored_times_are_read_and_sent_as_an_independent_calendar_has_them(second in 0..LAST_OF_FOUR_DIGITS) {
            let time = jiff::Timestamp::from_second(second.cast_signed()).unwrap();
            prop_assert_eq!(Second::of_stored(&format!("{time:.6}")), Some(Second(second)));
            let sent = jiff::fmt::strtime::format("%a, %d %b %Y %H:%M:%S GMT", time).unwrap();
            prop_assert_eq!(Second(second).to_string(), sent);
        }
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
