//! The state that all readers of Rust items share: the mistakes and the names of the items.

use crate::diagnostic::{Diagnostic, Problem};
use crate::draft::{Draft, Entry, Node, Origin, Source, Spanned, Value};
use crate::name;
use proc_macro2::Span;
use std::collections::HashMap;
use syn::ext::IdentExt;

/// The state that all readers of Rust items share.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<Diagnostic>,
    /// The names of the resources of a file, by Rust identifier.
    pub(super) resources: HashMap<String, String>,
    /// The names of the field types of a file, by Rust identifier.
    pub(super) types: HashMap<String, String>,
}

impl Reader {
    pub(super) fn report(&mut self, at: Span, problem: Problem) {
        self.problems.push(Diagnostic { at: Origin::Rust(at), problem });
    }

    /// The name of the resource that a path means. For a resource outside of this file, the name
    /// follows from the identifier.
    pub(super) fn resource(&self, path: &syn::Path) -> String {
        named(&self.resources, path)
    }

    /// The name of the field type that a path means.
    pub(super) fn field_type(&self, path: &syn::Path) -> String {
        named(&self.types, path)
    }

    /// Converts entries to a [`Draft`], with the mistakes found so far.
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

/// The last identifier of a path.
pub(super) fn last(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

/// A value of a declaration, with its position in Rust.
pub(super) fn node(value: Value, at: Span) -> Node {
    Spanned { value, at: Origin::Rust(at) }
}

/// An entry of a declaration whose key and value have the same position in Rust.
pub(super) fn entry(key: &str, at: Span, value: Value) -> Entry {
    let key = Spanned { value: key.to_owned(), at: Origin::Rust(at) };
    Entry { key, rust: None, value: node(value, at) }
}
