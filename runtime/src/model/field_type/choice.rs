//! Conversions between the variants of an enum and the choices of its named type, by index.

use crate::model::{
    def::{Literal, TypeDef},
    value::Value,
};

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
pub fn load<T, const N: usize>(def: &TypeDef, value: &Value, variants: [T; N]) -> Option<T> {
    let at = def.choices.iter().position(|choice| is(choice, value, def.ignore_case))?;
    variants.into_iter().nth(at)
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
        assert_eq!(load(&ANSWER, &no, ['y', 'n']), Some('n'));
        assert_eq!(load(&ANSWER, &Value::Text("No".to_owned()), ['y', 'n']), None);
        assert_eq!(load(&ANSWER, &Value::Null, ['y', 'n']), None);
    }

    #[test]
    fn case_is_ignored_where_the_definition_says_so() {
        let answer = TypeDef { ignore_case: true, ..ANSWER };
        assert_eq!(load(&answer, &Value::Text("No".to_owned()), ['y', 'n']), Some('n'));
    }

    #[test]
    fn whole_numbers_are_choices_too() {
        let grade = TypeDef { choices: &[Literal::Integer(1), Literal::Integer(2)], ..ANSWER };
        assert_eq!(store(&grade, 1), Value::Integer(2));
        assert_eq!(load(&grade, &Value::Integer(1), ['a', 'b']), Some('a'));
    }
}
