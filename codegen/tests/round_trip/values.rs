//! Builds unchecked declarations with unusual values.

use super::genes::Genes;
use nouns_codegen::draft::{Entry, Node, Origin, Span, Spanned, Value};

fn at<T>(value: T) -> Spanned<T> {
    Spanned { value, at: Origin::Yaml(Span::default()) }
}

pub(super) fn node(value: Value) -> Node {
    at(value)
}

pub(super) fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

pub(super) fn number(digits: impl ToString + Copy) -> Value {
    Value::Number(digits.to_string())
}

pub(super) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::List(items.into_iter().map(node).collect())
}

pub(super) fn names(names: &[String]) -> Value {
    list(names.iter().map(text))
}

/// A mapping while it is built.
#[derive(Default)]
pub(super) struct Map(Vec<Entry>);

impl Map {
    pub(super) fn put(&mut self, key: impl Into<String>, value: Value) {
        self.0.push(Entry { key: at(key.into()), rust: None, value: node(value) });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|entry| entry.key.value == key)
    }

    /// Whether the value of a key is this text.
    pub(super) fn has_text(&self, key: &str, word: &str) -> bool {
        let is = |value: &Value| matches!(value, Value::Text(text) if text == word);
        self.0.iter().any(|entry| entry.key.value == key && is(&entry.value.value))
    }

    /// Sometimes adds a key with the value `true`. Returns whether the key was added.
    pub(super) fn flag(&mut self, key: &str, genes: &mut Genes<'_>) -> bool {
        let is_set = genes.once_in(6);
        if is_set {
            self.put(key, Value::Boolean(true));
        }
        is_set
    }

    /// Sometimes adds a key with an unusual text.
    pub(super) fn odd_text(&mut self, key: &str, genes: &mut Genes<'_>) {
        if genes.once_in(4) {
            self.put(key, text(odd_text(genes)));
        }
    }

    /// Sometimes adds an `x-…` key with a JSON value.
    pub(super) fn extension(&mut self, genes: &mut Genes<'_>) {
        if genes.once_in(8) {
            let name = genes.pick(&["x-a", "x-Odd.Key", "x-\"ü\" ", "x-"]);
            let key = format!("{name}{}", genes.fresh());
            let value = json(genes, 3);
            self.put(key, value);
        }
    }

    pub(super) fn value(self) -> Value {
        Value::Map(self.0)
    }
}

/// Texts that are difficult to write in YAML or Rust.
const TEXTS: &[&str] = &[
    "plain",
    "It's \"quoted\".",
    "back\\slash",
    "line\nbreak",
    " before",
    "after ",
    "größer 🦁",
    "tab\tinside",
    "\u{202e}",
    "// comment",
    "/ slash",
    "*/",
    "/*",
    "```",
    "    code",
    "The field `name`.",
    "One `zoo`.",
    "A value of `label`.",
    "\"#\"##",
    "\r",
    "a\r\nb",
    "\0",
    "{}",
    "{a}",
    "true",
    "null",
    "5",
    "-1.50",
    "r#\"x\"#",
    "\u{7f}\u{85}",
    "\u{2028}\u{feff}",
    "one\n\ntwo",
    "one \ntwo",
    "one\n  two\n",
    "\n",
    "[a]",
    "#[doc]",
    "é\u{301}",
    "$",
    "\\n",
    "\\",
    "\"",
    "x\\\"y",
    "a, b",
    "self",
    "r#type",
];

pub(super) fn odd_text(genes: &mut Genes<'_>) -> String {
    let count = genes.below(TEXTS.len() + 4);
    match TEXTS.get(count) {
        Some(text) => (*text).to_owned(),
        None => (0..=count - TEXTS.len()).map(|_| genes.character()).collect(),
    }
}

/// JSON numbers in unusual but valid forms.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "-0",
    "2.50",
    "-2.50e-7",
    "1e400",
    "1E5",
    "1e+5",
    "9E+05",
    "99999999999999999999",
    "0.1e1",
];

const KEYS: &[&str] = &[
    "a",
    "two words",
    "type",
    "true",
    "null",
    "r#type",
    "",
    "Self",
    "_",
    "x-1",
    "é",
    "\"",
    "a_1",
    "self",
];

/// A JSON value with at most `depth` levels of lists and mappings.
pub(super) fn json(genes: &mut Genes<'_>, depth: usize) -> Value {
    match genes.below(if depth == 0 { 4 } else { 6 }) {
        0 => number(genes.pick(NUMBERS)),
        1 => text(odd_text(genes)),
        2 => Value::Boolean(genes.once_in(2)),
        3 => Value::Null,
        4 => {
            let count = genes.below(4);
            list((0..count).map(|_| json(genes, depth - 1)).collect::<Vec<_>>())
        }
        _ => {
            let (mut map, mut keys) = (Map::default(), KEYS.to_vec());
            for _ in 0..genes.below(4) {
                let key = genes.take(&mut keys);
                map.put(key, json(genes, depth - 1));
            }
            map.value()
        }
    }
}
