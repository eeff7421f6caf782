//! The procedural macros of Nouns: `#[derive(Resource)]`, `#[derive(FieldType)]` and `schema!`.
//!
//! The crate `nouns` re-exports them, and describes all their attributes.

#![forbid(unsafe_code)]

use nouns_codegen::expand;
use proc_macro::TokenStream;

/// The derive of a resource in the crate `nouns`. Its code has paths that begin with `::nouns`, so
/// the dependency must have the name `nouns` in `Cargo.toml`.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    expand::derive_resource(item.into()).into()
}

/// The derive of a field type in the crate `nouns`. Its code has paths that begin with `::nouns`,
/// so the dependency must have the name `nouns` in `Cargo.toml`.
#[proc_macro_derive(FieldType, attributes(field_type))]
pub fn field_type(item: TokenStream) -> TokenStream {
    expand::derive_field_type(item.into()).into()
}

/// Expands to the contents of a schema file: the structs and enums that a person would write for
/// it, and the function `api`.
///
/// The path is relative to the folder of the crate. The generated items import names of `nouns`, so
/// call this macro in a separate module.
#[cfg(feature = "schema")]
#[proc_macro]
pub fn schema(path: TokenStream) -> TokenStream {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    expand::schema(path.into(), folder.as_ref()).into()
}
