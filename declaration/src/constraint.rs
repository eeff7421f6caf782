//! The constraints of values: the one list of them, for what checks values and for what describes
//! them.

use crate::{
    check::bounds::{is_decimal, is_listed, is_measured, is_string},
    def::{FieldDef, FieldKind, Format, Literal},
    words,
};

words! {
    /// A key of the schema language that says which values a field has.
    pub enum ConstraintKey {
        /// The only values there are.
        Enum = "enum",
        /// The smallest value.
        Minimum = "minimum",
        /// The largest value.
        Maximum = "maximum",
        /// The least number of code points.
        MinLength = "min_length",
        /// The greatest number of code points.
        MaxLength = "max_length",
        /// A regular expression.
        Pattern = "pattern",
        /// A well-known form.
        Format = "format",
        /// The count of fraction digits.
        Scale = "scale",
        /// How ASCII letters compare.
        IgnoreCase = "ignore_case",
    }
}

impl ConstraintKey {
    /// What it says, as a sentence.
    ///
    /// ```
    /// use nouns_declaration::constraint::ConstraintKey;
    /// assert_eq!(ConstraintKey::Enum.meaning(), "The only values there are.");
    /// ```
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Enum => "The only values there are.",
            Self::Minimum => "The smallest value of a number, date or time.",
            Self::Maximum => "The largest value of a number, date or time.",
            Self::MinLength => "The least number of characters of a string.",
            Self::MaxLength => "The greatest number of characters of a string.",
            Self::Pattern => "A regular expression that a string must contain a match of.",
            Self::Format => "A well-known form of strings.",
            Self::Scale => "How many digits a decimal has after its point.",
            Self::IgnoreCase => "Whether the letters A to Z of a string compare without case.",
        }
    }

    /// Whether a kind has it.
    #[must_use]
    pub const fn fits(self, kind: FieldKind) -> bool {
        match self {
            Self::Minimum | Self::Maximum => is_measured(kind),
            Self::Enum => is_listed(kind),
            Self::Scale => is_decimal(kind),
            Self::MinLength | Self::MaxLength | Self::Pattern | Self::Format | Self::IgnoreCase => {
                is_string(kind)
            }
        }
    }

    /// The kinds that have it, as messages call them.
    #[must_use]
    pub const fn kinds(self) -> &'static str {
        match self {
            Self::Minimum | Self::Maximum => "numbers, dates and times",
            Self::Enum => "`string` and `integer`",
            Self::Scale => "`decimal`",
            Self::MinLength | Self::MaxLength | Self::Pattern | Self::Format | Self::IgnoreCase => {
                "`string`"
            }
        }
    }
}

/// What a field says of its values, beyond their kind and how they compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// The only values there are.
    Enum(&'static [Literal]),
    /// The smallest value.
    Minimum(Literal),
    /// The largest value.
    Maximum(Literal),
    /// The least number of code points.
    MinLength(u32),
    /// The greatest number of code points.
    MaxLength(u32),
    /// A regular expression that a value contains a match of.
    Pattern(&'static str),
    /// A well-known form.
    Format(Format),
    /// The count of fraction digits.
    Scale(u8),
}

impl Constraint {
    /// The key that declares it.
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
    /// The constraints of its values, in the order of their keys.
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
