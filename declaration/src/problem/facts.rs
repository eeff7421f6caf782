//! The facts of problems that have their own display: suggestions, lists of words, cycles, and
//! excerpts.

use std::fmt;

/// The nearest declared name, displayed as a question. Without a name (`None`), nothing is
/// displayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion(pub Option<String>);

impl fmt::Display for Suggestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => write!(formatter, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// The part of a declaration that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The declaration itself.
    Declaration,
    /// The value of a key.
    Key(String),
    /// A named type.
    Type(String),
    /// A resource.
    Resource(String),
    /// A field of a resource.
    Field {
        /// The name of the field.
        name: String,
        /// The name of the resource.
        resource: String,
    },
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declaration => formatter.write_str("the declaration"),
            Self::Key(key) => write!(formatter, "`{key}`"),
            Self::Type(name) => write!(formatter, "type `{name}`"),
            Self::Resource(name) => write!(formatter, "resource `{name}`"),
            Self::Field { name, resource } => write!(formatter, "field `{name}` of `{resource}`"),
        }
    }
}

/// A list of allowed words, displayed as "`a`, `b` or `c`".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<&'static str>);

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(formatter, "{separator}`{word}`")?;
        }
        Ok(())
    }
}

/// The maximum number of names of a cycle that a message shows.
const STEPS_MAX: usize = 8;

/// The names of a cycle. The display repeats the first name at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(pub Vec<String>);

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.0.iter().take(STEPS_MAX) {
            write!(formatter, "`{name}` → ")?;
        }
        if self.0.len() > STEPS_MAX {
            formatter.write_str("… → ")?;
        }
        match self.0.first() {
            Some(name) => write!(formatter, "`{name}`"),
            None => Ok(()),
        }
    }
}

/// The maximum length of an excerpt in a message, in characters.
const EXCERPT_CHARACTERS_MAX: usize = 60;

/// The beginning of a text for a message. Control characters are replaced, so the excerpt has one
/// line.
///
/// ```
/// use nouns_declaration::problem::excerpt;
/// assert_eq!(excerpt("zoo"), "zoo");
/// assert_eq!(excerpt(&"z".repeat(61)), "z".repeat(60) + "…");
/// ```
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(EXCERPT_CHARACTERS_MAX).map(visible).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn visible(character: char) -> char {
    if character.is_control() { '\u{fffd}' } else { character }
}
