//! Reads a whole Rust file: the items with the derive macros of Nouns, and the function `api`.

use super::api::{self, Chain};
use super::reader::{Reader, entry, last};
use super::{field_type, item, resource};
use crate::check::{CheckedSchema, check_with_warnings};
use crate::diagnostic::{Diagnostic, Diagnostics, Problem};
use crate::draft::{Draft, Entry, Node, Origin, Source, Value};
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, DeriveInput, Item, Token};

/// The items of a file that have the same derive.
struct Items(Vec<DeriveInput>);

/// Reads and checks the text of a Rust file.
pub(super) fn read(source: &str, text: &str) -> Result<CheckedSchema, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { name: source.to_owned(), text: text.to_owned() };
    let draft = match syn::parse_str::<syn::File>(text) {
        Ok(file) => draft(&file),
        Err(error) => {
            let problem = Problem::RustSyntax { message: error.to_string() };
            let at = in_text(Origin::Rust(error.span()));
            return Err(Diagnostics::new(source, vec![Diagnostic { at, problem }]));
        }
    };
    check_with_warnings(place_in_text(Draft { source, ..draft }))
}

fn draft(file: &syn::File) -> Draft {
    let mut reader = Reader::default();
    let mut types = Items::deriving(file, "FieldType");
    let mut resources = Items::deriving(file, "Resource");
    reader.types = types.names("field_type");
    reader.resources = resources.names("resource");
    let function = file.items.iter().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == "api" => Some(function),
        _ => None,
    });
    let chain = function.and_then(|function| api::read(function, &mut reader));
    let (mut api, mut server, mut auth) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(chain) = chain {
        types.order(&chain.types, "FieldType", &mut reader);
        resources.order(&chain.resources, "Resource", &mut reader);
        Chain { api, server, auth, .. } = chain;
    }
    let types = types.0.iter().map(|item| {
        let parts = field_type::read(item, &mut reader);
        parts.map_or_else(|| unread(item, "field_type"), |parts| parts.entry)
    });
    let types: Vec<Entry> = types.collect();
    let resources = resources.0.iter().map(|item| {
        let own = item::declared_name(item, "resource");
        reader.resources.insert("Self".to_owned(), own);
        let parts = resource::read(item, &mut reader);
        parts.map_or_else(|| unread(item, "resource"), |parts| parts.entry)
    });
    let resources: Vec<Entry> = resources.collect();
    let at = function.map_or_else(Span::call_site, |function| function.sig.ident.span());
    let maps = [
        ("api", api),
        ("server", server),
        ("auth", auth),
        ("types", types),
        ("resources", resources),
    ];
    let present =
        maps.into_iter().filter(|(key, entries)| *key == "resources" || !entries.is_empty());
    let entries = present.map(|(key, entries)| entry(key, at, Value::Map(entries))).collect();
    reader.draft(entries)
}

/// The entry of an item that cannot be read. Other items can still refer to its name.
fn unread(item: &DeriveInput, attribute: &str) -> Entry {
    let rust = Some(item.ident.unraw().to_string());
    Entry { rust, ..entry(&item::declared_name(item, attribute), item.ident.span(), Value::Null) }
}

impl Items {
    /// The items of a file that derive a trait.
    fn deriving(file: &syn::File, derive: &str) -> Self {
        let items = file.items.iter().filter_map(|item| {
            let input = match item {
                Item::Struct(item) => DeriveInput::from(item.clone()),
                Item::Enum(item) => DeriveInput::from(item.clone()),
                Item::Union(item) => DeriveInput::from(item.clone()),
                _ => return None,
            };
            derives(&input.attrs, derive).then_some(input)
        });
        Self(items.collect())
    }

    /// The names of the declared resources or types, by Rust identifier.
    fn names(&self, attribute: &str) -> std::collections::HashMap<String, String> {
        let name = |item: &DeriveInput| {
            (item.ident.unraw().to_string(), item::declared_name(item, attribute))
        };
        self.0.iter().map(name).collect()
    }

    /// Sorts the items in the order in which the function `api` names them. Resources that it does
    /// not name are removed, because they are not declared. Field types that it does not name are
    /// moved to the end.
    fn order(&mut self, named: &[syn::Path], derive: &'static str, reader: &mut Reader) {
        let mut rest = std::mem::take(&mut self.0);
        for path in named {
            let ident = last(path);
            match rest.iter().position(|item| item.ident.unraw() == ident) {
                Some(index) => self.0.push(rest.remove(index)),
                None => {
                    let at = syn::spanned::Spanned::span(path);
                    reader.report(at, Problem::UnknownItem { ident, derive });
                }
            }
        }
        if derive == "FieldType" {
            self.0.extend(rest);
        }
    }
}

/// Whether one of the attributes derives a trait with this name.
fn derives(attributes: &[Attribute], derive: &str) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
        let paths = syn::punctuated::Punctuated::<syn::Path, Token![,]>::parse_terminated;
        attribute
            .parse_args_with(paths)
            .is_ok_and(|paths| paths.iter().any(|path| last(path) == derive))
    })
}

/// Converts the positions in a [`Draft`] from Rust spans to byte ranges in the text.
fn place_in_text(mut draft: Draft) -> Draft {
    place(&mut draft.root);
    for diagnostic in &mut draft.problems {
        diagnostic.at = in_text(diagnostic.at);
    }
    draft
}

fn place(node: &mut Node) {
    node.at = in_text(node.at);
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(place),
        Value::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.key.at = in_text(entry.key.at);
            place(&mut entry.value);
        }),
        _ => {}
    }
}

fn in_text(at: Origin) -> Origin {
    match at {
        Origin::Rust(span) => {
            let bytes = span.byte_range();
            Origin::Yaml(crate::draft::Span { start: bytes.start, end: bytes.end })
        }
        Origin::Yaml(_) => at,
    }
}
