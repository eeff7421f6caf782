//! A declaration as it was written: an unchecked tree of keys and values, each with its place.
//!
//! Every front end makes this tree with the keys of the schema language. So
//! [`check`](crate::check()) does not know which one it came from.

use crate::diagnostic::{Diagnostic, shape};
pub(crate) use nouns_declaration::problem::excerpt;

/// An unchecked declaration.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text it was read from, for diagnostics; empty for an item of Rust.
    pub source: Source,
    /// The whole declaration; a mapping unless that is a mistake.
    pub root: Node,
    /// The problems that the front end found; [`check`](crate::check()) reports them with its own.
    pub problems: Vec<Diagnostic>,
}

/// A text and its name; both are empty for an item of Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// All of its text.
    pub text: String,
}

/// A value and its place.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub at: Origin,
}

/// A value of the tree and its place.
pub type Node = Spanned<Value>;

/// A place in a declaration.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// A place in the [`Source`].
    Yaml(Span),
    /// A place in the Rust program that is being compiled.
    Rust(proc_macro2::Span),
}

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// A value of the neutral tree.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number in the spelling of JSON, with all its digits; `.inf` and `.nan` keep their
    /// spelling.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in order, perhaps with repeated keys.
    Map(Vec<Entry>),
}

/// One key of a mapping and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// The identifier of the Rust item that the entry was read from. If absent, it follows from the
    /// key.
    pub rust: Option<String>,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// Whether the front end has reported the entry already, which only happens for Rust items.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.rust.is_some() && matches!(self.value.value, Value::Null)
    }
}

impl Value {
    /// The kind of value, with its article, for messages.
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

    /// The beginning of the value, for messages.
    #[must_use]
    pub fn excerpt(&self) -> String {
        match self {
            Self::Boolean(value) => value.to_string(),
            // A text that would not be text without quotes keeps them.
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

    /// Converts the value to JSON text; `None` if it has a number that is infinite or NaN.
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

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
