//! The facts of problems that messages display in their own way: suggestions, words, circles, and
//! quotations.

use std::fmt;

/// The nearest known name, displayed as a question; empty if no name is near.
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

/// The allowed words, displayed as a list.
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

/// The most steps of a circle that a message has.
const STEPS_MAX: usize = 8;

/// A circle of names; the first is repeated at the end.
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

/// The longest quotation in a message, in characters.
const EXCERPT_CHARACTERS_MAX: usize = 60;

/// The beginning of a text, on one line, for messages.
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
