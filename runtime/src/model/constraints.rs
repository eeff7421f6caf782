//! What the values of a field must satisfy beyond being of its kind.

use std::cmp::Ordering;

use regex::Regex;

use super::format::has_format;
use crate::{
    base::error::{Text, quoted, text},
    model::{
        def::{FieldDef, FieldKind, Format},
        value::{Expected, Value},
    },
};

/// The constraints of a field, ready to be tested.
#[derive(Debug, Default)]
pub struct Constraints {
    minimum: Option<Value>,
    maximum: Option<Value>,
    min_length: Option<u32>,
    max_length: Option<u32>,
    pattern: Option<Regex>,
    format: Option<Format>,
    choices: Box<[Value]>,
}

/// A constraint that a value breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The key of the declaration that says so: `maximum`, `pattern` …
    pub code: &'static str,
    /// A sentence.
    pub detail: Text,
}

impl Constraints {
    /// Prepares the constraints of a declared field of a kind.
    pub(super) fn of(def: &FieldDef, kind: FieldKind) -> Result<Self, String> {
        let value =
            |literal| Value::literal(kind, literal).map_err(|expected: Expected| expected.to_string());
        Ok(Self {
            minimum: def.minimum.map(value).transpose()?,
            maximum: def.maximum.map(value).transpose()?,
            min_length: def.min_length,
            max_length: def.max_length,
            pattern: def.pattern.map(Regex::new).transpose().map_err(|error| error.to_string())?,
            format: def.format,
            choices: def.choices.iter().map(|literal| value(*literal)).collect::<Result<_, _>>()?,
        })
    }

    /// Every constraint that a value breaks; null breaks none.
    #[must_use]
    pub fn check(&self, kind: FieldKind, ignore_case: bool, value: &Value) -> Vec<Breach> {
        if value.is_null() {
            return vec![];
        }
        let text = if let Value::Text(text) = value { Some(text.as_str()) } else { None };
        [
            self.below_minimum(kind, value),
            self.above_maximum(kind, value),
            text.and_then(|text| self.too_short(text)),
            text.and_then(|text| self.too_long(text)),
            text.and_then(|text| self.unmatched(text)),
            text.and_then(|text| self.misformed(text)),
            self.not_a_choice(kind, ignore_case, value),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn below_minimum(&self, kind: FieldKind, value: &Value) -> Option<Breach> {
        let bound = self.minimum.as_ref().filter(|bound| compare(value, bound) == Ordering::Less)?;
        breach("minimum", text!("must be at least {bound}.", bound = bound.spell(kind)))
    }

    fn above_maximum(&self, kind: FieldKind, value: &Value) -> Option<Breach> {
        let bound = self.maximum.as_ref().filter(|bound| compare(value, bound) == Ordering::Greater)?;
        breach("maximum", text!("must be at most {bound}.", bound = bound.spell(kind)))
    }

    fn too_short(&self, text: &str) -> Option<Breach> {
        let least = self.min_length.filter(|least| text.chars().count() < *least as usize)?;
        breach(
            "min_length",
            match least {
                1 => text!("must have at least 1 character."),
                _ => text!("must have at least {least} characters.", least),
            },
        )
    }

    fn too_long(&self, text: &str) -> Option<Breach> {
        let most = self.max_length.filter(|most| text.chars().nth(*most as usize).is_some())?;
        breach(
            "max_length",
            match most {
                1 => text!("must have at most 1 character."),
                _ => text!("must have at most {most} characters.", most),
            },
        )
    }

    fn unmatched(&self, text: &str) -> Option<Breach> {
        let pattern = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
        breach("pattern", text!("must match `{pattern}`.", pattern = pattern.as_str()))
    }

    fn misformed(&self, text: &str) -> Option<Breach> {
        let format = self.format.filter(|format| !has_format(*format, text))?;
        breach("format", text!("must be {expected}.", expected = described(format)))
    }

    fn not_a_choice(&self, kind: FieldKind, ignore_case: bool, value: &Value) -> Option<Breach> {
        let same = |choice: &&Value| match (choice, value) {
            (Value::Text(choice), Value::Text(text)) if ignore_case => choice.eq_ignore_ascii_case(text),
            (choice, value) => *choice == value,
        };
        if self.choices.is_empty() || self.choices.iter().any(|choice| same(&choice)) {
            return None;
        }
        let choices = quoted(self.choices.iter().map(|choice| choice.spell(kind)));
        breach("enum", text!("must be one of {choices}.", choices))
    }
}

fn breach(code: &'static str, detail: Text) -> Option<Breach> {
    Some(Breach { code, detail })
}

/// The order of two values of one kind.
fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => one.total_cmp(other),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

fn described(format: Format) -> Text {
    match format {
        Format::Email => text!("an e-mail address, such as bella@zoo.example"),
        Format::Uri => text!("an absolute URI, such as https://zoo.example/"),
        Format::Hostname => text!("a host name, such as zoo.example"),
        Format::Slug => text!("a slug: lower-case letters and digits, joined by single hyphens"),
        Format::Ipv4 => text!("an IPv4 address, such as 192.0.2.1"),
        Format::Ipv6 => text!("an IPv6 address, such as 2001:db8::1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::def::Literal;

    fn codes(def: FieldDef, value: &Value) -> Vec<&'static str> {
        let constraints = Constraints::of(&def, def.kind).unwrap();
        constraints.check(def.kind, def.ignore_case, value).into_iter().map(|breach| breach.code).collect()
    }

    #[test]
    fn every_broken_constraint_is_said() {
        let def = FieldDef {
            min_length: Some(3),
            pattern: Some("^[a-z]+$"),
            choices: &[Literal::String("draft"), Literal::String("published")],
            ..FieldDef::new("status", FieldKind::String)
        };
        assert_eq!(codes(def, &Value::Text("A".into())), ["min_length", "pattern", "enum"]);
        assert!(codes(def, &Value::Text("draft".into())).is_empty());
        assert!(codes(def, &Value::Null).is_empty());
    }

    #[test]
    fn bounds_are_inclusive() {
        let def = FieldDef {
            minimum: Some(Literal::Integer(0)),
            maximum: Some(Literal::Integer(9)),
            ..FieldDef::new("rank", FieldKind::Integer)
        };
        assert!(codes(def, &Value::Integer(0)).is_empty() && codes(def, &Value::Integer(9)).is_empty());
        assert_eq!(codes(def, &Value::Integer(-1)), ["minimum"]);
        assert_eq!(codes(def, &Value::Integer(10)), ["maximum"]);
    }

    #[test]
    fn lengths_count_code_points() {
        let def = FieldDef { max_length: Some(2), ..FieldDef::new("name", FieldKind::String) };
        assert!(codes(def, &Value::Text("äö".into())).is_empty());
        assert_eq!(codes(def, &Value::Text("äöü".into())), ["max_length"]);
    }
}
