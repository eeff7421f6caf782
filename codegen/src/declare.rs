//! A checked [`Schema`] becomes the Rust that a careful person would have written for it.
//!
//! Whatever is the default is left out, so that the text reads well, and reading it gives the same
//! schema again. How Rust is read stands elsewhere; the two share the rule that a key of the
//! language is an attribute of the same name.

mod api;
mod describe;
mod domain;
mod field;
mod http;
mod json;
mod keys;
#[cfg(feature = "yaml")]
mod layout;
mod named;
mod names;
mod resource;
mod value;

use crate::schema::Schema;
use names::Names;
use proc_macro2::TokenStream;

/// The declarations of a schema as the items of a module: what they use, types, resources, and the
/// function `api`.
///
/// ```
/// # #[cfg(feature = "yaml")] {
/// let text = "nouns: 1\nresources: { zoo: { fields: { opened: date } } }\n";
/// let schema = nouns_codegen::read_yaml("zoo.yaml", text).unwrap();
/// assert!(nouns_codegen::declare::tokens(&schema).to_string().contains("pub struct Zoo"));
/// # }
/// ```
#[must_use]
pub fn tokens(schema: &Schema) -> TokenStream {
    items(schema).into_iter().collect()
}

/// The declarations of a schema as formatted text.
///
/// ```
/// let text = "nouns: 1\nresources: { zoo: { fields: { opened: date } } }\n";
/// let schema = nouns_codegen::read_yaml("zoo.yaml", text).unwrap();
/// assert!(nouns_codegen::declare::rust(&schema).contains("\n    pub opened: Option<Date>,\n"));
/// ```
#[cfg(feature = "yaml")]
#[must_use]
pub fn rust(schema: &Schema) -> String {
    // Items are laid out one by one, for between two of them belongs an empty line.
    items(schema).into_iter().map(layout::text).collect::<Vec<_>>().join("\n")
}

/// Each item, the names that the others use first.
fn items(schema: &Schema) -> Vec<TokenStream> {
    let mut names = Names::of(schema);
    let mut items = Vec::with_capacity(schema.types.len() + schema.resources.len() + 2);
    items.extend(schema.types.iter().map(|named| named::item(named, schema, &mut names)));
    items.extend(
        schema.resources.iter().map(|resource| resource::item(resource, schema, &mut names)),
    );
    items.push(api::item(schema, &mut names));
    items.insert(0, names.imports());
    items
}
