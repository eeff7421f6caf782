//! Conversions between the variants of an enum and the choices of its named type, by index.

use std::fmt;

use crate::{
    base::error::excerpt,
    model::{
        def::{Literal, TypeDef},
        value::Value,
    },
};

/// The error for a text that is not a value of an enum. `FromStr` of an enum with
/// `#[derive(FieldType)]` returns it.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{UnknownChoice, def::{FieldKind, Literal, TypeDef}};
/// static DIET: TypeDef = TypeDef {
///     choices: &[Literal::String("plants"), Literal::String("meat")],
///     ..TypeDef::new("diet", FieldKind::String)
/// };
/// let error = UnknownChoice::new(&DIET, "fish");
/// assert_eq!(error.to_string(), "`fish` is not a value of `diet`; allowed: `plants`, `meat`");
/// assert_eq!(error.text(), "fish");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownChoice {
    def: &'static TypeDef,
    text: String,
}

impl UnknownChoice {
    /// Creates the error for a text that is not a value of this type.
    #[must_use]
    pub fn new(def: &'static TypeDef, text: &str) -> Self {
        Self { def, text: text.to_owned() }
    }

    /// The text that is not a value of the type.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The declaration of the type. `choices` are the allowed values.
    #[must_use]
    pub const fn field_type(&self) -> &'static TypeDef {
        self.def
    }
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, allowed) = (excerpt(&self.text), listed(self.def.choices));
        write!(f, "`{text}` is not a value of `{}`; allowed: {allowed}", self.def.name)
    }
}

impl std::error::Error for UnknownChoice {}

/// Returns the choices as a list for a message.
pub(crate) fn listed(choices: &[Literal]) -> String {
    let spelled = |choice: &Literal| match choice {
        Literal::Integer(value) => format!("`{value}`"),
        Literal::Number(value) => format!("`{value}`"),
        Literal::Boolean(value) => format!("`{value}`"),
        Literal::String(text) | Literal::Json(text) => format!("`{text}`"),
    };
    choices.iter().map(spelled).collect::<Vec<_>>().join(", ")
}

/// Returns the stored value of the variant with this index; null if the type has no such choice.
#[must_use]
pub fn store(def: &TypeDef, at: usize) -> Value {
    match def.choices.get(at) {
        Some(Literal::Integer(value)) => Value::Integer(*value),
        Some(Literal::String(text)) => Value::Text((*text).to_owned()),
        _ => Value::Null,
    }
}

/// Returns the variant whose choice equals a stored value. The case of letters is ignored if the
/// type says so.
pub fn load<T: Clone>(def: &TypeDef, value: &Value, variants: &[T]) -> Option<T> {
    let at = def.choices.iter().position(|choice| is(choice, value, def.ignore_case))?;
    variants.get(at).cloned()
}

/// Returns the variant whose choice has this text.
///
/// # Errors
/// No choice has this text.
pub fn parse<T: Clone>(
    def: &'static TypeDef,
    text: &str,
    variants: &[T],
) -> Result<T, UnknownChoice> {
    let value = Value::parse(def.kind, text).ok();
    value.and_then(|value| load(def, &value, variants)).ok_or_else(|| UnknownChoice::new(def, text))
}

/// Serializes a variant as its choice: a string or a whole number.
///
/// # Errors
/// The serializer fails.
#[cfg(feature = "serde")]
pub fn serialize<T: super::FieldType, S: serde::Serializer>(
    variant: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match variant.clone().into_value(T::DEF.kind) {
        Value::Integer(value) => serializer.serialize_i64(value),
        Value::Text(text) => serializer.serialize_str(&text),
        Value::Null | Value::Number(_) | Value::Password(_) => serializer.serialize_unit(),
    }
}

/// Deserializes a variant from its choice.
///
/// # Errors
/// The value is not a choice of the type.
#[cfg(feature = "serde")]
pub fn deserialize<'de, T: super::FieldType, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    use serde::{Deserialize, de::Error as _};

    use crate::model::def::FieldKind;

    let value = match T::DEF.kind {
        FieldKind::Integer => Value::Integer(i64::deserialize(deserializer)?),
        _ => Value::Text(String::deserialize(deserializer)?),
    };
    let given = value.spell(T::DEF.kind);
    let variant = T::from_value(T::DEF.kind, value);
    variant.ok_or_else(|| D::Error::custom(UnknownChoice::new(T::DEF, &given)))
}

fn is(choice: &Literal, value: &Value, ignore_case: bool) -> bool {
    match (choice, value) {
        (Literal::Integer(choice), Value::Integer(value)) => choice == value,
        (Literal::String(choice), Value::Text(value)) if ignore_case => {
            choice.eq_ignore_ascii_case(value)
        }
        (Literal::String(choice), Value::Text(value)) => choice == value,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::def::FieldKind;

    const ANSWER: TypeDef = TypeDef {
        choices: &[Literal::String("yes"), Literal::String("no")],
        ..TypeDef::new("answer", FieldKind::String)
    };

    #[test]
    fn a_variant_has_the_value_in_its_place() {
        let no = Value::Text("no".to_owned());
        assert_eq!(store(&ANSWER, 1), no);
        assert_eq!(load(&ANSWER, &no, &['y', 'n']), Some('n'));
        assert_eq!(load(&ANSWER, &Value::Text("No".to_owned()), &['y', 'n']), None);
        assert_eq!(load(&ANSWER, &Value::Null, &['y', 'n']), None);
    }

    #[test]
    fn case_is_ignored_where_the_definition_says_so() {
        let answer = TypeDef { ignore_case: true, ..ANSWER };
        assert_eq!(load(&answer, &Value::Text("No".to_owned()), &['y', 'n']), Some('n'));
    }

    #[test]
    fn whole_numbers_are_choices_too() {
        let grade = TypeDef { choices: &[Literal::Integer(1), Literal::Integer(2)], ..ANSWER };
        assert_eq!(store(&grade, 1), Value::Integer(2));
        assert_eq!(load(&grade, &Value::Integer(1), &['a', 'b']), Some('a'));
    }
    #[test]
    fn a_text_is_parsed_as_the_choice_that_has_it() {
        static GRADE: TypeDef = TypeDef {
            choices: &[Literal::Integer(1), Literal::Integer(2)],
            ..TypeDef::new("grade", FieldKind::Integer)
        };
        assert_eq!(parse(&GRADE, "2", &['a', 'b']), Ok('b'));
        for unknown in ["3", "02", "two", ""] {
            let error = parse(&GRADE, unknown, &['a', 'b']).unwrap_err();
            assert_eq!(error.text(), unknown);
            let sentence = format!("`{unknown}` is not a value of `grade`; allowed: `1`, `2`");
            assert_eq!(error.to_string(), sentence);
        }
    }
}
