//! The spellings of values in requests. Each is also one of [`Value::parse`], which takes more: a
//! value of a program is rounded or cut.

use super::{ExpectedValue, Value};
use crate::model::def::FieldKind;

/// The number of fraction digits of a stored time.
const TIME_DIGITS: usize = 6;

impl Value {
    /// Parses the text of a value in a request body, as documents describe it.
    pub(crate) fn read(kind: FieldKind, text: &str) -> Result<Self, ExpectedValue> {
        let value = Self::parse(kind, text)?;
        match kind {
            FieldKind::Time if fraction(text).len() > TIME_DIGITS => Err(ExpectedValue::TimeDigits),
            FieldKind::Decimal { scale } if fraction(text).len() > scale.into() => {
                Err(ExpectedValue::Kind(kind))
            }
            FieldKind::Decimal { .. } if has_leading_zero(text) => {
                Err(ExpectedValue::NoLeadingZeros)
            }
            _ => Ok(value),
        }
    }

    /// Parses the text of a value with which a request compares a field. A time that is more
    /// precise than stored ones keeps its text, which differs from theirs.
    pub(crate) fn operand(kind: FieldKind, text: &str) -> Result<Self, ExpectedValue> {
        if !matches!(kind, FieldKind::Time | FieldKind::DateTime) {
            return Self::parse(kind, text);
        }
        let value = Self::parse(kind, text)?;
        let is_precise = fraction(text).bytes().skip(TIME_DIGITS).any(|digit| digit != b'0');
        Ok(if is_precise { Self::Text(text.into()) } else { value })
    }
}

/// The digits after the point of a number or a time.
fn fraction(text: &str) -> &str {
    let (_, rest) = text.split_once('.').unwrap_or_default();
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    &rest[..end]
}

fn has_leading_zero(decimal: &str) -> bool {
    let digits = decimal.strip_prefix('-').unwrap_or(decimal);
    digits
        .strip_prefix('0')
        .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_has_the_documented_digits() {
        let decimal = |text| Value::read(FieldKind::Decimal { scale: 2 }, text);
        for (text, value) in [("12.5", 1250), ("0.05", 5), ("-0.50", -50), ("7", 700)] {
            assert_eq!(decimal(text), Ok(Value::Integer(value)));
        }
        let too_precise = Err(ExpectedValue::Kind(FieldKind::Decimal { scale: 2 }));
        assert_eq!(decimal("12.500"), too_precise);
        assert_eq!(decimal("007.50"), Err(ExpectedValue::NoLeadingZeros));
        assert_eq!(decimal("-00"), Err(ExpectedValue::NoLeadingZeros));
        let time = |text| Value::read(FieldKind::Time, text);
        assert_eq!(time("12:00:00.123456"), Ok(Value::Text("12:00:00.123456".into())));
        assert_eq!(time("12:00:00.1234560"), Err(ExpectedValue::TimeDigits));
    }

    #[test]
    fn a_time_to_compare_with_is_not_cut() {
        let operand = |kind, text| Value::operand(kind, text).unwrap();
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(operand(FieldKind::Time, "12:00:00.1000000"), text("12:00:00.1"));
        assert_eq!(operand(FieldKind::Time, "12:00:00.0000001"), text("12:00:00.0000001"));
        let precise = "2024-01-01T00:00:00.123456789+02:00";
        assert_eq!(operand(FieldKind::DateTime, precise), text(precise));
    }
}
