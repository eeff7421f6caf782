//! Converts declared values to literals, in the canonical form that they have in JSON.

use crate::draft::Value;
use crate::schema::{FieldKind, IdKind, Literal};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use nouns_declaration::check::bounds::{Bound, DECIMAL_DIGITS_MAX, expected};
use std::cmp::Ordering;

/// Reads a value of a kind. The kind is `None` if an item outside of this check declares the type.
///
/// # Errors
/// A description of the values that are valid, for a message.
pub(super) fn read(value: &Value, kind: Option<FieldKind>) -> Result<Literal, String> {
    let literal = match (kind, value) {
        (None, value) => by_form(value),
        (Some(kind), value) => of_kind(value, kind),
    };
    literal.ok_or_else(|| {
        kind.map_or_else(|| "a value, which has no infinite numbers".to_owned(), expected)
    })
}

fn of_kind(value: &Value, kind: FieldKind) -> Option<Literal> {
    match (kind, value) {
        (FieldKind::String | FieldKind::Password, Value::Text(text)) => {
            Some(Literal::String(text.clone()))
        }
        (FieldKind::Boolean, Value::Boolean(flag)) => Some(Literal::Boolean(*flag)),
        (FieldKind::Integer, Value::Number(text)) => integer(text).map(Literal::Integer),
        (FieldKind::Number, Value::Number(text)) => number(text).map(Literal::Number),
        (FieldKind::Decimal { scale }, Value::Number(text) | Value::Text(text)) => {
            decimal(text, scale).map(Literal::String)
        }
        (FieldKind::Date, Value::Text(text)) => date(text).map(Literal::String),
        (FieldKind::Time, Value::Text(text)) => time(text).map(Literal::String),
        (FieldKind::DateTime, Value::Text(text)) => datetime(text).map(Literal::String),
        (FieldKind::Uuid, Value::Text(text)) => uuid(text).map(Literal::String),
        (FieldKind::Json, value) => value.to_json().map(Literal::Json),
        _ => None,
    }
}

/// Reads a value of an unknown kind, by its form.
fn by_form(value: &Value) -> Option<Literal> {
    match value {
        Value::Boolean(flag) => Some(Literal::Boolean(*flag)),
        Value::Number(text) => {
            let looks_whole = !text.contains(['e', 'E']);
            let whole = integer(text).filter(|_| looks_whole).map(Literal::Integer);
            whole.or_else(|| number(text).map(Literal::Number))
        }
        Value::Text(text) => Some(Literal::String(text.clone())),
        value => value.to_json().map(Literal::Json),
    }
}

/// Reads an id of a resource that is declared outside of this check.
///
/// # Errors
/// A description of the values that are valid, for a message.
pub(super) fn read_unknown_id(value: &Value) -> Result<Literal, String> {
    let id = match value {
        Value::Number(text) => integer(text).map(Literal::Integer),
        Value::Text(text) => Some(Literal::String(text.clone())),
        _ => None,
    };
    id.ok_or_else(|| expected(FieldKind::Reference))
}

/// Reads an id of a member.
///
/// # Errors
/// A description of the values that are valid, for a message.
pub(super) fn read_id(value: &Value, id: IdKind) -> Result<Literal, String> {
    match (read(value, Some(id.kind()))?, id) {
        (Literal::Integer(id), IdKind::Integer) if id < 1 => {
            Err("an id, which is at least 1".to_owned())
        }
        (literal, _) => Ok(literal),
    }
}

/// The number of digits of the largest 64-bit integer.
const INTEGER_DIGITS_MAX: usize = 19;

/// Parses a whole number in any form: `5.0` and `50e-1` are 5. The runtime parses integers the same
/// way.
fn integer(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, unsigned) =
        mantissa.strip_prefix('-').map_or(("", mantissa), |unsigned| ("-", unsigned));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = [whole, fraction].concat();
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let point = exponent.parse::<i64>().ok()?.checked_add(i64::try_from(whole.len()).ok()?)?;
    let places = usize::try_from(point).ok()?.checked_sub(zeros)?;
    let fits = (significant.len()..=INTEGER_DIGITS_MAX).contains(&places);
    fits.then(|| format!("{sign}{significant:0<places$}").parse().ok())?
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(|number| number + 0.0)
}

