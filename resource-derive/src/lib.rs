//! The procedural macros of Nouns: `#[derive(Resource)]`, `#[derive(FieldType)]` and `schema!`.

#![forbid(unsafe_code)]

use nouns_codegen::expand;
use proc_macro::TokenStream;

/// Declares a resource from a struct. An instance of the struct is a member of the resource, and
/// the fields of the struct are the fields of the resource.
///
/// Every key of a resource or field in the schema language is a key of `#[resource(…)]`.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    expand::derive_resource(item.into()).into()
}

/// Declares a named type from an enum without data, or from a struct with one unnamed field.
///
/// Every key of a type in the schema language is a key of `#[field_type(…)]`.
#[proc_macro_derive(FieldType, attributes(field_type))]
pub fn field_type(item: TokenStream) -> TokenStream {
    expand::derive_field_type(item.into()).into()
}

/// Expands to the contents of a schema file: the structs and enums that a person would write for
/// it, and the function `api`.
///
/// The path is relative to the folder of the crate. The generated items import names of `nouns`, so
/// call this macro in a separate module.
#[cfg(feature = "yaml")]
#[proc_macro]
pub fn schema(path: TokenStream) -> TokenStream {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    expand::schema(path.into(), folder.as_ref()).into()
}
