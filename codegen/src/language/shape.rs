//! The values that keys may have.

use nouns_declaration::def::{Limit, Timeout};

use super::Level;

/// The values that a key may have, and its default.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    /// Any value.
    Any,
    /// The version of the schema language.
    Version,
    /// A boolean.
    Flag(Option<bool>),
    /// A whole number in a range, with its default.
    Count(u32, u32, Option<u32>),
    /// A bound of values: a number, or a text such as a date.
    Bound,
    /// A list of texts and numbers.
    Choices,
    /// One of some words, with its default.
    Word(&'static [&'static str], Option<&'static str>),
    /// A text.
    Text(TextShape),
    /// A duration in whole seconds, with its default.
    Duration(Option<u32>),
    /// A duration in whole seconds that is not 0, with its default.
    SomeDuration(u32),
    /// A limit of the server.
    Limit(Limit),
    /// A timeout of the server.
    Timeout(Timeout),
    /// A name, with its default.
    Name(Option<&'static str>),
    /// A name other than those of the columns that every row has.
    FreeName,
    /// The name of a table.
    TableName,
    /// The name of a type.
    TypeName,
    /// The name of a field, with `-` for a descending order.
    SortKey,
    /// A list.
    List(ListShape),
    /// Sets of names.
    Sets,
    /// One of several shapes, with a default.
    Either(&'static [Self], Option<&'static str>),
    /// A mapping.
    Map(&'static Level),
    /// A mapping from names to mappings of a level.
    Named {
        /// The level of the values.
        of: &'static Level,
        /// The names that are not allowed.
        reserved: ReservedNames,
        /// Whether there must be at least one.
        is_filled: bool,
    },
    /// A mapping from fields to claims of a token.
    Claims,
    /// A mapping from fields to tests of their values.
    Tests,
}

impl ValueShape {
    /// Whether the value is a boolean that is true by default.
    pub(crate) const fn is_usually_true(&self) -> bool {
        matches!(self, Self::Flag(Some(true)))
    }
}

/// The shape of a text.
#[derive(Clone, Copy, Debug)]
pub struct TextShape {
    /// A regular expression that matches it.
    pub pattern: Option<&'static str>,
    /// A regular expression that does not match it.
    pub except: Option<&'static str>,
    /// The words that it is not.
    pub reserved: &'static [&'static str],
    /// The format in the JSON Schema.
    pub format: Option<&'static str>,
    /// The minimum number of characters.
    pub min: Option<u32>,
    /// The maximum number of characters.
    pub max: Option<u32>,
    /// The default.
    pub usual: Option<&'static str>,
    /// Examples.
    pub examples: &'static [&'static str],
}

impl TextShape {
    pub(super) const ANY: Self = Self {
        pattern: None,
        except: None,
        reserved: &[],
        format: None,
        min: None,
        max: None,
        usual: None,
        examples: &[],
    };

    /// A text that has more than white space.
    pub(super) const VISIBLE: Self = Self::matching("\\S");

    /// A text that is not empty.
    pub(super) const SOME: Self = Self { min: Some(1), ..Self::ANY };

    pub(super) const fn matching(pattern: &'static str) -> Self {
        Self { pattern: Some(pattern), ..Self::ANY }
    }

    /// A text that is not empty, with an example.
    pub(super) const fn like(examples: &'static [&'static str]) -> Self {
        Self { examples, ..Self::SOME }
    }
}

/// The shape of a list, which has at least one item.
#[derive(Clone, Copy, Debug)]
pub struct ListShape {
    /// The items.
    pub items: &'static ValueShape,
    /// Whether no item may occur twice.
    pub is_set: bool,
    /// The default. It is empty if there is none.
    pub usual: &'static [&'static str],
    /// The items of an example. It is empty if there is none.
    pub example: &'static [&'static str],
}

impl ListShape {
    /// A list with at least one item, of which none occurs twice.
    pub(super) const fn of(items: &'static ValueShape) -> Self {
        Self { items, is_set: true, usual: &[], example: &[] }
    }
}

/// The names that an item of a mapping cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservedNames {
    /// All are allowed.
    Nothing,
    /// The columns that every row has.
    Columns,
    /// The built-in types, and names that Rust types have.
    Types,
}

/// Returns the words of an enum of the schema language.
pub(super) const fn words<T, const N: usize>(words: &[(&'static str, T)]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = words[at].0;
        at += 1;
    }
    names
}

/// The shape of a word of an enum, with the variant that is the default.
macro_rules! word {
    ($kind:ty) => {
        word!(@ $kind, None)
    };
    ($kind:ty, $usual:expr) => {
        word!(@ $kind, Some($usual.word()))
    };
    (@ $kind:ty, $usual:expr) => {{
        const WORDS: [&str; <$kind>::WORDS.len()] = $crate::language::shape::words(<$kind>::WORDS);
        $crate::language::ValueShape::Word(&WORDS, $usual)
    }};
}

pub(super) use word;
