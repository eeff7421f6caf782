//! Dates and times: between PostgreSQL's binary form and the text in which Nouns has them.
//!
//! PostgreSQL counts days and microseconds from 2000-01-01 UTC.

use jiff::civil;

/// The day from which PostgreSQL counts.
const EPOCH: civil::Date = civil::date(2000, 1, 1);
/// The days of 400 years.
const CYCLE: i64 = 146_097;
/// The days 0000-01-01, 0000-03-01 and 9999-12-31.
const FIRST_DAY: i64 = -730_485;
const MARCH_OF_YEAR_0: i64 = FIRST_DAY + 60;
const LAST_DAY: i64 = 2_921_939;
/// The microseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// Returns the days of a date `YYYY-MM-DD`. `None` if the text is not a date.
pub(super) fn days(text: &str) -> Option<i32> {
    let date: civil::Date = text.parse().ok()?;
    i32::try_from(date.duration_since(EPOCH).as_hours() / 24).ok()
}

/// Returns the microseconds of a time of day `hh:mm:ss`, with or without a fraction.
pub(super) fn of_day(text: &str) -> Option<i64> {
    let time: civil::Time = text.parse().ok()?;
    i64::try_from(time.duration_since(civil::Time::midnight()).as_micros()).ok()
}

/// Returns the microseconds of a time in UTC, `YYYY-MM-DDThh:mm:ss.ffffffZ`.
pub(super) fn instant(text: &str) -> Option<i64> {
    let time: civil::DateTime = text.strip_suffix('Z')?.parse().ok()?;
    let epoch = EPOCH.to_datetime(civil::Time::midnight());
    i64::try_from(time.duration_since(epoch).as_micros()).ok()
}

/// A text of at most this many bytes, without an allocation: a time in UTC, or a UUID.
#[derive(Clone, Copy)]
pub(super) struct ShortText {
    bytes: [u8; Self::MOST],
    length: u8,
}

impl ShortText {
    const MOST: usize = 36;

    /// Copies a text. `None` if it is longer.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let mut short = Self { bytes: [0; Self::MOST], length: text.len().try_into().ok()? };
        short.bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(short)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Returns the text of a date. `None` outside of the years 0000 to 9999, which a declaration does
/// not know: another program has written such a date, or an infinite one.
pub(super) fn spell_date(days: i32) -> Option<ShortText> {
    let mut text = *b"0000-00-00";
    put_date(&mut text, days.into())?;
    ShortText::of(&text)
}

/// Returns the text of a time of day, without zeros at the end of its fraction.
pub(super) fn spell_time(micros: i64) -> Option<ShortText> {
    if !(0..DAY).contains(&micros) {
        return None;
    }
    let mut text = *b"00:00:00.000000";
    put_time(&mut text, micros);
    let zeros = text.iter().rev().take_while(|digit| **digit == b'0').count().min(6);
    let end = if zeros == 6 { text.len() - 7 } else { text.len() - zeros };
    ShortText::of(&text[..end])
}

/// Returns the text of a time in UTC. `None` outside of the years 0000 to 9999.
pub(super) fn spell_instant(micros: i64) -> Option<ShortText> {
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    let (date, time) = text.split_at_mut(10);
    put_date(date, micros.div_euclid(DAY))?;
    put_time(&mut time[1..16], micros.rem_euclid(DAY));
    ShortText::of(&text)
}

/// Writes a date `YYYY-MM-DD`. `None` outside of the years 0000 to 9999.
///
/// The years are counted from March, so that a day which not all have is their last one. The
/// calendar repeats every 400 years.
fn put_date(to: &mut [u8], days: i64) -> Option<()> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    let since_march = days - MARCH_OF_YEAR_0;
    let (cycle, day) = (since_march.div_euclid(CYCLE), since_march.rem_euclid(CYCLE));
    let year = (day - day / 1460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    put(&mut to[..4], 400 * cycle + year + later);
    put(&mut to[5..7], month);
    put(&mut to[8..10], of_month);
    Some(())
}

/// Writes a time `hh:mm:ss.ffffff`.
fn put_time(to: &mut [u8], micros: i64) {
    let seconds = micros / 1_000_000;
    put(&mut to[..2], seconds / 3600);
    put(&mut to[3..5], seconds / 60 % 60);
    put(&mut to[6..8], seconds % 60);
    put(&mut to[9..15], micros % 1_000_000);
}

/// Writes a number, with zeros before it.
fn put(to: &mut [u8], mut number: i64) {
    for digit in to.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: Option<ShortText>) -> Option<String> {
        text.map(|text| String::from_utf8(text.as_bytes().to_vec()).unwrap())
    }

    #[test]
    fn every_day_is_that_of_the_calendar() {
        let mut date = civil::date(0, 1, 1);
        for days in (FIRST_DAY..=LAST_DAY).step_by(11) {
            assert_eq!(spelled(spell_date(days as i32)), Some(date.to_string()));
            date = date.saturating_add(jiff::SignedDuration::from_hours(11 * 24));
        }
        assert_eq!(spelled(spell_date(FIRST_DAY as i32 - 1)), None);
        assert_eq!(spelled(spell_date(LAST_DAY as i32 + 1)), None);
    }

    #[test]
    fn a_text_is_spelled_as_it_was_read() {
        for text in ["0000-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(spelled(spell_date(days(text).unwrap())).as_deref(), Some(text));
        }
        for text in ["00:00:00", "08:30:00.5", "23:59:59.999999"] {
            assert_eq!(spelled(spell_time(of_day(text).unwrap())).as_deref(), Some(text));
        }
        for text in [
            "0000-01-01T00:00:00.000000Z",
            "1999-12-31T23:59:59.999999Z",
            "2026-11-26T08:30:00.120000Z",
            "9999-12-31T23:59:59.999999Z",
        ] {
            assert_eq!(spelled(spell_instant(instant(text).unwrap())).as_deref(), Some(text));
        }
        assert_eq!((days("2000-01-02"), of_day("00:00:01")), (Some(1), Some(1_000_000)));
        assert_eq!(instant("2000-01-01T00:00:01.000000Z"), Some(1_000_000));
    }

    #[test]
    fn what_no_declaration_knows_has_no_text() {
        for text in [spell_date(i32::MAX), spell_date(i32::MIN), spell_time(DAY), spell_time(-1)] {
            assert_eq!(spelled(text), None);
        }
        for micros in [i64::MAX, i64::MIN, FIRST_DAY * DAY - 1, (LAST_DAY + 1) * DAY] {
            assert_eq!(spelled(spell_instant(micros)), None);
        }
        assert_eq!(
            (days("2000-02-30"), of_day("24:00:00"), instant("2000-01-01")),
            (None, None, None)
        );
    }
}
