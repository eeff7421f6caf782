//! [`Value`]: a value in its stored form, and the parsers of texts to values.

mod spelling;
mod time;

use std::{cmp::Ordering, fmt};

use self::time::{date, date_time, local_time, time};
use crate::{
    base::{
        clock,
        error::{Text, text},
        limits,
        secret::Secret,
    },
    model::def::{FieldKind, Literal},
};

/// A value in the form in which it is stored, bound to a statement and compared. Only a password
/// has another form until it is hashed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The absence of a value.
    Null,
    /// An integer, a boolean (0 or 1), or a decimal multiplied by ten to the power of its scale.
    Integer(i64),
    /// A finite double.
    Number(f64),
    /// A value of any other kind as text, in its canonical form.
    Text(String),
    /// A password that is not hashed yet. It is never stored: its hash is, as text.
    Password(Secret),
}

/// The expected value, for the message about an invalid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedValue {
    /// A value of this kind.
    Kind(FieldKind),
    /// A text without U+0000.
    NoNul,
    /// A time of day whose fraction is one that is stored.
    TimeDigits,
    /// A decimal in its usual spelling.
    NoLeadingZeros,
    /// A decimal with this scale that fits into a 64-bit integer. The invalid value has too many
    /// digits before the decimal point.
    DecimalRange {
        /// The number of digits after the decimal point.
        scale: u8,
    },
    /// A time without a leap second.
    NoLeapSecond,
    /// A date-time that is in the years 0000 to 9999 in UTC.
    YearInUtc,
}

impl From<ExpectedValue> for Text {
    fn from(expected: ExpectedValue) -> Self {
        let kind = match expected {
            ExpectedValue::Kind(kind) => kind,
            ExpectedValue::NoNul => return text!("text without U+0000"),
            ExpectedValue::TimeDigits => {
                return text!("a time of day with at most six fraction digits");
            }
            ExpectedValue::NoLeadingZeros => {
                return text!("a decimal number without leading zeros");
            }
            ExpectedValue::DecimalRange { scale } => {
                let [least, most] = [i64::MIN, i64::MAX].map(|bound| spell_decimal(bound, scale));
                return text!("a decimal number from {least} to {most}", least, most);
            }
            ExpectedValue::NoLeapSecond => {
                return text!(
                    "a time whose seconds are at most 59; leap seconds are not supported"
                );
            }
            ExpectedValue::YearInUtc => return text!("in the years 0000 to 9999 in UTC"),
        };
        match kind {
            FieldKind::String | FieldKind::Password => text!("text"),
            FieldKind::Integer | FieldKind::Reference => {
                text!("a whole number from {least} to {most}", least = i64::MIN, most = i64::MAX)
            }
            FieldKind::Number => text!("a finite number, such as 2.5"),
            FieldKind::Decimal { scale: 0 } => {
                text!("a decimal number without fraction digits, such as 12")
            }
            FieldKind::Decimal { scale } => {
                text!("a decimal number with at most {scale} fraction digits", scale)
            }
            FieldKind::Boolean => text!("true or false"),
            FieldKind::Date => text!("a valid date, such as 2026-11-20"),
            FieldKind::Time => text!("a valid time of day, such as 23:59:59"),
            FieldKind::DateTime => {
                text!("a valid RFC 3339 date-time with offset, such as 2026-11-20T08:30:00Z")
            }
            FieldKind::Uuid => text!("a UUID of 36 characters, with hyphens"),
            FieldKind::Json => text!("a JSON value"),
        }
    }
}

impl fmt::Display for ExpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::from(*self).fmt(f)
    }
}

