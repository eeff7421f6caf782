//! The draft of a declaration: an unchecked tree of keys and values, each with its position.
//!
//! The readers of YAML and of Rust create the same tree, with the keys of the schema language. So
//! [`check`](crate::check()) works the same for both.

use crate::diagnostic::{Diagnostic, shape};
pub(crate) use nouns_declaration::problem::excerpt;

/// An unchecked declaration.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text that the draft was read from, for diagnostics. It is empty if a derive macro reads
    /// the item.
    pub source: Source,
    /// The root of the tree. It should be a mapping; any other value is a mistake.
    pub root: Node,
    /// The mistakes that the reader found. [`check`](crate::check()) reports these and its own.
    pub problems: Vec<Diagnostic>,
}

/// The text of a file with its name. Both are empty if a derive macro reads the item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// The whole text of the file.
    pub text: String,
}

/// A value with its position.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The position of the value.
    pub at: Origin,
}

/// A value in the tree of a [`Draft`], with its position.
pub type Node = Spanned<Value>;

/// The position of a value in a declaration.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// A byte range in the [`Source`], for YAML files and for Rust files that are read as text.
    Yaml(Span),
    /// A span in the Rust program that is being compiled.
    Rust(proc_macro2::Span),
}

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The index of the first byte.
    pub start: usize,
    /// The index after the last byte.
    pub end: usize,
}

/// A value in the tree of a [`Draft`].
#[derive(Clone, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number as JSON text, with all its digits. `.inf` and `.nan` stay as in YAML.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the source. Keys may be repeated, which is a mistake.
    Map(Vec<Entry>),
}

/// A key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// The identifier of the Rust item that the entry was read from. If `None`, the identifier
    /// follows from the key.
    pub rust: Option<String>,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// Whether a reader of Rust has already reported a mistake in this entry.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.rust.is_some() && matches!(self.value.value, Value::Null)
    }
}

impl Value {
    /// The kind of the value as words for a message, such as `a mapping`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Boolean(_) => shape::BOOLEAN,
            Self::Number(_) => shape::NUMBER,
            Self::Text(_) => shape::TEXT,
            Self::List(_) => shape::LIST,
            Self::Map(_) => "a mapping",
        }
    }

    /// A short form of the value for messages, such as the beginning of a text, or `[…]` for a
    /// list.
    #[must_use]
    pub fn excerpt(&self) -> String {
        match self {
            Self::Boolean(value) => value.to_string(),
            // A text stays in quotes if it would be another value without quotes.
            Self::Text(text)
                if text.parse::<f64>().is_ok()
                    || matches!(text.as_str(), "true" | "false" | "null") =>
            {
                format!("\"{}\"", excerpt(text))
            }
            Self::Number(text) | Self::Text(text) => excerpt(text),
            Self::Null => String::from("null"),
            Self::List(_) => String::from("[…]"),
            Self::Map(_) => String::from("{…}"),
        }
    }

    /// Converts the value to JSON text. `None` if it contains a number that is infinite or NaN.
    ///
    /// ```
    /// use nouns_codegen::draft::Value;
    /// assert_eq!(Value::Text("a\nb".into()).to_json().as_deref(), Some(r#""a\nb""#));
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        let mut json = String::new();
        self.write_json(&mut json)?;
        Some(json)
    }

    fn write_json(&self, json: &mut String) -> Option<()> {
        match self {
            Self::Null => json.push_str("null"),
            Self::Boolean(value) => json.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) if text.contains(['i', 'n']) => return None,
            Self::Number(text) => json.push_str(text),
            Self::Text(text) => json.push_str(&quoted(text)),
            Self::List(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    separate(json, index);
                    item.value.write_json(json)?;
                }
                json.push(']');
            }
            Self::Map(entries) => {
                json.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    separate(json, index);
                    json.push_str(&quoted(&entry.key.value));
                    json.push(':');
                    entry.value.value.write_json(json)?;
                }
                json.push('}');
            }
        }
        Some(())
    }
}

fn separate(json: &mut String, index: usize) {
    if index > 0 {
        json.push(',');
    }
}

/// A JSON string, spelled as `serde_json` does. A derive needs no more of that library.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '\0'..'\u{20}' => json.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_quoted_as_in_serde_json() {
        for character in ('\0'..='\u{2fff}').chain(['\u{feff}', '\u{ffff}', '\u{10ffff}']) {
            let text = format!("a{character}");
            assert_eq!(quoted(&text), serde_json::Value::from(text).to_string());
        }
    }
}
