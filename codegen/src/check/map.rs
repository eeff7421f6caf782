//! A reader for mappings of a [`Draft`](crate::Draft), the unchecked declaration. It checks the
//! keys of a mapping, and reports values of the wrong shape.

use super::context::Context;
use super::extensions::Extensions;
use super::foreign;
use super::json::json;
use crate::diagnostic::problem::{Owner, Problem, Words};
use crate::diagnostic::shape;
use crate::draft::{Entry, Node, Origin, Spanned, Value, excerpt};
use crate::language::{Level, ValueShape};
use crate::schema::Extension;
use std::collections::HashSet;

/// A mapping of the unchecked declaration. All its keys are keys of its [`Level`], and each key
/// occurs once.
pub(super) struct Map<'d> {
    /// The declared item.
    pub(super) owner: Owner,
    /// The position of the item's name.
    pub(super) at: Origin,
    pub(super) extensions: Extensions,
    level: &'static Level,
    entries: Vec<&'d Entry>,
    /// Whether an unknown key was probably meant as the type of a field.
    pub(super) lost_type: bool,
}

/// Whether a key is a custom `x-…` key.
pub(super) fn is_extension(key: &str) -> bool {
    key.starts_with("x-")
}

impl<'d> Map<'d> {
    /// Opens the mapping that declares an item. `at` is the position of the item's name.
    pub(super) fn open(
        node: &'d Node,
        at: Origin,
        owner: &Owner,
        level: &'static Level,
        context: &mut Context,
    ) -> Option<Self> {
        let (found, extensions) = names(node, owner, level.shape, context)?;
        let (mut entries, mut lost_type) = (Vec::with_capacity(found.len()), false);
        for entry in &found {
            let entry = *entry;
            let key = entry.key.value.as_str();
            if level.has(key) {
                entries.push(entry);
            } else if level.later.contains(&key) {
                context.report(entry.key.at, Problem::NotSupported { what: key.to_owned() });
            } else {
                let problem = foreign::unknown_key(entry, &found, owner, level, context);
                lost_type |= foreign::says_type(&problem);
                context.report(entry.key.at, problem);
            }
        }
        Some(Self { owner: owner.clone(), at, extensions, level, entries, lost_type })
    }

    /// Opens the mapping that is the value of a key.
    pub(super) fn inner(
        &self,
        key: &str,
        level: &'static Level,
        context: &mut Context,
    ) -> Option<Self> {
        let entry = self.entry(key)?;
        Self::open(&entry.value, entry.key.at, &Owner::Key(key.to_owned()), level, context)
    }

    pub(super) fn entry(&self, key: &str) -> Option<&'d Entry> {
        self.entries.iter().copied().find(|entry| entry.key.value == key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The position of the value of a key. Without the key, the position of the item's name.
    pub(super) fn place(&self, key: &str) -> Origin {
        self.entry(key).map_or(self.at, |entry| entry.value.at)
    }

    /// The position of a key. Without the key, the position of the item's name.
    pub(super) fn key_place(&self, key: &str) -> Origin {
        self.entry(key).map_or(self.at, |entry| entry.key.at)
    }

    /// The entry of a required key. A missing key is reported.
    pub(super) fn needed(&self, key: &'static str, context: &mut Context) -> Option<&'d Entry> {
        let entry = self.entry(key);
        if entry.is_none() {
            context.report(self.at, Problem::MissingKey { key, owner: self.owner.clone() });
        }
        entry
    }

    pub(super) fn text(&self, key: &str, context: &mut Context) -> Option<&'d str> {
        text(key, &self.entry(key)?.value, context)
    }

    pub(super) fn owned(&self, key: &str, context: &mut Context) -> Option<String> {
        self.text(key, context).map(str::to_owned)
    }

    /// The description of the item, without the line feed at the end of a YAML block.
    pub(super) fn description(&self, context: &mut Context) -> Option<String> {
        let text = self.text("description", context)?.trim_end();
        if text.is_empty() {
            context.report(
                self.place("description"),
                Problem::Nothing { key: "description".to_owned() },
            );
            return None;
        }
        Some(text.to_owned())
    }

    pub(super) fn flag(&self, key: &str, context: &mut Context) -> Option<bool> {
        let node = &self.entry(key)?.value;
        match node.value {
            Value::Boolean(flag) => Some(flag),
            _ => wrong_shape(&Owner::Key(key.to_owned()), shape::FLAG, node, context),
        }
    }

    /// Whether a key is true, or else whether it is true by default.
    pub(super) fn holds(&self, key: &str, context: &mut Context) -> bool {
        let usual = || self.level.key(key).is_some_and(|key| key.value.is_usually_true());
        self.flag(key, context).unwrap_or_else(usual)
    }

    /// The whole number that is the value of a key, in the range that its level declares.
    pub(super) fn count(&self, key: &str, context: &mut Context) -> Option<u32> {
        let node = &self.entry(key)?.value;
        let ValueShape::Count(minimum, maximum, _) = self.level.key(key)?.value else {
            return None;
        };
        let Value::Number(number) = &node.value else {
            return wrong_shape(&Owner::Key(key.to_owned()), "a whole number", node, context);
        };
        let count = number.parse().ok().filter(|count| (minimum..=maximum).contains(count));
        if count.is_none() {
            let (key, value) = (key.to_owned(), excerpt(number));
            context.report(node.at, Problem::OutOfRange { key, value, minimum, maximum });
        }
        count
    }

    pub(super) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &'static [(&str, T)],
        context: &mut Context,
    ) -> Option<T> {
        let node = &self.entry(key)?.value;
        word(key, Spanned { value: text(key, node, context)?, at: node.at }, words, context)
    }