impl Value {
    /// Parses the text of a query parameter, a path segment or a JSON string as a value of a kind.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{def::FieldKind, value::Value};
    /// assert_eq!(Value::parse(FieldKind::Integer, "42"), Ok(Value::Integer(42)));
    /// assert_eq!(Value::parse(FieldKind::Decimal { scale: 2 }, "1.5"), Ok(Value::Integer(150)));
    /// assert!(Value::parse(FieldKind::Integer, "1e3").is_err());
    /// ```
    ///
    /// # Errors
    /// What the text should have been, if it is not a value of the kind.
    pub fn parse(kind: FieldKind, text: &str) -> Result<Self, ExpectedValue> {
        let value = match kind {
            FieldKind::String | FieldKind::Password if text.contains('\0') => {
                return Err(ExpectedValue::NoNul);
            }
            FieldKind::String => Some(Self::Text(text.into())),
            FieldKind::Password => Some(Self::Password(Secret::new(text))),
            FieldKind::Integer | FieldKind::Reference => integer(text).map(Self::Integer),
            FieldKind::Number => number(text).map(Self::Number),
            FieldKind::Decimal { scale } => return decimal(text, scale).map(Self::Integer),
            FieldKind::Boolean => boolean(text).map(|value| Self::Integer(value.into())),
            FieldKind::Date => date(text).map(Self::Text),
            FieldKind::Time => time(text).map(Self::Text),
            FieldKind::DateTime => date_time(text).map(Self::Text),
            FieldKind::Uuid => uuid(text).map(Self::Text),
            FieldKind::Json => None,
        };
        value.ok_or_else(|| unfit(kind, text))
    }

    /// Converts a literal of a declaration to a value of a kind.
    ///
    /// # Errors
    /// What the literal should have been, if it is not a value of the kind.
    pub fn literal(kind: FieldKind, literal: Literal) -> Result<Self, ExpectedValue> {
        match (kind, literal) {
            (FieldKind::Json, Literal::Json(text)) => Ok(Self::Text(text.into())),
            (FieldKind::Integer | FieldKind::Reference, Literal::Integer(value)) => {
                Ok(Self::Integer(value))
            }
            (FieldKind::Number, Literal::Number(value)) if value.is_finite() => {
                Ok(Self::Number(value))
            }
            (FieldKind::Boolean, Literal::Boolean(value)) => Ok(Self::Integer(value.into())),
            (FieldKind::Integer | FieldKind::Number | FieldKind::Boolean, _) => {
                Err(ExpectedValue::Kind(kind))
            }
            (kind, Literal::String(text)) => Self::parse(kind, text),
            (kind, _) => Err(ExpectedValue::Kind(kind)),
        }
    }

    /// Returns the text that [`Self::parse`] converts to this value: the JSON text without quotes.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{def::FieldKind, value::Value};
    /// assert_eq!(Value::Integer(-5).spell(FieldKind::Decimal { scale: 2 }), "-0.05");
    /// ```
    #[must_use]
    pub fn spell(&self, kind: FieldKind) -> String {
        match (self, kind) {
            (Self::Null, _) => "null".into(),
            (Self::Integer(value), FieldKind::Boolean) => (*value != 0).to_string(),
            (Self::Integer(value), FieldKind::Decimal { scale }) => spell_decimal(*value, scale),
            (Self::Integer(value), _) => value.to_string(),
            (Self::Number(value), _) => {
                let text = zmij::Buffer::new().format(*value).to_owned();
                text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
            }
            (Self::Text(text), _) => text.clone(),
            (Self::Password(_), _) => Secret::HIDDEN.into(),
        }
    }

    /// Compares the ids of two members of the same resource.
    pub(crate) fn cmp_id(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            _ => Ordering::Equal,
        }
    }

    /// Whether the value can be the id of a member.
    pub(crate) fn is_id(&self) -> bool {
        match self {
            Self::Integer(id) => *id > 0,
            Self::Text(id) => {
                let length = id.chars().take(limits::STRING_ID_CHARS_MAX + 1).count();
                // Clients remove the segments `.` and `..` from a URL before they send it (RFC 3986
                // §5.2.4).
                let dots = matches!(id.as_str(), "." | "..");
                (1..=limits::STRING_ID_CHARS_MAX).contains(&length)
                    && !dots
                    && !id.contains(char::is_control)
            }
            Self::Null | Self::Number(_) | Self::Password(_) => false,
        }
    }

    /// Whether the value is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// Parses an integer in its canonical spelling: digits without leading zeros, with an optional `-`.
