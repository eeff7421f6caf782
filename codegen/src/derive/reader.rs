//! What every part of reading Rust shares: the mistakes so far, and which names the items have.

use crate::diagnostic::{Diagnostic, Problem};
use crate::draft::{Draft, Entry, Node, Origin, Source, Spanned, Value};
use crate::name;
use proc_macro2::Span;
use std::collections::HashMap;
use syn::ext::IdentExt;

/// What every part of reading shares.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<Diagnostic>,
    /// The declared names of the items that are read together, by their identifiers.
    pub(super) resources: HashMap<String, String>,
    /// The same of the field types.
    pub(super) types: HashMap<String, String>,
}

impl Reader {
    pub(super) fn say(&mut self, at: Span, problem: Problem) {
        self.problems.push(Diagnostic { at: Origin::Rust(at), problem });
    }

    /// The name of the resource that a path leads to; of one that is not here, the name that
    /// follows from its identifier.
    pub(super) fn resource(&self, path: &syn::Path) -> String {
        named(&self.resources, path)
    }

    /// The name of the field type that a path leads to.
    pub(super) fn field_type(&self, path: &syn::Path) -> String {
        named(&self.types, path)
    }

    /// A declaration of these entries, with the mistakes of the reading.
    pub(super) fn draft(self, entries: Vec<Entry>) -> Draft {
        let version = entry("nouns", Span::call_site(), Value::Number("1".to_owned()));
        let entries = [version].into_iter().chain(entries).collect();
        let root = node(Value::Map(entries), Span::call_site());
        Draft { source: Source::default(), root, problems: self.problems }
    }
}

fn named(names: &HashMap<String, String>, path: &syn::Path) -> String {
    let ident = last(path);
    names.get(&ident).cloned().unwrap_or_else(|| name::snake(&ident))
}

/// The last identifier of a path, by which it is known.
pub(super) fn last(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

/// A value at a place of a Rust program.
pub(super) fn node(value: Value, at: Span) -> Node {
    Spanned { value, at: Origin::Rust(at) }
}

/// An entry that stands, with its key, at one place of a Rust program.
pub(super) fn entry(key: &str, at: Span, value: Value) -> Entry {
    let key = Spanned { value: key.to_owned(), at: Origin::Rust(at) };
    Entry { key, rust: None, value: node(value, at) }
}
