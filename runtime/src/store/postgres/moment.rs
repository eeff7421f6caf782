//! Dates and times: between PostgreSQL's binary form and the text in which Nouns has them.
//!
//! PostgreSQL counts days and microseconds from 2000-01-01 UTC.

use jiff::{SignedDuration, civil};

/// The day from which PostgreSQL counts.
const EPOCH: civil::Date = civil::date(2000, 1, 1);
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

/// Returns the text of a date. `None` outside of the years 0000 to 9999, which a declaration does
/// not know: another program has written such a date, or an infinite one.
pub(super) fn spell_date(days: i32) -> Option<String> {
    let hours = i64::from(days).checked_mul(24)?;
    let date = EPOCH.checked_add(SignedDuration::from_hours(hours)).ok()?;
    is_known(date).then(|| date.to_string())
}

/// Returns the text of a time of day, without zeros at the end of its fraction.
pub(super) fn spell_time(micros: i64) -> Option<String> {
    if !(0..DAY).contains(&micros) {
        return None;
    }
    let time = civil::Time::midnight().checked_add(SignedDuration::from_micros(micros)).ok()?;
    let text = format!("{time:.6}");
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// Returns the text of a time in UTC. `None` outside of the years 0000 to 9999.
pub(super) fn spell_instant(micros: i64) -> Option<String> {
    let epoch = EPOCH.to_datetime(civil::Time::midnight());
    let time = epoch.checked_add(SignedDuration::from_micros(micros)).ok()?;
    is_known(time.date()).then(|| format!("{time:.6}Z"))
}

fn is_known(date: civil::Date) -> bool {
    date.year() >= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spelled_as_it_was_read() {
        for text in ["0000-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(spell_date(days(text).unwrap()).as_deref(), Some(text));
        }
        for text in ["00:00:00", "08:30:00.5", "23:59:59.999999"] {
            assert_eq!(spell_time(of_day(text).unwrap()).as_deref(), Some(text));
        }
        for text in [
            "0000-01-01T00:00:00.000000Z",
            "1999-12-31T23:59:59.999999Z",
            "2026-11-26T08:30:00.120000Z",
            "9999-12-31T23:59:59.999999Z",
        ] {
            assert_eq!(spell_instant(instant(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!((days("2000-01-02"), of_day("00:00:01")), (Some(1), Some(1_000_000)));
        assert_eq!(instant("2000-01-01T00:00:01.000000Z"), Some(1_000_000));
    }

    #[test]
    fn what_no_declaration_knows_has_no_text() {
        assert_eq!((spell_date(i32::MAX), spell_date(i32::MIN)), (None, None));
        assert_eq!((spell_instant(i64::MAX), spell_instant(i64::MIN)), (None, None));
        assert_eq!((spell_time(DAY), spell_time(-1)), (None, None));
        assert_eq!(
            (days("2000-02-30"), of_day("24:00:00"), instant("2000-01-01")),
            (None, None, None)
        );
    }
}
