//! A declaration as its author wrote it: a tree of keys and values, each with its place, unchecked.
//!
//! Every front end makes this tree with the keys of the schema language, so that
//! [`check`](crate::check()) never knows which one it came from.

use crate::diagnostic::Diagnostic;
pub(crate) use nouns_declaration::problem::excerpt;

/// What an author wrote.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text it was read from, which diagnostics draw; empty for an item of Rust.
    pub source: Source,
    /// The whole declaration, a mapping where the author made no mistake.
    pub root: Node,
    /// What the front end itself had to refuse; [`check`](crate::check()) reports it together with
    /// its own findings.
    pub problems: Vec<Diagnostic>,
}

/// A text and what to call it; both are empty for a declaration in Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// All of its text.
    pub text: String,
}

/// A thing and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The thing.
    pub value: T,
    /// Where it stands.
    pub at: Origin,
}

/// A value and where it stands.
pub type Node = Spanned<Value>;

/// A place in the declaration of an author.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// In the [`Source`].
    Yaml(Span),
    /// In the Rust program that is being compiled.
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
    /// Nothing was written.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number, spelled as JSON does and as precisely as the author did; `.inf` and `.nan` stand
    /// for themselves.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in order, with repeated keys.
    Map(Vec<Entry>),
}

/// One key of a mapping and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// The identifier of the Rust item that the entry was read from; where there is none, it
    /// follows from the key.
    pub rust: Option<String>,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// Whether the front end refused already what the entry says, which only a Rust type can make
    /// it do.
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
            Self::Boolean(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }

    /// The value in short, for messages.
    #[must_use]
    pub fn excerpt(&self) -> String {
        match self {
            Self::Boolean(value) => value.to_string(),
            // What would be no text without its quotes is shown with them.
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

    /// The value as JSON text; `None` where a number in it is infinite or none.
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