/// Parses a decimal, and pads it to exactly `scale` fraction digits: `0.5` becomes `0.50`.
fn decimal(text: &str, scale: u8) -> Option<String> {
    let scale = usize::from(scale);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = match digits.contains('.') {
        true if fraction.is_empty() => return None,
        _ => fraction.trim_end_matches('0'),
    };
    let whole = match whole.trim_start_matches('0') {
        "" if whole.is_empty() => return None,
        "" => "0",
        whole => whole,
    };
    let fits = fraction.len() <= scale
        && whole.len() + scale <= DECIMAL_DIGITS_MAX + usize::from(whole == "0");
    if !fits || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let sign = if whole == "0" && fraction.is_empty() { "" } else { sign };
    let point = if scale == 0 { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction:0<scale$}"))
}

fn date(text: &str) -> Option<String> {
    has_shape(text, "0000-00-00")
        .then(|| text.parse::<Date>().ok())
        .flatten()
        .map(|date| date.to_string())
}

/// Parses `hh:mm:ss` with an optional fraction. Digits after the sixth are cut off.
fn time(text: &str) -> Option<String> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !has_shape(clock, "00:00:00") || !digits || clock.ends_with(":60") {
        return None;
    }
    clock.parse::<Time>().ok()?;
    let fraction = fraction.get(..6).unwrap_or(fraction).trim_end_matches('0');
    Some(if fraction.is_empty() { clock.to_owned() } else { format!("{clock}.{fraction}") })
}

/// Parses an RFC 3339 date and time, and converts it to UTC with six fraction digits. Years after
/// 9999 are refused.
fn datetime(text: &str) -> Option<String> {
    let (day, rest) = text.split_at_checked(10)?;
    let clock = rest.strip_prefix(['T', 't'])?;
    let (clock, offset) = clock.split_at(clock.find(['Z', 'z', '+', '-'])?);
    let local: DateTime = format!("{}T{}", date(day)?, time(clock)?).parse().ok()?;
    let canonical = format!("{:.6}Z", local.checked_sub(utc_offset(offset)?).ok()?);
    has_shape(&canonical, "0000-00-00T00:00:00.000000Z").then_some(canonical)
}

/// Parses the offset of a local time from UTC.
fn utc_offset(text: &str) -> Option<SignedDuration> {
    if matches!(text, "Z" | "z") {
        return Some(SignedDuration::ZERO);
    }
    let is_offset = has_shape(text, "+00:00") || has_shape(text, "-00:00");
    let (hours, minutes) = text.get(1..).filter(|_| is_offset)?.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let ahead = SignedDuration::from_mins(hours * 60 + minutes);
    (hours < 24 && minutes < 60).then_some(if text.starts_with('-') { -ahead } else { ahead })
}

/// Whether a text has the same characters as the shape. A `0` in the shape stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let same =
        |(byte, shape): (u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(same)
}

/// Parses a UUID, and converts it to 36 lower-case characters.
fn uuid(text: &str) -> Option<String> {
    let is_hyphen = |index: usize| matches!(index, 8 | 13 | 18 | 23);
    let good = |(index, byte): (usize, u8)| {
        if is_hyphen(index) { byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    (text.len() == 36 && text.bytes().enumerate().all(good)).then(|| text.to_ascii_lowercase())
}

/// A literal with its kind, as a bound that can be compared with another bound.
pub(super) struct LiteralOfKind<'a>(pub(super) &'a Literal, pub(super) Option<FieldKind>);

impl Bound for LiteralOfKind<'_> {
    fn is_above(&self, other: &Self) -> bool {
        order(self.0, other.0, self.1) == Ordering::Greater
    }

    fn spell(&self) -> String {
        self.0.to_string()
    }
}

