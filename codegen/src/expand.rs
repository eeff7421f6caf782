//! A checked item becomes what its derive adds to the program: definitions, implementations,
//! companions.
//!
//! What is emitted names one hidden module, `::nouns::__v1`, and the language itself, by absolute
//! paths; so no name of the author's can be in its way. Behaviour stands in the runtime: here are
//! only facts and places.

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
mod own;
mod resource;
mod stored;
mod stub;

use crate::derive::{BrokenItem, ResourceItem, TypeItem, read_field_type, read_resource};
use companions::Companions;
#[cfg(feature = "yaml")]
pub use file::schema;
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

/// What `#[derive(Resource)]` adds to a struct.
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

/// What `#[derive(FieldType)]` adds to an enum or a struct around one type.
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

/// The companions of a resource, its definition and its implementations.
#[must_use]
pub fn resource(item: &ResourceItem) -> TokenStream {
    let members = member::of(item);
    let companions = Companions::of(&item.ident, &item.vis, item.schema.timestamps);
    let declared = companions.items(&members);
    let def = def::item(item);
    let resource = resource::implementation(item, &companions, &members);
    let stored = stored::implementations(&item.ident, &companions, &members);
    quote! {
        #declared
        const _: () = {
            use ::nouns::__v1;
            #def
            #resource
            #stored
        };
    }
}

/// The definition of a field type and its implementation.
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

/// The mistakes of a resource, and what the rest of the program expects of it, so that nothing else
/// is said.
#[must_use]
pub fn broken_resource(item: &BrokenItem) -> TokenStream {
    let (mistakes, stub) = (item.diagnostics.to_compile_errors(), stub::resource(item));
    quote!(#mistakes #stub)
}

/// The mistakes of a field type, and what the rest of the program expects of it.
#[must_use]
pub fn broken_field_type(item: &BrokenItem) -> TokenStream {
    let (mistakes, stub) = (item.diagnostics.to_compile_errors(), stub::field_type(item));
    quote!(#mistakes #stub)
}
