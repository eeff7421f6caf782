//! `#[derive(Resource)]`: the door through which a Rust struct becomes a declaration.

#![forbid(unsafe_code)]

use proc_macro::TokenStream;

/// Declares a resource from a struct. Not supported yet: it is refused with a sentence that says so.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(_: TokenStream) -> TokenStream {
    let text = "compile_error!(\"`#[derive(Resource)]` is not supported yet; declare it in a schema file\");";
    text.parse().unwrap_or_default()
}

/// Declares a field type from an enum or a struct. Not supported yet: it is refused with a sentence that says so.
#[proc_macro_derive(FieldType, attributes(field_type))]
pub fn field_type(_: TokenStream) -> TokenStream {
    let text = "compile_error!(\"`#[derive(FieldType)]` is not supported yet; declare it in a schema file\");";
    text.parse().unwrap_or_default()
}
