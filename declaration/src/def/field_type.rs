//! A named type, and the fields that have one.

use super::{ExtensionDef, FieldDef, FieldKind, Format, Literal};

/// A named type: a set of values with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeDef {
    /// The name of the type: `email`.
    pub name: &'static str,
    /// The named type that this type builds on; `None` if it builds on a built-in type.
    pub base: Option<&'static str>,
    /// The kind of the values.
    pub kind: FieldKind,
    /// Whether upper-case and lower-case ASCII letters count as equal.
    pub ignore_case: bool,
    /// The smallest allowed value.
    pub minimum: Option<Literal>,
    /// The largest allowed value.
    pub maximum: Option<Literal>,
    /// The minimum length of a string in code points.
    pub min_length: Option<u32>,
    /// The maximum length of a string in code points.
    pub max_length: Option<u32>,
    /// A regular expression that must match some part of each string.
    pub pattern: Option<&'static str>,
    /// The list of allowed values; any value if empty.
    pub choices: &'static [Literal],
    /// The format that a string must have.
    pub format: Option<Format>,
    /// The description of the type.
    pub description: Option<&'static str>,
    /// An example value.
    pub example: Option<Literal>,
    /// The custom `x-…` keys of the type.
    pub extensions: &'static [ExtensionDef],
}

impl TypeDef {
    /// A type with all values of a kind: the base for struct update syntax.
    #[must_use]
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            base: None,
            kind,
            ignore_case: false,
            minimum: None,
            maximum: None,
            min_length: kind.min_length(),
            max_length: kind.max_length(),
            pattern: None,
            choices: &[],
            format: None,
            description: None,
            example: None,
            extensions: &[],
        }
    }

    /// A type that builds on `base` and adds no constraint: the base for struct update syntax.
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
    /// An optional field that declares only its named type: the base for struct update syntax.
    ///
    /// ```
    /// # use nouns_declaration as nouns;
    /// use nouns::def::{FieldDef, FieldKind, TypeDef};
    /// const EMAIL: TypeDef =
    ///     TypeDef { max_length: Some(254), ..TypeDef::new("email", FieldKind::String) };
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

/// The maximum number of fraction digits of a decimal.
const SCALE_MAX: usize = 18;

impl Literal {
    /// Converts a literal to the kind of a field. A derive calls this in the expansion, because it
    /// does not know the kind of a named type. `decimal` is the same number with 18 fraction
    /// digits.
    ///
    /// ```
    /// # use nouns_declaration as nouns;
    /// use nouns::def::{FieldKind, Literal};
    /// let fitted = |kind| Literal::Integer(5).fitted(kind, "5.000000000000000000");
    /// assert_eq!(fitted(FieldKind::Decimal { scale: 2 }), Literal::String("5.00"));
    /// assert_eq!(fitted(FieldKind::Number), Literal::Number(5.0));
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

/// Whether all digits are zeros; a decimal point is ignored.
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
