//! The constraints of field values: their keys in the schema language, and their values.

use crate::{
    check::bounds::{is_decimal, is_listed, is_measured, is_string, is_text},
    def::{FieldDef, FieldKind, Format, Literal},
    words,
};

words! {
    /// A key of the schema language that constrains the values of a field.
    pub enum ConstraintKey {
        /// `enum`: the list of allowed values.
        Enum = "enum",
        /// `minimum`: the smallest allowed value.
        Minimum = "minimum",
        /// `maximum`: the largest allowed value.
        Maximum = "maximum",
        /// `min_length`: the minimum length of a string or password in code points.
        MinLength = "min_length",
        /// `max_length`: the maximum length of a string or password in code points.
        MaxLength = "max_length",
        /// `pattern`: a regular expression that must match some part of each string.
        Pattern = "pattern",
        /// `format`: a well-known format, such as an email address.
        Format = "format",
        /// `scale`: the number of fraction digits of a decimal.
        Scale = "scale",
        /// `ignore_case`: whether upper-case and lower-case ASCII letters count as equal.
        IgnoreCase = "ignore_case",
    }
}

impl ConstraintKey {
    /// The meaning of this key, as a sentence.
    ///
    /// ```
    /// use nouns_declaration::constraint::ConstraintKey;
    /// assert_eq!(ConstraintKey::Enum.meaning(), "The list of allowed values.");
    /// ```
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Enum => "The list of allowed values.",
            Self::Minimum => "The smallest value of a number, date or time.",
            Self::Maximum => "The largest value of a number, date or time.",
            Self::MinLength => "The minimum number of characters of a string or password.",
            Self::MaxLength => "The maximum number of characters of a string or password.",
            Self::Pattern => {
                "A regular expression that must match some part of a string or password."
            }
            Self::Format => "A well-known format of strings.",
            Self::Scale => "The number of fraction digits of a decimal.",
            Self::IgnoreCase => "Whether the letters A to Z of a string compare without case.",
        }
    }

    /// Whether a field of this kind may have this key.
    #[must_use]
    pub const fn fits(self, kind: FieldKind) -> bool {
        match self {
            Self::Minimum | Self::Maximum => is_measured(kind),
            Self::Enum => is_listed(kind),
            Self::Scale => is_decimal(kind),
            Self::MinLength | Self::MaxLength | Self::Pattern => is_text(kind),
            Self::Format | Self::IgnoreCase => is_string(kind),
        }
    }

    /// The kinds of fields that may have this key, as words for messages.
    #[must_use]
    pub const fn kinds(self) -> &'static str {
        match self {
            Self::Minimum | Self::Maximum => "numbers, dates and times",
            Self::Enum => "`string` and `integer`",
            Self::Scale => "`decimal`",
            Self::MinLength | Self::MaxLength | Self::Pattern => "`string` and `password`",
            Self::Format | Self::IgnoreCase => "`string`",
        }
    }
}

/// A constraint of the values of a field, with its value. The type of the field and the key
/// `ignore_case` are not constraints here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// The list of allowed values.
    Enum(&'static [Literal]),
    /// The smallest allowed value.
    Minimum(Literal),
    /// The largest allowed value.
    Maximum(Literal),
    /// The minimum length of a string in code points.
    MinLength(u32),
    /// The maximum length of a string in code points.
    MaxLength(u32),
    /// A regular expression that must match some part of each string.
    Pattern(&'static str),
    /// The format that a string must have.
    Format(Format),
    /// The number of fraction digits of a decimal.
    Scale(u8),
}

impl Constraint {
    /// The key of the schema language that declares this constraint.
    #[must_use]
    pub const fn key(self) -> ConstraintKey {
        match self {
            Self::Enum(_) => ConstraintKey::Enum,
            Self::Minimum(_) => ConstraintKey::Minimum,
            Self::Maximum(_) => ConstraintKey::Maximum,
            Self::MinLength(_) => ConstraintKey::MinLength,
            Self::MaxLength(_) => ConstraintKey::MaxLength,
            Self::Pattern(_) => ConstraintKey::Pattern,
            Self::Format(_) => ConstraintKey::Format,
            Self::Scale(_) => ConstraintKey::Scale,
        }
    }
}

impl FieldDef {
    /// The constraints of the values of this field, in the order of `ConstraintKey`.
    ///
    /// ```
    /// use nouns_declaration::{constraint::Constraint, def::{FieldDef, FieldKind}};
    /// let rank = FieldDef { max_length: Some(9), ..FieldDef::new("rank", FieldKind::String) };
    /// assert_eq!(rank.constraints().collect::<Vec<_>>(), [Constraint::MaxLength(9)]);
    /// ```
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> {
        let scale = if let FieldKind::Decimal { scale } = self.kind { Some(scale) } else { None };
        let choices = (!self.choices.is_empty()).then_some(self.choices);
        [
            choices.map(Constraint::Enum),
            self.minimum.map(Constraint::Minimum),
            self.maximum.map(Constraint::Maximum),
            self.min_length.map(Constraint::MinLength),
            self.max_length.map(Constraint::MaxLength),
            self.pattern.map(Constraint::Pattern),
            self.format.map(Constraint::Format),
            scale.map(Constraint::Scale),
        ]
        .into_iter()
        .flatten()
    }
}