/// It refuses spaces, `+`, exponents and `-0`.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [first, rest @ ..] => matches!(first, b'1'..=b'9') && rest.iter().all(u8::is_ascii_digit),
        [] => false,
    };
    canonical.then(|| text.parse().ok())?
}

/// Parses a number by the grammar of JSON (RFC 8259 §6).
fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let starts = match unsigned {
        [b'0', second, ..] => !second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    let ends = unsigned.last().is_some_and(u8::is_ascii_digit);
    // A digit must follow the decimal point. `str::parse` checks all other positions.
    let pointed = |at: usize| unsigned.get(at + 1).is_some_and(u8::is_ascii_digit);
    let point = unsigned.iter().position(|byte| *byte == b'.').is_none_or(pointed);
    let plain = unsigned.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    (plain && starts && ends && point)
        .then(|| text.parse().ok())?
        .filter(|value: &f64| value.is_finite())
        .map(|value| if value == 0.0 { 0.0 } else { value })
}

/// Parses a decimal to an integer: the decimal multiplied by ten to the power of `scale`.
fn decimal(text: &str, scale: u8) -> Result<i64, ExpectedValue> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let fraction_kept = fraction.trim_end_matches('0');
    if !digits(whole) || !digits(fraction) || fraction_kept.len() > usize::from(scale) {
        return Err(ExpectedValue::Kind(FieldKind::Decimal { scale }));
    }
    let sign = if unsigned.len() == text.len() { "" } else { "-" };
    let scaled = format!("{sign}{whole}{fraction_kept:0<width$}", width = usize::from(scale));
    scaled.parse().map_err(|_| ExpectedValue::DecimalRange { scale })
}

/// Formats a decimal that is stored as an integer, with `scale` digits after the point.
pub(crate) fn spell_decimal(value: i64, scale: u8) -> String {
    let width = usize::from(scale) + 1;
    let digits = format!("{:0>width$}", value.unsigned_abs());
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
    let sign = if value < 0 { "-" } else { "" };
    let point = if scale == 0 { "" } else { "." };
    [sign, whole, point, fraction].concat()
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Returns what a text should have been that is not a value of the kind. Some times are valid in
/// RFC 3339, but no values here.
fn unfit(kind: FieldKind, text: &str) -> ExpectedValue {
    let seconds = match kind {
        FieldKind::DateTime => 17..19,
        FieldKind::Time => 6..8,
        _ => return ExpectedValue::Kind(kind),
    };
    if text.get(seconds.clone()) == Some("60") {
        let mut before = text.to_owned();
        before.replace_range(seconds, "59");
        if Value::parse(kind, &before).is_ok() {
            return ExpectedValue::NoLeapSecond;
        }
    }
    match kind == FieldKind::DateTime && local_time(text).is_some() {
        true => ExpectedValue::YearInUtc,
        false => ExpectedValue::Kind(kind),
    }
}

/// The current time in the stored form of a date-time.
#[must_use]
pub fn now() -> String {
    format!("{:.6}", clock::now())
}

/// The current time in seconds since 1970-01-01 UTC.
pub(crate) fn seconds_now() -> i64 {
    clock::now().as_second()
}

/// The current date, time or date-time, as a value of this kind.
#[must_use]
pub(crate) fn now_as(kind: FieldKind) -> Value {
    let now = now();
    Value::Text(match kind {
        FieldKind::Date => now[..10].to_owned(),
        FieldKind::Time => now[11..26].trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => now,
    })
}

fn uuid(text: &str) -> Option<String> {
    let hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
    hyphenated.then(|| uuid::Uuid::try_parse(text).ok())?.map(|id| id.to_string())
}

#[cfg(test)]
mod tests;