/// Compares two literals of one kind. Texts of an unknown kind count as equal.
pub(super) fn order(a: &Literal, b: &Literal, kind: Option<FieldKind>) -> Ordering {
    match (a, b) {
        (Literal::Integer(a), Literal::Integer(b)) => a.cmp(b),
        (Literal::Number(a), Literal::Number(b)) => a.total_cmp(b),
        (Literal::String(a), Literal::String(b))
            if matches!(kind, Some(FieldKind::Decimal { .. })) =>
        {
            scaled(a).cmp(&scaled(b))
        }
        (Literal::String(a), Literal::String(b)) if kind.is_some() => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// A decimal in canonical form as an integer, without the decimal point.
fn scaled(decimal: &str) -> i128 {
    decimal.replace('.', "").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Value {
        Value::Text(value.to_owned())
    }

    #[test]
    fn literals_are_canonical() {
        let cases = [
            (FieldKind::Decimal { scale: 2 }, "0.5", "0.50"),
            (FieldKind::Decimal { scale: 2 }, "-0.000", "0.00"),
            (FieldKind::Decimal { scale: 0 }, "007", "7"),
            (FieldKind::Decimal { scale: 18 }, "0.000000000000000001", "0.000000000000000001"),
            (FieldKind::Time, "10:00:00.50", "10:00:00.5"),
            (FieldKind::Time, "10:00:00.1234567", "10:00:00.123456"),
            (FieldKind::DateTime, "2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00.000000Z"),
            (
                FieldKind::Uuid,
                "0190B5A8-6C1F-7C3E-9D2A-3F1E5B7C9D10",
                "0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10",
            ),
        ];
        for (kind, written, canonical) in cases {
            assert_eq!(
                read(&text(written), Some(kind)),
                Ok(Literal::String(canonical.to_owned())),
                "{written}"
            );
        }
    }

    #[test]
    fn whole_numbers_are_decided_by_all_of_their_digits() {
        let read =
            |text: &str| read(&Value::Number(text.to_owned()), Some(FieldKind::Integer)).ok();
        for (written, value) in [
            ("5.0", 5),
            ("50e-1", 5),
            ("0.05e2", 5),
            ("-0.000", 0),
            ("1e18", 1_000_000_000_000_000_000),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("-9223372036854775808", i64::MIN),
            ("9.223372036854775807E+18", i64::MAX),
        ] {
            assert_eq!(read(written), Some(Literal::Integer(value)), "{written}");
        }
        for written in [
            "1.0000000000000000000001",
            "1e19",
            "9223372036854775808",
            "5e-1",
            "1e99999999999999999999",
            ".inf",
        ] {
            assert_eq!(read(written), None, "{written}");
        }
    }

    #[test]
    fn what_is_no_value_of_a_kind_is_refused() {
        let decimal = FieldKind::Decimal { scale: 2 };
        let cases = [
            (decimal, "0.505"),
            (decimal, "1e2"),
            (decimal, "5."),
            (decimal, ".5"),
            (decimal, "-"),
            (decimal, "12345678901234567.0"),
            (FieldKind::Date, "2026-02-30"),
            (FieldKind::Date, "2026-2-3"),
            (FieldKind::Time, "10:00"),
            (FieldKind::Time, "23:59:60"),
            (FieldKind::Time, "10:00:00."),
            (FieldKind::DateTime, "2026-11-20 10:00:00Z"),
            (FieldKind::DateTime, "2026-11-20T10:00:00"),
            (FieldKind::DateTime, "2026-11-20T10:00:00+02"),
            (FieldKind::DateTime, "0000-01-01T00:00:00+02:00"),
            (FieldKind::Uuid, "0190b5a86c1f7c3e9d2a3f1e5b7c9d10"),
        ];
        for (kind, written) in cases {
            assert!(read(&text(written), Some(kind)).is_err(), "{written}");
        }
    }
}
