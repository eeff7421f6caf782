//! [`Text`]: a template with values for its placeholders. It is rendered in the language that the
//! client prefers.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

use crate::base::language::Language;

/// A sentence, or a part of a sentence, for people.
///
/// A built-in text exists in every [`Language`]. A custom text has only the words of user code.
/// `Display` renders a text in English.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Language, Text};
/// let text = Text::from("Come back at nine.");
/// assert_eq!(text, "Come back at nine.");
/// assert_eq!(text.in_language(Language::German), "Come back at nine.");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Text(Words);

#[derive(Clone, PartialEq, Eq)]
enum Words {
    /// Text that is the same in every language: names, numbers, and texts of user code.
    Plain(String),
    /// An English template, and a value for each name in braces. The template is the key of the
    /// translation.
    Template(&'static str, Box<[(&'static str, Text)]>),
}

/// Creates a built-in text: `text!("There is no {name}.", name)`. If the value has another name
/// than the placeholder, write `name = value`.
///
/// The compiler checks that the names in the template have values. A test checks that every
/// template has a translation.
macro_rules! text {
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        const _: fn() = || { let _ = format_args!($template $(, $name = "")*); };
        $crate::base::error::Text::ours($template, Box::new([
            $((stringify!($name), $crate::base::error::Text::from($crate::base::error::text!(@ $name $(= $value)?)))),*
        ]))
    }};
    (@ $name:ident) => { $name };
    (@ $name:ident = $value:expr) => { $value };
}
pub(crate) use text;

impl Text {
    /// Creates a built-in text. Only the macro [`text!`] calls this function.
    pub(crate) const fn ours(template: &'static str, gaps: Box<[(&'static str, Self)]>) -> Self {
        Self(Words::Template(template, gaps))
    }

    /// Whether the text exists in every language, because it is a built-in template.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(self.0, Words::Template(..))
    }

    /// Returns the text unchanged if `ours` is true. Otherwise returns its English words as a
    /// custom text, so that one sentence never mixes languages.
    pub(crate) fn ours_if(self, ours: bool) -> Self {
        if ours { self } else { self.to_string().into() }
    }

    /// Whether the English text begins with these characters. Of a template only the characters
    /// before the first placeholder count.
    pub(crate) fn starts_with(&self, beginning: &str) -> bool {
        match &self.0 {
            Words::Plain(text) => text.starts_with(beginning),
            Words::Template(template, _) => template.starts_with(beginning),
        }
    }

    /// Renders the text in a language.
    #[must_use]
    pub fn in_language(&self, language: Language) -> Cow<'_, str> {
        match &self.0 {
            Words::Plain(text) => text.into(),
            Words::Template(template, gaps) if gaps.is_empty() => language.says(template).into(),
            Words::Template(..) => self.render(language).into(),
        }
    }

    fn render(&self, language: Language) -> String {
        let mut rendered = String::with_capacity(128);
        self.write(language, &mut rendered).expect("writing to a String never fails");
        rendered
    }

    fn write(&self, language: Language, to: &mut dyn fmt::Write) -> fmt::Result {
        let (template, gaps) = match &self.0 {
            Words::Plain(text) => return to.write_str(text),
            Words::Template(template, gaps) => (*template, gaps),
        };
        let mut rest = language.says(template);
        while let Some((before, gap)) = rest.split_once('{') {
            let (name, after) = gap.split_once('}').unwrap_or((gap, ""));
            to.write_str(before)?;
            if let Some((_, text)) = gaps.iter().find(|(known, _)| *known == name) {
                text.write_before(after, language, to)?;
            }
            rest = after;
        }
        to.write_str(rest)
    }

    /// Writes the value of a placeholder; `rest` is the template text after the placeholder. If
    /// `rest` begins with a semicolon, the full stop at the end of the value is left out.
    fn write_before(&self, rest: &str, language: Language, to: &mut dyn fmt::Write) -> fmt::Result {
        if !rest.starts_with(';') {
            return self.write(language, to);
        }
        let sentence = self.in_language(language);
        to.write_str(sentence.strip_suffix('.').unwrap_or(&sentence))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(Language::English, f)
    }
}

/// Prints the English text as a quoted string, for debugging.
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.in_language(Language::English), f)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.in_language(Language::English) == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Words::Plain(text))
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text.0 {
            Words::Plain(text) => text,
            Words::Template(..) => text.to_string(),
        }
    }
}

macro_rules! plain {
    ($($type:ty)*) => {
        $(impl From<$type> for Text {
            fn from(text: $type) -> Self {
                Self(Words::Plain(text.to_string()))
            }
        })*
    };
}
plain! { &str &String &Box<str> Cow<'_, str> i64 u8 u16 u32 u64 usize }

/// Joins names to a list, each in backquotes, separated by commas.
pub(crate) fn quoted<N: fmt::Display>(names: impl IntoIterator<Item = N>) -> String {
    let mut list = String::new();
    for name in names {
        let comma = if list.is_empty() { "" } else { ", " };
        write!(list, "{comma}`{name}`").expect("writing to a String never fails");
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conformance 98: a template is rendered in each language, with the placeholders in that
    /// language's order.
    #[test]
    fn a_text_is_the_same_in_other_words() {
        let name = "city";
        let text = text!("`{name}` is required.", name);
        assert_eq!(text.to_string(), "`city` is required.");
        assert_eq!(text.in_language(Language::German), "`city` ist ein Pflichtfeld.");
        assert_eq!(format!("{text:?}"), "\"`city` is required.\"");
    }

    #[test]
    fn a_text_in_a_gap_is_translated_too() {
        let detail = text!("must be {expected}.", expected = text!("text"));
        assert_eq!(detail.to_string(), "must be text.");
        assert_eq!(detail.in_language(Language::German), "muss Text sein.");
    }

    #[test]
    fn a_sentence_loses_its_stop_before_a_semicolon() {
        let first = text!("`{name}` is required.", name = "city");
        let more = text!("{first}; and {more} more.", first, more = 2_usize);
        assert_eq!(more.to_string(), "`city` is required; and 2 more.");
        assert_eq!(more.in_language(Language::German), "`city` ist ein Pflichtfeld; und noch 2.");
    }

    #[test]
    fn what_stands_in_a_gap_is_no_template() {
        let text = text!("`{name}` is required.", name = "{name}");
        assert_eq!(text.to_string(), "`{name}` is required.");
        assert_eq!(text.in_language(Language::German), "`{name}` ist ein Pflichtfeld.");
    }

    #[test]
    fn words_of_others_stay_as_they_are() {
        let text = text!("At `{element}`: {sentence}", element = "/1", sentence = "Not now.")
            .ours_if(false);
        assert!(!text.is_ours());
        assert_eq!(text.in_language(Language::German), "At `/1`: Not now.");
    }
}
