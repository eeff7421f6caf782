//! Types of fields in generated code, written so that rustc reports a missing type once.
//!
//! rustc reports equal errors at one place once. For the argument of a generic type it also
//! suggests a type parameter, at the name of the item that uses the type. So generated code uses a
//! type as the field does, and its items have the position of the struct's name.

use super::own;
use crate::derive::FieldItem;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

/// The type of a field without `Option`, for use by itself in the generated `const` block.
pub(super) fn alone(field: &FieldItem, owner: &Ident) -> TokenStream {
    let of = own::outside(&field.inner, owner);
    if field.named && field.optional { argument_alone(&of) } else { of }
}

/// The resource that a field refers to, for use by itself in the generated `const` block. In the
/// field it is the argument of `Id`.
pub(super) fn reference(path: &Path, owner: &Ident) -> TokenStream {
    argument_alone(&own::outside(path, owner))
}

fn argument_alone<T: ToTokens + Spanned>(of: &T) -> TokenStream {
    quote_spanned!(of.span()=> __v1::Same<#of>)
}

/// A type as the argument of a generic type. If the field has the type by itself, empty brackets
/// prevent the suggestion.
pub(super) fn argument(of: &Type, field: &FieldItem, owner: &Ident) -> TokenStream {
    let written = own::outside(of, owner);
    match of {
        Type::Path(path) if field.named && !field.optional => {
            let at =
                path.path.segments.last().map_or_else(|| own::at(of), |last| last.ident.span());
            quote_spanned!(at=> #written<>)
        }
        _ => written,
    }
}

/// The keyword `impl` of an item whose methods name types of fields.
pub(super) fn implementation(owner: &Ident) -> Ident {
    Ident::new("impl", owner.span())
}

/// The name of a constant whose value names types of fields. In a `static`, rustc never suggests a
/// type parameter.
pub(super) fn constant(owner: &Ident) -> Ident {
    Ident::new("DEFINITION", owner.span())
}
