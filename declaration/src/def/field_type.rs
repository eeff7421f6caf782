//! A named type as it was declared, and a field that has it.

use super::{ExtensionDef, FieldDef, FieldKind, Format, Literal};

/// A set of values with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeDef {
    /// Its name: `email`.
    pub name: &'static str,
    /// The named type that it builds on, if it is not a built-in one.
    pub base: Option<&'static str>,
    /// What its values are.
    pub kind: FieldKind,
    /// Whether ASCII letters compare without case.
    pub ignore_case: bool,
    /// The smallest value.
    pub minimum: Option<Literal>,
    /// The largest value.
    pub maximum: Option<Literal>,
    /// The least number of code points.
    pub min_length: Option<u32>,
    /// The greatest number of code points.
    pub max_length: Option<u32>,
    /// A regular expression that a value contains a match of.
    pub pattern: Option<&'static str>,
    /// The only values there are; empty means any.
    pub choices: &'static [Literal],
    /// A well-known form of strings.
    pub format: Option<Format>,
    /// What it is.
    pub description: Option<&'static str>,
    /// A value, to show what it looks like.
    pub example: Option<Literal>,
    /// The `x-…` keys.
    pub extensions: &'static [ExtensionDef],
}

impl TypeDef {
    /// All values of a kind: the base of struct updates.
    #[must_use]
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            base: None,
            kind,
            ignore_case: false,
            minimum: None,
            maximum: None,
            min_length: None,
            max_length: None,
            pattern: None,
            choices: &[],
            format: None,
            description: None,
            example: None,
            extensions: &[],
        }
    }

    /// A type that builds on another and adds nothing: the base of struct updates.
    #[must_use]
    pub const fn on(name: &'static str, base: &Self) -> Self {
        Self {
            name,
            base: Some(base.name),
            description: None,
            example: None,
            extensions: &[],
            ..*base
        }
    }
}

impl FieldDef {
    /// An optional field of a named type, with nothing else declared: the base of struct updates.
    ///
    /// ```
    /// use nouns_declaration::def::{FieldDef, FieldKind, TypeDef};
    /// const EMAIL: TypeDef = TypeDef { max_length: Some(254), ..TypeDef::new("email", FieldKind::String) };
    /// const CONTACT: FieldDef = FieldDef { required: true, ..FieldDef::typed("contact", &EMAIL) };
    /// assert_eq!((CONTACT.type_name, CONTACT.max_length), (Some("email"), Some(254)));
    /// ```
    #[must_use]
    pub const fn typed(name: &'static str, of: &TypeDef) -> Self {
        Self {
            type_name: Some(of.name),
            ignore_case: of.ignore_case,
            minimum: of.minimum,
            maximum: of.maximum,
            min_length: of.min_length,
            max_length: of.max_length,
            pattern: of.pattern,
            choices: of.choices,
            format: of.format,
            ..Self::new(name, of.kind)
        }
    }
}

/// How many fraction digits a decimal has at most.
const SCALE_MAX: usize = 18;

impl Literal {
    /// The literal as a field of a kind has it: a number of a type whose kind its writer did not
    /// know. `decimal` is the same number with 18 fraction digits.
    ///
    /// ```
    /// use nouns_declaration::def::{FieldKind, Literal};
    /// let fitted = Literal::Integer(5).fitted(FieldKind::Decimal { scale: 2 }, "5.000000000000000000");
    /// assert_eq!(fitted, Literal::String("5.00"));
    /// assert_eq!(Literal::Integer(5).fitted(FieldKind::Number, "5.000000000000000000"), Literal::Number(5.0));
    /// ```
    #[must_use]
    pub const fn fitted(self, kind: FieldKind, decimal: &'static str) -> Self {
        match (self, kind) {
            (Self::Integer(value), FieldKind::Number) => Self::Number(value as f64),
            (Self::Integer(_) | Self::Number(_), FieldKind::Decimal { scale }) => {
                let point = if scale == 0 { 1 } else { 0 };
                let (kept, rest) =
                    decimal.split_at(decimal.len() - SCALE_MAX + scale as usize - point);
                if are_zeros(rest) { Self::String(kept) } else { self }
            }
            (literal, _) => literal,
        }
    }
}

/// Whether fraction digits, perhaps with their point, say nothing.
const fn are_zeros(digits: &str) -> bool {
    let digits = digits.as_bytes();
    let mut at = 0;
    while at < digits.len() && matches!(digits[at], b'0' | b'.') {
        at += 1;
    }
    at == digits.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_fitted_to_the_scale_of_a_decimal() {
        let half = Literal::Number(-0.5);
        let fitted = |scale| half.fitted(FieldKind::Decimal { scale }, "-0.500000000000000000");
        assert_eq!(fitted(18), Literal::String("-0.500000000000000000"));
        assert_eq!(fitted(1), Literal::String("-0.5"));
        assert_eq!(fitted(0), half);
        let whole =
            Literal::Integer(7).fitted(FieldKind::Decimal { scale: 0 }, "7.000000000000000000");
        assert_eq!(whole, Literal::String("7"));
    }
}
