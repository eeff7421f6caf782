//! The parser of one JSON value as a value of a field's kind.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    base::{
        error::{Text, text},
        limits, password_hash,
    },
    model::{
        FieldIx, ResourceModel,
        def::{FieldKind, Limit},
        exact,
        value::{ExpectedValue, Value},
    },
    request::action::sound_json::{self, DuplicateName, JsonDefect},
};

/// The reason why a value cannot be the value of a field.
pub(super) enum ValueDefect {
    Type(TypeMismatch),
    Duplicate(DuplicateName),
}

/// The error for a value that a field cannot have. `found` is `None` if the JSON type is right, but
/// the text has the wrong form.
pub(super) struct TypeMismatch {
    pub(super) expected: ExpectedValue,
    pub(super) found: Option<JsonKind>,
    /// Whether the value is a JSON string whose text is a value of the expected type.
    pub(super) is_quoted: bool,
}

/// The type of JSON value that a body has instead of the expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
    /// A JSON value that is nested too deep.
    Deep(usize),
    /// A JSON value with a string or a number that other parsers cannot represent.
    Unsound,
}

impl From<JsonKind> for Text {
    fn from(found: JsonKind) -> Self {
        match found {
            JsonKind::Null => text!("null"),
            JsonKind::Boolean => text!("a boolean"),
            JsonKind::Number => text!("a number"),
            JsonKind::String => text!("a string"),
            JsonKind::Array => text!("an array"),
            JsonKind::Object => text!("an object"),
            JsonKind::Deep(most) => text!("one nested deeper than {most} levels", most),
            JsonKind::Unsound => {
                text!("one with a lone surrogate, or a number outside the range of a double")
            }
        }
    }
}

/// A parser of a value of a kind. A value of the wrong type is skipped and returned as an error.
pub(super) struct ValueSeed {
    kind: FieldKind,
    /// The maximum nesting depth of JSON.
    depth_max: usize,
}

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Result<Value, ValueDefect>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if !matches!(self.kind, FieldKind::Json | FieldKind::Integer | FieldKind::Number) {
            return deserializer.deserialize_any(self);
        }
        let raw: &RawValue = serde::Deserialize::deserialize(deserializer)?;
        Ok(match raw.get() {
            "null" => Ok(Value::Null),
            text if self.kind != FieldKind::Json => self.number(text),
            text if depth(text) > self.depth_max => {
                Err(self.mismatch(JsonKind::Deep(self.depth_max)))
            }
            text => match sound_json::check(text) {
                Ok(()) => Ok(Value::Text(text.into())),
                Err(JsonDefect::Unsound) => Err(self.mismatch(JsonKind::Unsound)),
                Err(JsonDefect::Duplicate(found)) => Err(ValueDefect::Duplicate(found)),
            },
        })
    }
}

impl ValueSeed {
    pub(super) fn new(resource: &ResourceModel, field: FieldIx) -> Self {
        let depth_max = resource.limits.size(Limit::JsonDepth);
        Self { kind: resource[field].kind, depth_max }
    }

    /// A parser of a value of a kind that is not JSON.
    pub(super) const fn of(kind: FieldKind) -> Self {
        Self { kind, depth_max: 0 }
    }

    /// Parses a number from its text. A conversion to a double could change the number.
    fn number(&self, json: &str) -> Result<Value, ValueDefect> {
        let found = match json.as_bytes().first() {
            Some(b'"') => return Err(self.in_quotes(json.trim_matches('"'))),
            Some(b'[') => JsonKind::Array,
            Some(b'{') => JsonKind::Object,
            Some(b't' | b'f') => JsonKind::Boolean,
            _ if self.kind == FieldKind::Number => {
                return Value::parse(self.kind, json).map_err(|_| self.mismatch(None));
            }
            _ => {
                let whole = json.parse().ok().or_else(|| exact::integer(json));
                return whole.map(Value::Integer).ok_or_else(|| self.mismatch(None));
            }
        };
        Err(self.mismatch(found))
    }

    fn mismatch(&self, found: impl Into<Option<JsonKind>>) -> ValueDefect {
        let expected = ExpectedValue::Kind(self.kind);
        ValueDefect::Type(TypeMismatch { expected, found: found.into(), is_quoted: false })
    }

    /// The error for a JSON string instead of a number or a boolean.
    fn in_quotes(&self, text: &str) -> ValueDefect {
        let is_quoted = Value::read(self.kind, text).is_ok();
        let (expected, found) = (ExpectedValue::Kind(self.kind), Some(JsonKind::String));
        ValueDefect::Type(TypeMismatch { expected, found, is_quoted })
    }
}

/// The nesting depth of arrays and objects in a valid JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Checks that a value from a typed call is valid for a kind, and has the form in which it is
/// stored.
pub(crate) fn admit(kind: FieldKind, value: &Value) -> Result<(), ExpectedValue> {
    let right = match (kind, value) {
        (_, Value::Null) => true,
        (FieldKind::Number, Value::Number(number)) => number.is_finite(),
        (
            FieldKind::Integer | FieldKind::Boolean | FieldKind::Decimal { .. },
            Value::Integer(_),
        ) => true,
        (FieldKind::Password, Value::Password(plain)) => {
            Value::parse(kind, plain.reveal())? == *value
        }
        (FieldKind::Password, Value::Text(hash)) => password_hash::is_hash(hash),
        (FieldKind::Json, Value::Text(json)) => depth(json) <= limits::JSON_DEPTH_MAX,
        (kind, Value::Text(text)) => Value::parse(kind, text)? == *value,
        _ => false,
    };
    if right { Ok(()) } else { Err(ExpectedValue::Kind(kind)) }
}

/// Visits JSON values for all kinds except JSON and numbers.
impl<'de> Visitor<'de> for ValueSeed {
    type Value = Result<Value, ValueDefect>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Ok(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(match self.kind {
            FieldKind::Boolean => Ok(Value::Integer(value.into())),
            _ => Err(self.mismatch(JsonKind::Boolean)),
        })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Err(self.mismatch(JsonKind::Number)))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Err(self.mismatch(JsonKind::Number)))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Err(self.mismatch(JsonKind::Number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(match self.kind {
            FieldKind::Boolean => Err(self.in_quotes(text)),
            kind => {
                let mismatch = |expected| TypeMismatch { expected, found: None, is_quoted: false };
                Value::read(kind, text).map_err(|expected| ValueDefect::Type(mismatch(expected)))
            }
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Err(self.mismatch(JsonKind::Array)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Err(self.mismatch(JsonKind::Object)))
    }
}
