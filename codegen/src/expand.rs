//! Generates the code that a derive adds to an item: definitions, implementations, and structs for
//! new members, patches and queries.
//!
//! The generated code uses absolute paths to the hidden module `::nouns::__v1` and to the core
//! library. So names in user code cannot conflict. The code has only data; the behaviour is in the
//! runtime.

mod access;
mod companions;
mod def;
mod document;
mod domain;
mod field_def;
mod field_type;
#[cfg(feature = "yaml")]
mod file;
mod http;
mod literal;
mod member;
mod missing;
mod own;
mod resource;
mod slot_record;
mod stub;

use crate::derive::{BrokenItem, ResourceItem, TypeItem, read_field_type, read_resource};
use companions::Companions;
#[cfg(feature = "yaml")]
pub use file::schema;
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

/// Expands `#[derive(Resource)]`.
///
/// ```
/// let item = quote::quote! { struct Zoo { id: Id<Self>, name: String } };
/// let added = nouns_codegen::expand::derive_resource(item).to_string();
/// assert!(added.contains("struct NewZoo") && !added.contains("compile_error"));
/// ```
#[must_use]
pub fn derive_resource(item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<DeriveInput>(item) {
        Ok(item) => read_resource(&item),
        Err(error) => return error.to_compile_error(),
    };
    item.map_or_else(|broken| broken_resource(&broken), |item| resource(&item))
}

/// Expands `#[derive(FieldType)]`.
///
/// ```
/// let item = quote::quote! { enum Status { Draft, Published } };
/// assert!(nouns_codegen::expand::derive_field_type(item).to_string().contains("\"published\""));
/// ```
#[must_use]
pub fn derive_field_type(item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<DeriveInput>(item) {
        Ok(item) => read_field_type(&item),
        Err(error) => return error.to_compile_error(),
    };
    item.map_or_else(|broken| broken_field_type(&broken), |item| field_type(&item))
}

/// The code for a resource: its definition, its implementations, and the structs for new members,
/// patches and queries.
#[must_use]
pub fn resource(item: &ResourceItem) -> TokenStream {
    let members = member::of(item);
    let companions = Companions::of(&item.ident, &item.vis, item.schema.timestamps);
    let declared = companions.items(&members);
    let def = def::item(item);
    let resource = resource::implementation(item, &companions, &members);
    let slot_records = slot_record::implementations(&item.ident, &companions, &members);
    let conversions = companions.implementations(&members);
    quote! {
        #declared
        const _: () = {
            use ::nouns::__v1;
            #def
            #resource
            #slot_records
            #conversions
        };
    }
}

/// The code for a field type: its definition and its implementation.
#[must_use]
pub fn field_type(item: &TypeItem) -> TokenStream {
    let (def, implementation) = (field_type::def(item), field_type::implementation(item));
    quote! {
        const _: () = {
            use ::nouns::__v1;
            #def
            #implementation
        };
    }
}

/// The code for a resource with mistakes: compiler errors, and a stub of the resource. The stub
/// keeps rustc from reporting errors in code that uses the resource.
#[must_use]
pub fn broken_resource(item: &BrokenItem) -> TokenStream {
    let (mistakes, stub) = (item.diagnostics.to_compile_errors(), stub::resource(item));
    quote!(#mistakes #stub)
}

/// The code for a field type with mistakes: compiler errors, and a stub of the field type.
#[must_use]
pub fn broken_field_type(item: &BrokenItem) -> TokenStream {
    let (mistakes, stub) = (item.diagnostics.to_compile_errors(), stub::field_type(item));
    quote!(#mistakes #stub)
}
