//! Generates doc comments for added items, because some crates require documentation everywhere.

use super::own;
use crate::derive::FieldItem;
use proc_macro2::TokenStream;
use quote::quote;

/// The attribute of a generated doc comment.
pub(super) fn sentence(text: &str) -> TokenStream {
    let text = format!(" {text}");
    quote!(#[doc = #text])
}

/// The doc comment of a field, or a sentence with its name if the field has none.
pub(super) fn field(field: &FieldItem) -> TokenStream {
    match field.docs.as_slice() {
        [] => sentence(&format!("The field `{}`.", own::bare(&field.ident))),
        docs => quote!(#(#docs)*),
    }
}
