//! The documentation of what is added, so that a crate which asks for it everywhere can use the
//! derives.

use super::own;
use crate::derive::FieldItem;
use proc_macro2::TokenStream;
use quote::quote;

/// A sentence of ours.
pub(super) fn sentence(text: &str) -> TokenStream {
    let text = format!(" {text}");
    quote!(#[doc = #text])
}

/// What the author wrote about a field; its name where that is nothing.
pub(super) fn field(field: &FieldItem) -> TokenStream {
    match field.docs.as_slice() {
        [] => sentence(&format!("Its `{}`.", own::bare(&field.ident))),
        docs => quote!(#(#docs)*),
    }
}