    /// The list that is the value of a key. An empty list is reported.
    pub(super) fn list(
        &self,
        key: &str,
        expected: &'static str,
        context: &mut Context,
    ) -> Option<&'d [Node]> {
        let node = &self.entry(key)?.value;
        match &node.value {
            Value::List(items) if items.is_empty() => {
                context.report(node.at, Problem::Nothing { key: key.to_owned() });
                None
            }
            Value::List(items) => Some(items),
            _ => wrong_shape(&Owner::Key(key.to_owned()), expected, node, context),
        }
    }

    /// The texts in the list that is the value of a key.
    pub(super) fn texts(&self, key: &str, context: &mut Context) -> Option<Vec<Spanned<&'d str>>> {
        let items = self.list(key, shape::LIST, context)?;
        Some(texts(key, items, context))
    }
}

/// The texts in a list. A repeated text is reported and omitted.
pub(super) fn texts<'d>(
    key: &str,
    items: &'d [Node],
    context: &mut Context,
) -> Vec<Spanned<&'d str>> {
    let mut seen = HashSet::new();
    let mut texts = Vec::with_capacity(items.len());
    for node in items {
        let Some(value) = text(key, node, context) else { continue };
        if seen.insert(value) {
            texts.push(Spanned { value, at: node.at });
        } else {
            context
                .report(node.at, Problem::Repeated { key: key.to_owned(), item: excerpt(value) });
        }
    }
    texts
}

/// The text of a value. An empty text is reported.
pub(super) fn text<'d>(key: &str, node: &'d Node, context: &mut Context) -> Option<&'d str> {
    match &node.value {
        Value::Text(text) if text.is_empty() => {
            context.report(node.at, Problem::Nothing { key: key.to_owned() });
            None
        }
        Value::Text(text) => Some(text),
        _ => wrong_shape(&Owner::Key(key.to_owned()), shape::TEXT, node, context),
    }
}

/// The value that a word stands for in the list `words`. An unknown word is reported.
pub(super) fn word<T: Copy>(
    key: &'static str,
    word: Spanned<&str>,
    words: &'static [(&str, T)],
    context: &mut Context,
) -> Option<T> {
    if let Some((_, meaning)) = words.iter().find(|(candidate, _)| *candidate == word.value) {
        return Some(*meaning);
    }
    let nearest =
        context.suggestions.nearest(word.value, words.iter().map(|(candidate, _)| *candidate));
    let allowed = Words(words.iter().map(|(candidate, _)| *candidate).collect());
    let problem = Problem::UnknownWord { key, word: excerpt(word.value), allowed, nearest };
    context.report(word.at, problem);
    None
}

/// The entries of a mapping, and its `x-…` keys. A repeated key is reported and omitted.
pub(super) fn names<'d>(
    node: &'d Node,
    owner: &Owner,
    shape: &'static str,
    context: &mut Context,
) -> Option<(Vec<&'d Entry>, Extensions)> {
    let Value::Map(found) = &node.value else {
        return wrong_shape(owner, shape, node, context);
    };
    let mut seen = HashSet::with_capacity(found.len());
    let (mut entries, mut extensions) = (Vec::with_capacity(found.len()), Vec::new());
    for entry in found {
        if !seen.insert(entry.key.value.as_str()) {
            context.report(entry.key.at, Problem::DuplicateKey { key: excerpt(&entry.key.value) });
        } else if is_extension(&entry.key.value) {
            let name = entry.key.value.clone();
            let json = json(&name, &entry.value, context);
            extensions.extend(
                json.map(|json| Spanned { value: Extension { name, json }, at: entry.key.at }),
            );
        } else {
            entries.push(entry);
        }
    }
    Some((entries, extensions))
}

/// Reports a value of the wrong shape.
pub(super) fn wrong_shape<T>(
    what: &Owner,
    expected: &'static str,
    node: &Node,
    context: &mut Context,
) -> Option<T> {
    let problem = Problem::WrongShape { what: what.clone(), expected, found: node.value.kind() };
    context.report(node.at, problem);
    None
}
