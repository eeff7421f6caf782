//! The values of fields, as they are in JSON: decimals, dates and times are strings.

use std::{borrow::Cow, fmt};

use serde::{
    de::{Deserialize, DeserializeSeed, Deserializer, Error, Unexpected, Visitor},
    ser::{Error as _, Serialize, Serializer},
};

use crate::{
    model::{
        FieldModel,
        def::FieldKind,
        field_type::password::UNSERIALIZABLE,
        value::{ExpectedValue, Value},
    },
    request::action::admit,
};

/// A value that is serialized in the form of its field.
pub(super) struct MemberValue<'slots> {
    pub(super) field: &'slots FieldModel,
    pub(super) value: &'slots Value,
}

impl Serialize for MemberValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { field, value } = self;
        if let Err(expected) = admit(field.kind, value) {
            return Err(S::Error::custom(must_be(&field.name, expected)));
        }
        match (value, field.required) {
            (Value::Null, false) => serializer.serialize_none(),
            (_, false) => serializer.serialize_some(&PresentValue { field, value }),
            (_, true) => PresentValue { field, value }.serialize(serializer),
        }
    }
}

fn must_be(name: &str, expected: ExpectedValue) -> String {
    format!("`{name}` must be {expected}")
}

/// A value that is not the null of an optional field.
struct PresentValue<'slots> {
    field: &'slots FieldModel,
    value: &'slots Value,
}

impl Serialize for PresentValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = self.field.kind;
        match (self.value, kind) {
            (Value::Null, _) => serializer.serialize_unit(),
            (Value::Integer(value), FieldKind::Boolean) => serializer.serialize_bool(*value != 0),
            (value, FieldKind::Decimal { .. }) => serializer.serialize_str(&value.spell(kind)),
            (Value::Integer(value), _) => serializer.serialize_i64(*value),
            (Value::Number(value), _) => serializer.serialize_f64(*value),
            (Value::Text(json), FieldKind::Json) => {
                let json: serde_json::Value =
                    serde_json::from_str(json).map_err(S::Error::custom)?;
                json.serialize(serializer)
            }
            (Value::Password(_), _) | (_, FieldKind::Password) => {
                Err(S::Error::custom(UNSERIALIZABLE))
            }
            (Value::Text(text), _) => serializer.serialize_str(text),
        }
    }
}

/// A parser of the value of a field. Null is a value of optional fields alone.
pub(super) struct MemberSeed<'model> {
    pub(super) field: &'model FieldModel,
}

impl<'de> DeserializeSeed<'de> for MemberSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.field.required {
            true => present(self.field.kind, deserializer),
            false => deserializer.deserialize_option(self),
        }
    }
}

impl<'de> Visitor<'de> for MemberSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} or null", ExpectedValue::Kind(self.field.kind))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        present(self.field.kind, deserializer)
    }
}

/// Parses a value of a kind. Null is a value of the kind `json` alone.
fn present<'de, D: Deserializer<'de>>(kind: FieldKind, deserializer: D) -> Result<Value, D::Error> {
    Ok(match kind {
        FieldKind::Integer | FieldKind::Reference => {
            Value::Integer(deserializer.deserialize_i64(WholeNumber)?)
        }
        FieldKind::Number => Value::Number(f64::deserialize(deserializer)?),
        FieldKind::Boolean => Value::Integer(bool::deserialize(deserializer)?.into()),
        FieldKind::Json => match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Null => Value::Null,
            json => Value::Text(json.to_string()),
        },
        FieldKind::String
        | FieldKind::Decimal { .. }
        | FieldKind::Date
        | FieldKind::Time
        | FieldKind::DateTime
        | FieldKind::Uuid
        | FieldKind::Password => {
            let text = Cow::<str>::deserialize(deserializer)?;
            Value::parse(kind, &text)
                .map_err(|expected| D::Error::custom(format!("must be {expected}")))?
        }
    })
}

/// A parser of a whole number in any spelling: `5.0` is 5, as in a request body.
struct WholeNumber;

/// The greatest whole number up to which an `f64` has every whole number. Beyond it, a number
/// without a fraction may have lost digits.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

impl Visitor<'_> for WholeNumber {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", ExpectedValue::Kind(FieldKind::Integer))
    }

    fn visit_i64<E>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<i64, E> {
        match value.fract() == 0.0 && value.abs() <= EXACT_MAX {
            #[expect(clippy::cast_possible_truncation, reason = "it is a whole number of 54 bits")]
            true => Ok(value as i64),
            false => Err(E::invalid_value(Unexpected::Float(value), &self)),
        }
    }
}
