//! The Rust code that declares a checked [`Schema`], as a person would write it.
//!
//! Default values are omitted. Parsing the code again gives an equal schema. A key of the schema
//! language is an attribute key with the same name.

mod access;
mod api;
mod describe;
mod domain;
mod field;
mod http;
mod json;
mod keys;
mod layout;
mod named;
mod names;
mod resource;
mod session;
mod value;

use crate::schema::Schema;
use names::Names;
use proc_macro2::TokenStream;

/// The declarations of a schema as the items of a Rust module: imports, types, resources, and the
/// function `api`.
///
/// ```
/// let text = "nouns: 1\nresources: { zoo: { fields: { opened: date } } }\n";
/// let schema = nouns_codegen::read_yaml("zoo.yaml", text).unwrap();
/// assert!(nouns_codegen::declare::tokens(&schema).to_string().contains("pub struct Zoo"));
/// ```
#[must_use]
pub fn tokens(schema: &Schema) -> TokenStream {
    items(schema).into_iter().collect()
}

/// The declarations of a schema as formatted Rust code.
///
/// ```
/// let text = "nouns: 1\nresources: { zoo: { fields: { opened: date } } }\n";
/// let schema = nouns_codegen::read_yaml("zoo.yaml", text).unwrap();
/// assert!(nouns_codegen::declare::rust(&schema).contains("\n    pub opened: Option<Date>,\n"));
/// ```
#[must_use]
pub fn rust(schema: &Schema) -> String {
    // The items are formatted one by one, so that empty lines can be put between them.
    items(schema).into_iter().map(layout::text).collect::<Vec<_>>().join("\n")
}

/// All items of the module, the imports first.
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
