//! The door through which Rust becomes a declaration: `#[derive(Resource)]`, `#[derive(FieldType)]`
//! and `schema!`.

#![forbid(unsafe_code)]

use nouns_codegen::expand;
use proc_macro::TokenStream;

/// Declares a resource: the struct is its member, its fields are those of the resource.
///
/// Every key of the schema language is a key of `#[resource(…)]`.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    expand::derive_resource(item.into()).into()
}

/// Declares a type that fields can have: an enum without data, or a struct around one type.
///
/// Every key that a type has in the schema language is a key of `#[field_type(…)]`.
#[proc_macro_derive(FieldType, attributes(field_type))]
pub fn field_type(item: TokenStream) -> TokenStream {
    expand::derive_field_type(item.into()).into()
}

/// Declares what a schema file declares: the items that a person would have written for it, with
/// the function `api`.
///
/// The path leads from the folder of the crate. The items import names of `nouns`, so they have a
/// module of their own.
#[cfg(feature = "yaml")]
#[proc_macro]
pub fn schema(path: TokenStream) -> TokenStream {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    expand::schema(path.into(), folder.as_ref()).into()
}
