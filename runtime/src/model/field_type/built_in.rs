//! [`FieldType`] for types of the standard library and of well-known crates.

use jiff::{Timestamp, civil};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::FieldType;
use crate::model::{
    def::{FieldKind, TypeDef},
    id::{self, HasId, Id, Key},
    value::Value,
};

impl<T: FieldType> FieldType for Option<T> {
    const DEF: &'static TypeDef = T::DEF;

    fn into_value(self, kind: FieldKind) -> Value {
        self.map_or(Value::Null, |value| value.into_value(kind))
    }

    fn into_operand(self, kind: FieldKind) -> Value {
        self.map_or(Value::Null, |value| value.into_operand(kind))
    }

    fn from_value(kind: FieldKind, value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(kind, value).map(Some),
        }
    }
}

impl<R: HasId + 'static> FieldType for Id<R> {
    const DEF: &'static TypeDef = &TypeDef::new("", id::kind(R::Key::KIND));

    fn into_value(self, _: FieldKind) -> Value {
        self.into_key().store()
    }

    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        R::Key::load(value).map(Self::new)
    }
}

impl FieldType for String {
    const DEF: &'static TypeDef = &TypeDef::new("string", FieldKind::String);

    fn into_value(self, _: FieldKind) -> Value {
        Value::Text(self)
    }

    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        text(value)
    }
}

impl FieldType for f64 {
    const DEF: &'static TypeDef = &TypeDef::new("number", FieldKind::Number);

    /// Converts to the stored value. Negative zero becomes zero.
    fn into_value(self, _: FieldKind) -> Value {
        Value::Number(if self == 0.0 { 0.0 } else { self })
    }

    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        match value {
            Value::Number(value) => Some(value),
            Value::Integer(value) => Some(value as Self),
            Value::Null | Value::Text(_) | Value::Password(_) => None,
        }
    }
}

impl FieldType for bool {
    const DEF: &'static TypeDef = &TypeDef::new("boolean", FieldKind::Boolean);

    fn into_value(self, _: FieldKind) -> Value {
        Value::Integer(self.into())
    }

    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        integer(&value).map(|value| value != 0)
    }
}

/// Implements `FieldType` for integer types. The derive declares their minimum and maximum.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl FieldType for $type {
            const DEF: &'static TypeDef = &TypeDef::new("integer", FieldKind::Integer);

            fn into_value(self, _: FieldKind) -> Value {
                Value::Integer(self.into())
            }

            fn from_value(_: FieldKind, value: Value) -> Option<Self> {
                integer(&value)?.try_into().ok()
            }
        }
    )*};
}

integers!(i64 i32 i16 i8 u32 u16 u8);

impl FieldType for Decimal {
    const DEF: &'static TypeDef = &TypeDef::new("decimal", FieldKind::Decimal { scale: 0 });

    /// Rounds to the scale of the field; a half is rounded to the even digit. A value that does not
    /// fit into a 64-bit integer becomes text, which the field does not accept.
    fn into_value(self, kind: FieldKind) -> Value {
        let FieldKind::Decimal { scale } = kind else { return Value::Null };
        let mut scaled = self.round_dp(scale.into());
        scaled.rescale(scale.into());
        let whole = scaled.scale() == u32::from(scale);
        let mantissa = scaled.mantissa().try_into().ok().filter(|_| whole);
        mantissa.map_or_else(|| Value::Text(self.to_string()), Value::Integer)
    }

    /// Converts without rounding. A value with more digits than the field's scale becomes text,
    /// which a test of the field does not accept.
    fn into_operand(self, kind: FieldKind) -> Value {
        match kind {
            FieldKind::Decimal { scale } if self.normalize().scale() > scale.into() => {
                Value::Text(self.to_string())
            }
            kind => self.into_value(kind),
        }
    }

    fn from_value(kind: FieldKind, value: Value) -> Option<Self> {
        let FieldKind::Decimal { scale } = kind else { return None };
        integer(&value).map(|value| Self::new(value, scale.into()))
    }
}

/// Implements `FieldType` for types that are stored as text.
macro_rules! texts {
    ($($type:ty, $name:literal, $kind:ident, $spell:expr $(, $nanoseconds:expr)?;)*) => {$(
        impl FieldType for $type {
            const DEF: &'static TypeDef = &TypeDef::new($name, FieldKind::$kind);

            fn into_value(self, kind: FieldKind) -> Value {
                let spell: fn(&Self) -> String = $spell;
                let text = spell(&self);
                Value::parse(kind, &text).unwrap_or(Value::Text(text))
            }

            $(
                /// Converts without rounding. A time with nanoseconds becomes a text that differs
                /// from all stored times.
                fn into_operand(self, kind: FieldKind) -> Value {
                    let nanoseconds: fn(&Self) -> i32 = $nanoseconds;
                    let is_kept = nanoseconds(&self) % 1_000 == 0;
                    if is_kept { self.into_value(kind) } else { Value::Text(self.to_string()) }
                }
            )?

            fn from_value(_: FieldKind, value: Value) -> Option<Self> {
                text(value)?.parse().ok()
            }
        }
    )*};
}

