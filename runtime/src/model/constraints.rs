//! The constraints on values of a field, in addition to the field's kind.

use std::cmp::Ordering;

use nouns_declaration::{
    constraint::{Constraint, ConstraintKey},
    format::has_format,
    pattern::to_regex,
};
use regex::Regex;

use crate::{
    base::error::{Text, quoted, text},
    model::{
        def::{FieldDef, FieldKind, Format},
        value::{ExpectedValue, Value},
    },
};

/// The parsed constraints of a field, in the order in which violations are reported.
#[derive(Clone, Debug, Default)]
pub struct Constraints(Box<[Test]>);

/// One parsed constraint.
#[derive(Clone, Debug)]
enum Test {
    Minimum(Value),
    Maximum(Value),
    MinLength(u32),
    MaxLength(u32),
    /// A regular expression, and the pattern that it was made from.
    Pattern(Regex, &'static str),
    Format(Format),
    Enum(Box<[Value]>),
}

/// A constraint that a value violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The key of the constraint in the declaration, such as `maximum` or `pattern`.
    pub code: &'static str,
    /// A sentence about the violation.
    pub detail: Text,
}

impl Constraints {
    /// Parses the constraints of a declared field. The error says what the value of a constraint
    /// should be.
    pub(super) fn of(def: &FieldDef, kind: FieldKind) -> Result<Self, String> {
        let value = |literal| {
            Value::literal(kind, literal).map_err(|expected: ExpectedValue| expected.to_string())
        };
        let test = |constraint| {
            Ok(Some(match constraint {
                Constraint::Enum(choices) => Test::Enum(
                    choices.iter().map(|literal| value(*literal)).collect::<Result<_, _>>()?,
                ),
                Constraint::Minimum(bound) => Test::Minimum(value(bound)?),
                Constraint::Maximum(bound) => Test::Maximum(value(bound)?),
                Constraint::MinLength(least) => Test::MinLength(least),
                Constraint::MaxLength(most) => Test::MaxLength(most),
                Constraint::Pattern(pattern) => {
                    let regex = Regex::new(&to_regex(pattern));
                    Test::Pattern(regex.map_err(|error| error.to_string())?, pattern)
                }
                Constraint::Format(format) => Test::Format(format),
                // The scale of a decimal is part of the kind of its field.
                Constraint::Scale(_) => return Ok(None),
            }))
        };
        let mut tests: Vec<Test> = def
            .constraints()
            .filter_map(|one| test(one).transpose())
            .collect::<Result<_, String>>()?;
        tests.sort_by_key(|test| matches!(test, Test::Enum(_)));
        Ok(Self(tests.into()))
    }

    /// The values that the field may have, if they are listed (`enum`).
    pub(crate) fn choices(&self) -> Option<&[Value]> {
        self.0.iter().find_map(|test| match test {
            Test::Enum(choices) => Some(&**choices),
            _ => None,
        })
    }

    /// The whole numbers that the field may have, if bounds of them are declared.
    pub(crate) fn whole_numbers(&self) -> Option<Text> {
        let bound = |of: fn(&Test) -> Option<&Value>| match self.0.iter().find_map(of)? {
            Value::Integer(bound) => Some(*bound),
            _ => None,
        };
        let least = bound(|test| if let Test::Minimum(value) = test { Some(value) } else { None });
        let most = bound(|test| if let Test::Maximum(value) = test { Some(value) } else { None });
        Some(match (least, most) {
            (Some(least), Some(most)) => {
                text!("a whole number from {least} to {most}", least, most)
            }
            (Some(least), None) => text!("a whole number of at least {least}", least),
            (None, Some(most)) => text!("a whole number of at most {most}", most),
            (None, None) => return None,
        })
    }

    /// Returns all constraints that a value violates. Null violates none, and neither does
    /// the hash of a password.
    #[must_use]
    pub fn check(&self, kind: FieldKind, ignore_case: bool, value: &Value) -> Vec<Breach> {
        // The constraints of a password are for the plain text, which its hash does not have.
        if value.is_null() || kind.is_password() && matches!(value, Value::Text(_)) {
            return vec![];
        }
        self.0.iter().filter_map(|test| test.broken(kind, ignore_case, value)).collect()
    }
}

impl Test {
    fn broken(&self, kind: FieldKind, ignore_case: bool, value: &Value) -> Option<Breach> {
        let text = match value {
            Value::Text(text) => Some(text.as_str()),
            Value::Password(plain) => Some(plain.reveal()),
            Value::Null | Value::Integer(_) | Value::Number(_) => None,
        };
        let (key, detail) = match self {
            Self::Minimum(bound) if compare(value, bound) == Ordering::Less => (
                ConstraintKey::Minimum,
                text!("must be at least {bound}.", bound = bound.spell(kind)),
            ),
            Self::Maximum(bound) if compare(value, bound) == Ordering::Greater => (
                ConstraintKey::Maximum,
                text!("must be at most {bound}.", bound = bound.spell(kind)),
            ),
            Self::MinLength(least) if text?.chars().count() < *least as usize => {
                (ConstraintKey::MinLength, too_short(*least))
            }
            Self::MaxLength(most) if text?.chars().nth(*most as usize).is_some() => {
                (ConstraintKey::MaxLength, too_long(*most))
            }
            Self::Pattern(regex, pattern) if !regex.is_match(text?) => {
                (ConstraintKey::Pattern, text!("must match `{pattern}`.", pattern = *pattern))
            }
            Self::Format(format) if !has_format(*format, text?) => {
                (ConstraintKey::Format, text!("must be {expected}.", expected = described(*format)))
            }
            Self::Enum(choices)
                if !choices.iter().any(|choice| is_choice(choice, ignore_case, value)) =>
            {
                let choices = quoted(choices.iter().map(|choice| choice.spell(kind)));
                (ConstraintKey::Enum, text!("must be one of {choices}.", choices))
            }
            _ => return None,
        };
        Some(Breach { code: key.word(), detail })
    }
}

fn too_short(least: u32) -> Text {
    match least {
        1 => text!("must have at least 1 character."),
        _ => text!("must have at least {least} characters.", least),
    }
}

fn too_long(most: u32) -> Text {
    match most {
        1 => text!("must have at most 1 character."),
        _ => text!("must have at most {most} characters.", most),
    }
}

fn is_choice(choice: &Value, ignore_case: bool, value: &Value) -> bool {
    match (choice, value) {
        (Value::Text(choice), Value::Text(text)) if ignore_case => {
            choice.eq_ignore_ascii_case(text)
        }
        (choice, value) => choice == value,
    }
}

/// Compares two values of the same kind.
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
        constraints
            .check(def.kind, def.ignore_case, value)
            .into_iter()
            .map(|breach| breach.code)
            .collect()
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
        assert!(
            codes(def, &Value::Integer(0)).is_empty() && codes(def, &Value::Integer(9)).is_empty()
        );
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
