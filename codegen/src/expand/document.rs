//! The documentation of added items, for crates that require it everywhere.

use super::own;
use crate::derive::FieldItem;
use proc_macro2::TokenStream;
use quote::quote;

/// A generated doc comment.
pub(super) fn sentence(text: &str) -> TokenStream {
    let text = format!(" {text}");
    quote!(#[doc = #text])
}

/// The doc comment of a field, or its name if it has none.
pub(super) fn field(field: &FieldItem) -> TokenStream {
    match field.docs.as_slice() {
        [] => sentence(&format!("Its `{}`.", own::bare(&field.ident))),
        docs => quote!(#(#docs)*),
    }
}