texts! {
    civil::Date, "date", Date, |date| date.to_string();
    civil::Time, "time", Time, |time| time.to_string(), |time| time.subsec_nanosecond();
    Timestamp, "datetime", DateTime, |at| format!("{at:.6}"), |at| at.subsec_nanosecond();
    Uuid, "uuid", Uuid, |id| id.hyphenated().to_string();
}

impl FieldType for serde_json::Value {
    const DEF: &'static TypeDef = &TypeDef::new("json", FieldKind::Json);

    /// Converts to the stored value. JSON `null` becomes the absence of a value, as in a request
    /// body.
    fn into_value(self, _: FieldKind) -> Value {
        if self.is_null() { Value::Null } else { Value::Text(self.to_string()) }
    }

    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        serde_json::from_str(&text(value)?).ok()
    }
}

fn text(value: Value) -> Option<String> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

const fn integer(value: &Value) -> Option<i64> {
    if let Value::Integer(value) = value { Some(*value) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survives<T: FieldType + Clone + PartialEq + std::fmt::Debug>(
        kind: FieldKind,
        value: &T,
        stored: Value,
    ) {
        assert_eq!(value.clone().into_value(kind), stored);
        assert_eq!(T::from_value(kind, stored).as_ref(), Some(value));
    }

    fn stored(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn every_type_comes_back_as_it_went() {
        survives(FieldKind::Integer, &5_i64, Value::Integer(5));
        survives(FieldKind::Integer, &-5_i8, Value::Integer(-5));
        survives(FieldKind::Boolean, &true, Value::Integer(1));
        survives(FieldKind::Number, &2.5, Value::Number(2.5));
        survives(FieldKind::String, &"a".to_owned(), stored("a"));
        survives(FieldKind::Decimal { scale: 2 }, &Decimal::new(-5, 2), Value::Integer(-5));
        survives(FieldKind::Date, &civil::date(2026, 11, 20), stored("2026-11-20"));
        survives(FieldKind::Time, &civil::time(8, 30, 0, 500_000_000), stored("08:30:00.5"));
        let at = "2026-11-20T08:30:00.5Z";
        survives(
            FieldKind::DateTime,
            &at.parse::<Timestamp>().unwrap(),
            stored("2026-11-20T08:30:00.500000Z"),
        );
        survives(
            FieldKind::Json,
            &serde_json::json!({ "a": [1, null] }),
            stored(r#"{"a":[1,null]}"#),
        );
        survives(FieldKind::String, &None::<String>, Value::Null);
    }

    #[test]
    fn decimals_are_fitted_to_their_scale() {
        let kind = FieldKind::Decimal { scale: 2 };
        assert_eq!(Decimal::new(12345, 3).into_value(kind), Value::Integer(1234));
        assert_eq!(Decimal::new(5, 0).into_value(kind), Value::Integer(500));
        let beyond = Value::Text(Decimal::MAX.to_string());
        assert_eq!(Decimal::MAX.into_value(kind), beyond);
        assert_eq!(
            Decimal::new(i64::MAX, 1).into_value(kind),
            Value::Text("922337203685477580.7".into())
        );
    }

    #[test]
    fn operands_are_never_fitted() {
        let kind = FieldKind::Decimal { scale: 2 };
        assert_eq!(Decimal::new(1000, 3).into_operand(kind), Value::Integer(100));
        assert_eq!(Some(Decimal::new(1005, 3)).into_operand(kind), stored("1.005"));
        let at = |text: &str| text.parse::<Timestamp>().unwrap().into_operand(FieldKind::DateTime);
        assert_eq!(at("2026-11-20T08:30:00.123456Z"), stored("2026-11-20T08:30:00.123456Z"));
        assert_eq!(at("2026-11-20T08:30:00.123456789Z"), stored("2026-11-20T08:30:00.123456789Z"));
        assert_eq!(
            civil::time(8, 30, 0, 1).into_operand(FieldKind::Time),
            stored("08:30:00.000000001")
        );
        assert_eq!(
            civil::time(8, 30, 0, 1_000).into_operand(FieldKind::Time),
            stored("08:30:00.000001")
        );
    }

    #[test]
    fn what_a_type_cannot_hold_is_refused() {
        assert_eq!(u8::from_value(FieldKind::Integer, Value::Integer(256)), None);
        assert_eq!(String::from_value(FieldKind::String, Value::Null), None);
        assert_eq!(civil::Date::from_value(FieldKind::Date, stored("today")), None);
    }
}
